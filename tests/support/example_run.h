// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Runs examples/NAME/scene.toml as `stickslip run` does, with --set overrides, and keeps the observables at the end.
#pragma once

#include "stickslip/runs/observer.h"
#include "stickslip/scene/scene.h"
#include "stickslip/simulation/simulation.h"
#include "tests/support/paths.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace stickslip::testing {

using Settings = std::vector<scene::Override>;

// name: "ball", or a file of an example, "rolling/ngon.toml".
inline scene::Scene load_example(const std::string& name, const Settings& settings = {}) {
  const std::string file = name.ends_with(".toml") ? name : name + "/scene.toml";
  return scene::load_scene(std::string(tests::kSourceFolder) + "/examples/" + file, settings);
}

class ExampleRun {
 public:
  explicit ExampleRun(const std::string& name, const Settings& settings = {})
      : ExampleRun(load_example(name, settings)) {}
  explicit ExampleRun(scene::Scene scene)
      : scene_(std::move(scene)), simulation_(scene_.model, scene_.method), observer_(scene_) {
    observer_.advance({simulation_.state(), simulation_.contacts(), {}});
    const bool needs_contacts = observer_.advance_needs_contacts();
    const bool finished = simulation_.run_until(scene_.duration, [&](const simulation::Simulation& now) {
      observer_.advance({now.state(), needs_contacts ? now.contacts() : std::span<const contact::ContactResult>(),
                         now.last_report().events});
      return observer_.stopped_by() < 0;
    });
    EXPECT_TRUE(finished || observer_.stopped_by() >= 0)
        << scene_.file << " stopped at t = " << simulation_.time() << ": "
        << (simulation_.failure() != nullptr ? simulation_.failure()->reason : "");
    EXPECT_LE(simulation_.counters().worst_residual, scene_.method.certificate) << scene_.file;
    std::vector<double> values(scene_.observables.size());
    observer_.evaluate({simulation_.state(), simulation_.contacts(), {}}, values);
    for (std::size_t i = 0; i < values.size(); ++i) values_[scene_.observables[i].name] = values[i];
  }

  [[nodiscard]] double operator[](const std::string& observable) const { return values_.at(observable); }
  [[nodiscard]] double at(const std::string& observable) const { return values_.at(observable); }
  [[nodiscard]] const simulation::Simulation& simulation() const { return simulation_; }
  [[nodiscard]] const scene::Scene& scene() const { return scene_; }

 private:
  scene::Scene scene_;
  simulation::Simulation simulation_;
  runs::Observer observer_;
  std::map<std::string, double> values_;
};

// The settings of a method, then more.
inline Settings with(const char* stepper, const char* step, Settings more = {}) {
  more.push_back({"method.stepper", stepper});
  if (*step != 0) more.push_back({"method.step", step});
  return more;
}

}  // namespace stickslip::testing
