// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// First stage of the reader: JSON text -> the known keys of the corpus format with values of the right type. What the
// values mean together (sizes, ranges) is the second stage, reader.cpp. Unknown keys are skipped.
//
// The text streams through without a tree of JSON values, so the memory used is a small multiple of the text's size.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace stickslip::complementarity {

// Coordinate list as in the file, not yet checked.
struct CoordinateList {
  std::int64_t rows = -1, cols = -1;  // -1: not given
  std::vector<std::int64_t> i, j;
  std::vector<double> x;
  bool has_i = false, has_j = false, has_x = false;
};

struct CorpusDocument {
  std::map<std::string, std::string, std::less<>> text;            // name, kind, notes, source
  std::map<std::string, std::int64_t, std::less<>> integer;        // n, m, nc, ndof
  std::map<std::string, std::vector<double>, std::less<>> vector;  // q, lb, ub, a, b, f, w, mu, ...
  std::map<std::string, CoordinateList, std::less<>> matrix;       // M, A, B, C, D, W, H
};

// Throws CorpusError with line and column (no file name) on wrong syntax, wrong types, repeated keys and numbers that
// are not finite.
[[nodiscard]] CorpusDocument parse_document(std::string_view json);

}  // namespace stickslip::complementarity
