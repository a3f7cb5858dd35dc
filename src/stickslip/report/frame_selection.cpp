// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// From the last kept frame i, each coordinate c has a cone of slopes s that stay within its tolerance e_c of every
// frame passed so far:  max_k (c_k - c_i - e_c) / (t_k - t_i) <= s <= min_k (c_k - c_i + e_c) / (t_k - t_i). Frame j
// may end the line when its slopes lie in all cones; the last frame that could is kept when one cannot. Cost O(frames x
// coordinates), one pass per tolerance. For a distance e of every point of a body: positions e / 4 each (the
// length of three such errors is below e / 2), angles e / (2 radius), quaternions e / (8 radius) each: an error d in all
// four turns by at most 4 d. Half-spaces take the size of the scene for their radius. Contacts that touch, which are the
// same ones between two changes of mode, are coordinates too: marks move on straight lines with their bodies.
#include "stickslip/report/frame_selection.h"

#include "stickslip/report/moment.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace stickslip::report {
namespace {

constexpr double kFinest = 1.0 / 4000;   // of the size of the scene: half a pixel of a large screen
constexpr int kSteps = 24, kForced = 8;  // of the tolerance, by sqrt(2): to all of the scene, and to 1/250 of it
constexpr std::size_t kFewFrames = 600;  // are all kept
constexpr std::size_t kManyBodies = 64;

struct ComparedValue {
  double value = 0, tolerance = 0;
};

class Coordinates {
 public:
  // `contacts`: count as well; only where no contact's mode changes between kept frames.
  Coordinates(const RunData& data, double tolerance, bool contacts)
      : data_(data), tolerance_(tolerance), contacts_(contacts) {}

  void read(std::size_t frame, std::vector<ComparedValue>& out) {
    const model::State state = data_.recording.state(frame);
    out.clear();
    const bool plane = data_.description.model.dimension == 2;
    previous_.resize(state.bodies.size(), Quat::Identity());
    for (std::size_t b = 0; b < state.bodies.size(); ++b) {
      const model::BodyState& body = state.bodies[b];
      const double arm = data_.radius[b] > 0 ? data_.radius[b] : data_.bounds.size();
      put(body.pose.position, tolerance_ / 4, out);
      if (plane) {
        out.push_back({body.angle, tolerance_ / (2 * arm)});
        continue;
      }
      Quat q = body.pose.orientation;
      if (q.coeffs().dot(previous_[b].coeffs()) < 0) q.coeffs() *= -1;
      previous_[b] = q;
      for (int k = 0; k < 4; ++k) out.push_back({q.coeffs()[k], tolerance_ / (8 * arm)});
    }
    if (!contacts_) return;
    for (const contact::ContactResult& c : data_.recording.contacts(frame))
      if (c.mode != contact::Mode::Open) put(0.5 * (c.contact.point_a + c.contact.point_b), tolerance_ / 2, out);
  }

 private:
  void put(const Vec3& point, double tolerance, std::vector<ComparedValue>& out) const {
    for (int k = 0; k < data_.description.model.dimension; ++k) out.push_back({point[k], tolerance});
  }

  const RunData& data_;
  double tolerance_;
  bool contacts_;
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

// `forced`: frames that are kept in any case; empty: none.
std::vector<std::size_t> within(const RunData& data, double tolerance, const std::vector<bool>& forced) {
  const std::vector<double>& time = data.recording.time();
  Coordinates reader(data, tolerance, !forced.empty());
  std::vector<ComparedValue> start, last, now;
  std::vector<double> low, high;
  std::vector<std::size_t> kept{0};
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto open_cones = [&] {
    low.assign(start.size(), -kInfinity);
    high.assign(start.size(), kInfinity);
  };
  const auto fits = [&](std::size_t frame) {
    const double dt = time[frame] - time[kept.back()];
    for (std::size_t c = 0; c < std::min(now.size(), start.size()); ++c) {
      const double slope = (now[c].value - start[c].value) / dt;
      if (slope < low[c] || slope > high[c]) return false;
    }
    return true;
  };
  const auto narrow = [&](std::size_t frame) {
    const double dt = time[frame] - time[kept.back()];
    // Other contacts than at the start: the mode has changed, and this frame is kept.
    for (std::size_t c = 0; c < std::min(now.size(), start.size()); ++c) {
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
    if ((!forced.empty() && forced[frame]) || frame + 1 == time.size()) {
      kept.push_back(frame);
      start = now;
      open_cones();
    }
  }
  return kept;
}

}  // namespace

bool has_velocities(std::size_t bodies) {
  return bodies <= kManyBodies;
}

std::size_t pose_bytes(std::size_t bodies, int dimension) {
  const std::size_t coordinates = dimension == 2 ? 3 : 7, velocities = dimension == 2 ? 3 : 6;
  return 8 + bodies * (2 * coordinates + (has_velocities(bodies) ? 3 * velocities : 0));
}

std::size_t contact_bytes(std::size_t contacts) {
  return 20 * contacts;
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

Selection select_frames(const RunData& data, std::size_t budget) {
  const std::size_t frames = data.recording.frames(), bodies = data.description.model.bodies.size();
  const std::size_t pose = pose_bytes(bodies, data.description.model.dimension);
  std::vector<std::size_t> contacts(frames);
  Selection selection;
  // What the selected frames take; contacts get half of the budget, or what poses leave.
  const auto fits = [&] {
    const std::size_t poses = pose * selection.frames.size();
    std::size_t rows = 0;
    for (const std::size_t frame : selection.frames) rows += contacts[frame];
    const std::size_t room = std::max(budget / 2, budget - std::min(budget, poses));
    selection.contact_stride = std::max<std::size_t>(1, (rows + room - 1) / std::max<std::size_t>(1, room));
    selection.bytes = poses + rows / selection.contact_stride;
    return selection.bytes <= budget;
  };
  for (std::size_t frame = 0; frame < frames; ++frame) {
    contacts[frame] = contact_bytes(shown_contacts(data, frame).size());
    selection.frames.push_back(frame);
  }
  if (frames <= kFewFrames && fits() && selection.contact_stride == 1) return selection;
  const auto take = [&](int step, const std::vector<bool>& forced) {
    selection.tolerance = data.bounds.size() * kFinest * std::pow(2, 0.5 * step);
    selection.frames = within(data, selection.tolerance, forced);
    return fits();
  };
  // The least step that fits, of those up to `last`, which does.
  const auto least = [&](int last, const std::vector<bool>& forced) {
    int low = 0, high = last;
    while (low < high) {
      const int middle = (low + high) / 2;
      if (take(middle, forced))
        high = middle;
      else
        low = middle + 1;
    }
    (void)take(high, forced);
    selection.finest = high == 0;
  };
  const std::vector<bool> changes = mode_changes(data);
  if (take(kForced, changes) && selection.contact_stride == 1)
    least(kForced, changes);
  else  // bodies that chatter, or very many: the bands still have every change
    least(kSteps, {});
  return selection;
}

}  // namespace stickslip::report
