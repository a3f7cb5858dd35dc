// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// One name, one type: fails where two classes, structures, enumerations or aliases of namespaces have the same name, in
// headers and sources of the library and the command, whatever namespaces they stand in. A reader who searches for a
// name finds one thing. Types within classes are not compared: the class tells which one is meant. Aliases of one and
// the same type may be repeated (Clock, Json).
#include "tests/support/paths.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <string>
#include <vector>

namespace stickslip {
namespace {

struct NamedType {
  std::string name;
  std::string meaning;  // of an alias: what it stands for; of other types empty
};

// Without comments, texts and lines of the preprocessor.
std::string bare(const std::string& text) {
  static const std::regex other(R"re(//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])')re"),
      directive(R"((^|\n)[ \t]*#[^\n]*)");
  return std::regex_replace(std::regex_replace(text, other, ""), directive, "$1");
}

// Types that are declared in namespaces, those without a name too, and defined.
std::vector<NamedType> types_of(const std::string& text) {
  static const std::regex scope(R"(\bnamespace(\s+[\w:]+)?\s*$)"),
      type(
          R"(^\s*(?:template\s*<[^{]*>\s*)?(?:class|struct|union|enum|enum\s+class)\s+(\w+)(?:\s+final)?\s*(?::(?!:)[^({]*)?$)"),
      alias(R"(^\s*using\s+(\w+)\s*=\s*([^;]*)$)");
  std::vector<NamedType> found;
  std::vector<bool> is_namespace;  // of the blocks that are open
  const auto outside = [&] { return std::ranges::find(is_namespace, false) == is_namespace.end(); };
  std::string declaration;
  std::smatch match;
  for (const char c : bare(text)) {
    if (c == '{') {
      if (outside() && std::regex_search(declaration, match, type)) found.push_back({match[1], ""});
      is_namespace.push_back(std::regex_search(declaration, scope));
      declaration.clear();
    } else if (c == '}') {
      if (!is_namespace.empty()) is_namespace.pop_back();
      declaration.clear();
    } else if (c == ';') {
      if (outside() && std::regex_search(declaration, match, alias)) found.push_back({match[1], match[2]});
      declaration.clear();
    } else {
      declaration += c;
    }
  }
  return found;
}

TEST(TypeNames, TheTestSeesTypesOfNamespaces) {
  const std::vector<NamedType> found = types_of(R"(
    #include <vector>  // struct NotThis {
    namespace a::b {
    using Clock = std::chrono::steady_clock;
    namespace {
    class Outer final : public Base {  // class Neither {
      struct Inner { int x; };
      using Own = int;
    };
    template <class T>
    struct Of { T x; };
    enum class Kind : char { A, B };
    struct Declared;
    void f(struct S* s) { struct Local {} local; }
    struct Outer::Member { int y; };
    }
    })");
  std::vector<std::string> names;
  for (const NamedType& type : found) names.push_back(type.name);
  EXPECT_EQ(names, (std::vector<std::string>{"Clock", "Outer", "Of", "Kind"}));
  EXPECT_EQ(found.front().meaning, "std::chrono::steady_clock");
}

TEST(TypeNames, NoTwoTypesShareAName) {
  struct Seen {
    NamedType type;
    std::filesystem::path file;
  };
  std::map<std::string, Seen> seen;
  for (const char* folder : {"src", "apps"})
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(tests::kSourceFolder / std::filesystem::path(folder))) {
      if (entry.path().extension() != ".h" && entry.path().extension() != ".cpp") continue;
      std::ifstream in(entry.path());
      for (NamedType& type : types_of({std::istreambuf_iterator<char>(in), {}})) {
        const auto [first, added] = seen.emplace(type.name, Seen{type, entry.path()});
        if (added || (!type.meaning.empty() && type.meaning == first->second.type.meaning)) continue;
        ADD_FAILURE() << "two types are named " << type.name << ", in " << first->second.file << " and in "
                      << entry.path() << ": name them by what each is, or make them one";
      }
    }
  EXPECT_GT(seen.size(), 700U) << "the test looks for the wrong thing";
}

}  // namespace
}  // namespace stickslip
