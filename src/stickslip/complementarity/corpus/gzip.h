// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Gzip in memory, with a cap on the expanded size so that a small file cannot fill the memory.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace stickslip::complementarity {

// True for bytes that start with the gzip signature, whatever the file is called.
[[nodiscard]] bool is_gzip(std::string_view bytes);

// Throws CorpusError (text without file name) when the stream is damaged, ends early, is followed by foreign bytes, or
// expands to more than max_bytes.
[[nodiscard]] std::string gzip_expand(std::string_view bytes, std::size_t max_bytes);

// Deterministic: no time stamp, no file name.
[[nodiscard]] std::string gzip_compress(std::string_view text);

}  // namespace stickslip::complementarity
