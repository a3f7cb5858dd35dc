// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/contact/pivoted_factor.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace stickslip::contact {

void PivotedFactor::reduce(double dependent) {
  const Index m = factor_.rows(), n = factor_.cols(), most = std::min(m, n);
  scale_.clear();
  pivot_.clear();
  double longest = 0;
  for (Index k = 0; k < most; ++k) {
    // Lengths anew: taken down step by step they lose their digits where columns are nearly dependent.
    Index best = k;
    double square = -1;
    for (Index j = k; j < n; ++j) {
      const double own = factor_.col(j).tail(m - k).squaredNorm();
      if (own > square) square = own, best = j;
    }
    const double length = std::sqrt(square);
    if (k == 0) longest = length;
    if (!(length > dependent * longest)) break;
    if (best != k) factor_.col(best).swap(factor_.col(k));
    auto column = factor_.col(k);
    const double head = column[k], beta = head > 0 ? -length : length;
    column.tail(m - k - 1) *= 1 / (head - beta);
    column[k] = beta;
    pivot_.push_back(best);
    scale_.push_back((beta - head) / beta);
    for (Index j = k + 1; j < n; ++j) reflect_by(k, factor_.col(j));
  }
}

void PivotedFactor::solve(const Eigen::VectorXd& reflected, Eigen::VectorXd& x) const {
  const Index r = rank();
  x.setZero(factor_.cols());
  x.head(r) = reflected.head(r);
  for (Index k = r - 1; k >= 0; --k) {
    x[k] /= factor_(k, k);
    x.head(k) -= x[k] * factor_.col(k).head(k);
  }
  for (Index k = r - 1; k >= 0; --k) std::swap(x[k], x[pivot_[static_cast<std::size_t>(k)]]);
}

void PivotedFactor::least_norm(const Eigen::VectorXd& b, Eigen::VectorXd& x) {
  const Index r = rank();
  ordered_ = b;
  for (Index k = 0; k < r; ++k) std::swap(ordered_[k], ordered_[pivot_[static_cast<std::size_t>(k)]]);
  x.setZero(factor_.rows());
  for (Index k = 0; k < r; ++k) x[k] = (ordered_[k] - factor_.col(k).head(k).dot(x.head(k))) / factor_(k, k);
  for (Index k = r - 1; k >= 0; --k) reflect_by(k, x);
}

}  // namespace stickslip::contact
