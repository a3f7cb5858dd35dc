// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Sobol points: a sequence that fills a cube more evenly than random points do.
//
//   x_k(i) = V_i,1 g_1 ^ V_i,2 g_2 ^ ...        g = k ^ (k >> 1), the Gray code of k; V_i,j direction numbers
//
// Direction numbers from primitive polynomials as chosen by Joe and Kuo (SIAM J. Sci. Comput. 30, 2008, set D6), from
// Boost's table; Boost's own engine gives one point after the other, trials need any point of any dimension. A digital
// shift (one random pattern per dimension, exclusive-or) makes the points depend on the seed and keeps every
// evenness property.
#pragma once

#include <cstdint>

namespace stickslip::study {

inline constexpr int kMostSobolDimensions = 3667;

// 32 bits of coordinate `dimension` (from 0) of point `index` of the plain sequence; index < 2^32.
[[nodiscard]] std::uint32_t sobol_bits(std::uint64_t index, int dimension);
// In (0, 1), shifted by the seed.
[[nodiscard]] double sobol_point(std::uint64_t seed, std::uint64_t index, int dimension);

}  // namespace stickslip::study
