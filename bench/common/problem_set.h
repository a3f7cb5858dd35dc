// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The problems of the solver benchmark: the open corpus where it is at hand, and problems that we generate ourselves.
#pragma once

#include "stickslip/complementarity/corpus/corpus_problem.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace stickslip::bench {

// The folder of corpus files: $STICKSLIP_PROBLEMS or ../shared/problems beside the source tree, or their subfolder
// open/.
[[nodiscard]] std::optional<std::filesystem::path> find_open_corpus();

[[nodiscard]] std::vector<complementarity::CorpusProblem> read_open_corpus(const std::filesystem::path& folder);

// Our own problems start their names with this.
constexpr const char* kOwnPrefix = "own_";
[[nodiscard]] std::vector<complementarity::CorpusProblem> make_own_problems();

// The class under which a problem is reported, from its kind, size and the family that its name tells.
[[nodiscard]] std::string class_of(const complementarity::CorpusProblem& problem);

// All classes, in the order of the report.
[[nodiscard]] const std::vector<std::string>& class_names();

}  // namespace stickslip::bench
