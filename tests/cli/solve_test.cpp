// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The command as its users meet it: what it prints where, and its exit codes.
#include "tests/problem_files.h"
#include "tests/support/command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace stickslip {
namespace {

namespace fs = std::filesystem;
using testing::CommandOutcome;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class Solve : public testing::CommandTest {
 protected:
  std::string file(const std::string& name, const std::string& text) const {
    write(name, text);
    return "'" + path(name) + "'";
  }

  static std::string seed(const std::string& name) {
    return "'" + (fs::path(tests::kSourceFolder) / "tests/fuzz/seeds/corpus" / name).string() + "'";
  }
};

TEST_F(Solve, JsonHasOneObjectPerFileWithTheAgreedKeys) {
  const CommandOutcome outcome = run("solve --json " + seed("lcp_two.json") + " " + seed("mlcp_square.json") + " " +
                                     seed("fc3d_slide_gzip.json.gz") + " " + seed("gfc2d_free.json"));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const std::vector<std::string> kinds{"lcp", "mlcp", "fc3d", "gfc2d"};
  const std::vector<int> sizes{2, 2, 1, 0};
  std::istringstream lines(outcome.out);
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const auto answer = nlohmann::json::parse(line);
    ASSERT_LT(count, kinds.size());
    for (const char* key : {"file", "kind", "size", "status", "residual", "solver", "iterations", "seconds"})
      EXPECT_TRUE(answer.contains(key)) << key << " is missing in " << line;
    EXPECT_EQ(answer["kind"], kinds[count]);
    EXPECT_EQ(answer["size"], sizes[count]);
    EXPECT_EQ(answer["status"], "solved");
    EXPECT_LE(answer["residual"].get<double>(), 1e-8);  // the default tolerance
  }
  EXPECT_EQ(count, kinds.size());
}

TEST_F(Solve, TheSolutionIsGivenOnRequestInTheOrderOfTheFile) {
  // One contact that slides, r = (1, -0.5, 0), v = r + f; 0 <= z _|_ 2 z - 3; more equations than free unknowns: u = 2,
  // v = 1.
  const std::string slide = file("slide.json", R"({"kind": "gfc3d", "nc": 1, "ndof": 3,
    "M": {"rows": 3, "cols": 3, "i": [0, 1, 2], "j": [0, 1, 2], "x": [1, 1, 1]},
    "H": {"rows": 3, "cols": 3, "i": [0, 1, 2], "j": [0, 1, 2], "x": [1, 1, 1]},
    "f": [-1, 2, 0], "w": [0, 0, 0], "mu": [0.5]})");
  const std::string lcp = file("lcp.json", R"({"kind": "lcp", "n": 1, "q": [-3],
    "M": {"rows": 1, "cols": 1, "i": [0], "j": [0], "x": [2]}})");
  const std::string mixed = file("mixed.json", R"({"kind": "mlcp", "n": 1, "m": 1, "a": [-2, -4], "b": [1],
    "A": {"rows": 2, "cols": 1, "i": [0, 1], "j": [0, 0], "x": [1, 2]}, "C": {"rows": 2, "cols": 1, "i": [], "j": [], "x": []},
    "D": {"rows": 1, "cols": 1, "i": [0], "j": [0], "x": [-1]}, "B": {"rows": 1, "cols": 1, "i": [0], "j": [0], "x": [1]}})");
  const CommandOutcome outcome = run("solve --json --solution " + slide + " " + lcp + " " + mixed);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const std::vector<std::vector<double>> solutions{{1, -0.5, 0}, {1.5}, {2, 1}};
  std::istringstream lines(outcome.out);
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const auto answer = nlohmann::json::parse(line);
    const auto solution = answer.at("solution").get<std::vector<double>>();
    ASSERT_EQ(solution.size(), solutions.at(count).size()) << line;
    for (std::size_t i = 0; i < solution.size(); ++i) EXPECT_NEAR(solution[i], solutions[count][i], 1e-8) << line;
    EXPECT_EQ(answer.contains("velocity"), count == 0) << line;
  }
  EXPECT_EQ(count, solutions.size());
  EXPECT_EQ(run("solve --solution " + lcp).code, 2);  // only with --json
}

TEST_F(Solve, TheTableHasOneLinePerFile) {
  const CommandOutcome outcome = run("solve " + seed("lcp_two.json") + " " + seed("fc2d_stick.json"));
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 4) << outcome.out;  // header, two, total
  EXPECT_THAT(outcome.out, HasSubstr("2 of 2 files solved"));
}

TEST_F(Solve, ABadFileCostsOneLineAndTheOthersAreStillSolved) {
  const std::string bad = file("bad.json", "{\"kind\":\"lcp\",\n \"n\":,}");
  const CommandOutcome outcome = run("solve --json " + bad + " " + seed("lcp_two.json") + " /nonexistent.json");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.error_lines(), 2) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("bad.json: line 2, column"));
  EXPECT_THAT(outcome.err, HasSubstr("/nonexistent.json: cannot be opened"));
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 1) << outcome.out;
}

TEST_F(Solve, EveryKindOfBadInputEndsWithCodeTwoAndOneLine) {
  const std::string huge =
      R"({"kind":"lcp","n":2000000000,"M":{"rows":2000000000,"cols":2000000000,"i":[],"j":[],"x":[]},"q":[1]})";
  const std::string nan = R"({"kind":"lcp","n":1,"M":{"rows":1,"cols":1,"i":[0],"j":[0],"x":[NaN]},"q":[1]})";
  const std::string friction =
      R"({"kind":"fc2d","nc":1,"W":{"rows":2,"cols":2,"i":[0,1],"j":[0,1],"x":[1,1]},"q":[1,1],"mu":[-1]})";
  for (const std::string& text :
       {std::string(), std::string("\x1f\x8b\x08", 3), std::string("{"), huge, nan, friction}) {
    for (const char* mode : {"", "--json "}) {
      const CommandOutcome outcome = run("solve " + std::string(mode) + file("bad.json", text));
      EXPECT_EQ(outcome.code, 2) << text;
      EXPECT_EQ(outcome.error_lines(), 1) << text << "\n" << outcome.err;
      EXPECT_THAT(outcome.err, StartsWith("stickslip: ")) << text;
      EXPECT_EQ(outcome.out, "") << text;
    }
  }
}

TEST_F(Solve, AnUnknownSolverIsRefusedWithTheNamesThatExist) {
  const CommandOutcome outcome = run("solve --solver magic " + seed("fc3d_slide.json"));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.error_lines(), 1);
  EXPECT_THAT(outcome.err, HasSubstr("\"magic\" is unknown for fc3d; known are auto, "));
}

TEST_F(Solve, AProblemWithoutSolutionIsNotSolved) {
  // z >= 0 with w = 0 z - 1 >= 0: no z will do.
  const CommandOutcome outcome =
      run("solve --json " +
          file("none.json", R"({"kind":"lcp","n":1,"M":{"rows":1,"cols":1,"i":[],"j":[],"x":[]},"q":[-1]})"));
  const auto answer = nlohmann::json::parse(outcome.out);
  EXPECT_NE(answer["status"], "solved");
  // Shown to be infeasible is a good end (0), anything weaker is a failure (1).
  EXPECT_EQ(outcome.code, answer["status"] == "infeasible" ? 0 : 1);
}

TEST_F(Solve, TheToleranceIsHeldAgainstTheResidual) {
  const CommandOutcome outcome = run("solve --json --tol 1e-12 " + seed("gfc3d_block.json"));
  const auto answer = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(answer["status"], "solved");
  EXPECT_LE(answer["residual"].get<double>(), 1e-12);
}

TEST_F(Solve, HistoryIsGivenOnRequest) {
  const auto with = nlohmann::json::parse(run("solve --json --history " + seed("lcp_two.json")).out);
  const auto without = nlohmann::json::parse(run("solve --json " + seed("lcp_two.json")).out);
  EXPECT_TRUE(with.contains("history"));
  EXPECT_FALSE(without.contains("history"));
}

TEST_F(Solve, WrongCommandLinesEndWithCodeTwoAndOneLine) {
  for (const char* arguments :
       {"", "slove", "solve", "solve --tol", "solve --tol zero x", "solve --tol -1 x", "solve --tol nan x",
        "solve --bogus x", "solve --max-iterations -1 x", "solve --time-limit 0 x", "list extra"}) {
    const CommandOutcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_EQ(outcome.error_lines(), 1) << arguments << "\n" << outcome.err;
    EXPECT_EQ(outcome.out, "") << arguments;
  }
}

TEST_F(Solve, HelpVersionAndListAreThere) {
  EXPECT_THAT(run("--help").out, HasSubstr("Examples:"));
  EXPECT_THAT(run("solve --help").out, HasSubstr("Exit codes: 0"));
  EXPECT_THAT(run("--version").out, StartsWith("stickslip 0."));
  const CommandOutcome list = run("list");
  EXPECT_EQ(list.code, 0);
  EXPECT_THAT(list.out, HasSubstr("gauss-seidel"));
  EXPECT_THAT(list.out, HasSubstr("lemke"));
}

TEST_F(Solve, AFullDiskIsNotSuccess) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full on this system";
  const std::string command =
      std::string("'") + tests::kCommand + "' solve --json " + seed("lcp_two.json") + " >/dev/full 2>/dev/null";
  const int state = std::system(command.c_str());
  EXPECT_EQ(WEXITSTATUS(state), 1);
}

// Same file, same bits: everything but the time is equal from run to run.
TEST_F(Solve, TwoRunsGiveTheSameAnswer) {
  const auto answer = [&] {
    auto line = nlohmann::json::parse(run("solve --json " + seed("gfc3d_block.json")).out);
    line.erase("seconds");
    return line.dump();
  };
  EXPECT_EQ(answer(), answer());
}

}  // namespace
}  // namespace stickslip
