// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/affine/vector_kernels.h"

#include "stickslip/complementarity/wide_clone.h"

namespace stickslip::complementarity::kernels {
STICKSLIP_WIDE_CLONE void add_scaled(double* y, double a, const double* x, int n) {
  int i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    Lanes u, v;
    load(u, y + i);
    load(v, x + i);
    u += a * v;
    store(y + i, u);
  }
  for (; i < n; ++i) y[i] += a * x[i];
}

STICKSLIP_WIDE_CLONE void add_scaled4(double* y, const double* a, const double* const* x, int n) {
  const double a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];
  const double *x0 = x[0], *x1 = x[1], *x2 = x[2], *x3 = x[3];
  int i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    Lanes u, v0, v1, v2, v3;
    load(u, y + i);
    load(v0, x0 + i);
    load(v1, x1 + i);
    load(v2, x2 + i);
    load(v3, x3 + i);
    u += (a0 * v0 + a1 * v1) + (a2 * v2 + a3 * v3);
    store(y + i, u);
  }
  for (; i < n; ++i) y[i] += (a0 * x0[i] + a1 * x1[i]) + (a2 * x2[i] + a3 * x3[i]);
}

STICKSLIP_WIDE_CLONE double dot(const double* a, const double* b, int n) {
  Lanes sum = {0, 0, 0, 0};
  int i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    Lanes u, v;
    load(u, a + i);
    load(v, b + i);
    sum += u * v;
  }
  double rest = 0;
  for (; i < n; ++i) rest += a[i] * b[i];
  return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + rest;
}

STICKSLIP_WIDE_CLONE double abs_max(const double* x, int n) {
  Lanes largest = {0, 0, 0, 0};
  int i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    Lanes u;
    load(u, x + i);
    u = u < 0 ? -u : u;
    largest = u > largest ? u : largest;
  }
  double result = 0;
  for (int lane = 0; lane < kLanes; ++lane) result = largest[lane] > result ? largest[lane] : result;
  for (; i < n; ++i) {
    const double u = x[i] < 0 ? -x[i] : x[i];
    result = u > result ? u : result;
  }
  return result;
}

STICKSLIP_WIDE_CLONE double scale_rates(double* rate, const double* factor, int n) {
  Lanes largest = {0, 0, 0, 0};
  int i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    Lanes u, f;
    load(u, rate + i);
    load(f, factor + i);
    u = -(u * f);
    store(rate + i, u);
    u = u < 0 ? -u : u;
    largest = u > largest ? u : largest;
  }
  double result = 0;
  for (int lane = 0; lane < kLanes; ++lane) result = largest[lane] > result ? largest[lane] : result;
  for (; i < n; ++i) {
    rate[i] = -(rate[i] * factor[i]);
    const double u = rate[i] < 0 ? -rate[i] : rate[i];
    result = u > result ? u : result;
  }
  return result;
}

STICKSLIP_WIDE_CLONE double relaxed_ratio(const double* slack, const double* rate, double relaxation, double threshold,
                                          double bound, int n) {
  Lanes smallest = {bound, bound, bound, bound};
  const Lanes limit = {threshold, threshold, threshold, threshold}, zero = {0, 0, 0, 0};
  const Lanes none = {bound, bound, bound, bound};
  int i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    Lanes s, g;
    load(s, slack + i);
    load(g, rate + i);
    s = s > zero ? s : zero;
    const Lanes ratio = (s + relaxation) / g;
    const Lanes candidate = g > limit ? ratio : none;
    smallest = candidate < smallest ? candidate : smallest;
  }
  double result = bound;
  for (int lane = 0; lane < kLanes; ++lane) result = smallest[lane] < result ? smallest[lane] : result;
  for (; i < n; ++i) {
    if (rate[i] > threshold) {
      const double ratio = ((slack[i] > 0 ? slack[i] : 0) + relaxation) / rate[i];
      result = ratio < result ? ratio : result;
    }
  }
  return result;
}

}  // namespace stickslip::complementarity::kernels
