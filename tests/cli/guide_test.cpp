// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// docs/guide.md: every command in it runs, and prints what stands under it.
//
// Lines that begin with "    $ build/stickslip " are commands; the indented lines below one are lines of its output, in
// that order, others may lie between. "..." stands for any text.
#include "tests/support/command.h"

#include <gmock/gmock.h>

#include <vector>

namespace stickslip::testing {
namespace {

struct Command {
  std::string arguments;
  std::vector<std::string> lines;
};

std::string without_blanks_around(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

std::vector<Command> commands_of(std::istream& guide) {
  static const std::string kPrompt = "    $ build/stickslip ";
  std::vector<Command> commands;
  bool open = false;  // within a command's output
  for (std::string line; std::getline(guide, line);) {
    if (line.starts_with(kPrompt)) {
      commands.push_back({line.substr(kPrompt.size()), {}});
      open = true;
    } else if (open && line.starts_with("    ")) {
      commands.back().lines.push_back(without_blanks_around(line));
    } else {
      open = false;
    }
  }
  return commands;
}

// Whether the line is the pattern, whose "..." stand for anything.
bool matches(const std::string& line, const std::string& pattern) {
  std::size_t at = 0, from = 0;
  for (bool first = true;; first = false) {
    const std::size_t gap = pattern.find("...", from);
    std::string part = pattern.substr(from, gap == std::string::npos ? gap : gap - from);
    // Blanks before a gap may be more or fewer.
    if (gap != std::string::npos) part = part.substr(0, part.find_last_not_of(' ') + 1);
    const std::size_t found = line.find(part, at);
    if (found == std::string::npos || (first && found != 0)) return false;
    at = found + part.size();
    if (gap == std::string::npos) return at == line.size() || (!first && line.ends_with(part));
    from = gap + 3;
    while (from < pattern.size() && pattern[from] == ' ') ++from;
  }
}

class Guide : public CommandTest {};

TEST_F(Guide, EveryCommandPrintsWhatTheGuideSays) {
  const std::filesystem::path source = tests::kSourceFolder;
  std::filesystem::create_directory_symlink(source / "examples", folder_ / "examples");
  std::ifstream guide(source / "docs/guide.md");
  const std::vector<Command> commands = commands_of(guide);
  ASSERT_GE(commands.size(), 14U) << "docs/guide.md";
  for (const Command& command : commands) {
    SCOPED_TRACE("stickslip " + command.arguments);
    const CommandOutcome outcome = run(command.arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    std::istringstream output(outcome.out);
    for (const std::string& expected : command.lines) {
      std::string line;
      bool found = false;
      while (!found && std::getline(output, line)) found = matches(without_blanks_around(line), expected);
      ASSERT_TRUE(found) << "no line \"" << expected << "\" in\n" << outcome.out;
    }
  }
}

}  // namespace
}  // namespace stickslip::testing
