// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "interruption.h"

#include <csignal>

namespace stickslip::app {
namespace {

volatile std::sig_atomic_t requested = 0;

extern "C" void on_interrupt(int number) {
  requested = 1;
  std::signal(number, SIG_DFL);
}

}  // namespace

Interruption::Interruption() {
  requested = 0;
  std::signal(SIGINT, on_interrupt);
}

Interruption::~Interruption() {
  std::signal(SIGINT, SIG_DFL);
}

bool Interruption::asked() const {
  return requested != 0;
}

}  // namespace stickslip::app
