// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/corpus/problem_document.h"

#include "stickslip/complementarity/corpus/corpus_error.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

namespace stickslip::complementarity {
namespace {

using Json = nlohmann::json;

enum class Expect { Skip, Text, Integer, Vector, Matrix, IndexList };

// The type each key of the format must have.
Expect expected_at_top(std::string_view key) {
  static const std::map<std::string_view, Expect> kKeys{{"name", Expect::Text},
                                                        {"kind", Expect::Text},
                                                        {"notes", Expect::Text},
                                                        {"source", Expect::Text},
                                                        {"n", Expect::Integer},
                                                        {"m", Expect::Integer},
                                                        {"nc", Expect::Integer},
                                                        {"ndof", Expect::Integer},
                                                        {"q", Expect::Vector},
                                                        {"lb", Expect::Vector},
                                                        {"ub", Expect::Vector},
                                                        {"a", Expect::Vector},
                                                        {"b", Expect::Vector},
                                                        {"f", Expect::Vector},
                                                        {"w", Expect::Vector},
                                                        {"mu", Expect::Vector},
                                                        {"M", Expect::Matrix},
                                                        {"A", Expect::Matrix},
                                                        {"B", Expect::Matrix},
                                                        {"C", Expect::Matrix},
                                                        {"D", Expect::Matrix},
                                                        {"W", Expect::Matrix},
                                                        {"H", Expect::Matrix},
                                                        {"known_solution", Expect::Vector},
                                                        {"compliance", Expect::Vector},
                                                        {"contact_kind", Expect::Vector},
                                                        {"normal_impulse", Expect::Vector}};
  const auto found = kKeys.find(key);
  return found == kKeys.end() ? Expect::Skip : found->second;
}

Expect expected_in_matrix(std::string_view key) {
  if (key == "rows" || key == "cols") return Expect::Integer;
  if (key == "i" || key == "j") return Expect::IndexList;
  if (key == "x") return Expect::Vector;
  return Expect::Skip;
}

const char* describe(Expect expect) {
  switch (expect) {
    case Expect::Text: return "a text";
    case Expect::Integer: return "a non-negative integer";
    case Expect::Vector: return "an array of numbers";
    case Expect::Matrix: return "a matrix {\"rows\", \"cols\", \"i\", \"j\", \"x\"}";
    case Expect::IndexList: return "an array of non-negative integers";
    case Expect::Skip: break;
  }
  return "a value";
}

// Receives the parser's events and fills the document. One key is open at a time; `place_` says where we stand.
class DocumentBuilder {
 public:
  explicit DocumentBuilder(CorpusDocument& document) : document_(document) {}

  // The names of these functions are the parser's interface.
  bool start_object(std::size_t) {
    if (skipping()) return open_skipped();
    if (place_ == Place::Start) return move_to(Place::Top);
    if (expect_ != Expect::Matrix || place_ != Place::Top) wrong_type();
    matrix_ = &document_.matrix[key_];
    matrix_key_ = key_;
    matrix_keys_.clear();
    return move_to(Place::Matrix);
  }

  bool end_object() {
    if (skip_depth_ > 0) return close_skipped();
    return move_to(place_ == Place::Matrix ? Place::Top : Place::End);
  }

  bool start_array(std::size_t) {
    if (skipping()) return open_skipped();
    if (place_ == Place::Array) wrong_type();
    if (expect_ == Expect::Vector) {
      numbers_ = place_ == Place::Top ? &document_.vector[key_] : &matrix_->x;
      if (place_ == Place::Matrix) matrix_->has_x = true;
    } else if (expect_ == Expect::IndexList) {
      indices_ = key_ == "i" ? &matrix_->i : &matrix_->j;
      (key_ == "i" ? matrix_->has_i : matrix_->has_j) = true;
    } else {
      wrong_type();
    }
    before_array_ = place_;
    return move_to(Place::Array);
  }

  bool end_array() {
    if (skip_depth_ > 0) return close_skipped();
    numbers_ = nullptr;
    indices_ = nullptr;
    return move_to(before_array_);
  }

  bool key(std::string& key) {
    if (skip_depth_ > 0) return true;
    std::set<std::string>& keys = place_ == Place::Matrix ? matrix_keys_ : top_keys_;
    expect_ = place_ == Place::Matrix ? expected_in_matrix(key) : expected_at_top(key);
    key_ = key;
    // Keys that are skipped are not kept either: an untrusted file may have millions.
    if (expect_ != Expect::Skip && !keys.insert(key).second)
      throw CorpusError(fmt::format("{} is given twice", label()));
    return true;
  }

  bool number_integer(Json::number_integer_t value) {
    if (skipping()) return true;
    if (place_ == Place::Array && numbers_) return push(static_cast<double>(value));
    wrong_type();  // negative: never valid for sizes and indices
  }

  bool number_unsigned(Json::number_unsigned_t value) {
    if (skipping()) return true;
    if (place_ == Place::Array && numbers_) return push(static_cast<double>(value));
    if (value > static_cast<Json::number_unsigned_t>(std::numeric_limits<int>::max()))
      throw CorpusError(fmt::format("{}: {} is too large", label(), value));
    if (place_ == Place::Array) {
      indices_->push_back(static_cast<std::int64_t>(value));
    } else if (expect_ == Expect::Integer) {
      integer() = static_cast<std::int64_t>(value);
    } else {
      wrong_type();
    }
    return true;
  }

  bool number_float(Json::number_float_t value, const std::string&) {
    if (skipping()) return true;
    if (place_ != Place::Array || !numbers_) wrong_type();
    return push(value);
  }

  bool string(std::string& value) {
    if (skipping()) return true;
    if (expect_ != Expect::Text || place_ != Place::Top) wrong_type();
    document_.text[key_] = std::move(value);
    return true;
  }

  bool null() {
    // "no known solution" may be written as null; everywhere else a number or text is wanted.
    if (skipping() || (place_ == Place::Top && key_ == "known_solution")) return true;
    wrong_type();
  }

  bool boolean(bool) {
    if (skipping()) return true;
    wrong_type();
  }

  bool binary(Json::binary_t&) { return true; }  // does not occur in text

  bool parse_error(std::size_t, const std::string&, const Json::exception& error) {
    throw CorpusError(syntax_message(error.what()));
  }

 private:
  enum class Place { Start, Top, Matrix, Array, End };

  // The parser's own message without its prefix (we give the position ourselves) and of bounded length.
  static std::string syntax_message(std::string text) {
    if (const auto at = text.find("column "); at != std::string::npos) {
      if (const auto colon = text.find(": ", at); colon != std::string::npos) text.erase(0, colon + 2);
    } else if (const auto bracket = text.find("] "); bracket != std::string::npos) {
      text.erase(0, bracket + 2);
    }
    constexpr std::size_t kLongest = 160;
    if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
    // The message quotes what was read last, which need not be text.
    for (char& character : text)
      if (static_cast<unsigned char>(character) >= 0x7f) character = '?';
    return text;
  }

  bool skipping() const {
    return skip_depth_ > 0 || (expect_ == Expect::Skip && (place_ == Place::Top || place_ == Place::Matrix));
  }
  bool open_skipped() {
    ++skip_depth_;
    return true;
  }
  bool close_skipped() {
    --skip_depth_;
    return true;
  }
  bool move_to(Place place) {
    place_ = place;
    return true;
  }

  bool push(double value) {
    if (!std::isfinite(value)) throw CorpusError(fmt::format("{} holds a number that is not finite", label()));
    numbers_->push_back(value);
    return true;
  }

  std::int64_t& integer() {
    if (place_ == Place::Top) return document_.integer[key_];
    return key_ == "rows" ? matrix_->rows : matrix_->cols;
  }

  std::string label() const {
    const bool inside = place_ == Place::Matrix || (place_ == Place::Array && before_array_ == Place::Matrix);
    return inside ? fmt::format("\"{}\" of \"{}\"", key_, matrix_key_) : fmt::format("\"{}\"", key_);
  }

  [[noreturn]] void wrong_type() const {
    if (place_ == Place::Start || place_ == Place::End) throw CorpusError("the file must hold one JSON object");
    throw CorpusError(fmt::format("{} must be {}", label(), describe(expect_)));
  }

  CorpusDocument& document_;
  Place place_ = Place::Start;
  Place before_array_ = Place::Top;
  Expect expect_ = Expect::Skip;
  std::string key_, matrix_key_;
  std::set<std::string> top_keys_, matrix_keys_;
  CoordinateList* matrix_ = nullptr;
  std::vector<double>* numbers_ = nullptr;
  std::vector<std::int64_t>* indices_ = nullptr;
  std::size_t skip_depth_ = 0;
};

// Walks over the text and notes how far the parser has read, so that every error can name its place.
class TrackedIterator {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  TrackedIterator() = default;
  TrackedIterator(const char* at, const char** reached) : at_(at), reached_(reached) {}
  reference operator*() const { return *at_; }
  TrackedIterator& operator++() {
    *reached_ = ++at_;
    return *this;
  }
  TrackedIterator operator++(int) {
    TrackedIterator old = *this;
    ++*this;
    return old;
  }
  friend bool operator==(const TrackedIterator& a, const TrackedIterator& b) { return a.at_ == b.at_; }
  friend bool operator!=(const TrackedIterator& a, const TrackedIterator& b) { return a.at_ != b.at_; }

 private:
  const char* at_ = nullptr;
  const char** reached_ = nullptr;
};

std::string with_position(std::string_view json, const char* reached, std::string_view message) {
  const std::string_view before = json.substr(0, static_cast<std::size_t>(reached - json.data()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const auto line_start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  const auto column = std::max<std::size_t>(1, before.size() - line_start);
  return fmt::format("line {}, column {}: {}", line, column, message);
}

}  // namespace

CorpusDocument parse_document(std::string_view json) {
  CorpusDocument document;
  DocumentBuilder builder(document);
  const char* reached = json.data();
  try {
    const TrackedIterator first(json.data(), &reached);
    const TrackedIterator last(json.data() + json.size(), &reached);
    Json::sax_parse(first, last, &builder);
  } catch (const CorpusError& error) {
    throw CorpusError(with_position(json, reached, error.what()));
  }
  return document;
}

}  // namespace stickslip::complementarity
