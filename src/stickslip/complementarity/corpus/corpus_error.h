// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What reading or writing a problem file throws: what() is one clear line that starts with the file's name and, for
// errors of syntax and type, carries line and column.
#pragma once

#include <stdexcept>
#include <string>

namespace stickslip::complementarity {

class CorpusError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace stickslip::complementarity
