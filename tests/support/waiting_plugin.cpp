// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A stepper whose first step never ends, however fast the machine is: it makes the file that STICKSLIP_TEST_STEP_BEGUN
// names, and waits.
#include "stickslip/simulation/plugin.h"

#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace {

using namespace stickslip;

class Waiting final : public stepping::Stepper {
 public:
  stepping::StepReport advance(stepping::World&, double, double) override {
    if (const char* name = std::getenv("STICKSLIP_TEST_STEP_BEGUN"); name != nullptr) std::ofstream{name};
    for (;;) ::pause();  // signals are for the command; the step goes on
  }
  void save(ByteWriter&) const override {}
  void restore(ByteReader&) override {}
};

void enter(simulation::PluginHost& host) {
  host.add_stepper({"waiting", "a step that never ends"},
                   []() -> std::unique_ptr<stepping::Stepper> { return std::make_unique<Waiting>(); }, {});
}

}  // namespace

STICKSLIP_PLUGIN(enter)
