// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Times of change come from the recorded events, which steppers may locate within a step; frames tell where the first
// band of a pair begins. A pair that met and parted between two frames was touching in none of them: its first band
// begins with the frame before its first event.
#include "stickslip/report/bands.h"

#include "stickslip/collision/feature.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace stickslip::report {
namespace {

using contact::Mode;
using Pair = std::pair<int, int>;

struct First {
  double begin = 0;
  Mode mode = Mode::Open;
};

// When and in which mode each pair is first seen touching.
std::map<Pair, First> first_touches(const recording::Recording& recording) {
  std::map<Pair, First> first;
  for (std::size_t frame = 0; frame < recording.frames(); ++frame) {
    std::map<Pair, Mode> now;
    for (const contact::ContactResult& c : recording.contacts(frame)) {
      Mode& mode = now.try_emplace({c.contact.id.body_a, c.contact.id.body_b}, Mode::Open).first->second;
      mode = std::max(mode, c.mode);
    }
    // The state at the start has no step behind it: a pair that touches after the first step touched from the start.
    const double begin = recording.time()[frame <= 1 ? 0 : frame];
    for (const auto& [pair, mode] : now)
      if (mode != Mode::Open) first.try_emplace(pair, First{begin, mode});
  }
  return first;
}

// The last frame that is earlier; the first one where none is.
double frame_before(const recording::Recording& recording, double time) {
  const std::vector<double>& frames = recording.time();
  const auto after = std::lower_bound(frames.begin(), frames.end(), time);
  return after == frames.begin() ? frames.front() : *std::prev(after);
}

std::vector<double> touches_of(const std::vector<Band>& bands, double start) {
  std::vector<double> times;
  for (std::size_t k = 0; k < bands.size(); ++k)
    if (bands[k].mode != Mode::Open && (k == 0 ? bands[k].begin > start : bands[k - 1].mode == Mode::Open))
      times.push_back(bands[k].begin);
  return times;
}

// Shapes and their parts are counted from 1, and only where there are several.
std::string name_of_place(const model::Model& model, int body, int shape, collision::FeatureCode feature) {
  const model::Body& of = model.bodies[static_cast<std::size_t>(body)];
  const bool several = of.shapes.size() > 1;
  std::string name = several ? fmt::format("{} {}", of.name, shape + 1) : of.name;
  const model::Shape& kind = of.shapes[static_cast<std::size_t>(shape)].shape;
  const auto* points = std::get_if<model::PointSet>(&kind);
  const bool one = std::holds_alternative<model::Disc>(kind) || std::holds_alternative<model::Sphere>(kind) ||
                   std::holds_alternative<model::HalfSpace>(kind) || (points != nullptr && points->points.size() == 1);
  if (one) return name;  // it has one place only
  int number = collision::feature_index(feature);
  if (const auto* chain = std::get_if<model::Chain>(&kind)) {  // the collider counts its sides there and back
    const int sides = static_cast<int>(chain->points.size()) - 1;
    const bool side = collision::feature_kind(feature) == collision::FeatureKind::Face;
    if (number > sides - (side ? 1 : 0)) number = 2 * sides - (side ? 1 : 0) - number;
  }
  ++number;
  switch (collision::feature_kind(feature)) {
    case collision::FeatureKind::Vertex: return name + fmt::format(" corner {}", number);
    case collision::FeatureKind::Edge: return name + fmt::format(" edge {}", number);
    case collision::FeatureKind::Face: return name + fmt::format("{}{}", several ? "." : " side ", number);
    case collision::FeatureKind::Smooth: break;
  }
  return name;
}

}  // namespace

std::vector<PairBands> bands_of(const recording::Recording& recording, const model::Model& model) {
  const int bodies = static_cast<int>(model.bodies.size());
  const auto known = [&](const Pair& pair) {
    return pair.first >= 0 && pair.second >= 0 && pair.first < bodies && pair.second < bodies;
  };
  std::map<Pair, std::vector<Band>> bands;
  const double last = recording.time().back();
  const std::map<Pair, First> first = first_touches(recording);
  for (const auto& [pair, touch] : first)
    if (known(pair)) bands[pair].push_back({touch.mode, touch.begin, last});
  for (const recording::ModeChange& change : recording.events()) {
    const Pair pair{change.body_a, change.body_b};
    if (!known(pair) || change.time > last) continue;
    std::vector<Band>& list = bands[pair];
    const double before = frame_before(recording, change.time);
    if (list.empty())
      list.push_back({change.from, change.from == Mode::Open ? recording.time().front() : before, last});
    if (list.size() == 1) {
      list[0].mode = change.from;
      if (list[0].begin >= change.time) list[0].begin = before;
    }
    list.back().end = change.time;
    list.push_back({change.to, change.time, last});
  }
  std::vector<PairBands> result;
  for (auto& [pair, list] : bands) {
    std::erase_if(list, [](const Band& band) { return !(band.end > band.begin); });
    if (list.empty()) continue;
    const int surface = model.surface_between(pair.first, pair.second);
    const double friction = surface >= 0 ? model.surfaces[static_cast<std::size_t>(surface)].friction_static : 0;
    result.push_back({pair.first, pair.second, friction, std::move(list), {}});
    result.back().touches = touches_of(result.back().bands, recording.time().front());
  }
  return result;
}

std::vector<ContactBands> contact_bands_of(const recording::Recording& recording, const model::Model& model) {
  const auto has = [&](int body, int shape) {
    return body >= 0 && static_cast<std::size_t>(body) < model.bodies.size() && shape >= 0 &&
           static_cast<std::size_t>(shape) < model.bodies[static_cast<std::size_t>(body)].shapes.size();
  };
  const std::vector<double>& time = recording.time();
  std::map<collision::ContactId, std::vector<Band>> all;
  for (std::size_t frame = 1; frame < recording.frames(); ++frame) {
    std::map<collision::ContactId, Mode> now;
    for (const contact::ContactResult& c : recording.contacts(frame)) {
      collision::ContactId id = c.contact.id;
      id.element = 0;
      if (c.mode == Mode::Open || !has(id.body_a, id.shape_a) || !has(id.body_b, id.shape_b)) continue;
      Mode& mode = now.try_emplace(id, Mode::Open).first->second;
      mode = std::max(mode, c.mode);
    }
    for (const auto& [id, mode] : now) all.try_emplace(id, std::vector<Band>{{Mode::Open, time.front(), time.front()}});
    for (auto& [id, list] : all) {
      const auto found = now.find(id);
      const Mode mode = found == now.end() ? Mode::Open : found->second;
      list.back().end = time[frame - 1];
      if (list.back().mode != mode) list.push_back({mode, time[frame - 1], time[frame - 1]});
      list.back().end = time[frame];
    }
  }
  std::vector<ContactBands> result;
  for (auto& [id, list] : all) {
    std::erase_if(list, [](const Band& band) { return !(band.end > band.begin); });
    result.push_back({id,
                      name_of_place(model, id.body_a, id.shape_a, id.feature_a) + " - " +
                          name_of_place(model, id.body_b, id.shape_b, id.feature_b),
                      std::move(list)});
  }
  const auto met = [](const ContactBands& contact) {
    const Band& first = contact.bands.front();
    return first.mode == Mode::Open ? first.end : first.begin;
  };
  std::ranges::stable_sort(result, {}, met);
  return result;
}

}  // namespace stickslip::report
