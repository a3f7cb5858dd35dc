// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What the golden bits are made of (tests/golden), run by this build: prints the lines that bits.txt would have.
// script/web-assembly --bits runs it under node and counts those that are the same.
//     stickslip_bits EXAMPLES STEPPER [PART OF A SCENE'S NAME]
#include "tests/golden/golden_run.h"

#include <cstdio>

int main(int count, char** arguments) {
  using namespace stickslip::testing;
  if (count < 3) return 2;
  std::printf("c-library %016llx\n", static_cast<unsigned long long>(hash_of_the_c_library()));
  for (const auto& [key, run] : runs_of(arguments[1], arguments[2])) std::fputs(line_of(key, run).c_str(), stdout);
}
