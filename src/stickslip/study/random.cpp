// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/study/random.h"

#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>

namespace stickslip::study {

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> c, std::array<std::uint32_t, 2> k) {
  constexpr std::uint64_t kA = 0xD2511F53, kB = 0xCD9E8D57;
  constexpr std::uint32_t kW0 = 0x9E3779B9, kW1 = 0xBB67AE85;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = kA * c[0], b = kB * c[2];
    c = {static_cast<std::uint32_t>(b >> 32) ^ c[1] ^ k[0], static_cast<std::uint32_t>(b),
         static_cast<std::uint32_t>(a >> 32) ^ c[3] ^ k[1], static_cast<std::uint32_t>(a)};
    k[0] += kW0;
    k[1] += kW1;
  }
  return c;
}

std::uint64_t random_bits(std::uint64_t seed, std::uint32_t stream, std::uint64_t index, std::uint32_t draw) {
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
  const auto out = philox({low(index), high(index), stream, draw}, {low(seed), high(seed)});
  return (static_cast<std::uint64_t>(out[1]) << 32) | out[0];
}

double random_uniform(std::uint64_t seed, std::uint32_t stream, std::uint64_t index, std::uint32_t draw) {
  // The middles of 2^52 equal cells: neither 0 nor 1, all representable.
  return (static_cast<double>(random_bits(seed, stream, index, draw) >> 12) + 0.5) * 0x1p-52;
}

std::uint64_t random_permutation(std::uint64_t seed, std::uint32_t stream, std::uint64_t index, std::uint64_t n) {
  assert(index < n);
  unsigned half = 1;
  while (half < 32 && (std::uint64_t{1} << (2 * half)) < n) ++half;
  const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
  std::uint64_t x = index;
  do {
    std::uint64_t left = x >> half, right = x & mask;
    for (std::uint32_t round = 0; round < 4; ++round) {
      const std::uint64_t mixed = left ^ (random_bits(seed, stream, right, round + 1) & mask);
      left = right;
      right = mixed;
    }
    x = (left << half) | right;
  } while (x >= n);
  return x;
}

double normal_quantile(double p) {
  if (p <= 0) return -std::numeric_limits<double>::infinity();
  if (p >= 1) return std::numeric_limits<double>::infinity();
  if (p > 0.5) return -normal_quantile(1 - p);
  // A rational start (Abramowitz and Stegun 26.2.23, error 4.5e-4), then Halley's method on erfc.
  const double t = std::sqrt(-2 * std::log(p));
  double x = -(t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))));
  for (int i = 0; i < 3; ++i) {
    const double excess = 0.5 * std::erfc(-x / std::numbers::sqrt2) - p;
    const double density = std::exp(-0.5 * x * x) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
    if (density == 0) break;
    const double newton = excess / density;
    x -= newton / (1 + 0.5 * x * newton);
  }
  return x;
}

}  // namespace stickslip::study
