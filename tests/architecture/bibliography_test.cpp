// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Who is cited as "Name 1999" in a comment or a page of the documentation stands in docs/bibliography.md.
#include "tests/support/paths.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>

namespace stickslip {
namespace {

std::string content(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

bool stands_there(const std::string& bibliography, const std::string& name, const std::string& year) {
  // Entries are separated by a line that begins with "- ", "| " or "#"; name and year must stand in one of them.
  std::istringstream lines(bibliography);
  std::string entry;
  for (std::string line;;) {
    const bool more = static_cast<bool>(std::getline(lines, line));
    if (!more || line.starts_with("- ") || line.starts_with("|") || line.starts_with("#")) {
      if (entry.find(name) != std::string::npos && entry.find(year) != std::string::npos) return true;
      entry.clear();
    }
    if (!more) return false;
    entry += line + "\n";
  }
}

TEST(Bibliography, NamesEverybodyWhoIsCited) {
  const std::filesystem::path root = tests::kSourceFolder;
  const std::string bibliography = content(root / "docs/bibliography.md");
  const std::regex citation(R"(([A-Z][A-Za-z]+)(?: et al\.)?,? \(?((?:19|20)[0-9][0-9])\b)");
  int found = 0;
  for (const char* folder : {"src", "docs"})
    for (const auto& file : std::filesystem::recursive_directory_iterator(root / folder)) {
      const std::string extension = file.path().extension().string();
      if (extension != ".h" && extension != ".cpp" && extension != ".md") continue;
      if (file.path().filename() == "bibliography.md") continue;
      std::istringstream lines(content(file.path()));
      for (std::string line; std::getline(lines, line);) {
        if (extension != ".md" && line.find("//") == std::string::npos) continue;  // comments only
        for (std::sregex_iterator match(line.begin(), line.end(), citation), end; match != end; ++match) {
          ++found;
          EXPECT_TRUE(stands_there(bibliography, (*match)[1], (*match)[2]))
              << file.path() << " cites " << match->str() << ", which docs/bibliography.md does not have";
        }
      }
    }
  EXPECT_GT(found, 30) << "the test looks for the wrong thing";
}

}  // namespace
}  // namespace stickslip
