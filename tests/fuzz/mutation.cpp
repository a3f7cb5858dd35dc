// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "tests/fuzz/mutation.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace stickslip::fuzz {
namespace {

constexpr std::size_t kMostWords = 2000, kMostChanges = 6, kLongestRange = 64;

// What readers stumble over: ends of double and of integers, things that are no numbers, brackets without a partner.
constexpr std::array kExtremes{"0",
                               "-0",
                               "-1",
                               "1e308",
                               "-1e308",
                               "1e-320",
                               "1e999",
                               "nan",
                               "inf",
                               "-inf",
                               "0.1",
                               "1e17",
                               "1e9",
                               "1e-9",
                               "2147483648",
                               "4294967296",
                               "9223372036854775807",
                               "99999999999999999999",
                               "\"\"",
                               "[]",
                               "{}",
                               "[",
                               "]",
                               "{",
                               "}",
                               "\"",
                               "'",
                               "\n",
                               "=",
                               ",",
                               "true",
                               "null",
                               "0x7f",
                               "1_000",
                               "sin(",
                               "^",
                               "1 / 0",
                               "t",
                               "<",
                               ">",
                               "/>",
                               "\xff",
                               "\xc3\xa9"};

bool in_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
}

}  // namespace

void Mutation::learn(const std::string& input) {
  for (std::size_t begin = 0; begin < input.size() && words_.size() < kMostWords;) {
    std::size_t end = begin;
    while (end < input.size() && in_word(input[end])) ++end;
    std::string word = input.substr(begin, end - begin);
    if (word.size() > 1 && std::ranges::find(words_, word) == words_.end()) words_.push_back(std::move(word));
    begin = end + 1;
  }
}

Mutation::Range Mutation::range_of(const std::string& text) {
  if (text.empty()) return {0, 0};
  const std::size_t begin = below(text.size());
  return {begin, 1 + below(std::min(kLongestRange, text.size() - begin))};
}

Mutation::Range Mutation::word_of(const std::string& text) {
  if (text.empty()) return {0, 0};
  std::size_t begin = below(text.size()), end = begin;
  while (begin > 0 && in_word(text[begin - 1])) --begin;
  while (end < text.size() && in_word(text[end])) ++end;
  return {begin, end - begin};
}

void Mutation::change_bytes(std::string& text) {
  const Range range = range_of(text);
  switch (below(6)) {
    case 0:
      if (!text.empty()) text[range.begin] = static_cast<char>(text[range.begin] ^ (1 << below(8)));
      break;
    case 1:
      if (!text.empty()) text[range.begin] = static_cast<char>(below(256));
      break;
    case 2: text.insert(range.begin, 1 + below(8), static_cast<char>(below(256))); break;
    case 3: text.erase(range.begin, range.length); break;
    case 4: text.insert(below(text.size() + 1), std::string(text, range.begin, range.length)); break;
    default: text.resize(below(text.size() + 1));
  }
}

void Mutation::change_words(std::string& text) {
  const Range word = word_of(text);
  const std::string by =
      words_.empty() || below(2) == 0 ? kExtremes[below(kExtremes.size())] : words_[below(words_.size())];
  text.replace(word.begin, below(4) == 0 ? 0 : word.length, by);
}

void Mutation::take_from(std::string& text, const std::string& other) {
  if (below(2) == 0) {  // a whole line
    const std::size_t at = below(other.size() + 1), before = other.rfind('\n', at);
    const std::size_t begin = before == std::string::npos ? 0 : before + 1;
    const std::size_t place = text.find('\n', below(text.size() + 1));
    text.insert(place == std::string::npos ? text.size() : place + 1,
                other.substr(begin, other.find('\n', begin) - begin) + "\n");
    return;
  }
  const Range from = range_of(other), to = range_of(text);
  text.replace(to.begin, below(2) == 0 ? 0 : to.length, other, from.begin, from.length);
}

std::string Mutation::changed(const std::vector<std::string>& inputs) {
  std::string text = inputs.empty() ? std::string() : inputs[below(inputs.size())];
  for (std::size_t k = 1 + below(kMostChanges); k > 0; --k) {
    const std::size_t kind = below(8);
    if (kind < 3)
      change_bytes(text);
    else if (kind < 6)
      change_words(text);
    else if (!inputs.empty())
      take_from(text, inputs[below(inputs.size())]);
  }
  if (text.size() > longest_) text.resize(longest_);
  return text;
}

}  // namespace stickslip::fuzz
