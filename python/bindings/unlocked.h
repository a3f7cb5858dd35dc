// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The interpreter lock is released while the library works long. Plug-ins add their names to registries that everything
// reads without a lock, so they are refused meanwhile: who works is counted, with the lock.
#pragma once

#include <pybind11/pybind11.h>

#include <stdexcept>

namespace stickslip::python {

class Unlocked {
 public:
  Unlocked() = default;
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

  // With the lock.
  static void require_none(const char* what) {
    if (working_ > 0)
      throw std::runtime_error(std::string(what) + " while runs or solvers are at work, in this thread or another");
  }

 private:
  struct Counted {
    Counted() { ++working_; }
    ~Counted() { --working_; }
  };
  inline static int working_ = 0;

  Counted counted_;  // before the lock is released, and after it is taken again
  pybind11::gil_scoped_release released_;
};

}  // namespace stickslip::python
