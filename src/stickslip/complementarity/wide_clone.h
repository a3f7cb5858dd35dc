// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Kernels with a second version for processors with wider registers, chosen at load time by the dynamic linker. Numbers
// are taken in lanes of four whatever the registers hold, and products are not contracted with sums
// (-ffp-contract=off): both versions give the same bits.
#pragma once

#include <cstring>

// Sanitizers run before the choice is safe, so they get the plain version.
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define STICKSLIP_WIDE_CLONE __attribute__((target_clones("avx2", "default")))
#else
#define STICKSLIP_WIDE_CLONE
#endif
#define STICKSLIP_ALWAYS_INLINE inline __attribute__((always_inline))

namespace stickslip::complementarity {

constexpr int kLanes = 4;
typedef double Lanes __attribute__((vector_size(kLanes * sizeof(double))));

STICKSLIP_ALWAYS_INLINE void load(Lanes& v, const double* p) {
  std::memcpy(&v, p, sizeof(Lanes));
}
STICKSLIP_ALWAYS_INLINE void store(double* p, const Lanes& v) {
  std::memcpy(p, &v, sizeof(Lanes));
}

}  // namespace stickslip::complementarity
