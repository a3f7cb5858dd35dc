// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/study/trial_plan.h"

#include "stickslip/study/random.h"
#include "stickslip/study/sobol.h"

#include <fmt/format.h>

#include <cassert>
#include <string_view>

namespace stickslip::study {
namespace {

// FNV-1a; the highest streams are kept for other uses.
std::uint32_t stream_of(std::string_view name) {
  std::uint32_t hash = 2166136261U;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash & 0x7FFFFFFFU;
}

double between(const Variation& variation, double share) {
  return variation.a + share * (variation.b - variation.a);
}

double draw_normal(const Variation& variation, std::uint64_t seed, std::uint32_t stream, std::uint64_t index) {
  for (std::uint32_t draw = 0;; ++draw) {
    const double x = variation.a + variation.b * normal_quantile(random_uniform(seed, stream, index, draw));
    if (x >= variation.low && x <= variation.high) return x;
  }
}

}  // namespace

TrialPlan::TrialPlan(const Study& study) : study_(study), strides_(study.variations.size(), 0) {
  std::int64_t stride = 1;
  for (std::size_t i = study.variations.size(); i-- > 0;) {
    if (study.variations[i].kind != Variation::Kind::Grid) continue;
    strides_[i] = stride;
    stride *= static_cast<std::int64_t>(study.variations[i].values.size());
  }
  for (const Variation& variation : study.variations) streams_.push_back(stream_of(variation.parameter));
}

TrialPoint TrialPlan::trial(std::int64_t index) const {
  assert(index >= 0 && index < study_.total());
  TrialPoint trial{index, index / study_.trials, index % study_.trials, {}};
  trial.values.reserve(study_.variations.size());
  for (std::size_t i = 0; i < study_.variations.size(); ++i) {
    const Variation& variation = study_.variations[i];
    const std::int64_t number = variation.each == Variation::Each::Trial   ? trial.index
                                : variation.each == Variation::Each::Group ? trial.group
                                                                           : trial.repeat;
    const std::int64_t count = variation.each == Variation::Each::Trial   ? study_.total()
                               : variation.each == Variation::Each::Group ? study_.groups()
                                                                          : study_.trials;
    const auto key = static_cast<std::uint64_t>(number), keys = static_cast<std::uint64_t>(count);
    double value = 0;
    switch (variation.kind) {
      case Variation::Kind::Grid: {
        const auto size = static_cast<std::int64_t>(variation.values.size());
        value = variation.values[static_cast<std::size_t>(trial.group / strides_[i] % size)];
        break;
      }
      case Variation::Kind::Uniform: value = between(variation, random_uniform(study_.seed, streams_[i], key)); break;
      case Variation::Kind::Normal: value = draw_normal(variation, study_.seed, streams_[i], key); break;
      case Variation::Kind::Sobol:
        value = between(variation, sobol_point(study_.seed, key, variation.dimension));
        break;
      case Variation::Kind::Latin: {
        const auto slice = static_cast<double>(random_permutation(study_.seed, streams_[i], key, keys));
        value = between(variation, (slice + random_uniform(study_.seed, streams_[i], key)) / static_cast<double>(keys));
        break;
      }
    }
    trial.values.push_back(value);
  }
  return trial;
}

std::vector<scene::Override> overrides_of(const Study& study, const TrialPoint& trial) {
  std::vector<scene::Override> overrides = study.set;
  for (std::size_t i = 0; i < study.variations.size(); ++i)
    overrides.push_back({study.variations[i].parameter, fmt::format("{}", trial.values[i])});
  return overrides;
}

}  // namespace stickslip::study
