// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Arrays of numbers for a page: all in one block, compressed (zlib) and written in base64. Each array is known by
// [type, offset in bytes, number of elements]; offsets are multiples of 8, numbers little-endian, with the first bytes of
// all numbers of an array before the second ones, and so on: what hardly changes from number to number compresses well.
#pragma once

#include "stickslip/report/json_number.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace stickslip::report {

class Packer {
 public:
  nlohmann::json f64(const std::vector<double>& values) { return add("f64", values.data(), 8, values.size()); }
  nlohmann::json f32(const std::vector<float>& values) { return add("f32", values.data(), 4, values.size()); }
  nlohmann::json i32(const std::vector<std::int32_t>& values) { return add("i32", values.data(), 4, values.size()); }
  nlohmann::json u8(const std::vector<std::uint8_t>& values) { return add("u8", values.data(), 1, values.size()); }

  // Compressed, in base64.
  [[nodiscard]] std::string text() const;

 private:
  nlohmann::json add(const char* type, const void* data, std::size_t width, std::size_t count);
  std::string bytes_;
};

[[nodiscard]] std::string base64(const std::string& bytes);

}  // namespace stickslip::report
