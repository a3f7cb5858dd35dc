// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Random numbers that are the same on every machine and compiler: the distributions of the standard library are not.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>

namespace stickslip::complementarity {

class PortableRandom {
 public:
  explicit PortableRandom(std::uint64_t seed) : engine_(seed) {}

  // In [low, high).
  [[nodiscard]] double uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(engine_() >> 11) * 0x1p-53;
  }
  // In 0 .. count - 1.
  [[nodiscard]] int index(int count) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(count)); }
  // Normal distribution (Box and Muller, one of the pair).
  [[nodiscard]] double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform(0, 1)));
    return radius * std::cos(2 * std::numbers::pi * uniform(0, 1));
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace stickslip::complementarity
