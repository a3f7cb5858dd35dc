// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "tests/problems/contact_generators.h"

#include "tests/problems/portable_random.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace stickslip::complementarity {
namespace {

using Eigen::MatrixXd, Eigen::Vector3d, Eigen::VectorXd;

class Random : public PortableRandom {
 public:
  using PortableRandom::PortableRandom;
  // In low .. high, both included.
  int integer(int low, int high) { return low + index(high - low + 1); }
  bool chance(double probability) { return uniform(0, 1) < probability; }
};

// Bodies and contacts, from which W = G'G and q = G'y with G = M^(-1/2) H and y = M^(1/2) v.
class Scene {
 public:
  Scene(int dimension, int bodies, int contacts)
      : D_(dimension),
        dofs_(dimension == 3 ? 6 : 3),
        H_(MatrixXd::Zero(bodies * dofs_, contacts * dimension)),
        inverse_mass_(VectorXd::Ones(bodies * dofs_)),
        v_(VectorXd::Zero(bodies * dofs_)) {}

  void set_mass(int body, double mass, double inertia) {
    for (int k = 0; k < dofs_; ++k) inverse_mass_[body * dofs_ + k] = 1 / (k < D_ ? mass : inertia);
  }
  [[nodiscard]] VectorXd::SegmentReturnType velocity(int body) { return v_.segment(body * dofs_, dofs_); }
  [[nodiscard]] int dofs() const { return dofs_; }

  // Body b is pushed along the normal, body a (-1: the ground) against it; arms from the centres of mass.
  void touch(int contact, int b, int a, const Vector3d& arm_b, const Vector3d& arm_a, const Vector3d& direction) {
    const Vector3d n = direction.normalized();
    const Vector3d t = D_ == 2 ? Vector3d(-n[1], n[0], 0) : n.unitOrthogonal();
    const Vector3d axes[3] = {n, t, n.cross(t)};
    for (int k = 0; k < D_; ++k) {
      add(contact * D_ + k, b, arm_b, axes[k]);
      if (a >= 0) add(contact * D_ + k, a, arm_a, -axes[k]);
    }
  }

  [[nodiscard]] MatrixXd scaled_matrix() const { return inverse_mass_.cwiseSqrt().asDiagonal() * H_; }
  [[nodiscard]] VectorXd scaled_velocity() const { return v_.cwiseQuotient(inverse_mass_.cwiseSqrt()); }

 private:
  void add(int column, int body, const Vector3d& arm, const Vector3d& axis) {
    const Vector3d moment = arm.cross(axis);
    H_.block(body * dofs_, column, D_, 1) += axis.head(D_);
    if (D_ == 3)
      H_.block<3, 1>(body * dofs_ + 3, column) += moment;
    else
      H_(body * dofs_ + 2, column) += moment[2];
  }

  int D_, dofs_;
  MatrixXd H_;
  VectorXd inverse_mass_, v_;
};

// W = G'G in blocks, without the blocks that are zero; q = G'y.
ContactProblem assemble(int D, const MatrixXd& G, const VectorXd& y) {
  const int contacts = static_cast<int>(G.cols()) / D;
  const MatrixXd W = G.transpose() * G;
  const VectorXd q = G.transpose() * y;
  ContactProblem problem;
  problem.W.block_size = D;
  problem.W.diagonal.resize(contacts);
  for (int i = 0; i < contacts; ++i) {
    for (int j = 0; j < contacts; ++j) {
      const MatrixXd block = W.block(i * D, j * D, D, D);
      if (i != j && block.isZero(0.0) && W.block(j * D, i * D, D, D).isZero(0.0)) continue;
      if (i == j) problem.W.diagonal[i] = static_cast<int>(problem.W.column.size());
      problem.W.column.push_back(j);
      for (int k = 0; k < D * D; ++k) problem.W.value.push_back(block(k / D, k % D));
    }
    problem.W.row_start.push_back(static_cast<int>(problem.W.column.size()));
  }
  problem.q.assign(q.data(), q.data() + q.size());
  problem.mu.assign(contacts, 0.0);
  return problem;
}

Vector3d random_vector(Random& random, int D) {
  const double x = random.normal(), y = random.normal();
  return {x, y, D == 3 ? random.normal() : 0.0};
}

// Masses spread over the given number of decades.
void random_masses(Random& random, Scene& scene, int bodies, double decades) {
  for (int b = 0; b < bodies; ++b) {
    const double mass = std::pow(10, random.uniform(-decades / 2, decades / 2));
    scene.set_mass(b, mass, mass * random.uniform(0.1, 0.6));
  }
}

void random_velocities(Random& random, Scene& scene, int bodies, double size) {
  for (int b = 0; b < bodies; ++b)
    for (int k = 0; k < scene.dofs(); ++k) scene.velocity(b)[k] += size * random.normal();
}

Scene cloud(Random& random, int D, double decades) {
  const int bodies = random.integer(1, 10), contacts = random.integer(1, 40);
  Scene scene(D, bodies, contacts);
  for (int c = 0; c < contacts; ++c) {
    const int b = random.integer(0, bodies - 1), a = random.integer(-1, bodies - 1);
    const Vector3d n = random_vector(random, D), x = random_vector(random, D), y = random_vector(random, D);
    scene.touch(c, b, a == b ? -1 : a, x, y, n);
  }
  random_masses(random, scene, bodies, decades);
  random_velocities(random, scene, bodies, 1.0);
  return scene;
}

// The contacts under box b of a stack: the corners of a unit box's lower face.
void stand_box(Scene& scene, int D, int b, double jitter_b, double jitter_a) {
  const int corners = D == 3 ? 4 : 2;
  const Vector3d up = D == 3 ? Vector3d(0, 0, 1) : Vector3d(0, 1, 0);
  for (int k = 0; k < corners; ++k) {
    const double x = k & 1 ? 0.5 : -0.5, y = k & 2 ? 0.5 : -0.5;
    const Vector3d corner = D == 3 ? Vector3d(x, y, -0.5) : Vector3d(x, -0.5, 0);
    const Vector3d shift = Vector3d(k & 1 ? -1 : 1, 0, 0);  // inwards, differently for each corner
    scene.touch(b * corners + k, b, b - 1, corner + (1 + k) * jitter_b * shift,
                corner + up + (1 + k) * jitter_a * shift, up);
  }
}

Scene stack(Random& random, int D, double decades) {
  const int corners = D == 3 ? 4 : 2, bodies = random.integer(1, 40 / corners);
  Scene scene(D, bodies, bodies * corners);
  const double jitter = random.chance(0.5) ? 1e-2 : 0.0;
  for (int b = 0; b < bodies; ++b) stand_box(scene, D, b, jitter * random.uniform(0, 1), jitter * random.uniform(0, 1));
  random_masses(random, scene, bodies, decades);
  for (int b = 0; b < bodies; ++b) scene.velocity(b)[D - 1] = -0.0981;
  if (random.chance(2.0 / 3)) random_velocities(random, scene, bodies, std::pow(10, random.uniform(-4, 0)));
  return scene;
}

Scene wedge(Random& random, int D, double decades) {
  const int bodies = random.integer(1, 3), contacts = random.integer(2, 40);
  Scene scene(D, bodies, contacts);
  for (int c = 0; c < contacts; ++c) {
    const int b = random.integer(0, bodies - 1), a = c < contacts / 3 ? random.integer(0, bodies - 1) : b;
    const Vector3d n = random_vector(random, D).normalized();
    scene.touch(c, b, a == b ? -1 : a, -n, n, n);
  }
  random_masses(random, scene, bodies, decades);
  random_velocities(random, scene, bodies, 1.0);
  return scene;
}

// Balls in layers, each layer resting in the hollows of the one below, the lowest on the ground.
Scene packed_balls(int D, int base) {
  struct Ball {
    Vector3d centre;
  };
  std::vector<Ball> balls;
  const double lift = D == 3 ? std::sqrt(2.0) / 2 : std::sqrt(3.0) / 2;  // between layers, for balls of diameter 1
  const Vector3d up = D == 3 ? Vector3d(0, 0, 1) : Vector3d(0, 1, 0);
  for (int layer = 0; layer < base; ++layer)
    for (int i = 0; i < base - layer; ++i)
      for (int j = 0; j < (D == 3 ? base - layer : 1); ++j) {
        const double x = i + 0.5 * layer, y = j + 0.5 * layer, height = 0.5 + lift * layer;
        balls.push_back({D == 3 ? Vector3d(x, y, height) : Vector3d(x, height, 0)});
      }
  struct Pair {
    int b, a;
  };
  std::vector<Pair> pairs;
  for (int b = 0; b < static_cast<int>(balls.size()); ++b) {
    if (balls[b].centre.dot(up) < 0.6) pairs.push_back({b, -1});
    for (int a = 0; a < b; ++a)
      if ((balls[b].centre - balls[a].centre).norm() < 1 + 1e-9) pairs.push_back({b, a});
  }
  Scene scene(D, static_cast<int>(balls.size()), static_cast<int>(pairs.size()));
  for (int c = 0; c < static_cast<int>(pairs.size()); ++c) {
    const auto [b, a] = pairs[c];
    const Vector3d n = a < 0 ? up : (balls[b].centre - balls[a].centre).normalized();
    scene.touch(c, b, a, -0.5 * n, 0.5 * n, n);
  }
  return scene;
}

Scene pile(Random& random, int D, double decades) {
  const int base = random.integer(1, D == 3 ? 2 : 5);
  Scene scene = packed_balls(D, base);
  const int bodies = D == 3 ? (base == 1 ? 1 : 5) : base * (base + 1) / 2;
  random_masses(random, scene, bodies, decades);
  for (int b = 0; b < bodies; ++b) scene.velocity(b)[D - 1] = -0.0981;
  if (random.chance(0.5)) random_velocities(random, scene, bodies, std::pow(10, random.uniform(-4, 0)));
  return scene;
}

// G and y without bodies: a random matrix of a given rank, contacts scaled over some decades.
void low_rank(Random& random, int D, double decades, MatrixXd& G, VectorXd& y) {
  const int contacts = random.integer(1, 30), rank = random.integer(1, contacts * D);
  G = MatrixXd(rank, contacts * D);
  y = VectorXd(rank);
  for (int j = 0; j < G.cols(); ++j)
    for (int i = 0; i < rank; ++i) G(i, j) = random.normal();
  for (int i = 0; i < rank; ++i) y[i] = random.normal();
  for (int c = 0; c < contacts; ++c) G.middleCols(c * D, D) *= std::pow(10, random.uniform(-decades / 4, decades / 4));
}

// Repeats some contacts; difference 0: exactly.
void repeat_contacts(Random& random, int D, double difference, MatrixXd& G) {
  const int contacts = static_cast<int>(G.cols()) / D;
  const int extra = std::min(random.integer(1, 10), std::min(contacts, 40 - contacts));
  if (extra <= 0) return;
  MatrixXd longer(G.rows(), G.cols() + extra * D);
  longer.leftCols(G.cols()) = G;
  for (int k = 0; k < extra; ++k) {
    const auto original = G.middleCols(random.integer(0, contacts - 1) * D, D);
    auto copy = longer.middleCols((contacts + k) * D, D);
    copy = original;
    const double size = difference * original.norm() / std::sqrt(static_cast<double>(original.size()));
    for (int j = 0; j < D; ++j)
      for (int i = 0; i < copy.rows(); ++i)
        if (original(i, j) != 0) copy(i, j) += size * random.normal();
  }
  G = longer;
}

void random_friction(Random& random, std::vector<double>& mu) {
  const int way = random.integer(0, 3);
  const double common = random.uniform(0, 1);
  for (double& m : mu) {
    if (way == 0)
      m = common;
    else if (way == 1)
      m = random.uniform(0, 1);
    else if (way == 2)
      m = std::pow(10, random.uniform(-2, 1));
    else
      m = random.chance(1.0 / 3) ? 0.0 : random.uniform(0, 2);
  }
}

void make_special(Random& random, ContactProblem& problem) {
  const int D = problem.dimension(), contacts = problem.contacts();
  problem.kind.assign(contacts, ContactKind::Frictional);
  problem.normal_impulse.assign(contacts, 0.0);
  double size = 0;
  for (double q : problem.q) size = std::max(size, std::fabs(q));
  for (int c = 0; c < contacts; ++c) {
    const double way = random.uniform(0, 1);
    double* block = problem.W.value.data() + static_cast<std::size_t>(problem.W.diagonal[c]) * D * D;
    if (way < 0.2) {
      problem.kind[c] = ContactKind::Support;
      problem.normal_impulse[c] = random.uniform(0, 2) * size / block[0];
    } else if (way < 0.35) {
      problem.kind[c] = ContactKind::Bilateral;
    } else if (way < 0.55) {
      const double softness = block[0] * std::pow(10, random.uniform(-6, 0));
      for (int k = 0; k < D; ++k) block[k * D + k] += softness * (k == 0 ? 1.0 : random.uniform(0.5, 2));
    }
  }
}

}  // namespace

RandomContactProblem random_contact_problem(std::uint64_t seed) {
  Random random(seed);
  RandomContactProblem out;
  const int D = random.integer(2, 3);
  out.family = static_cast<ContactFamily>(random.integer(0, 4));
  const double kind = random.uniform(0, 1);
  out.variant = kind < 0.5    ? ContactVariant::Plain
                : kind < 0.7  ? ContactVariant::Duplicated
                : kind < 0.85 ? ContactVariant::Parallel
                              : ContactVariant::SpecialRows;
  const double decades = random.uniform(0, 6);
  MatrixXd G;
  VectorXd y;
  if (out.family == ContactFamily::LowRank) {
    low_rank(random, D, decades, G, y);
  } else {
    const Scene scene = out.family == ContactFamily::Cloud   ? cloud(random, D, decades)
                        : out.family == ContactFamily::Stack ? stack(random, D, decades)
                        : out.family == ContactFamily::Wedge ? wedge(random, D, decades)
                                                             : pile(random, D, decades);
    G = scene.scaled_matrix();
    y = scene.scaled_velocity();
  }
  if (out.variant == ContactVariant::Duplicated) repeat_contacts(random, D, 0.0, G);
  if (out.variant == ContactVariant::Parallel) repeat_contacts(random, D, std::pow(10, random.uniform(-9, -2)), G);
  out.problem = assemble(D, G, y);
  random_friction(random, out.problem.mu);
  if (out.variant == ContactVariant::SpecialRows) make_special(random, out.problem);
  return out;
}

const char* to_string(ContactFamily family) {
  switch (family) {
    case ContactFamily::Cloud: return "cloud";
    case ContactFamily::Stack: return "stack";
    case ContactFamily::LowRank: return "low-rank";
    case ContactFamily::Wedge: return "wedge";
    case ContactFamily::Pile: return "pile";
  }
  return "unknown";
}

const char* to_string(ContactVariant variant) {
  switch (variant) {
    case ContactVariant::Plain: return "plain";
    case ContactVariant::Duplicated: return "duplicated";
    case ContactVariant::Parallel: return "parallel";
    case ContactVariant::SpecialRows: return "special-rows";
  }
  return "unknown";
}

ContactProblem block_on_table(int dimension, double mu, double vx, double vy, double angular, double gravity_step) {
  const int corners = dimension == 3 ? 3 : 2;
  Scene scene(dimension, 1, corners);
  const Vector3d feet3[3] = {{0.5, 0.0, -0.2}, {-0.3, 0.4, -0.2}, {-0.3, -0.4, -0.2}},
                 feet2[2] = {{0.5, -0.2, 0}, {-0.5, -0.2, 0}};
  const Vector3d up = dimension == 3 ? Vector3d(0, 0, 1) : Vector3d(0, 1, 0);
  for (int c = 0; c < corners; ++c) scene.touch(c, 0, -1, dimension == 3 ? feet3[c] : feet2[c], Vector3d::Zero(), up);
  scene.set_mass(0, 1.0, 0.1);
  auto v = scene.velocity(0);
  v[0] = vx;
  v[dimension - 1] = -gravity_step;
  if (dimension == 3) v[1] = vy, v[5] = angular;
  ContactProblem problem = assemble(dimension, scene.scaled_matrix(), scene.scaled_velocity());
  std::fill(problem.mu.begin(), problem.mu.end(), mu);
  return problem;
}

ContactProblem box_stack(int dimension, int count, double mu, double push) {
  const int corners = dimension == 3 ? 4 : 2;
  Scene scene(dimension, count, count * corners);
  for (int b = 0; b < count; ++b) {
    stand_box(scene, dimension, b, 0, 0);
    scene.set_mass(b, 1.0, 1.0 / 6);
    scene.velocity(b)[dimension - 1] = -9.81e-3;
  }
  scene.velocity(count - 1)[0] = push;
  ContactProblem problem = assemble(dimension, scene.scaled_matrix(), scene.scaled_velocity());
  std::fill(problem.mu.begin(), problem.mu.end(), mu);
  return problem;
}

ContactProblem sphere_pile(int dimension, int base, double mu) {
  Scene scene = packed_balls(dimension, base);
  const int bodies = static_cast<int>(scene.scaled_velocity().size()) / scene.dofs();
  for (int b = 0; b < bodies; ++b) {
    scene.set_mass(b, 1.0, dimension == 3 ? 0.1 : 0.125);
    scene.velocity(b)[dimension - 1] = -9.81e-3;
  }
  ContactProblem problem = assemble(dimension, scene.scaled_matrix(), scene.scaled_velocity());
  std::fill(problem.mu.begin(), problem.mu.end(), mu);
  return problem;
}

}  // namespace stickslip::complementarity
