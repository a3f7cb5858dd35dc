// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Every verb explains itself: what it does, examples of its own, exit codes.
#include "tests/support/command.h"

#include <gmock/gmock.h>

namespace stickslip {
namespace {

using ::testing::HasSubstr;

class HelpCommand : public testing::CommandTest {};

TEST_F(HelpCommand, EveryVerbTeaches) {
  const std::string global = run("--help").out;
  for (const std::string verb :
       {"run", "check", "report", "plot", "compare", "converge", "live", "export", "study", "study status",
        "study export", "study map", "study show", "optimise", "plan", "sensitivity", "solve", "list"}) {
    const testing::CommandOutcome help = run(verb + " --help");
    EXPECT_EQ(help.code, 0) << verb;
    const std::size_t examples = help.out.find("Examples:");
    ASSERT_NE(examples, std::string::npos) << verb;
    EXPECT_THAT(help.out.substr(examples), HasSubstr("stickslip " + verb)) << "examples of its own";
    EXPECT_THAT(help.out, HasSubstr("Exit codes:")) << verb;
    EXPECT_EQ(help.out.find("Exit codes: 0 done and certified, 1 something was not solved"), std::string::npos)
        << verb << " shows the help of the whole command";
  }
}

}  // namespace
}  // namespace stickslip
