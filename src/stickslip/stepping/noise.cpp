// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/noise.h"

#include "stickslip/stepping/motion.h"

#include <algorithm>

namespace stickslip::stepping {
namespace {

// Mean diagonal of a contact's own block, 1 / s_c^2.
double mean_response(const complementarity::ContactProblem& problem, int contact) {
  const int D = problem.dimension();
  const double* block = problem.W.value.data() + index(problem.W.diagonal[index(contact)] * D * D);
  double trace = 0;
  for (int k = 0; k < D; ++k) trace += block[k * D + k];
  return trace / D;
}

}  // namespace

VelocityNoise::VelocityNoise(const contact::Island& island, double error) : problem_(island.problem) {
  constexpr double kRounding = 1e-14;  // is allowed for anyway
  if (error <= kRounding) return;
  const int D = problem_.dimension();
  double qq = 0, rr = 0;
  for (int c = 0; c < problem_.contacts(); ++c) {
    const double response = mean_response(problem_, c);
    if (!(response > 0)) continue;
    for (int k = c * D; k < (c + 1) * D; ++k) {
      qq += problem_.q[index(k)] * problem_.q[index(k)] / response;
      rr += island.r[index(k)] * island.r[index(k)] * response;
    }
  }
  scaled_ = error * std::sqrt(std::max(qq, rr));
}

double VelocityNoise::of(int contact) const {
  return scaled_ > 0 ? scaled_ * std::sqrt(mean_response(problem_, contact)) : 0;
}

}  // namespace stickslip::stepping
