// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/study/sobol.h"

#include "stickslip/study/random.h"

#include <boost/random/sobol.hpp>

#include <array>
#include <bit>
#include <cassert>

namespace stickslip::study {
namespace {

constexpr int kBits = 32;
constexpr std::uint32_t kShiftStream = 0xFFFFFFFE;  // streams of parameters count from 0

using Directions = std::array<std::uint32_t, kBits>;

// Of one dimension, from the table of primitive polynomials and start values that Boost keeps; dimension 0 is the van
// der Corput sequence. A microsecond: nothing beside the run that the point is for.
Directions directions_of(int dimension) {
  using Table = boost::random::default_sobol_table;
  Directions v{};
  if (dimension == 0) {
    for (int j = 0; j < kBits; ++j) v[j] = 1U << (kBits - 1 - j);
    return v;
  }
  const auto entry = static_cast<std::size_t>(dimension - 1);
  const std::uint32_t polynomial = Table::polynomial(entry);  // bit k: coefficient of z^k
  const int degree = std::bit_width(polynomial) - 1;
  for (int j = 0; j < kBits; ++j) {
    if (j < degree) {
      v[j] = static_cast<std::uint32_t>(Table::minit(entry, static_cast<std::size_t>(j))) << (kBits - 1 - j);
      continue;
    }
    v[j] = v[j - degree] ^ (v[j - degree] >> degree);
    for (int k = 1; k < degree; ++k)
      if (((polynomial >> (degree - k)) & 1U) != 0) v[j] ^= v[j - k];
  }
  return v;
}

static_assert(kMostSobolDimensions == boost::random::default_sobol_table::max_dimension);

}  // namespace

std::uint32_t sobol_bits(std::uint64_t index, int dimension) {
  assert(dimension >= 0 && dimension < kMostSobolDimensions);
  const Directions v = directions_of(dimension);
  std::uint32_t x = 0;
  auto gray = static_cast<std::uint32_t>(index ^ (index >> 1));
  for (std::size_t j = 0; gray != 0; ++j, gray >>= 1)
    if ((gray & 1U) != 0) x ^= v[j];
  return x;
}

double sobol_point(std::uint64_t seed, std::uint64_t index, int dimension) {
  const auto shift = static_cast<std::uint32_t>(random_bits(seed, kShiftStream, static_cast<std::uint64_t>(dimension)));
  return (static_cast<double>(sobol_bits(index, dimension) ^ shift) + 0.5) * 0x1p-32;
}

}  // namespace stickslip::study
