// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What the compiler calls for -fsanitize-coverage=trace-pc in programs that are not fuzz targets (driver.cpp).
extern "C" __attribute__((weak)) void __sanitizer_cov_trace_pc() {}
