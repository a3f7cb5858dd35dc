// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Plain values to bytes and back, for checkpoints on one machine. A reader that runs short says so once and then
// returns zeros; the caller asks ok() at the end.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace stickslip {

class ByteWriter {
 public:
  template <typename T>
  void put(const T& value) {
    static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  template <typename Derived>
  void put_matrix(const Derived& m) {
    for (int k = 0; k < m.size(); ++k) put(static_cast<double>(m.data()[k]));
  }
  void put_text(std::string_view text) {
    put(static_cast<std::uint64_t>(text.size()));
    bytes_.append(text);
  }
  template <typename T, typename F>
  void put_list(const std::vector<T>& list, F&& put_one) {
    put(static_cast<std::uint64_t>(list.size()));
    for (const T& item : list) put_one(item);
  }
  [[nodiscard]] std::string take() { return std::move(bytes_); }
  [[nodiscard]] std::string_view view() const { return bytes_; }
  void clear() { bytes_.clear(); }  // keeps its memory

 private:
  std::string bytes_;
};

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  template <typename T>
  void get(T& value) {
    static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
    if (rest_.size() < sizeof value) {
      value = T{};
      fail();
      return;
    }
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
  }
  template <typename Derived>
  void get_matrix(Derived& m) {
    for (int k = 0; k < m.size(); ++k) get(m.data()[k]);
  }
  [[nodiscard]] std::string_view get_text() {
    std::uint64_t size = 0;
    get(size);
    if (size > rest_.size()) {
      fail();
      return {};
    }
    const std::string_view text = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return text;
  }
  template <typename T, typename F>
  void get_list(std::vector<T>& list, F&& get_one) {
    std::uint64_t size = 0;
    get(size);
    if (size > rest_.size()) {  // every item takes at least one byte
      fail();
      size = 0;
    }
    list.resize(size);
    for (T& item : list) get_one(item);
  }
  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }

 private:
  void fail() {
    ok_ = false;
    rest_ = {};
  }
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace stickslip
