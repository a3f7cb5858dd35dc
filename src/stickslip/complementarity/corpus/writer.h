// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Writes problems in the corpus format, so that reading them back gives the same numbers, bit for bit (doubles are
// written with the fewest digits that identify them). Stored zeros are left out.
#pragma once

#include "stickslip/complementarity/corpus/corpus_error.h"
#include "stickslip/complementarity/corpus/corpus_problem.h"

#include <filesystem>
#include <string>

namespace stickslip::complementarity {

// Throws CorpusError when the problem does not fit its kind or holds numbers that JSON cannot express.
[[nodiscard]] std::string corpus_text(const CorpusProblem& problem);

// Compressed when the name ends in .gz.
void write_corpus_file(const CorpusProblem& problem, const std::filesystem::path& file);

}  // namespace stickslip::complementarity
