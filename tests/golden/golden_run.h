// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What golden_bits_test.cpp runs, and how it is summed up. apps/stickslip_web/bits.cpp runs the same in WebAssembly.
#pragma once

#include "stickslip/files/checksum.h"
#include "stickslip/scene/scene.h"
#include "stickslip/simulation/simulation.h"
#include "tests/support/running.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace stickslip::testing {

inline constexpr int kSteps = 40;
inline constexpr double kLongest = 16;  // steps of the scene in a long step,
inline constexpr double kShorter = 2;   // of a scene with many bodies, where problems without a solution take seconds
inline constexpr std::size_t kMany = 20;

struct Outcome {
  int steps = 0;
  std::uint64_t hash = 0;
  double position = 0, velocity = 0;              // weighted sums over the bodies at the end
  double position_scale = 0, velocity_scale = 0;  // the same over magnitudes
};

// A weight for each number of a state: none cancels another by symmetry.
inline double weight(std::size_t k) {
  double whole = 0;
  return 0.5 + std::modf(0.6180339887498949 * static_cast<double>(k + 1), &whole);
}

inline void sum_up(const model::State& state, Outcome& out) {
  std::size_t k = 0;
  const auto add = [&](double x, double& sum, double& scale) {
    const double term = weight(k++) * x;
    sum += term;
    scale += std::fabs(term);
  };
  for (const model::BodyState& body : state.bodies) {
    for (int i = 0; i < 3; ++i) add(body.pose.position[i], out.position, out.position_scale);
    for (int i = 0; i < 4; ++i) add(body.pose.orientation.coeffs()[i], out.position, out.position_scale);
    for (int i = 0; i < 3; ++i) add(body.velocity.linear[i], out.velocity, out.velocity_scale);
    for (int i = 0; i < 3; ++i) add(body.velocity.angular[i], out.velocity, out.velocity_scale);
  }
}

inline Outcome run(const scene::Scene& scene, const stepping::Method& method) {
  simulation::Simulation simulation(scene.model, method);
  files::Checksum hash;
  Outcome out;
  const auto note = [&] {
    const double time = simulation.time();
    hash.add(&time, sizeof time);
    hash.add(bits(simulation.state()));
  };
  note();
  while (out.steps < kSteps && simulation.time() < scene.duration && simulation.step().certified) {
    ++out.steps;
    note();
  }
  out.hash = hash.value();
  sum_up(simulation.state(), out);
  return out;
}

// Of the functions of the C library whose last bit depends on its version and on the processor.
inline std::uint64_t hash_of_the_c_library() {
  files::Checksum hash;
  for (int k = 1; k <= 4000; ++k) {
    const double x = 0.00731 * k;
    const double values[] = {std::sin(x),       std::cos(x),  std::tan(x),        std::atan2(x, 3.0),
                             std::exp(0.1 * x), std::log(x),  std::asin(x / 30),  std::acos(x / 30),
                             std::pow(x, 1.3),  std::cbrt(x), std::sinh(0.1 * x), std::tanh(0.1 * x),
                             std::hypot(x, 0.7)};
    hash.add(values, sizeof values);
  }
  return hash.value();
}

// The scenes among the files of the examples; studies, plans and tables of figures are none.
inline std::vector<std::string> scene_files(const std::filesystem::path& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".toml") continue;
    const std::string name = std::filesystem::relative(entry.path(), folder).string();
    try {
      (void)scene::load_scene(entry.path().string());
      files.push_back(name);
    } catch (const scene::SceneError&) {
    }
  }
  std::ranges::sort(files);
  return files;
}

inline std::map<std::string, Outcome> runs_of(const std::filesystem::path& folder, const std::string& stepper) {
  std::map<std::string, Outcome> runs;
  for (const std::string& file : scene_files(folder)) {
    const scene::Scene scene = scene::load_scene((folder / file).string());
    for (const std::string_view motion : stepping::kChoices<stepping::MotionModel>) {
      stepping::Method method = scene.method;
      method.stepper = stepper;
      for (const auto model :
           {stepping::MotionModel::Dynamic, stepping::MotionModel::FirstOrder, stepping::MotionModel::QuasiStatic})
        if (stepping::name_of(model) == motion) method.motion = model;
      if (!stepping::objection_to(method, scene.model).empty()) continue;
      const std::string key = fmt::format("{} {} {} ", file, stepper, motion);
      runs[key + "scene"] = run(scene, method);
      const double longest = scene.model.bodies.size() > kMany ? kShorter : kLongest;
      method.step = std::min(longest * method.step, scene.duration / kSteps);
      if (method.step > scene.method.step) runs[key + "long"] = run(scene, method);
    }
  }
  return runs;
}

// As in bits.txt.
inline std::string line_of(const std::string& key, const Outcome& run) {
  return fmt::format("{} {} {:016x} {:.12g} {:.12g}\n", key, run.steps, run.hash, run.position, run.velocity);
}

}  // namespace stickslip::testing
