// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Fuzz target: any text as a study of a small scene. It gives a SceneError of one line, or a study whose first trials are
// defined.
#include "stickslip/study/study.h"
#include "stickslip/study/trial_plan.h"

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
    const study::Study study = study::load_study(folder.write("study.toml", text));
    fuzz::require(study.total() >= 0, "a negative number of trials");
    const study::TrialPlan plan(study);
    for (std::int64_t k = 0; k < std::min<std::int64_t>(study.total(), 3); ++k)
      fuzz::require(plan.trial(k).values.size() == study.variations.size(), "a trial without values");
  } catch (const scene::SceneError& error) {
    fuzz::require_one_line(error.what());
  }
  return 0;
}
