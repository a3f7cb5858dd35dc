// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Crossings are found by sweeping sides in the order of their left ends, O(n log n + n k) with k sides above each
// other; nesting by counting the loops around a corner, O(loops n). Both have a limit: a drawing that needs more is no
// outline of a body.
#include "stickslip/model/polygon_checks.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace stickslip::model {
namespace {

constexpr double kMostTests = 3e8;  // of two sides, or of a point and a side: a few seconds

double cross2(const Vec2& a, const Vec2& b) {
  return a.x() * b.y() - a.y() * b.x();
}

struct LoopSide {
  Vec2 from, to;
  int loop, index, loop_size;

  [[nodiscard]] double left() const { return std::min(from.x(), to.x()); }
  [[nodiscard]] double right() const { return std::max(from.x(), to.x()); }
};

// Sides that share an end in one loop meet there by right.
bool neighbours(const LoopSide& a, const LoopSide& b) {
  if (a.loop != b.loop) return false;
  const int step = std::abs(a.index - b.index);
  return step == 1 || step == a.loop_size - 1;
}

// Is p (known to lie on the line of s) within s?
bool within(const LoopSide& s, const Vec2& p) {
  return std::min(s.from.x(), s.to.x()) <= p.x() && p.x() <= std::max(s.from.x(), s.to.x()) &&
         std::min(s.from.y(), s.to.y()) <= p.y() && p.y() <= std::max(s.from.y(), s.to.y());
}

bool cross_or_touch(const LoopSide& a, const LoopSide& b) {
  const double a1 = cross2(a.to - a.from, b.from - a.from), a2 = cross2(a.to - a.from, b.to - a.from);
  const double b1 = cross2(b.to - b.from, a.from - b.from), b2 = cross2(b.to - b.from, a.to - b.from);
  if (((a1 > 0) != (a2 > 0)) && ((b1 > 0) != (b2 > 0)) && a1 != 0 && a2 != 0 && b1 != 0 && b2 != 0) return true;
  return (a1 == 0 && within(a, b.from)) || (a2 == 0 && within(a, b.to)) || (b1 == 0 && within(b, a.from)) ||
         (b2 == 0 && within(b, a.to));
}

// Neighbours must not fold back onto each other.
bool folds_back(const LoopSide& a, const LoopSide& b) {
  const Vec2 u = a.to - a.from, v = b.to - b.from;
  return cross2(u, v) == 0 && u.dot(v) < 0;
}

std::string finite_problem(const std::vector<Vec2>& points, const char* what) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!points[i].allFinite()) return fmt::format("{} {} is not finite", what, i);
  }
  return {};
}

std::string loop_problem(const std::vector<Vec2>& loop) {
  if (loop.size() < 3) return fmt::format("a polygon needs at least 3 vertices, this one has {}", loop.size());
  if (std::string problem = finite_problem(loop, "vertex"); !problem.empty()) return problem;
  for (std::size_t i = 0; i < loop.size(); ++i) {
    const std::size_t next = (i + 1) % loop.size();
    if (loop[i] == loop[next]) {
      return fmt::format("vertices {} and {} of the polygon are the same point ({:g}, {:g})", i, next, loop[i].x(),
                         loop[i].y());
    }
  }
  return {};
}

std::string crossing_problem(const std::vector<LoopSide>& sorted) {
  double pairs = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    for (std::size_t j = i + 1; j < sorted.size() && sorted[j].left() <= sorted[i].right(); ++j) {
      if (++pairs > kMostTests)
        return fmt::format("the polygon has {} sides, too many above each other", sorted.size());
      const LoopSide &a = sorted[i], &b = sorted[j];
      const bool bad = neighbours(a, b) ? folds_back(a, b) : cross_or_touch(a, b);
      if (!bad) continue;
      const LoopSide &first = std::pair(a.loop, a.index) < std::pair(b.loop, b.index) ? a : b,
                     &second = &first == &a ? b : a;
      return fmt::format(
          "the polygon crosses itself: side {} from ({:g}, {:g}) to ({:g}, {:g}) meets side {} from "
          "({:g}, {:g}) to ({:g}, {:g})",
          first.index, first.from.x(), first.from.y(), first.to.x(), first.to.y(), second.index, second.from.x(),
          second.from.y(), second.to.x(), second.to.y());
    }
  }
  return {};
}

int nesting(const Polygon& polygon, std::size_t loop) {
  int depth = 0;
  for (std::size_t other = 0; other < polygon.loops.size(); ++other) {
    if (other != loop && loop_contains(polygon.loops[other], polygon.loops[loop].front())) ++depth;
  }
  return depth;
}

}  // namespace

double signed_area(const std::vector<Vec2>& loop) {
  double twice = 0;
  for (std::size_t i = 1; i + 1 < loop.size(); ++i) twice += cross2(loop[i] - loop[0], loop[i + 1] - loop[0]);
  return 0.5 * twice;
}

bool loop_contains(const std::vector<Vec2>& loop, const Vec2& p) {
  bool inside = false;
  for (std::size_t i = 0; i < loop.size(); ++i) {
    const Vec2 &a = loop[i], &b = loop[(i + 1) % loop.size()];
    if ((a.y() > p.y()) == (b.y() > p.y())) continue;
    const bool right_of = cross2(b - a, p - a) > 0;  // a ray along +x from p meets the side
    if (right_of == (b.y() > a.y())) inside = !inside;
  }
  return inside;
}

void orient_loops(Polygon& polygon) {
  for (std::size_t i = 0; i < polygon.loops.size(); ++i) {
    std::vector<Vec2>& loop = polygon.loops[i];
    const bool hole = nesting(polygon, i) % 2 == 1;
    if ((signed_area(loop) > 0) == hole) std::reverse(loop.begin(), loop.end());
  }
}

std::string polygon_problem(const Polygon& polygon) {
  if (polygon.loops.empty()) return "the polygon has no vertices";
  std::vector<LoopSide> sides;
  for (std::size_t l = 0; l < polygon.loops.size(); ++l) {
    const std::vector<Vec2>& loop = polygon.loops[l];
    if (std::string problem = loop_problem(loop); !problem.empty()) return problem;
    const int n = static_cast<int>(loop.size());
    for (int i = 0; i < n; ++i) {
      sides.push_back(
          {loop[static_cast<std::size_t>(i)], loop[static_cast<std::size_t>((i + 1) % n)], static_cast<int>(l), i, n});
    }
  }
  std::sort(sides.begin(), sides.end(), [](const LoopSide& a, const LoopSide& b) {
    return std::tuple(a.left(), a.loop, a.index) < std::tuple(b.left(), b.loop, b.index);
  });
  if (std::string problem = crossing_problem(sides); !problem.empty()) return problem;
  for (std::size_t l = 0; l < polygon.loops.size(); ++l) {
    const double area = signed_area(polygon.loops[l]);
    if (area == 0) return "the polygon encloses no area";
    const bool hole = nesting(polygon, l) % 2 == 1;
    if ((area > 0) == hole) {
      return hole ? fmt::format("loop {} of the polygon is a hole and must run clockwise", l)
                  : fmt::format("loop {} of the polygon must run counter-clockwise", l);
    }
  }
  return {};
}

std::string chain_problem(const Chain& chain) {
  if (chain.points.size() < 2) return "a chain needs at least 2 points";
  if (std::string problem = finite_problem(chain.points, "point"); !problem.empty()) return problem;
  for (std::size_t i = 0; i + 1 < chain.points.size(); ++i) {
    if (chain.points[i] == chain.points[i + 1])
      return fmt::format("points {} and {} of the chain are the same", i, i + 1);
  }
  return {};
}

void check_polygon(Polygon& polygon) {
  bool complete = !polygon.loops.empty();
  double vertices = 0;
  for (const std::vector<Vec2>& loop : polygon.loops) {
    complete = complete && loop.size() >= 3;
    vertices += static_cast<double>(loop.size());
  }
  if (vertices * static_cast<double>(polygon.loops.size()) > kMostTests)
    throw std::runtime_error(
        fmt::format("the polygon has {} loops with {} vertices, too many", polygon.loops.size(), vertices));
  if (complete) orient_loops(polygon);
  if (const std::string problem = polygon_problem(polygon); !problem.empty()) throw std::runtime_error(problem);
}

}  // namespace stickslip::model
