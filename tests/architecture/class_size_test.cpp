// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Counts the member functions that each class declares, in the headers of the library, the command and the Python module,
// and fails above kMost: a class that has more is several ideas (docs/decisions/structure.md). Overloads count one each,
// deleted functions none. Prints the largest classes, by functions and by fields; those of another checkout, which the
// environment variable STICKSLIP_CLASSES_OF names, are only printed.
#include "tests/support/paths.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

namespace stickslip {
namespace {

constexpr int kMost = 30;

struct ClassSize {
  int functions = 0;
  std::string name;
  int fields = 0;
};

// Without comments, texts and lines of the preprocessor.
std::string code_of(const std::string& text) {
  static const std::regex other(R"(//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])')"),
      directive(R"((^|\n)[ \t]*#[^\n]*)");
  return std::regex_replace(std::regex_replace(text, other, ""), directive, "$1");
}

// The end of the block that opens at `open`, one past its brace.
std::size_t end_of_block(const std::string& code, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < code.size(); ++i) {
    depth += code[i] == '{' ? 1 : code[i] == '}' ? -1 : 0;
    if (depth == 0) return i + 1;
  }
  return code.size();
}

bool is_function(std::string declaration) {
  static const std::regex access(R"(\b(public|private|protected)\s*:)"),
      other(R"(^\s*(using|friend|static_assert|enum)\b)"), arguments(R"(<[^<>]*>)"), deleted(R"(=\s*delete)");
  declaration = std::regex_replace(declaration, access, "");
  if (std::regex_search(declaration, other) || std::regex_search(declaration, deleted)) return false;
  if (declaration.find("operator") != std::string::npos) return true;
  // std::function<void(int)> is no function of the class.
  for (std::string before; before != declaration;) {
    before = declaration;
    declaration = std::regex_replace(declaration, arguments, "");
  }
  const std::size_t parenthesis = declaration.find('(');
  return parenthesis != std::string::npos && parenthesis < declaration.find('=');
}

// How many fields a declaration that is no function declares. Braces of initialisers have been taken out.
int fields_in(std::string declaration) {
  static const std::regex access(R"(\b(public|private|protected)\s*:)"), arguments(R"(<[^<>]*>)"),
      other(R"(^\s*(using|friend|static_assert|enum|struct|class|union|static|constexpr|template)\b)"),
      none(R"(^\s*$|=\s*delete)");
  declaration = std::regex_replace(declaration, access, "");
  if (std::regex_search(declaration, other) || std::regex_search(declaration, none)) return 0;
  for (std::string before; before != declaration;) {
    before = declaration;
    declaration = std::regex_replace(declaration, arguments, "");
  }
  int depth = 0, count = 1;
  for (const char c : declaration) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    count += c == ',' && depth == 0 ? 1 : 0;
  }
  return count;
}

// All classes of a header, those within others too.
std::vector<ClassSize> classes_of(const std::string& text) {
  const std::string code = code_of(text);
  static const std::regex head(R"((enum\s+)?\b(?:class|struct)\s+(\w+(?:::\w+)*)(?:\s+final)?\s*(?::[^;{(]*)?\{)");
  std::vector<ClassSize> result;
  for (std::sregex_iterator match(code.begin(), code.end(), head), end; match != end; ++match) {
    if ((*match)[1].matched) continue;
    ClassSize found{0, (*match)[2]};
    const std::size_t open = static_cast<std::size_t>(match->position() + match->length()) - 1;
    const std::size_t close = end_of_block(code, open) - 1;
    std::string declaration;
    for (std::size_t i = open + 1; i < close;) {
      if (code[i] == '{') {  // a body, an initialiser or a class of its own
        i = end_of_block(code, i);
        const bool body = is_function(declaration);
        found.functions += body ? 1 : 0;
        if (body) declaration.clear();
      } else if (code[i] == ';') {
        const bool function = is_function(declaration);
        found.functions += function ? 1 : 0;
        if (!function) found.fields += fields_in(declaration);
        declaration.clear();
        ++i;
      } else {
        declaration += code[i++];
      }
    }
    result.push_back(found);
  }
  return result;
}

TEST(ClassSize, CountsWhatAReaderCounts) {
  const std::vector<ClassSize> found = classes_of(R"(
    class Outer final : public Base {  // not counted: f();
     public:
      Outer(int a) : a_{a} { g(); h(); }
      ~Outer();
      Outer(const Outer&) = delete;
      enum class Kind { A, B };
      using Call = std::function<void(int)>;
      struct Inner { int x = f(1); void g() const; };
      bool operator==(const Outer&) const = default;
      [[nodiscard]] std::vector<int> values(std::pair<int, int> of = {1, 2}) const { return {}; }
     private:
      std::function<bool(double)> watch_;
      double size_ = largest(3), a_{0};
      template <class T> void visit(T&& visitor);
    };)");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].name, "Outer");
  EXPECT_EQ(found[0].functions, 5);  // constructor, destructor, ==, values, visit
  EXPECT_EQ(found[0].fields, 3);     // watch_, size_, a_
  EXPECT_EQ(found[1].functions, 1);  // Inner: g
  EXPECT_EQ(found[1].fields, 1);     // x
}

TEST(ClassSize, NoClassHasMoreThanThirtyFunctions) {
  const char* other = std::getenv("STICKSLIP_CLASSES_OF");
  const std::filesystem::path root = other != nullptr ? other : tests::kSourceFolder;
  std::vector<ClassSize> all;
  for (const char* folder : {"src", "apps", "python/bindings"}) {
    if (!std::filesystem::exists(root / folder)) continue;
    for (const auto& file : std::filesystem::recursive_directory_iterator(root / folder)) {
      if (file.path().extension() != ".h") continue;
      std::ifstream in(file.path());
      const std::string text{std::istreambuf_iterator<char>(in), {}};
      for (ClassSize& found : classes_of(text)) {
        if (other == nullptr)
          EXPECT_LE(found.functions, kMost)
              << found.name << " in " << file.path() << ": move a part with its own name out";
        all.push_back(std::move(found));
      }
    }
  }
  ASSERT_GT(all.size(), 400U) << "the test looks in the wrong place";
  std::ranges::sort(all, std::ranges::greater{}, &ClassSize::functions);
  for (std::size_t k = 0; k < 4; ++k) std::cout << all[k].name << " " << all[k].functions << "\n";
  std::cout << "classes above " << kMost << ": "
            << std::ranges::count_if(all, [](const ClassSize& c) { return c.functions > kMost; }) << " of "
            << all.size() << "\n";
  std::ranges::sort(all, std::ranges::greater{}, &ClassSize::fields);
  for (std::size_t k = 0; k < 4; ++k) std::cout << all[k].name << " " << all[k].fields << " fields\n";
}

}  // namespace
}  // namespace stickslip
