// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The few inner loops that decide the speed of pivoting. Each works on four fixed lanes, whatever the machine's vector
// width: the wide version that is chosen at load time on newer processors gives the same bits as the narrow one.
#pragma once

namespace stickslip::complementarity::kernels {

// y += a x
void add_scaled(double* y, double a, const double* x, int n);

// y += a[0] x[0] + ... + a[3] x[3]; four columns at once save three of four loads and stores of y.
void add_scaled4(double* y, const double* a, const double* const* x, int n);

[[nodiscard]] double dot(const double* a, const double* b, int n);

// max |x_i|; 0 for n = 0. NaNs are ignored.
[[nodiscard]] double abs_max(const double* x, int n);

// rate_i = -factor_i rate_i in place; returns the largest |rate_i|.
double scale_rates(double* rate, const double* factor, int n);

// First pass of Harris' ratio test: the smallest (max(slack_i, 0) + relaxation) / rate_i over rate_i > threshold,
// or `bound` when that is smaller.
[[nodiscard]] double relaxed_ratio(const double* slack, const double* rate, double relaxation, double threshold,
                                   double bound, int n);

}  // namespace stickslip::complementarity::kernels
