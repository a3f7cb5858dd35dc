// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/report/page_data.h"

#include "stickslip/model/triangulate.h"
#include "stickslip/report/frame_selection.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace stickslip::report {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kBuckets = 800;
constexpr std::size_t kMostBands = 4000;  // of one pair: more than a chart has pixels

// The recording's JSON of a body is what the page reads, with faces cut into triangles.
Json bodies_json(const recording::RunDescription& description) {
  Json bodies = Json::parse(recording::to_json(description)).at("bodies");
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const auto& shapes = description.model.bodies[b].shapes;
    for (std::size_t s = 0; s < shapes.size(); ++s) {
      const auto* solid = std::get_if<model::Polyhedron>(&shapes[s].shape);
      if (solid == nullptr) continue;
      Json triangles = Json::array();
      for (const std::vector<int>& face : solid->faces)
        for (const auto& t : model::triangulate_face(solid->vertices, face)) triangles.push_back(t);
      bodies[b]["shapes"][s]["triangles"] = std::move(triangles);
    }
  }
  return bodies;
}

Json quantities(const std::vector<recording::Quantity>& list) {
  Json out = Json::array();
  for (const recording::Quantity& q : list)
    out.push_back({{"name", q.name}, {"unit", q.unit}, {"description", q.description}, {"value", number(q.value)}});
  return out;
}

// Narrow bands beside each other become one where there are more than can be seen: of the mode that is most in arrears,
// so that every stretch shows each mode for as long as it lasted.
std::vector<Band> visible(const std::vector<Band>& bands) {
  if (bands.size() <= kMostBands) return bands;
  const double begin = bands.front().begin, width = (bands.back().end - begin) / static_cast<double>(kMostBands);
  std::vector<Band> merged;
  std::array<double, 4> owed{};  // time of each mode that was not shown yet
  std::size_t k = 0;
  while (k < bands.size()) {
    const double cell_end = begin + width * (std::floor((bands[k].begin - begin) / width) + 1);
    std::size_t next = k;
    for (; next < bands.size() && (next == k || bands[next].end <= cell_end); ++next)
      owed[static_cast<std::size_t>(bands[next].mode)] += bands[next].end - bands[next].begin;
    const auto most = static_cast<std::size_t>(std::max_element(owed.begin(), owed.end()) - owed.begin());
    owed[most] -= bands[next - 1].end - bands[k].begin;
    merged.push_back({static_cast<contact::Mode>(most), bands[k].begin, bands[next - 1].end});
    k = next;
  }
  return merged;
}

Json pairs_json(const RunData& data, Packer& packer) {
  Json pairs = Json::array();
  for (const PairBands& pair : data.pairs) {
    std::vector<double> begin;
    std::vector<std::uint8_t> mode;
    for (const Band& band : visible(pair.bands)) {
      begin.push_back(band.begin);
      mode.push_back(static_cast<std::uint8_t>(band.mode));
    }
    begin.push_back(pair.bands.back().end);
    pairs.push_back({{"a", pair.body_a},
                     {"b", pair.body_b},
                     {"friction", pair.friction},
                     {"changes", pair.bands.size() - 1},
                     {"begin", packer.f64(begin)},
                     {"mode", packer.u8(mode)}});
  }
  return pairs;
}

Json plots_json(const RunData& data, Packer& packer) {
  Json plots = Json::array();
  const std::vector<double>& time = data.recording.time();
  for (const Plot& plot : data.plots) {
    const std::vector<std::size_t> samples = plot_samples(plot.curves, time.size(), kBuckets);
    std::vector<double> t;
    for (const std::size_t k : samples) t.push_back(time[k]);
    Json curves = Json::array();
    for (const Curve& curve : plot.curves) {
      std::vector<float> values;
      for (const std::size_t k : samples)
        values.push_back(k < curve.values.size() ? static_cast<float>(curve.values[k]) : std::nanf(""));
      const double last = curve.values.empty() ? std::nan("") : curve.values.back();
      curves.push_back({{"name", curve.name}, {"values", packer.f32(values)}, {"last", number(last)}});
    }
    plots.push_back({{"title", plot.title},
                     {"unit", plot.unit},
                     {"description", plot.description},
                     {"logarithmic", plot.logarithmic},
                     {"time", packer.f64(t)},
                     {"curves", std::move(curves)}});
  }
  return plots;
}

Json frames_json(const RunData& data, const Selection& selection, Packer& packer) {
  std::vector<double> time;
  std::vector<float> pose, point, normal, force;
  std::vector<std::int32_t> first{0}, pair;
  std::vector<std::uint8_t> mode;
  std::map<std::pair<int, int>, std::int32_t> index;
  for (std::size_t k = 0; k < data.pairs.size(); ++k)
    index[{data.pairs[k].body_a, data.pairs[k].body_b}] = static_cast<std::int32_t>(k);
  const auto push3 = [](std::vector<float>& out, const Vec3& v) {
    for (int k = 0; k < 3; ++k) out.push_back(static_cast<float>(v[k]));
  };
  for (const std::size_t frame : selection.frames) {
    const model::State state = data.recording.state(frame);
    time.push_back(state.time);
    for (const model::BodyState& body : state.bodies) {
      if (data.description.model.dimension == 2) {
        pose.push_back(static_cast<float>(body.pose.position.x()));
        pose.push_back(static_cast<float>(body.pose.position.y()));
        pose.push_back(static_cast<float>(body.angle));
        continue;
      }
      const Quat& q = body.pose.orientation;
      push3(pose, body.pose.position);
      for (const double c : {q.w(), q.x(), q.y(), q.z()}) pose.push_back(static_cast<float>(c));
    }
    for (const contact::ContactResult& c : shown_contacts(data, frame)) {
      const auto found = index.find({c.contact.id.body_a, c.contact.id.body_b});
      if (found == index.end()) continue;  // a pair that never touches
      pair.push_back(found->second);
      mode.push_back(static_cast<std::uint8_t>(c.mode));
      push3(point, 0.5 * (c.contact.point_a + c.contact.point_b));
      push3(normal, c.contact.normal);
      push3(force, c.force);
    }
    first.push_back(static_cast<std::int32_t>(pair.size()));
  }
  return {
      {"time", packer.f64(time)},           {"pose", packer.f32(pose)},   {"first", packer.i32(first)},
      {"pair", packer.i32(pair)},           {"mode", packer.u8(mode)},    {"point", packer.f32(point)},
      {"normal", packer.f32(normal)},       {"force", packer.f32(force)}, {"tolerance", number(selection.tolerance)},
      {"recorded", data.recording.frames()}};
}

}  // namespace

std::vector<std::size_t> plot_samples(const std::vector<Curve>& curves, std::size_t samples, std::size_t buckets) {
  std::vector<std::size_t> kept;
  if (samples <= 4 * buckets) {
    for (std::size_t k = 0; k < samples; ++k) kept.push_back(k);
    return kept;
  }
  // Curves of one plot share their samples; each gets its part of the buckets.
  const std::size_t own = std::max<std::size_t>(buckets / std::max<std::size_t>(curves.size(), 1), 100);
  kept = {0, samples - 1};
  for (const Curve& curve : curves) {
    for (std::size_t bucket = 0; bucket < own; ++bucket) {
      const std::size_t begin = bucket * samples / own, end = (bucket + 1) * samples / own;
      std::size_t least = begin, greatest = begin;
      for (std::size_t k = begin; k < std::min(end, curve.values.size()); ++k) {
        if (!(curve.values[k] >= curve.values[least])) least = k;
        if (!(curve.values[k] <= curve.values[greatest])) greatest = k;
      }
      kept.push_back(least);
      kept.push_back(greatest);
    }
  }
  std::sort(kept.begin(), kept.end());
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  return kept;
}

Json setting_json(const recording::RunDescription& description) {
  const Units units = units_of(description);
  return {{"title", description.title},
          {"description", description.description},
          {"dimension", description.model.dimension},
          {"gravity", {description.model.gravity.x(), description.model.gravity.y(), description.model.gravity.z()}},
          {"units", {{"time", units.time}, {"length", units.length}}},
          {"duration", number(description.duration)},
          {"tolerance", number(description.tolerance)},
          {"parameters", quantities(description.parameters)},
          {"observables", quantities(description.observables)},
          {"bodies", bodies_json(description)}};
}

Json run_json(const RunData& data, const Selection& selection, Packer& packer) {
  const recording::RecordingInfo& info = data.recording.info();
  Json run = setting_json(data.description);
  run["version"] = info.version;
  run["method"] = info.method;
  run["scene"] = info.scene;
  run["end"] = data.recording.end();
  run["audit"] = data.recording.audit();
  run["has_shapes"] = data.has_shapes;
  run["radius"] = data.radius;
  const Vec3 &low = data.bounds.low, &high = data.bounds.high;
  run["bounds"] = {{low.x(), low.y(), low.z()}, {high.x(), high.y(), high.z()}};
  run["worst_residual"] = number(data.worst_residual);
  run["worst_time"] = number(data.worst_time);
  run["pairs"] = pairs_json(data, packer);
  run["plots"] = plots_json(data, packer);
  if (!info.plan.empty()) {
    run["plan"] = Json::parse(info.plan, nullptr, false);
    if (!run["plan"].is_object()) throw recording::RecordingError("/plan is no JSON object");
  }
  run["frames"] = frames_json(data, selection, packer);
  return run;
}

}  // namespace stickslip::report
