// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Reads every #include of the project and fails on one that points upward: a layer may include itself and the layers
// listed for it, nothing else. The picture of the layers is docs/architecture.md; a new folder must be entered here.
#include "tests/support/paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace stickslip {
namespace {

namespace fs = std::filesystem;

struct Include {
  std::string file;    // relative to the source root
  std::string target;  // as written between the quotes or brackets
};

// Layer -> what it may include besides itself. Every name is a folder under src/stickslip.
const std::map<std::string, std::set<std::string>>& allowed() {
  static const std::map<std::string, std::set<std::string>> kAllowed{
      {"complementarity", {}},
      {"complementarity/corpus", {"complementarity", "files"}},
      {"files", {}},
      {"math", {}},
      {"model", {"files", "math"}},
      {"collision", {"math", "model"}},
      {"contact", {"math", "model", "collision", "complementarity"}},
      {"stepping", {"math", "model", "collision", "contact", "complementarity"}},
      {"simulation",
       {"files", "math", "model", "collision", "contact", "complementarity", "complementarity/corpus", "stepping"}},
      {"expression", {"math", "model", "collision", "contact", "stepping"}},
      {"motion", {"files", "math", "model", "expression"}},
      {"scene", {"files", "math", "model", "collision", "contact", "stepping", "simulation", "expression", "motion"}},
      {"runs", {"files", "math", "model", "collision", "contact", "stepping", "simulation", "expression", "scene"}},
      {"sensitivity",
       {"math", "model", "collision", "contact", "complementarity", "stepping", "simulation", "expression", "motion",
        "scene", "runs"}},
      {"planning",
       {"files", "math", "model", "collision", "contact", "complementarity", "stepping", "simulation", "expression",
        "scene", "runs", "sensitivity"}},
      {"recording", {"files", "math", "model", "collision", "contact", "stepping", "simulation"}},
      {"report", {"files", "math", "model", "collision", "contact", "recording", "expression", "scene", "study"}},
      {"study",
       {"files", "math", "model", "collision", "contact", "complementarity", "stepping", "simulation", "expression",
        "scene", "runs", "sensitivity"}},
      {"study_mpi", {"math", "study"}},
  };
  return kAllowed;
}

// "stickslip/complementarity/corpus/reader.h" -> "complementarity/corpus".
std::string layer_of(const std::string& path) {
  const std::string inside = path.substr(std::string("stickslip/").size());
  if (inside.starts_with("complementarity/corpus/")) return "complementarity/corpus";
  return inside.substr(0, inside.find('/'));
}

std::vector<Include> includes_under(const fs::path& folder) {
  static const std::regex kInclude(R"re(^\s*#\s*include\s*[<"]([^>"]+)[>"])re");
  const fs::path root = fs::path(tests::kSourceFolder);
  std::vector<Include> found;
  for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
    if (entry.path().extension() != ".h" && entry.path().extension() != ".cpp") continue;
    std::ifstream stream(entry.path());
    std::smatch match;
    for (std::string line; std::getline(stream, line);)
      if (std::regex_search(line, match, kInclude))
        found.push_back({relative(entry.path(), root / "src").string(), match[1]});
  }
  return found;
}

// Why an include is not allowed, or "".
std::string objection(const Include& include) {
  const std::string from = layer_of(include.file);
  if (!allowed().contains(from)) return "folder " + from + " is not in the list of layers";
  if (!include.target.starts_with("stickslip/")) return "";
  const std::string to = layer_of(include.target);
  if (to == from || allowed().at(from).contains(to)) return "";
  return from + " must not know " + to;
}

TEST(IncludeGraph, NoIncludePointsUpward) {
  const std::vector<Include> includes = includes_under("src/stickslip");
  ASSERT_GT(includes.size(), 100U) << "the sources were not found";
  for (const Include& include : includes)
    EXPECT_EQ(objection(include), "") << include.file << " includes " << include.target;
}

TEST(IncludeGraph, TheTestSeesUpwardIncludes) {
  EXPECT_NE(objection({"stickslip/complementarity/affine/x.h", "stickslip/complementarity/corpus/reader.h"}), "");
  EXPECT_NE(objection({"stickslip/complementarity/cone/x.cpp", "stickslip/model/model.h"}), "");
  EXPECT_NE(objection({"stickslip/collision/x.h", "stickslip/complementarity/status.h"}), "");
  EXPECT_NE(objection({"stickslip/stepping/x.h", "stickslip/scene/scene.h"}), "");
  EXPECT_NE(objection({"stickslip/helpers/x.h", "vector"}), "");
  EXPECT_EQ(objection({"stickslip/complementarity/corpus/x.h", "stickslip/complementarity/status.h"}), "");
}

// A header's name says which one is meant, in every folder of the project.
TEST(IncludeGraph, NoTwoHeadersShareAName) {
  std::map<std::string, std::string> found;
  for (const char* folder : {"src", "apps", "bench", "tests", "python", "plugins", "examples"})
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(tests::kSourceFolder) / folder)) {
      if (entry.path().extension() != ".h") continue;
      const std::string path = relative(entry.path(), tests::kSourceFolder).string();
      const auto [first, added] = found.emplace(entry.path().filename().string(), path);
      EXPECT_TRUE(added) << path << " has the name of " << first->second;
    }
  EXPECT_GT(found.size(), 100U) << "the headers were not found";
}

// Whoever opens a source finds its declarations: in the header of its name, in one that its opening comment names
// ("Part of plan.h."), or in one that names it.
TEST(IncludeGraph, EverySourceHasAHeaderOrNamesOne) {
  static const std::regex kHeader(R"re(([a-z_0-9]+\.h)\b)re");
  const fs::path root = fs::path(tests::kSourceFolder) / "src";
  int sources = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.path().extension() != ".cpp") continue;
    ++sources;
    if (fs::exists(fs::path(entry.path()).replace_extension(".h"))) continue;
    bool named = false;
    std::ifstream stream(entry.path());
    std::smatch match;
    for (std::string line; std::getline(stream, line) && line.starts_with("//");)
      if (std::regex_search(line, match, kHeader)) named |= fs::exists(entry.path().parent_path() / match[1].str());
    for (const auto& other : fs::directory_iterator(entry.path().parent_path())) {
      if (other.path().extension() != ".h") continue;
      std::ifstream header(other.path());
      const std::string text((std::istreambuf_iterator<char>(header)), {});
      named |= text.find(entry.path().filename().string()) != std::string::npos;
    }
    EXPECT_TRUE(named) << entry.path() << " has no header, names none at its head, and none names it";
  }
  EXPECT_GT(sources, 100);
}

// Headers name the project's files by their full path, so that a file can be found from the line that includes it.
TEST(IncludeGraph, ProjectHeadersAreNamedByFullPath) {
  for (const Include& include : includes_under("src/stickslip")) {
    const fs::path beside =
        fs::path(tests::kSourceFolder) / "src" / fs::path(include.file).parent_path() / include.target;
    EXPECT_FALSE(fs::exists(beside)) << include.file << " includes " << include.target << " by its short name";
  }
}

// The library that strangers install needs Eigen and fmt, nothing else.
TEST(IncludeGraph, ComplementarityUsesOnlyEigenAndFmt) {
  for (const Include& include : includes_under("src/stickslip/complementarity")) {
    if (layer_of(include.file) == "complementarity/corpus" || include.target.starts_with("stickslip/")) continue;
    const bool standard = include.target.find_first_of("/.") == std::string::npos;
    const bool ours = include.target.starts_with("Eigen/") || include.target.starts_with("unsupported/Eigen/") ||
                      include.target.starts_with("fmt/");
    // Vector intrinsics come with the compiler, unistd.h (has the process been forked?) with the C library.
    EXPECT_TRUE(standard || ours || include.target.ends_with("intrin.h") || include.target == "unistd.h")
        << include.file << " includes " << include.target;
  }
}

// MPI stays in the one library that needs it.
TEST(IncludeGraph, OnlyStudyMpiIncludesMpi) {
  for (const Include& include : includes_under("src/stickslip"))
    if (include.target == "mpi.h") {
      EXPECT_EQ(layer_of(include.file), "study_mpi") << include.file;
    }
}

// fmt stays out of the installed headers: users of the library need its binary only.
TEST(IncludeGraph, PublicHeadersNeedEigenOnly) {
  for (const Include& include : includes_under("src/stickslip/complementarity"))
    if (layer_of(include.file) == "complementarity" && include.file.ends_with(".h")) {
      EXPECT_FALSE(include.target.starts_with("fmt/")) << include.file;
    }
}

}  // namespace
}  // namespace stickslip
