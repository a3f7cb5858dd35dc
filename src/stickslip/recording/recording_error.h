// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#pragma once

#include <stdexcept>

namespace stickslip::recording {

// Thrown with one clear line that names the file.
class RecordingError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace stickslip::recording
