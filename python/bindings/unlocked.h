// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The interpreter lock is released while the library works long. Plug-ins add their names to registries that everything
// reads without a lock, so they are refused meanwhile: who works is counted, with the lock.
#pragma once

#include <cxxabi.h>
#include <pybind11/pybind11.h>

#include <chrono>
#include <stdexcept>
#include <thread>

namespace stickslip::python {

// Threads that still work when the interpreter ends (daemons) are ended by it where they ask for its lock, by unwinding
// their stack, which destructors of C++ turn into an abort. Here such a thread waits for the end of the process instead,
// as Python itself does from 3.14 on. ask: whatever may take the lock or run Python.
template <typename Ask>
decltype(auto) or_wait_for_the_end(const Ask& ask) {
  try {
    return ask();
  } catch (abi::__forced_unwind&) {
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
  }
}

class Unlocked {
 public:
  Unlocked() : state_((++working_, PyEval_SaveThread())) {}
  ~Unlocked() {
    or_wait_for_the_end([this] { PyEval_RestoreThread(state_); });
    --working_;
  }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

  // With the lock.
  static void require_none(const char* what) {
    if (working_ > 0)
      throw std::runtime_error(std::string(what) + " while runs or solvers are at work, in this thread or another");
  }

 private:
  inline static int working_ = 0;  // read and written with the lock

  PyThreadState* state_;
};

// The lock again, while something unlocked waits.
class Locked {
 public:
  Locked() : state_(or_wait_for_the_end([] { return PyGILState_Ensure(); })) {}
  ~Locked() { PyGILState_Release(state_); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  PyGILState_STATE state_;
};

}  // namespace stickslip::python
