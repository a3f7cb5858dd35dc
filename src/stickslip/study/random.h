// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Random numbers by counting: a number is a function of (seed, stream, index) and of nothing else, so that trial 17 of
// a study has the same numbers on every worker, whatever was drawn before.
//
// The function is Philox 4x32 with 10 rounds (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3;
// SC 2011): ten rounds of multiplication and exclusive-or of a 128-bit counter under a 64-bit key.
//
//   round     (c0, c1, c2, c3) -> (hi(B c2) ^ c1 ^ k0,  lo(B c2),  hi(A c0) ^ c3 ^ k1,  lo(A c0)),   k += (W0, W1)
//
// Cost: about 15 ns per number.
#pragma once

#include <array>
#include <cstdint>

namespace stickslip::study {

[[nodiscard]] std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                                  std::array<std::uint32_t, 2> key);

// 64 random bits.
[[nodiscard]] std::uint64_t random_bits(std::uint64_t seed, std::uint32_t stream, std::uint64_t index,
                                        std::uint32_t draw = 0);
// Uniform in the open interval (0, 1).
[[nodiscard]] double random_uniform(std::uint64_t seed, std::uint32_t stream, std::uint64_t index,
                                    std::uint32_t draw = 0);

// A permutation of 0 .. n-1, one element at a time: where it sends `index`. A Feistel network of four rounds on the
// smallest even number of bits that holds n, walked until it lands inside; no table.
[[nodiscard]] std::uint64_t random_permutation(std::uint64_t seed, std::uint32_t stream, std::uint64_t index,
                                               std::uint64_t n);

// The quantile of the standard normal distribution, to rounding. Ours instead of Boost's: it makes the values of
// trials, which stores of older studies hold bit for bit.
[[nodiscard]] double normal_quantile(double probability);

}  // namespace stickslip::study
