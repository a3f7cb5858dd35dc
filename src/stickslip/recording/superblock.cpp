// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/recording/superblock.h"

#include "stickslip/recording/hdf5_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

namespace stickslip::recording {
namespace {

constexpr std::size_t kSize = 48, kChecked = 44, kVersionAt = 8, kMarkAt = 11, kEndAt = 28;
constexpr std::array<std::uint8_t, 8> kSignature{0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};

}  // namespace

std::uint32_t lookup3(const std::uint8_t* bytes, std::size_t count) {
  std::uint32_t a = 0xdeadbeef + static_cast<std::uint32_t>(count), b = a, c = a;
  const auto word = [&](std::size_t at, std::size_t end) {
    std::uint32_t w = 0;
    for (std::size_t k = 0; k < 4 && at + k < end; ++k) w |= static_cast<std::uint32_t>(bytes[at + k]) << (8 * k);
    return w;
  };
  std::size_t at = 0;
  for (; count - at > 12; at += 12) {
    a += word(at, count), b += word(at + 4, count), c += word(at + 8, count);
    a -= c, a ^= std::rotl(c, 4), c += b;
    b -= a, b ^= std::rotl(a, 6), a += c;
    c -= b, c ^= std::rotl(b, 8), b += a;
    a -= c, a ^= std::rotl(c, 16), c += b;
    b -= a, b ^= std::rotl(a, 19), a += c;
    c -= b, c ^= std::rotl(b, 4), b += a;
  }
  if (at == count) return c;
  a += word(at, count), b += word(at + 4, count), c += word(at + 8, count);
  c ^= b, c -= std::rotl(b, 14);
  a ^= c, a -= std::rotl(c, 11);
  b ^= a, b -= std::rotl(a, 25);
  c ^= b, c -= std::rotl(b, 16);
  a ^= c, a -= std::rotl(c, 4);
  b ^= a, b -= std::rotl(a, 14);
  c ^= b, c -= std::rotl(b, 24);
  return c;
}

namespace {

// Changes the superblock on disk: `change` says whether there is something to write.
template <typename Change>
void update(const std::string& path, std::size_t user_block, Change&& change) {
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) throw RecordingError("cannot reopen the recording " + path);
  std::array<std::uint8_t, kSize> block{};
  struct stat status{};
  const auto place = static_cast<off_t>(user_block);
  bool good = ::pread(file, block.data(), kSize, place) == static_cast<ssize_t>(kSize) && ::fstat(file, &status) == 0;
  if (good && std::memcmp(block.data(), kSignature.data(), kSignature.size()) == 0 && block[kVersionAt] == 3 &&
      change(block, static_cast<std::uint64_t>(status.st_size))) {
    const std::uint32_t sum = lookup3(block.data(), kChecked);
    for (std::size_t k = 0; k < 4; ++k) block[kChecked + k] = static_cast<std::uint8_t>(sum >> (8 * k));
    good = ::pwrite(file, block.data(), kSize, place) == static_cast<ssize_t>(kSize);
  }
  ::close(file);
  if (!good) throw RecordingError("cannot update the recording " + path);
}

using Block = std::array<std::uint8_t, kSize>;

}  // namespace

void clear_open_mark(const std::string& path, std::size_t user_block) {
  update(path, user_block, [](Block& block, std::uint64_t) { return std::exchange(block[kMarkAt], 0) != 0; });
}

void shorten_to_file(const std::string& path, std::size_t user_block) {
  update(path, user_block, [](Block& block, std::uint64_t size) {
    std::uint64_t end = 0;
    for (std::size_t k = 0; k < 8; ++k) end |= static_cast<std::uint64_t>(block[kEndAt + k]) << (8 * k);
    if (end <= size && block[kMarkAt] == 0) return false;
    block[kMarkAt] = 0;
    end = std::min(end, size);
    for (std::size_t k = 0; k < 8; ++k) block[kEndAt + k] = static_cast<std::uint8_t>(end >> (8 * k));
    return true;
  });
}

}  // namespace stickslip::recording
