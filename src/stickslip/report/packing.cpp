// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/report/packing.h"

#include <zlib.h>

#include <bit>
#include <stdexcept>

namespace stickslip::report {

static_assert(std::endian::native == std::endian::little, "arrays are written as they lie in memory");

nlohmann::json Packer::add(const char* type, const void* data, std::size_t width, std::size_t count) {
  bytes_.resize((bytes_.size() + 7) / 8 * 8, '\0');
  const std::size_t offset = bytes_.size();
  const char* const first = static_cast<const char*>(data);
  bytes_.reserve(offset + width * count);
  for (std::size_t byte = 0; byte < width; ++byte)
    for (std::size_t k = 0; k < count; ++k) bytes_.push_back(first[k * width + byte]);
  return nlohmann::json::array({type, offset, count});
}

std::string Packer::text() const {
  uLongf size = compressBound(static_cast<uLong>(bytes_.size()));
  std::string packed(size, '\0');
  const int status = compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
                               reinterpret_cast<const Bytef*>(bytes_.data()), static_cast<uLong>(bytes_.size()), 6);
  if (status != Z_OK) throw std::runtime_error("out of memory while compressing the page");
  packed.resize(size);
  return base64(packed);
}

std::string base64(const std::string& bytes) {
  constexpr const char* kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  const auto byte = [&](std::size_t k) -> std::uint32_t {
    return k < bytes.size() ? static_cast<std::uint8_t>(bytes[k]) : 0U;
  };
  for (std::size_t k = 0; k < bytes.size(); k += 3) {
    const std::uint32_t word = byte(k) << 16 | byte(k + 1) << 8 | byte(k + 2);
    out += kDigits[word >> 18];
    out += kDigits[word >> 12 & 63];
    out += k + 1 < bytes.size() ? kDigits[word >> 6 & 63] : '=';
    out += k + 2 < bytes.size() ? kDigits[word & 63] : '=';
  }
  return out;
}

}  // namespace stickslip::report
