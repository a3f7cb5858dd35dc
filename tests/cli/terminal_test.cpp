// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What the command prints into a terminal: lines that fit, colour only where it is wanted, pages that open.
#include "tests/support/command.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <sstream>
#include <vector>

namespace stickslip {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Terminal : public testing::CommandTest {
 protected:
  // The command in a terminal of 60 columns (script(1) of util-linux makes one); its output and errors together.
  [[nodiscard]] std::string in_terminal(const std::string& arguments, const std::string& environment = "",
                                        int columns = 60) const {
    write("line", "stty cols " + std::to_string(columns) + "; TERM=xterm " + environment + " '" + tests::kCommand +
                      "' " + arguments + "\n");
    const std::string command = "cd '" + folder_.string() + "' && script -qc 'sh line' shown </dev/null >all 2>&1";
    EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 0);
    return content("all");
  }
  static std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
  }
  // Of what is seen: escape sequences and lines that were drawn over left out.
  static std::size_t longest_line(const std::string& text) {
    std::size_t longest = 0, length = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\033') {
        while (i < text.size() && std::isalpha(static_cast<unsigned char>(text[i])) == 0) ++i;
      } else if (text[i] == '\n' || text[i] == '\r') {
        length = 0;
      } else {
        longest = std::max(longest, ++length);
      }
    }
    return longest;
  }
};

TEST_F(Terminal, WideTablesAreTransposed) {
  const std::string arguments = "compare " + example("ball") + " --methods stewart-trinkle,second-order,implicit";
  const std::string narrow = in_terminal(arguments);
  const std::string table = narrow.substr(0, narrow.find("contact modes"));
  EXPECT_LE(longest_line(table), 60U) << table;
  EXPECT_THAT(table, HasSubstr("second-order"));
  EXPECT_THAT(table, HasSubstr("residual"));
  // Into a file: one line per method, of any length.
  EXPECT_GT(longest_line(run(arguments).out), 80U);
}

// Lines, bands of modes and helps; addresses and paths are longer than any terminal.
TEST_F(Terminal, EveryLineFits) {
  const std::string feeder = example("feeder"), folder = "'" + std::string(tests::kSourceFolder) + "/examples/";
  for (const int columns : {60, 80, 120}) {
    for (const std::string& verb : {"run " + example("meter-stick") + " --no-record",
                                    "compare " + example("ball") + " --methods stewart-trinkle,implicit",
                                    "optimise " + folder + "box/optimise.toml' -o best.toml --force --quiet",
                                    "plan " + folder + "box/plan.toml' --force", "check " + feeder, std::string("list"),
                                    std::string("--help"), std::string("run --help"), std::string("study --help")}) {
      const std::string shown = in_terminal(verb, "", columns);
      std::size_t at = 0;
      for (const std::string& line : lines_of(shown)) {
        ++at;
        bool path = false;
        std::istringstream words(line);
        for (std::string word; words >> word;)
          path = path || (word.find('/') != std::string::npos && word.size() > static_cast<std::size_t>(columns) / 2);
        if (path) continue;
        EXPECT_LE(longest_line(line), static_cast<std::size_t>(columns)) << verb << ", line " << at << ": " << line;
      }
      EXPECT_GT(at, 1U) << verb;
    }
  }
  EXPECT_GT(longest_line(run("run " + example("meter-stick") + " --no-record").out), 120U) << "a file has any width";
}

TEST_F(Terminal, ProgressDoesNotWrap) {
  const std::string all = in_terminal("study '" + std::string(tests::kSourceFolder) +
                                      "/examples/ball/study.toml' --set trials=3000 --store s.db");
  const std::size_t bar = all.find("\r[");
  ASSERT_NE(bar, std::string::npos) << all;
  // Bars are drawn over each other: one line, up to where the last is cleared.
  EXPECT_LE(longest_line(all.substr(bar, all.rfind("\r\033[K") - bar)), 60U);
}

TEST_F(Terminal, ColourIsForTerminalsThatWantIt) {
  const std::string bad = "run " + example("peg") +
                          " --no-record --set method.certificate=1e-18 "
                          "--set method.certificate_at_worst=0";
  const std::string coloured = in_terminal(bad);
  EXPECT_THAT(coloured, HasSubstr("\033[31mFAILED"));
  EXPECT_THAT(in_terminal(bad, "NO_COLOR=1"), Not(HasSubstr("\033[31m")));
  EXPECT_THAT(run(bad).out, Not(HasSubstr("\033[")));
}

TEST_F(Terminal, TimesHaveUnitsThatRead) {
  EXPECT_THAT(run("run " + example("box") + " --no-record").out,
              ::testing::ContainsRegex("steps in [0-9.]+ (us|ms|s) \\([0-9.]+ (ns|us|ms) per step\\)"));
}

TEST_F(Terminal, HelpFits) {
  EXPECT_LE(longest_line(run("run --help").out), 125U);
}

TEST_F(Terminal, ReportOpensItsPage) {
  ASSERT_EQ(run("run " + example("box") + " -o box.h5").code, 0);
  std::filesystem::create_directory(folder_ / "bin");
  write("bin/xdg-open", "#!/bin/sh\necho \"$1\" >" + path("opened") + "\n");
  std::filesystem::permissions(folder_ / "bin/xdg-open", std::filesystem::perms::owner_all);
  EXPECT_EQ(run("report box.h5 --open", "PATH='" + path("bin") + "':$PATH ").code, 0);
  EXPECT_EQ(content("opened"), "box.html\n");
  write("bin/xdg-open", "#!/bin/sh\nexit 3\n");
  const testing::CommandOutcome none = run("report box.h5 --open", "PATH='" + path("bin") + "':$PATH ");
  EXPECT_EQ(none.code, 1);
  EXPECT_THAT(none.err, HasSubstr("no program to open box.html"));
}

}  // namespace
}  // namespace stickslip
