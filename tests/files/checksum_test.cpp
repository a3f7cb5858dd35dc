// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/files/checksum.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace stickslip::files {
namespace {

std::string random_bytes(std::size_t count, std::mt19937_64& random) {
  std::string bytes(count, '\0');
  for (char& c : bytes) c = static_cast<char>(random());
  return bytes;
}

// Values that the reference implementation (xxhsum -H1) prints.
TEST(Checksum, AgreesWithTheReferenceImplementation) {
  EXPECT_EQ(checksum_of(""), 0xef46db3751d8e999U);
  EXPECT_EQ(checksum_of("a"), 0xd24ec4f1a98c6e5bU);
  EXPECT_EQ(checksum_of("abc"), 0x44bc2cf5ad770999U);
  EXPECT_EQ(checksum_of("Call me Ishmael. Some years ago--never mind how long precisely-"), 0x02a2e85470d6fd96U);
}

TEST(Checksum, DoesNotDependOnThePiecesInWhichBytesCome) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 200; ++trial) {
    const std::string bytes = random_bytes(random() % 300, random);
    Checksum pieces;
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t count = std::min<std::size_t>(1 + random() % 50, bytes.size() - at);
      pieces.add(bytes.data() + at, count);
      at += count;
    }
    ASSERT_EQ(pieces.value(), checksum_of(bytes)) << bytes.size() << " bytes";
  }
}

TEST(Checksum, EveryFlippedBitBreaksTheSeal) {
  std::mt19937_64 random(2);
  for (const std::size_t size : {0, 1, 7, 8, 31, 32, 33, 100}) {
    const std::string whole = sealed(random_bytes(size, random));
    ASSERT_TRUE(unsealed(whole).intact);
    EXPECT_EQ(unsealed(whole).content.size(), size);
    for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
      std::string damaged = whole;
      damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
      ASSERT_FALSE(unsealed(damaged).intact) << "bit " << bit << " of " << size << " bytes";
    }
    for (std::size_t cut = 0; cut < whole.size(); ++cut)
      ASSERT_FALSE(unsealed(whole.substr(0, cut)).intact) << "cut at " << cut;
  }
}

}  // namespace
}  // namespace stickslip::files
