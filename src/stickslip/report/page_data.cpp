// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/report/page_data.h"

#include "stickslip/report/frame_selection.h"
#include "stickslip/report/page_frames.h"
#include "stickslip/report/setting_json.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace stickslip::report {
namespace {

using Json = nlohmann::json;

// Stretches of a curve: many where there are few curves, so that a reader can zoom into them.
constexpr std::size_t kFewestBuckets = 800, kMostBuckets = 6000, kAllBuckets = 50'000;
constexpr std::size_t kMostBands = 4000;  // of one pair: more than a chart has pixels

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

// At most as many as a chart shows.
std::vector<double> thinned(const std::vector<double>& times) {
  const std::size_t stride = times.size() / kMostBands + 1;
  std::vector<double> kept;
  for (std::size_t k = 0; k < times.size(); k += stride) kept.push_back(times[k]);
  return kept;
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
                     {"carrier", carrier_of(data, pair.body_a, pair.body_b)},
                     {"touch", packer.f64(thinned(pair.touches))},
                     {"changes", pair.bands.size() - 1},
                     {"begin", packer.f64(begin)},
                     {"mode", packer.u8(mode)}});
  }
  return pairs;
}

Json plots_json(const RunData& data, Packer& packer) {
  Json plots = Json::array();
  const std::vector<double>& time = data.recording.time();
  std::size_t curves_of_all = 1;
  for (const Plot& plot : data.plots) curves_of_all += plot.curves.size();
  const std::size_t buckets = std::clamp(kAllBuckets / curves_of_all, kFewestBuckets, kMostBuckets);
  for (const Plot& plot : data.plots) {
    const std::vector<std::size_t> samples = plot_samples(plot.curves, time.size(), buckets);
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
  run["frames_at_worst"] = data.frames_at_worst;
  run["pairs"] = pairs_json(data, packer);
  run["plots"] = plots_json(data, packer);
  if (!info.plan.empty()) {
    run["plan"] = Json::parse(info.plan, nullptr, false);
    if (!run["plan"].is_object()) throw recording::RecordingError("/plan is not a JSON object");
  }
  run["frames"] = frames_json(data, selection, packer);
  return run;
}

}  // namespace stickslip::report
