// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// stickslip settle: lets the bodies of a scene come to rest, with prescribed bodies held where they are at t = 0, and writes
// a scene that starts there.
#include "stickslip/runs/settle.h"

#include "batch.h"
#include "common_options.h"
#include "output_name.h"
#include "outputs.h"
#include "stickslip/files/output_file.h"
#include "stickslip/scene/scene.h"
#include "stickslip/scene/scene_file.h"
#include "stickslip/scene/start_reader.h"
#include "verbs.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <filesystem>
#include <memory>

namespace stickslip::app {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  stickslip settle examples/bin-boxes/scene.toml -o settled.toml\n"
    "  stickslip run settled.toml\n"
    "\n"
    "The scene that is written includes the one that was read, and says where its bodies start. Prescribed bodies are "
    "held where\nthey are at t = 0.\n"
    "Exit codes: 0 at rest, 1 not at rest when the time was up (nothing is written) or a step not certified, 2 bad "
    "input.";

struct SettleVerb {
  std::string scene, output;
  std::vector<std::string> set;
  double time = 60, speed = 1e-6;
  bool force = false;
};

std::string settled_scene(const SettleVerb& verb, const scene::Scene& scene, const runs::Settling& settling) {
  const std::filesystem::path folder = std::filesystem::absolute(verb.output).parent_path();
  std::string text = fmt::format("# Written by stickslip settle {}: the included scene, at rest after {:g}.\n",
                                 STICKSLIP_VERSION, settling.duration);
  text +=
      fmt::format("include = [{}]\n",
                  scene::toml_text(std::filesystem::absolute(verb.scene).lexically_proximate(folder).generic_string()));
  std::string parameters, method;
  for (const scene::Override& given : overrides_of(verb.set)) {
    for (const scene::Parameter& parameter : scene.parameters)
      if (parameter.name == given.name) parameters += fmt::format("{} = {}\n", parameter.name, parameter.value);
    stepping::visit_fields(scene.method, [&](const stepping::FieldInfo& info, const auto& value) {
      if (given.name == "method." + std::string(info.name)) method += scene::method_line(info, value);
    });
    if (given.name == "duration") text += fmt::format("duration = {}\n", scene.duration);
  }
  if (!parameters.empty()) text += "\n[parameters]\n" + parameters;
  if (!method.empty()) text += "\n[method]\n" + method;
  return text + "\n" + scene::start_text(scene.model, settling.state);
}

int settle_scene(SettleVerb verb) {
  if (verb.output.empty()) verb.output = name_after(verb.scene, "scene") + "-settled.toml";
  try {
    const scene::Scene scene = scene::load_scene(verb.scene, overrides_of(verb.set));
    if (!verb.force && std::filesystem::exists(verb.output))
      throw std::runtime_error(fmt::format("{} exists; --force writes over it", verb.output));
    const model::State start = simulation::Simulation(scene.model, scene.method).state();
    const runs::Settling settling = runs::settle(scene.model, scene.method, start, {verb.time, verb.speed});
    if (settling.end == runs::Settled::NotCertified) {
      fmt::print(stderr, "stickslip: {}: after {:.9g}: {}\n", verb.scene, settling.duration, settling.failure);
      return kFailed;
    }
    if (settling.end == runs::Settled::TimeIsUp) {
      fmt::print(stderr,
                 "stickslip: {}: not at rest after {:g}; allow more time with --time, or a higher speed at rest with "
                 "--speed\n",
                 verb.scene, settling.duration);
      return kFailed;
    }
    files::write_file(verb.output, settled_scene(verb, scene, settling));
    const simulation::Counters& counters = settling.counters;
    fmt::print("{}: at rest after {:.6g} ({} steps, worst residual {:.2e}, {} of them above the certificate)\n",
               verb.output, settling.duration, counters.steps, counters.worst_residual, counters.at_worst);
    return kDone;
  } catch (const std::exception& error) {
    fmt::print(stderr, "stickslip: {}\n", error.what());
    return kBadInput;
  }
}

}  // namespace

void add_settle(CLI::App& app, int& exit_code) {
  auto verb = std::make_shared<SettleVerb>();
  CLI::App* command =
      app.add_subcommand("settle", "Run a scene until its bodies rest, and write a scene that starts there");
  command->footer(kExamples);
  command->add_option("SCENE", verb->scene, "Scene file (TOML)")->required();
  add_set_option(*command, verb->set);
  command->add_option("-o,--output", verb->output, "Scene to write (default: named after the scene)");
  command->add_option("--time", verb->time, "Give up after this time of the scene")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--speed", verb->speed, "Slower than this for 0.1 counts as rest")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  add_force_option(*command, verb->force);
  command->callback([verb, &exit_code] { exit_code = settle_scene(*verb); });
}

}  // namespace stickslip::app
