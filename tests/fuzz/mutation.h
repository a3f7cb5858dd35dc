// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Random changes of inputs: of bytes (flipped, inserted, taken out, doubled), of words and numbers of a text (extreme
// values, words of other inputs), and pieces of one input put into another.
#pragma once

#include <cstddef>
#include <random>
#include <string>
#include <vector>

namespace stickslip::fuzz {

class Mutation {
 public:
  Mutation(unsigned seed, std::size_t longest) : random_(seed), longest_(longest) {}

  // Makes the words of a text known, to be put into others.
  void learn(const std::string& input);
  // A changed copy of one of the inputs, with pieces of others.
  [[nodiscard]] std::string changed(const std::vector<std::string>& inputs);

 private:
  [[nodiscard]] std::size_t below(std::size_t end) { return static_cast<std::size_t>(random_() % end); }
  struct Range {
    std::size_t begin, length;
  };
  [[nodiscard]] Range range_of(const std::string& text);
  [[nodiscard]] Range word_of(const std::string& text);
  void change_bytes(std::string& text);
  void change_words(std::string& text);
  void take_from(std::string& text, const std::string& other);

  std::mt19937_64 random_;
  std::size_t longest_;
  std::vector<std::string> words_;
};

}  // namespace stickslip::fuzz
