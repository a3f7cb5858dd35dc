// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/report/page_frames.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>

namespace stickslip::report {
namespace {

using Json = nlohmann::json;

constexpr double kExact = 1.0 / (1 << 20);         // of the size of the scene: unit of poses where all frames are kept
constexpr double kOfTolerance = 1.0 / 16;          // the unit, where a tolerance is
constexpr double kNormalUnit = 1.0 / 2048;         // of normals
constexpr double kLargest = 1 << 30;               // of a whole number
constexpr std::uint32_t kKeptBits = 0xffff'f000U;  // of velocities, forces and gaps: 1 part in 2000 and better

float rounded(double x) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(x));
  return std::isfinite(x) ? std::bit_cast<float>((bits + 0x800U) & kKeptBits) : 0.0F;
}

void push(std::vector<float>& out, const Vec3& v, int components) {
  for (int k = 0; k < components; ++k) out.push_back(rounded(v[k]));
}

std::int32_t whole(double x, double unit) {
  return static_cast<std::int32_t>(std::lround(std::clamp(x / unit, -kLargest, kLargest)));
}

double position_unit(const RunData& data, const Selection& selection) {
  return selection.tolerance > 0 ? kOfTolerance * selection.tolerance : kExact * data.bounds.size();
}

struct PoseSeries {
  std::vector<double> time, units;       // of all frames; of each coordinate
  std::vector<std::int32_t> difference;  // coordinate by coordinate, frame by frame
  std::vector<float> velocity;           // frame by frame
};

// x y angle, or x y z qw qx qy qz, of every body.
PoseSeries poses_of(const RunData& data, const Selection& selection) {
  const bool plane = data.description.model.dimension == 2;
  const std::size_t bodies = data.description.model.bodies.size();
  const double unit = position_unit(data, selection);
  PoseSeries series;
  std::vector<std::vector<double>> values;  // of each coordinate
  for (std::size_t b = 0; b < bodies; ++b) {
    const double arm = data.radius[b] > 0 ? data.radius[b] : data.bounds.size();
    series.units.insert(series.units.end(), plane ? 2 : 3, unit);
    series.units.insert(series.units.end(), plane ? 1 : 4, unit / (plane ? arm : 2 * arm));
  }
  values.resize(series.units.size());
  for (const std::size_t frame : selection.frames) {
    const model::State state = data.recording.state(frame);
    series.time.push_back(state.time);
    std::size_t c = 0;
    for (const model::BodyState& body : state.bodies) {
      const Quat& q = body.pose.orientation;
      for (int k = 0; k < (plane ? 2 : 3); ++k) values[c++].push_back(body.pose.position[k]);
      if (plane) values[c++].push_back(body.angle);
      if (!plane)
        for (const double component : {q.w(), q.x(), q.y(), q.z()}) values[c++].push_back(component);
      if (!has_velocities(bodies)) continue;
      push(series.velocity, body.velocity.linear, plane ? 2 : 3);
      if (plane) series.velocity.push_back(rounded(body.velocity.angular.z()));
      if (!plane) push(series.velocity, body.velocity.angular, 3);
    }
  }
  for (std::size_t c = 0; c < values.size(); ++c) {
    double largest = 0;
    for (const double x : values[c]) largest = std::max(largest, std::fabs(x));
    series.units[c] = std::max(series.units[c], largest / kLargest);
    std::int32_t before = 0;
    for (const double x : values[c]) {
      const std::int32_t now = whole(x, series.units[c]);
      series.difference.push_back(now - before);
      before = now;
    }
  }
  return series;
}

struct ContactColumns {
  std::vector<std::int32_t> frame, first{0}, pair;
  std::vector<std::int32_t>
      next;  // how many rows on the same contact is, in the next frame with contacts; 0: it is not
  std::vector<std::uint8_t> mode;
  std::vector<std::int32_t> point, normal;  // differences to the same contact before
  std::vector<float> force, gap;
};

struct Row {
  std::size_t index = 0;
  std::array<std::int32_t, 6> whole{};  // point and normal
};
using RowsById = std::multimap<collision::ContactId, Row>;

void add_row(const RunData& data, const contact::ContactResult& c, const model::State& state, double unit,
             RowsById& before, RowsById& now, ContactColumns& rows) {
  const auto carrier = static_cast<std::size_t>(carrier_of(data, c.contact.id.body_a, c.contact.id.body_b));
  const Vec3 point = 0.5 * (c.contact.point_a + c.contact.point_b) - state.bodies[carrier].pose.position;
  Row row{rows.mode.size(), {}};
  for (int k = 0; k < 3; ++k) {
    row.whole[static_cast<std::size_t>(k)] = whole(point[k], unit);
    row.whole[static_cast<std::size_t>(3 + k)] = whole(c.contact.normal[k], kNormalUnit);
  }
  std::array<std::int32_t, 6> difference = row.whole;
  if (const auto same = before.find(c.contact.id); same != before.end()) {
    rows.next[same->second.index] = static_cast<std::int32_t>(row.index - same->second.index);
    for (std::size_t k = 0; k < 6; ++k) difference[k] -= same->second.whole[k];
    before.erase(same);
  }
  rows.point.insert(rows.point.end(), difference.begin(), difference.begin() + 3);
  rows.normal.insert(rows.normal.end(), difference.begin() + 3, difference.end());
  rows.mode.push_back(static_cast<std::uint8_t>(c.mode));
  rows.next.push_back(0);
  rows.gap.push_back(rounded(c.contact.gap));
  push(rows.force, c.force, 3);
  now.emplace(c.contact.id, row);
}

ContactColumns contacts_of(const RunData& data, const Selection& selection) {
  const double unit = position_unit(data, selection);
  std::map<std::pair<int, int>, std::int32_t> index;
  for (std::size_t k = 0; k < data.pairs.size(); ++k)
    index[{data.pairs[k].body_a, data.pairs[k].body_b}] = static_cast<std::int32_t>(k);
  ContactColumns rows;
  RowsById before, now;
  for (std::size_t k = 0; k < selection.frames.size(); ++k) {
    if (k % selection.contact_stride != 0 && k + 1 != selection.frames.size()) continue;
    const model::State state = data.recording.state(selection.frames[k]);
    now.clear();
    for (const contact::ContactResult& c : shown_contacts(data, selection.frames[k])) {
      const auto found = index.find({c.contact.id.body_a, c.contact.id.body_b});
      if (found == index.end()) continue;  // a pair that never touches
      rows.pair.push_back(found->second);
      add_row(data, c, state, unit, before, now, rows);
    }
    rows.frame.push_back(static_cast<std::int32_t>(k));
    rows.first.push_back(static_cast<std::int32_t>(rows.mode.size()));
    std::swap(before, now);
  }
  return rows;
}

}  // namespace

int carrier_of(const RunData& data, int body_a, int body_b) {
  const auto mass = [&](int body) { return data.description.model.bodies[static_cast<std::size_t>(body)].mass; };
  const auto radius = [&](int body) { return data.radius[static_cast<std::size_t>(body)]; };
  if ((mass(body_a) > 0) != (mass(body_b) > 0)) return mass(body_a) > 0 ? body_a : body_b;
  return radius(body_b) < radius(body_a) ? body_b : body_a;
}

Json frames_json(const RunData& data, const Selection& selection, Packer& packer) {
  const PoseSeries poses = poses_of(data, selection);
  const ContactColumns rows = contacts_of(data, selection);
  return {{"time", packer.f64(poses.time)},
          {"units", packer.f64(poses.units)},
          {"pose", packer.i32(poses.difference)},
          {"velocity", packer.f32(poses.velocity)},
          {"contact_frame", packer.i32(rows.frame)},
          {"first", packer.i32(rows.first)},
          {"pair", packer.i32(rows.pair)},
          {"next", packer.i32(rows.next)},
          {"mode", packer.u8(rows.mode)},
          {"point_unit", position_unit(data, selection)},
          {"point", packer.i32(rows.point)},
          {"normal_unit", kNormalUnit},
          {"normal", packer.i32(rows.normal)},
          {"force", packer.f32(rows.force)},
          {"gap", packer.f32(rows.gap)},
          {"tolerance", number(selection.tolerance)},
          {"recorded", data.recording.frames()}};
}

}  // namespace stickslip::report
