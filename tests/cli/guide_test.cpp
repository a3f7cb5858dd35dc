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

// docs/files.md: the lines of Python read the recording that the command before them made.
TEST_F(Guide, TheExampleOfH5pyReadsARecording) {
  const std::string python = "/usr/bin/python3";  // of Debian, whose package python3-h5py is
  if (std::system((python + " -c 'import h5py' 2>/dev/null").c_str()) != 0)
    GTEST_SKIP() << "python3-h5py is not installed";
  std::ostringstream page;
  page << std::ifstream(std::filesystem::path(tests::kSourceFolder) / "docs/files.md").rdbuf();
  const std::string text = page.str(), fence = "```python\n";
  const std::size_t begin = text.find(fence);
  ASSERT_NE(begin, std::string::npos);
  ASSERT_EQ(run("run " + example("ball") + " -o ball.h5").code, 0);
  write("example.py", text.substr(begin + fence.size(), text.find("```", begin + 3) - begin - fence.size()) +
                          "print(len(time), ball.shape, forces.shape, *ball[-1])\n");
  ASSERT_EQ(std::system(("cd '" + folder_.string() + "' && " + python + " example.py > told").c_str()), 0);
  std::istringstream told(content("told"));
  std::string words;
  std::getline(told, words, '.');
  EXPECT_THAT(words, ::testing::StartsWith("1001 (1001, 3) (1, 3) 0")) << "a ball of 1000 steps on a floor";
  // Its last place is the one that export prints.
  const CommandOutcome table = run("export ball.h5");
  std::istringstream lines(table.out);
  std::string head, line, last;
  std::getline(lines, head);
  while (std::getline(lines, line)) last = line;
  std::istringstream from_python(content("told")), names(head), values(last);
  std::string skip;
  for (int k = 0; k < 5; ++k) from_python >> skip;
  for (std::string name, value, place; std::getline(names, name, ',') && std::getline(values, value, ',');) {
    if (name != "ball.x" && name != "ball.y" && name != "ball.z") continue;
    ASSERT_TRUE(from_python >> place);
    EXPECT_NEAR(std::stod(place), std::stod(value), 1e-12) << name;
  }
}

}  // namespace
}  // namespace stickslip::testing
