// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/study/sobol.h"

#include "stickslip/study/random.h"

#include <array>
#include <cassert>

namespace stickslip::study {
namespace {

constexpr int kBits = 32;
constexpr std::uint32_t kShiftStream = 0xFFFFFFFE;  // streams of parameters count from 0

struct Polynomial {
  int degree;
  std::uint32_t inner;  // its inner coefficients as bits, highest first
  std::array<std::uint32_t, 7> start;
};

// Of dimensions 1, 2, ...; dimension 0 is the van der Corput sequence.
constexpr std::array<Polynomial, kMostSobolDimensions - 1> kPolynomials{{
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
}};

using Directions = std::array<std::uint32_t, kBits>;

constexpr Directions directions_of(const Polynomial& p) {
  Directions v{};
  for (int j = 0; j < kBits; ++j) {
    if (j < p.degree) {
      v[j] = p.start[j] << (kBits - 1 - j);
      continue;
    }
    v[j] = v[j - p.degree] ^ (v[j - p.degree] >> p.degree);
    for (int k = 1; k < p.degree; ++k)
      if (((p.inner >> (p.degree - 1 - k)) & 1U) != 0) v[j] ^= v[j - k];
  }
  return v;
}

constexpr std::array<Directions, kMostSobolDimensions> make_directions() {
  std::array<Directions, kMostSobolDimensions> all{};
  for (int j = 0; j < kBits; ++j) all[0][j] = 1U << (kBits - 1 - j);
  for (int d = 1; d < kMostSobolDimensions; ++d) all[d] = directions_of(kPolynomials[d - 1]);
  return all;
}
constexpr auto kDirections = make_directions();

}  // namespace

std::uint32_t sobol_bits(std::uint64_t index, int dimension) {
  assert(dimension >= 0 && dimension < kMostSobolDimensions);
  const Directions& v = kDirections[static_cast<std::size_t>(dimension)];
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
