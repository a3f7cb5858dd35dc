// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Counts every allocation of the process, whoever asks (operator new and Eigen both end in malloc). One source file of
// a test executable defines STICKSLIP_COUNT_ALLOCATIONS before it includes this header; all may then call
// allocations(). Under sanitizers, which own malloc themselves, counting is off and kCountsAllocations is false.
#pragma once

#include <atomic>
#include <cstddef>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define STICKSLIP_HAS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define STICKSLIP_HAS_SANITIZER 1
#endif
#endif

namespace stickslip::tests {

#if defined(STICKSLIP_HAS_SANITIZER) || !defined(__GLIBC__)
constexpr bool kCountsAllocations = false;
#else
constexpr bool kCountsAllocations = true;
#endif

inline std::atomic<long> allocation_count{0};
[[nodiscard]] inline long allocations() {
  return allocation_count.load(std::memory_order_relaxed);
}

}  // namespace stickslip::tests

#if defined(STICKSLIP_COUNT_ALLOCATIONS) && !defined(STICKSLIP_HAS_SANITIZER) && defined(__GLIBC__)
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);

void* malloc(std::size_t size) {
  stickslip::tests::allocation_count.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  stickslip::tests::allocation_count.fetch_add(1, std::memory_order_relaxed);
  return __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) {
  stickslip::tests::allocation_count.fetch_add(1, std::memory_order_relaxed);
  return __libc_realloc(old, size);
}
}
#endif
