// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Reads problems in the corpus format: plain JSON or gzip, told apart by content, never by name. The reader is strict:
// whatever it returns is a well-formed problem (sizes agree, indices in range, no entry twice, all numbers finite,
// mu >= 0, lower <= upper), and everything else is a CorpusError of one line. It may be given hostile files: the memory
// it takes is bounded by a small multiple of the limit below, whatever sizes the file claims.
#pragma once

#include "stickslip/complementarity/corpus/corpus_error.h"
#include "stickslip/complementarity/corpus/corpus_problem.h"

#include <cstddef>
#include <filesystem>
#include <string_view>

namespace stickslip::complementarity {

struct ReadLimits {
  std::size_t max_bytes = std::size_t{256} << 20;  // of the file, and of the JSON text after expansion
};

[[nodiscard]] CorpusProblem read_corpus_file(const std::filesystem::path& file, const ReadLimits& limits = {});

// The same from memory; file_name appears in the messages only.
[[nodiscard]] CorpusProblem read_corpus_bytes(std::string_view bytes, std::string_view file_name,
                                              const ReadLimits& limits = {});

}  // namespace stickslip::complementarity
