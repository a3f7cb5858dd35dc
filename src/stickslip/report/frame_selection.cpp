// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// From the last kept frame i, each coordinate c has a cone of slopes s that stay within its tolerance e_c of every
// frame passed so far:  max_k (c_k - c_i - e_c) / (t_k - t_i) <= s <= min_k (c_k - c_i + e_c) / (t_k - t_i). Frame j
// may end the line when its slopes lie in all cones; the last frame that could is kept when one cannot. Cost O(frames x
// coordinates), one pass per tolerance. Coordinates: position with tolerance e, and angle (plane) or quaternion (space)
// with e / radius, e / (2 radius): a quaternion turns by half the angle. Half-spaces take the size of the scene for
// their radius.
#include "stickslip/report/frame_selection.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace stickslip::report {
namespace {

constexpr double kFinest = 1.0 / 4000;  // of the size of the scene: half a pixel of a large screen
constexpr int kDoublings = 8;
constexpr std::size_t kFewFrames = 600;  // are all kept

struct Coordinate {
  double value = 0, tolerance = 0;
};

class Coordinates {
 public:
  Coordinates(const RunData& data, double tolerance) : data_(data), tolerance_(tolerance) {}

  void read(std::size_t frame, std::vector<Coordinate>& out) {
    const model::State state = data_.recording.state(frame);
    out.clear();
    const bool plane = data_.description.model.dimension == 2;
    previous_.resize(state.bodies.size(), Quat::Identity());
    for (std::size_t b = 0; b < state.bodies.size(); ++b) {
      const model::BodyState& body = state.bodies[b];
      const double arm = data_.radius[b] > 0 ? data_.radius[b] : data_.bounds.size();
      for (int k = 0; k < (plane ? 2 : 3); ++k) out.push_back({body.pose.position[k], tolerance_});
      if (plane) {
        out.push_back({body.angle, tolerance_ / arm});
        continue;
      }
      Quat q = body.pose.orientation;
      if (q.coeffs().dot(previous_[b].coeffs()) < 0) q.coeffs() *= -1;
      previous_[b] = q;
      for (int k = 0; k < 4; ++k) out.push_back({q.coeffs()[k], tolerance_ / (2 * arm)});
    }
  }

 private:
  const RunData& data_;
  double tolerance_;
  std::vector<Quat> previous_;
};

// Frames at which some contact changed its mode, with the frame before: colours are right from frame to frame.
std::vector<bool> mode_changes(const RunData& data) {
  std::vector<bool> keep(data.recording.frames(), false);
  std::map<collision::ContactId, contact::Mode> before, now;
  for (std::size_t frame = 0; frame < keep.size(); ++frame) {
    now.clear();
    for (const contact::ContactResult& c : data.recording.contacts(frame))
      if (c.mode != contact::Mode::Open) now[c.contact.id] = c.mode;
    if (frame > 0 && now != before) keep[frame] = keep[frame - 1] = true;
    std::swap(now, before);
  }
  return keep;
}

std::vector<std::size_t> within(const RunData& data, double tolerance, const std::vector<bool>& forced) {
  const std::vector<double>& time = data.recording.time();
  Coordinates reader(data, tolerance);
  std::vector<Coordinate> start, last, now;
  std::vector<double> low, high;
  std::vector<std::size_t> kept{0};
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto open_cones = [&] {
    low.assign(start.size(), -kInfinity);
    high.assign(start.size(), kInfinity);
  };
  const auto fits = [&](std::size_t frame) {
    const double dt = time[frame] - time[kept.back()];
    for (std::size_t c = 0; c < now.size(); ++c) {
      const double slope = (now[c].value - start[c].value) / dt;
      if (slope < low[c] || slope > high[c]) return false;
    }
    return true;
  };
  const auto narrow = [&](std::size_t frame) {
    const double dt = time[frame] - time[kept.back()];
    for (std::size_t c = 0; c < now.size(); ++c) {
      const double change = now[c].value - start[c].value;
      low[c] = std::max(low[c], (change - now[c].tolerance) / dt);
      high[c] = std::min(high[c], (change + now[c].tolerance) / dt);
    }
  };
  reader.read(0, start);
  open_cones();
  for (std::size_t frame = 1; frame < time.size(); ++frame) {
    reader.read(frame, now);
    if (kept.back() + 1 < frame && !fits(frame)) {
      kept.push_back(frame - 1);
      start = last;
      open_cones();
    }
    narrow(frame);
    last = now;
    if (forced[frame] || frame + 1 == time.size()) {
      kept.push_back(frame);
      start = now;
      open_cones();
    }
  }
  return kept;
}

}  // namespace

std::size_t frame_bytes(std::size_t bodies, std::size_t contacts, int dimension) {
  return 12 + 4 * bodies * (dimension == 2 ? 3 : 7) + 41 * contacts;
}

std::vector<contact::ContactResult> shown_contacts(const RunData& data, std::size_t frame) {
  std::vector<contact::ContactResult> contacts = data.recording.contacts(frame);
  const double reach = kOpenReach * data.bounds.size();
  std::erase_if(contacts, [&](const auto& c) { return c.mode == contact::Mode::Open && c.contact.gap > reach; });
  for (contact::ContactResult& c : contacts) {
    if (!on_second_body(data.description.model, c)) continue;
    c.force = -c.force;
    c.contact.normal = -c.contact.normal;
  }
  return contacts;
}

bool on_second_body(const model::Model& model, const contact::ContactResult& contact) {
  const auto free = [&](int body) { return model.bodies[static_cast<std::size_t>(body)].mass > 0; };
  return !free(contact.contact.id.body_a) && free(contact.contact.id.body_b);
}

Selection select_frames(const RunData& data, std::size_t budget) {
  const std::size_t frames = data.recording.frames(), bodies = data.description.model.bodies.size();
  std::vector<std::size_t> bytes(frames);
  std::size_t total = 0;
  for (std::size_t frame = 0; frame < frames; ++frame)
    total += bytes[frame] = frame_bytes(bodies, shown_contacts(data, frame).size(), data.description.model.dimension);
  Selection selection;
  if (frames <= kFewFrames && total <= budget) {
    for (std::size_t frame = 0; frame < frames; ++frame) selection.frames.push_back(frame);
    selection.bytes = total;
    return selection;
  }
  const auto fits = [&] {
    selection.bytes = 0;
    for (const std::size_t frame : selection.frames) selection.bytes += bytes[frame];
    return selection.bytes <= budget;
  };
  std::vector<bool> forced = mode_changes(data);
  for (int k = 0; k <= kDoublings; ++k) {
    selection.tolerance = data.bounds.size() * kFinest * std::pow(2, k);
    selection.frames = within(data, selection.tolerance, forced);
    selection.finest = k == 0;
    if (fits()) return selection;
    if (k == kDoublings / 2) forced.assign(frames, false);  // bodies that chatter: the bands still have every change
  }
  // Too many bodies for any tolerance: frames at equal distance. The page says so by a tolerance that is not a number.
  selection.tolerance = std::numeric_limits<double>::quiet_NaN();
  const std::size_t stride = std::max<std::size_t>(1, (total + budget - 1) / budget);
  selection.frames.clear();
  for (std::size_t frame = 0; frame < frames; frame += stride) selection.frames.push_back(frame);
  if (selection.frames.back() + 1 != frames) selection.frames.push_back(frames - 1);
  return selection;
}

}  // namespace stickslip::report
