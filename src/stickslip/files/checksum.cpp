// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/files/checksum.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace stickslip::files {
namespace {

static_assert(std::endian::native == std::endian::little, "words are read as they lie in memory");

template <typename Word>
std::uint64_t word_at(const unsigned char* bytes) {
  Word word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

}  // namespace

void Checksum::take_block(const unsigned char* block) {
  for (std::size_t k = 0; k < lane_.size(); ++k)
    lane_[k] = std::rotl(lane_[k] + word_at<std::uint64_t>(block + 8 * k) * kP2, 31) * kP1;
}

void Checksum::add(const void* bytes, std::size_t count) {
  if (count == 0) return;
  const auto* at = static_cast<const unsigned char*>(bytes);
  const std::size_t held = total_ % kBlock;
  total_ += count;
  if (held > 0) {
    const std::size_t taken = std::min(count, kBlock - held);
    std::memcpy(rest_.data() + held, at, taken);
    if (held + taken < kBlock) return;
    take_block(rest_.data());
    at += taken;
    count -= taken;
  }
  for (; count >= kBlock; at += kBlock, count -= kBlock) take_block(at);
  if (count > 0) std::memcpy(rest_.data(), at, count);
}

void Checksum::add_text(std::string_view text) {
  add_number(text.size());
  add(text);
}

std::uint64_t Checksum::value() const {
  std::uint64_t h = kP5;
  if (total_ >= kBlock) {
    h = std::rotl(lane_[0], 1) + std::rotl(lane_[1], 7) + std::rotl(lane_[2], 12) + std::rotl(lane_[3], 18);
    for (const std::uint64_t v : lane_) h = (h ^ (std::rotl(v * kP2, 31) * kP1)) * kP1 + kP4;
  }
  h += total_;
  const unsigned char* at = rest_.data();
  std::size_t left = total_ % kBlock;
  for (; left >= 8; at += 8, left -= 8)
    h = std::rotl(h ^ (std::rotl(word_at<std::uint64_t>(at) * kP2, 31) * kP1), 27) * kP1 + kP4;
  if (left >= 4) {
    h = std::rotl(h ^ (word_at<std::uint32_t>(at) * kP1), 23) * kP2 + kP3;
    at += 4, left -= 4;
  }
  for (; left > 0; ++at, --left) h = std::rotl(h ^ (*at * kP5), 11) * kP1;
  h = (h ^ (h >> 33)) * kP2;
  h = (h ^ (h >> 29)) * kP3;
  return h ^ (h >> 32);
}

std::uint64_t checksum_of(std::string_view bytes) {
  Checksum sum;
  sum.add(bytes);
  return sum.value();
}

std::string sealed(std::string bytes) {
  const std::uint64_t sum = checksum_of(bytes);
  bytes.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  return bytes;
}

Unsealed unsealed(std::string_view bytes) {
  std::uint64_t sum = 0;
  if (bytes.size() < sizeof sum) return {};
  const std::string_view content = bytes.substr(0, bytes.size() - sizeof sum);
  std::memcpy(&sum, bytes.data() + content.size(), sizeof sum);
  if (checksum_of(content) != sum) return {};
  return {content, true};
}

}  // namespace stickslip::files
