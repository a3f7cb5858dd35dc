// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Curved surfaces: closest points by their own conditions, distances against dense sampling.
#include "stickslip/collision/superellipsoid.h"

#include "tests/collision/scenes.h"

#include <gtest/gtest.h>
#include <numbers>

namespace stickslip::collision::testing {
namespace {

SmoothSurface surface(double a, double b, double c, double p, double q) {
  SmoothSurface s;
  s.semi_axes = Vec3(a, b, c);
  s.p = p;
  s.q = q;
  return s;
}

const double kExponents[][2] = {{2, 2}, {4, 4}, {8, 2}, {3, 6}, {2.5, 12}, {1.5, 1.5}, {1.3, 2}, {2, 1.7}};

// f of superellipsoid.h and its gradient, from the definition.
double level(const SmoothSurface& s, const Vec3& x) {
  const Vec3 y = x.cwiseQuotient(s.semi_axes).cwiseAbs();
  return std::pow(std::pow(y.x(), s.p) + std::pow(y.y(), s.p), s.q / s.p) + std::pow(y.z(), s.q);
}
Vec3 level_gradient(const SmoothSurface& s, const Vec3& x) {
  const Vec3 y = x.cwiseQuotient(s.semi_axes).cwiseAbs();
  const double outer = s.q * std::pow(std::pow(y.x(), s.p) + std::pow(y.y(), s.p), s.q / s.p - 1);
  const Vec3 slope(outer * std::pow(y.x(), s.p - 1), outer * std::pow(y.y(), s.p - 1), s.q * std::pow(y.z(), s.q - 1));
  Vec3 gradient;
  for (int k = 0; k < 3; ++k) gradient[k] = std::copysign(slope[k] / s.semi_axes[k], x[k]);
  return gradient;
}

// Points of the surface by directions of the normal, dense enough to bound distances from above.
std::vector<Vec3> samples(const SmoothSurface& s, int n) {
  std::vector<Vec3> points;
  for (int i = 0; i < n; ++i) {
    const double z = (2 * i + 1.0) / n - 1, r = std::sqrt(1 - z * z);
    for (int j = 0; j < 2 * n; ++j) {
      const double phi = std::numbers::pi * j / n;
      const Vec3 d = Vec3(r * std::cos(phi), r * std::sin(phi), z).cwiseProduct(s.semi_axes);
      points.emplace_back(d / std::pow(level(s, d), 1 / s.q));  // f is homogeneous of degree q
    }
  }
  return points;
}

TEST(SmoothShapes, SupportPointsLieOnTheSurfaceAndAreFarthest) {
  std::mt19937 random(1);
  for (const auto& e : kExponents) {
    const SmoothSurface s = surface(1, 0.7, 0.5, e[0], e[1]);
    const auto points = samples(s, 40);
    for (int trial = 0; trial < 50; ++trial) {
      const Vec3 d = random_vector(random, 1);
      const Vec3 x = superellipsoid_support(s, d);
      EXPECT_NEAR(level(s, x), 1, 1e-11);
      for (const Vec3& p : points) EXPECT_LE(d.dot(p), d.dot(x) + 1e-12);
    }
  }
}

// Closest: on the surface, the normal there through x, and no sample nearer.
TEST(SmoothShapes, ClosestPointsFromOutside) {
  std::mt19937 random(2);
  for (const auto& e : kExponents) {
    const SmoothSurface s = surface(1, 0.7, 0.5, e[0], e[1]);
    const auto points = samples(s, 40);
    for (int trial = 0; trial < 200; ++trial) {
      const Vec3 x = random_vector(random, 2);
      if (level(s, x) < 1) continue;
      const ClosestPoint c = superellipsoid_closest(s, x);
      EXPECT_NEAR(level(s, c.point), 1, 1e-11) << e[0] << " " << e[1];
      EXPECT_NEAR(c.normal.norm(), 1, 1e-14);
      // x - point along the normal: the conditions are solved to 1e-10 of the size, worst where curvature is extreme.
      EXPECT_LE((x - c.point - c.distance * c.normal).norm(), 1e-7) << e[0] << " " << e[1] << " x " << x.transpose();
      for (const Vec3& p : points) EXPECT_GE((x - p).norm(), c.distance - 1e-12);
    }
  }
}

TEST(SmoothShapes, SlightlyInsideTheDistanceGoesOnThroughZero) {
  std::mt19937 random(3);
  for (const auto& e : kExponents) {
    const SmoothSurface s = surface(1, 0.7, 0.5, e[0], e[1]);
    for (int trial = 0; trial < 100; ++trial) {
      const Vec3 y = superellipsoid_support(s, random_vector(random, 1));
      const Vec3 n = level_gradient(s, y).normalized();
      for (double depth : {1e-3, -1e-6, -1e-4}) {
        const ClosestPoint c = superellipsoid_closest(s, y + depth * n);
        // At edges of pinched shapes (radius of curvature below the depth) another point is closer, and a local search
        // may stop a little before it.
        if (e[0] < 2 || e[1] < 2) {
          EXPECT_LE(std::abs(c.distance), std::abs(depth) * (1 + 1e-3) + 1e-12);
        } else {
          EXPECT_NEAR(c.distance, depth, 1e-9) << e[0] << " " << e[1];
        }
      }
    }
  }
}

double smallest_gap(const std::vector<Contact>& contacts) {
  double smallest = std::numeric_limits<double>::infinity();
  for (const Contact& c : contacts) smallest = std::min(smallest, c.gap);
  return smallest;
}

// Surfaces given by points, moved; distances between dense samples are too large by at most (spacing^2 / curvature).
std::vector<Vec3> sample_shape(const model::Shape& shape, const model::Pose& pose, int n) {
  std::vector<Vec3> points;
  if (const auto* e = std::get_if<model::Superellipsoid>(&shape)) {
    points = samples(surface(e->a, e->b, e->c, e->exponent_xy, e->exponent_z), n);
  } else if (const auto* c = std::get_if<model::Cylinder>(&shape)) {
    for (int j = 0; j < 4 * n; ++j) {
      const double phi = 2 * std::numbers::pi * j / (4 * n);
      const Vec3 rim(c->radius * std::cos(phi), c->radius * std::sin(phi), 0);
      for (int i = 0; i <= n; ++i) points.push_back(rim + Vec3(0, 0, c->half_length * (2.0 * i / n - 1)));
      for (int i = 0; i < n; ++i) {
        for (double z : {-c->half_length, c->half_length}) points.push_back(rim * (1.0 * i / n) + Vec3(0, 0, z));
      }
    }
  } else if (const auto* b = std::get_if<model::Polyhedron>(&shape)) {
    for (const auto& face : b->faces) {  // boxes: quadrilaterals
      const Vec3 &o = b->vertices[face[0]], u = b->vertices[face[1]] - o, v = b->vertices[face[3]] - o;
      for (int i = 0; i <= n; ++i) {
        for (int j = 0; j <= n; ++j) points.push_back(o + u * (1.0 * i / n) + v * (1.0 * j / n));
      }
    }
  }
  for (Vec3& p : points) p = pose.position + pose.orientation * p;
  return points;
}

TEST(SmoothShapes, DistancesOfPairsAgainstSampling) {
  const model::Shape shapes[] = {model::Superellipsoid{0.6, 0.4, 0.3, 2, 2}, model::Superellipsoid{0.5, 0.4, 0.3, 4, 3},
                                 model::Cylinder{0.4, 0.3}, model::make_box(Vec3(0.9, 0.7, 0.5))};
  std::mt19937 random(4);
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = i; j < 4; ++j) {
      if (i == 3 && j == 3) continue;
      const model::Model model = pair_of(shapes[i], shapes[j], false);
      int compared = 0;
      for (int trial = 0; trial < 60 && compared < 12; ++trial) {
        model::State state = state_of(model);
        state.bodies[0].pose.orientation = random_orientation(random);
        state.bodies[1].pose = {random_vector(random, 1).normalized() * 1.05, random_orientation(random)};
        const auto a = sample_shape(shapes[i], state.bodies[0].pose, 16),
                   b = sample_shape(shapes[j], state.bodies[1].pose, 16);
        double sampled = std::numeric_limits<double>::infinity();
        for (const Vec3& x : a) {
          for (const Vec3& y : b) sampled = std::min(sampled, (x - y).squaredNorm());
        }
        sampled = std::sqrt(sampled);
        if (sampled < 0.1 || sampled > 0.35) continue;
        ++compared;
        const double gap = smallest_gap(find(model, state, 0.4));
        EXPECT_LE(gap, sampled + 1e-12) << i << " " << j;
        // Spacing 0.05 and distance 0.1 or more: samples miss the closest points by up to 0.035 each.
        EXPECT_GE(gap, sampled - 0.03) << i << " " << j;
      }
      EXPECT_GT(compared, 4) << i << " " << j;
    }
  }
}

// A flat superellipse beside a chain, on either side of it and turned so that it is thinner across than half of its size: the
// chain's other side lies behind it, and is no contact.
TEST(SmoothShapes, FlatOnesBesideAChainTouchTheSideThatTheyAreOn) {
  std::mt19937_64 random(23);
  const auto between = [&](double a, double b) { return std::uniform_real_distribution<double>(a, b)(random); };
  for (int trial = 0; trial < 1000; ++trial) {
    const double a = between(0.3, 0.6), b = between(0.05, 0.12), gap = between(-1e-3, 1e-2),
                 side = trial % 2 == 0 ? 1 : -1;
    model::Chain chain;
    chain.points = {Vec2(0, -5), Vec2(0, -1), Vec2(0, 2), Vec2(0, 5)};
    model::Superellipse ellipse;
    ellipse.a = a, ellipse.b = b, ellipse.exponent = between(1.5, 5);
    const model::Model model = pair_of(chain, ellipse, true);
    model::State state = state_of(model);
    turn_planar(state.bodies[1], 0.5 * std::numbers::pi);  // long along the chain, b thick across
    state.bodies[1].pose.position = Vec3(side * (b + gap), between(-0.5, 0.5), 0);
    const std::vector<Contact> contacts = find(model, state, 0.02);
    ASSERT_FALSE(contacts.empty()) << "trial " << trial;
    for (const Contact& contact : contacts) {
      EXPECT_NEAR(contact.gap, gap, 1e-12) << "trial " << trial;
      EXPECT_GT(-side * contact.normal.x(), 0.99) << "trial " << trial << ": from the ellipse into the chain";
    }
  }
}

}  // namespace
}  // namespace stickslip::collision::testing
