// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Fuzz target: any text as a plan of a small scene. It gives a SceneError of one line, or a plan.
#include "stickslip/planning/plan.h"

#include "tests/fuzz/fuzz_support.h"

#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace stickslip;
  static const fuzz::Folder folder;
  static const std::string scene = folder.write("scene.toml", fuzz::kScene);
  if (size > 20000) return 0;
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (fuzz::names_other_files(text)) return 0;
  try {
    const planning::Plan plan = planning::load_plan(folder.write("plan.toml", text));
    fuzz::require(plan.steps > 0, "a plan without steps");
  } catch (const scene::SceneError& error) {
    fuzz::require_one_line(error.what());
  }
  return 0;
}
