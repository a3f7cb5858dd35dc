// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/model/point_tree.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace stickslip::model {
namespace {

constexpr int kLeaf = 8;             // points
constexpr std::size_t kDepth = 64;   // halvings of any number of points
constexpr double kRounding = 1e-14;  // of the largest coordinates: some tens of operations

}  // namespace

PointTree::PointTree(std::span<const Vec3> points) : point_(points.begin(), points.end()) {
  for (const Vec3& x : point_) rounding_ = std::max(rounding_, kRounding * x.lpNorm<1>());
  if (!point_.empty()) divide(0, static_cast<int>(point_.size()));
}

void PointTree::divide(int begin, int end) {
  const auto first = point_.begin() + begin, last = point_.begin() + end;
  Vec3 low = *first, high = low;
  for (auto x = first; x != last; ++x) low = low.cwiseMin(*x), high = high.cwiseMax(*x);
  const std::size_t node = node_.size();
  node_.push_back({0.5 * (low + high), 0.5 * (high - low), begin, end, 0});
  if (end - begin <= kLeaf) return;
  int axis = 0;
  (high - low).maxCoeff(&axis);
  const int middle = (begin + end) / 2;
  std::nth_element(first, point_.begin() + middle, last,
                   [axis](const Vec3& x, const Vec3& y) { return x[axis] < y[axis]; });
  divide(begin, middle);
  node_[node].second = static_cast<int>(node_.size());
  divide(middle, end);
}

double PointTree::corner(int node, const Vec3& n, const Vec3& size) const {
  const Node& box = node_[static_cast<std::size_t>(node)];
  return n.dot(box.centre) + size.dot(box.half) + rounding_;
}

bool PointTree::any_beyond(const Vec3& n, double offset, double distance) const {
  if (node_.empty()) return false;
  const Vec3 size = n.cwiseAbs();
  std::array<int, kDepth> open;
  std::size_t count = 0;
  open[count++] = 0;
  while (count > 0) {
    const int k = open[--count];
    const Node& node = node_[static_cast<std::size_t>(k)];
    if (!(corner(k, n, size) - offset > distance)) continue;
    if (node.second != 0) {
      open[count++] = node.second;
      open[count++] = k + 1;
      continue;
    }
    for (int i = node.begin; i < node.end; ++i)
      if (n.dot(point_[static_cast<std::size_t>(i)]) - offset > distance) return true;
  }
  return false;
}

double PointTree::reach(const Vec3& n, const Vec3& from) const {
  double best = -std::numeric_limits<double>::infinity();
  if (node_.empty()) return best;
  const Vec3 size = n.cwiseAbs();
  const double base = n.dot(from) - kRounding * from.lpNorm<1>();
  std::array<int, kDepth> open;
  std::size_t count = 0;
  open[count++] = 0;
  while (count > 0) {
    int k = open[--count];
    if (!(corner(k, n, size) - base > best)) continue;
    while (node_[static_cast<std::size_t>(k)].second != 0) {  // the higher child first
      int first = k + 1, second = node_[static_cast<std::size_t>(k)].second;
      if (corner(first, n, size) < corner(second, n, size)) std::swap(first, second);
      open[count++] = second;
      k = first;
    }
    const Node& leaf = node_[static_cast<std::size_t>(k)];
    for (int i = leaf.begin; i < leaf.end; ++i)
      best = std::max(best, n.dot(point_[static_cast<std::size_t>(i)] - from));
  }
  return best;
}

}  // namespace stickslip::model
