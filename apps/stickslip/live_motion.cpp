// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "live_motion.h"

#include "stickslip/scene/document.h"

namespace stickslip::app {
namespace {

struct Integrated {
  bool translation = false, rotation = false;
};

// What the motion table of each body of a scene gives: by name, without the numbers of copies.
Integrated integrated(const scene::Value& root, const std::string& name) {
  Integrated result;
  const scene::Value* bodies = root.find("body");
  if (bodies == nullptr) return result;
  for (const scene::Value& body : bodies->items) {
    const scene::Value* own = body.find("name");
    if (own == nullptr || !(name == own->text || (body.find("count") != nullptr && name.starts_with(own->text + "_"))))
      continue;
    const scene::Value* motion = body.find("motion");
    if (motion == nullptr) continue;
    const scene::Value* symmetric = motion->find("symmetric");
    if (symmetric != nullptr && symmetric->boolean) continue;
    const auto has = [&](const char* key) { return motion->find(key) != nullptr; };
    result.translation = has("velocity") || has("acceleration");
    result.rotation = has("angular_velocity") || has("angular_acceleration");
  }
  return result;
}

void shift(const model::TimeFunction& before, double time, model::TimeFunction& after) {
  if (!before || !after) return;
  const double offset = before(time).value - after(time).value;
  if (offset == 0) return;
  after = [offset, function = std::move(after)](double t) {
    model::TimeJet jet = function(t);
    jet.value += offset;
    return jet;
  };
}

void turn(const model::OrientationFunction& before, double time, model::OrientationFunction& after) {
  if (!before || !after) return;
  const Quat offset = after(time).orientation.conjugate() * before(time).orientation;
  after = [offset, function = std::move(after)](double t) {
    model::OrientationJet jet = function(t);
    jet.orientation = (jet.orientation * offset).normalized();
    return jet;
  };
}

}  // namespace

void keep_places(const std::string& scene_file, const model::Model& before, double time, model::Model& after) {
  const scene::Document document = scene::read_document(scene_file);
  for (std::size_t b = 0; b < after.bodies.size() && b < before.bodies.size(); ++b) {
    const Integrated which = integrated(document.root, after.bodies[b].name);
    const model::Drive& old = before.bodies[b].drive;
    model::Drive& drive = after.bodies[b].drive;
    if (which.translation)
      for (std::size_t k = 0; k < 3; ++k) shift(old.translation[k], time, drive.translation[k]);
    if (!which.rotation) continue;
    shift(old.angle, time, drive.angle);
    turn(old.orientation, time, drive.orientation);
  }
}

}  // namespace stickslip::app
