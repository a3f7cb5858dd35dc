// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The smallest parts of a step, each on its own: linear algebra of a few unknowns, motion of one body, what is below
// noise, the terms of one contact, what contacts remember. Expected values are closed forms or Eigen's.
#include "stickslip/collision/registry.h"
#include "stickslip/model/model_builder.h"
#include "stickslip/stepping/bending.h"
#include "stickslip/stepping/compliant_flow.h"
#include "stickslip/stepping/contact_memory.h"
#include "stickslip/stepping/corner_pass.h"
#include "stickslip/stepping/dense_cholesky.h"
#include "stickslip/stepping/force_balance.h"
#include "stickslip/stepping/frozen_modes.h"
#include "stickslip/stepping/island_pool.h"
#include "stickslip/stepping/motion.h"
#include "stickslip/stepping/motion_model.h"
#include "stickslip/stepping/noise.h"
#include "stickslip/stepping/problem_solver.h"
#include "stickslip/stepping/pyramid_solver.h"
#include "stickslip/stepping/rest.h"
#include "stickslip/stepping/rollback.h"
#include "stickslip/stepping/small_lu.h"
#include "stickslip/stepping/step_terms.h"
#include "stickslip/stepping/supports.h"
#include "stickslip/stepping/touch_place.h"
#include "tests/support/mechanics.h"
#include "tests/support/point_collider.h"

#include <gtest/gtest.h>
#include <Eigen/Dense>

#include <cmath>
#include <numbers>
#include <random>

namespace stickslip::stepping {
namespace {

using contact::Mode;
using testing::PointCollider;

constexpr double kH = 1e-3;

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

RowMajor random_matrix(std::mt19937& random, int n) {
  std::uniform_real_distribution<double> number(-1, 1);
  return RowMajor::NullaryExpr(n, n, [&] { return number(random); });
}

TEST(DenseCholesky, SolvesAsEigenDoes) {
  std::mt19937 random(1);
  for (int n = 1; n <= 8; ++n) {
    const RowMajor factor = random_matrix(random, n);
    const RowMajor A = factor * factor.transpose() + 0.1 * RowMajor::Identity(n, n);
    const Eigen::VectorXd b = random_matrix(random, n).col(0);
    RowMajor work = A;
    Eigen::VectorXd x = b;
    ASSERT_TRUE(solve_positive(static_cast<std::size_t>(n), work.data(), x.data()));
    EXPECT_LE((x - A.llt().solve(b)).norm(), 1e-12 * (1 + x.norm())) << n;
  }
}

// The second unknown is the first one again: it gets 0, and the equations hold.
TEST(DenseCholesky, RedundantRowsGetZero) {
  double a[] = {4, 4, 4, 4}, b[] = {2, 2};
  ASSERT_TRUE(solve_positive(2, a, b));
  EXPECT_EQ(b[0], 0.5);
  EXPECT_EQ(b[1], 0);
}

TEST(SmallLu, SolvesAsEigenDoesWithPivots) {
  std::mt19937 random(2);
  for (int n = 1; n <= 9; ++n) {
    RowMajor A = random_matrix(random, n);
    A(0, 0) = 0;  // the first pivot must come from below
    if (n == 1) A(0, 0) = 3;
    const Eigen::VectorXd b = random_matrix(random, n).col(0);
    RowMajor work = A;
    Eigen::VectorXd x = b;
    std::vector<int> pivot(static_cast<std::size_t>(n));
    ASSERT_TRUE(factor_small(work.data(), n, pivot.data()));
    substitute_small(work.data(), n, pivot.data(), x.data());
    EXPECT_LE((A * x - b).norm(), 1e-12 * (1 + x.norm())) << n;
  }
}

TEST(SmallLu, SingularMatricesAreRefused) {
  double a[] = {1, 2, 2, 4}, with_nan[] = {std::nan(""), 1, 1, 1};
  int pivot[2];
  EXPECT_FALSE(factor_small(a, 2, pivot));
  EXPECT_FALSE(factor_small(with_nan, 2, pivot));
}

// A body that is driven along x and turned by a drive: only y and z are its own.
TEST(Motion, OnlyFreeDegreesOfFreedomAreDisplaced) {
  contact::BodyTraits traits;
  traits.free_translation = {false, true, true};
  const model::Twist v{{1, 2, 3}, {4, 5, 6}};
  EXPECT_EQ(part_of(traits, v, true).linear, Vec3(0, 2, 3));
  EXPECT_EQ(part_of(traits, v, true).angular, Vec3::Zero());
  EXPECT_EQ(part_of(traits, v, false).linear, Vec3(1, 0, 0));
  EXPECT_EQ(part_of(traits, v, false).angular, v.angular);
  model::BodyState start, end;
  start.pose.position = Vec3(1, 1, 1);
  end.pose.position = Vec3(7, 0, 0);
  displace_from(start, v, 0.5, traits, false, end);
  EXPECT_EQ(end.pose.position, Vec3(7, 2, 2.5));
  EXPECT_EQ(end.pose.orientation.coeffs(), Quat::Identity().coeffs());
}

TEST(Motion, RotationsAreExponentials) {
  contact::BodyTraits traits;
  traits.free_rotation = true;
  model::BodyState body;
  const Vec3 axis = Vec3(1, 2, -2) / 3;
  displace(body, {Vec3::Zero(), 4 * axis}, 0.5, traits, false);  // 2 rad
  EXPECT_TRUE(body.pose.orientation.isApprox(Quat(Eigen::AngleAxisd(2, axis)), 1e-15));
  model::BodyState planar;
  displace(planar, {Vec3::Zero(), {0, 0, 4}}, 0.5, traits, true);
  EXPECT_EQ(planar.angle, 2);
}

model::Body damped_body(double mass, double damping) {
  model::Body body;
  body.kind = model::BodyKind::Particle3;
  body.mass = mass;
  body.linear_damping = damping;
  body.shapes = {testing::placed(model::PointSet{{Vec3::Zero()}})};
  return body;
}

// (m + h c) v+ = m v + h f;   without inertia c v+ = f;   as a quasi-static iterate (a m + h c) v+ = a m v + h f.
TEST(MotionModel, VelocityWithoutContactsInClosedForm) {
  constexpr double m = 2, c = 30, g = 9.8, v = 0.7, h = 0.01, a = 1e-3;
  model::Model model;
  model.gravity = Vec3(0, 0, -g);
  model.bodies = {damped_body(m, c)};
  testing::same_surface_everywhere(model, testing::friction(0));
  model.bodies[0].initial.velocity.linear = Vec3(0, 0, v);
  const model::State state = model::initial_state(model);
  const contact::BodyTraits traits = contact::body_traits(model)[0];
  const auto velocity = [&](MotionModel motion, double weight) {
    contact::BodyDynamics dynamics;
    model::Twist free;
    BodyMotion{motion, h, weight}.evaluate(model, 0, traits, state.bodies[0], state, state.bodies[0].velocity, dynamics,
                                           free);
    return free.linear.z();
  };
  EXPECT_NEAR(velocity(MotionModel::Dynamic, 1), (m * v - h * m * g) / (m + h * c), 1e-15);
  EXPECT_NEAR(velocity(MotionModel::FirstOrder, 1), -m * g / c, 1e-15);
  EXPECT_NEAR(velocity(MotionModel::QuasiStatic, a), (a * m * v - h * m * g) / (a * m + h * c), 1e-13);
}

TEST(MotionModel, SaysWhatAModelLacks) {
  model::Model model;
  model.gravity = Vec3(0, 0, -9.8);
  model.bodies = {damped_body(1, 0)};
  model.bodies[0].name = "bead";
  testing::same_surface_everywhere(model, testing::friction(0));
  EXPECT_NE(objection_to_motion(MotionModel::FirstOrder, model).find("body 'bead' a linear_damping"),
            std::string::npos);
  EXPECT_NE(objection_to_motion(MotionModel::QuasiStatic, model), "");
  EXPECT_EQ(objection_to_motion(MotionModel::Dynamic, model), "");
  model.bodies[0].linear_damping = 1;
  EXPECT_EQ(objection_to_motion(MotionModel::FirstOrder, model), "");
  EXPECT_EQ(objection_to_motion(MotionModel::QuasiStatic, model), "");
}

// A particle of 2 kg on one contact with the floor, its problem posed with the velocities q.
struct OneContact {
  model::Model model;
  Method method;
  PointCollider collider;
  std::unique_ptr<World> world;
  std::vector<collision::Contact> contacts;
  std::vector<contact::BodyDynamics> dynamics;
  contact::ContactSystem system;

  OneContact(double mu, const Vec3& q) {
    model.gravity = Vec3(0, 0, -9.8);
    model.bodies = {damped_body(2, 0), testing::floor(Vec3::UnitZ())};
    testing::same_surface_everywhere(model, testing::friction(mu));
    world = std::make_unique<World>(model, method, collider);
    collider.find(model, world->state, 0, kH, contacts);
    dynamics.resize(2);
    for (std::size_t i = 0; i < 2; ++i)
      contact::evaluate_inertia(model.bodies[i], world->traits[i], Quat::Identity(), 0, dynamics[i]);
    system.build(3, world->state, contacts, dynamics);
    system.assemble(dynamics);
    island().problem.q.assign(q.data(), q.data() + 3);
    island().problem.mu.assign(1, mu);
    island().r.assign(3, 0.0);
  }
  contact::Island& island() { return system.islands()[0]; }
};

// W = 1/2: a contact that arrives with 1 m/s and slides with 3 gets r = (2, -0.6, 0) under friction 0.3.
TEST(ProblemSolver, OneContactInClosedForm) {
  OneContact one(0.3, {-1, 3, 0});
  ProblemSolver solver;
  ASSERT_TRUE(solver.solve(one.method, one.island()));
  EXPECT_LE(one.island().summary.residual.error, ProblemSolver::kAim);
  const std::vector<double> expected = {2, -0.6, 0};
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(one.island().r[k], expected[k], 1e-14);
}

// The same contact in given modes: r = -q / W where it sticks, on the cone against the slip where it slides.
TEST(FrozenModes, OneContactInEachMode) {
  using Law = FrozenModes::Law;
  const std::pair<Law, Vec3> expected[] = {
      {Law::Open, Vec3::Zero()}, {Law::Stick, Vec3(2, -6, 0)}, {Law::Slide, Vec3(2, -0.6, 0)}};
  for (const auto& [law, r] : expected) {
    OneContact one(0.3, {-1, 3, 0});
    FrozenModes modes;
    modes.laws = {law};
    std::vector<double> found = {1.9, -0.5, 0.1};
    ASSERT_TRUE(modes.solve(one.island().problem, found));
    EXPECT_LE((Vec3(found.data()) - r).norm(), 1e-13) << static_cast<int>(law);
    EXPECT_FALSE(modes.shared());
  }
}

// A body of mass m on two points, pushed along x: it slides, m v = c - 2 limit, or stands, and each point bears half.
TEST(ForceBalance, ABodyOnTwoPointsSlidesOrStands) {
  constexpr double m = 2, limit = 0.1;
  for (const double push : {0.15, 0.5}) {
    ForceBalance balance;
    balance.arm = 0.1;
    balance.speed = 1;
    ForceBalance::Body& body = balance.bodies.emplace_back();
    body.impulse[0] = push;
    body.inertia[0] = body.inertia[1] = m;
    body.inertia[2] = 0.01;
    const bool slides = push > 2 * limit;
    body.velocity[0] = slides ? 0.1 : 0;
    for (const double y : {-0.1, 0.1}) {
      ForceBalance::Point& point = balance.points.emplace_back();
      point.y = y;
      point.limit = limit;
      point.p[0] = slides ? -limit : 0;  // of the last step
    }
    ForceBalance::Base& base = balance.bases.emplace_back();
    base.a = 0;
    base.count = 2;
    balance.choose_stands();
    EXPECT_EQ(base.stand, slides ? ForceBalance::Stand::Slide : ForceBalance::Stand::Lock);
    ASSERT_TRUE(balance.solve());
    const double force = slides ? -limit : -push / 2;
    EXPECT_NEAR(body.velocity[0], (push + 2 * force) / m, 1e-14);
    EXPECT_NEAR(base.wrench[0], 2 * force, 1e-14);
    for (const ForceBalance::Point& point : balance.points) EXPECT_NEAR(point.p[0], force, 1e-14);
  }
}

// A ball pressed d into a layer, moving with v: m dv/dt = -m g + K d - C v.
TEST(CompliantFlow, AccelerationOfAPressedBall) {
  constexpr double K = 2000, C = 3, d = 1e-4, v = 0.02;
  model::Model model = testing::ball(0, {0, 0, v}, Vec3::Zero());
  model.bodies[0].initial.pose.position.z() -= d;
  model.surfaces[0].compliance.stiffness_normal = K;
  model.surfaces[0].compliance.damping_normal = C;
  const Method method;
  PointCollider collider;
  World world(model, method, collider);
  std::vector<collision::Contact> contacts;
  collider.find(model, world.state, 0, kH, contacts);
  CompliantFlow flow(world);
  std::vector<FlowContact> modes(1);
  modes[0].mode = Mode::Slide;
  Eigen::VectorXd y, rate;
  flow.begin(0, contacts, modes, y);
  rate.resizeLike(y);
  flow.evaluate(0, y, rate);
  const double force = K * d - C * v;
  EXPECT_NEAR(rate[CompliantFlow::kLinear + 2], -9.8 + force / model.bodies[0].mass, 1e-11);
  EXPECT_NEAR(rate[CompliantFlow::kPosition + 2], v, 1e-15);
  EXPECT_NEAR(flow.force(0).z(), force, 1e-12);
  EXPECT_NEAR(flow.reserves(0).hold, force, 1e-12);
  EXPECT_NEAR(flow.recovery(0, 1e-3, true), std::exp(-K * 1e-3 / C), 1e-15);
}

// Eight directions, the first along the tangent. Slip between two of them, at 22.5 degrees: friction of the pyramid
// reaches mu r_n cos 22.5 against it, that of the cone mu r_n.
TEST(PyramidSolver, ReachesTheConeAlongItsDirectionsOnly) {
  constexpr double kAngle = std::numbers::pi / 8;
  for (const double angle : {0.0, kAngle}) {
    OneContact one(0.3, {-1, 3 * std::cos(angle), 3 * std::sin(angle)});
    one.method.friction = FrictionLaw::Pyramid;
    one.method.directions = 8;
    PyramidSolver solver;
    ASSERT_TRUE(solver.solve(one.method, one.island()));
    const std::vector<double>& r = one.island().r;
    EXPECT_NEAR(r[0], 2, 1e-12);
    EXPECT_NEAR(-(r[1] * std::cos(angle) + r[2] * std::sin(angle)), 0.6 * (angle == 0 ? 1 : std::cos(kAngle)), 1e-12);
  }
}

// error max(|q'|, |r'|) / s_c with s_c = sqrt(2): q' = sqrt(2) q and r' = r / sqrt(2) here.
TEST(Noise, OfVelocitiesFollowsTheCertificate) {
  OneContact one(0.3, {-1, 3, 0});
  one.island().r = {2, -0.6, 0};
  one.island().summary.residual.error = 1e-6;
  EXPECT_NEAR(VelocityNoise(one.island()).of(0), 1e-6 * std::sqrt(10.0), 1e-18);
  one.island().summary.residual.error = 1e-15;  // rounding is allowed for anyway
  EXPECT_EQ(VelocityNoise(one.island()).of(0), 0);
  Vec3 v(1e-13, -2e-12, 3);
  remove_noise(1e-12, v);
  EXPECT_EQ(v, Vec3(0, -2e-12, 3));
}

TEST(Rest, GapsBelowTheRoundingOfTheirPointsAreZero) {
  model::State state;
  state.bodies.resize(2);
  collision::Contact contact;
  contact.id.body_a = 0;
  contact.id.body_b = 1;
  contact.point_a = contact.point_b = Vec3(100, 0, 0);
  contact.gap = 1e-13;  // 8 eps (100 + 100) = 3.6e-13
  EXPECT_EQ(without_rounding_noise(contact, state), 0);
  contact.gap = 1e-12;
  EXPECT_EQ(without_rounding_noise(contact, state), 1e-12);
  EXPECT_EQ(without_rounding_noise(contact, state, 1e-12), 0);
}

TEST(Rest, OverlapsLeaveWithinAWholeStepAndNotFasterThanTheLimit) {
  const auto limit = [] { return 0.5; };
  EXPECT_DOUBLE_EQ(closing_speed(0.01, 0.1, 0.1, 0, limit), 0.1);     // a gap may close within the step
  EXPECT_DOUBLE_EQ(closing_speed(-0.01, 0.1, 0.1, 0, limit), -0.1);   // an overlap leaves within it
  EXPECT_DOUBLE_EQ(closing_speed(-0.01, 0.01, 0.1, 0, limit), -0.1);  // in a part of a step as fast as in the whole
  EXPECT_EQ(closing_speed(-0.1, 0.1, 0.1, 0, limit), -0.5);           // but not faster than the limit
  EXPECT_EQ(closing_speed(-0.1, 0.1, 0.1, -1, limit), -1);            // what a drive travels is no overlap
}

// u = 3 along x without turning, arm 0.5: 0.1 u + 2 h (u^2 / arm + g) + 0.1 arm.
TEST(Rest, PartingLimitInClosedForm) {
  model::State state;
  state.bodies.resize(2);
  collision::Contact contact;
  contact.id.body_a = 0;
  contact.id.body_b = 1;
  contact.point_a = Vec3(0, 0, -0.5);
  contact.point_b = Vec3(0, 0, -0.5);
  state.bodies[1].pose.position = Vec3(0, 0, -2);
  EXPECT_EQ(arm_of(contact, state), 0.5);
  const double limit = parting_limit(contact, state, {{3, 0, 0}, Vec3::Zero()}, {}, 9.8, kH);
  EXPECT_NEAR(limit, 0.3 + 2 * kH * (18 + 9.8) + 0.05, 1e-15);
}

// A lift under a ball: its motion is in the gap already, and enters the tangential rows alone.
TEST(StepTerms, DrivesEnterTheTangentsOnly) {
  contact::ContactRows rows;
  contact::set_frame(Vec3::UnitZ(), 3, rows);
  for (int k = 0; k < 3; ++k) rows.moment_a[k] = rows.moment_b[k] = Vec3::Zero();
  const model::Twist free{{1, 2, 3}, Vec3::Zero()}, drive{{0.1, 0.2, 0.3}, Vec3::Zero()}, none;
  double q[3];
  set_free_terms<3>(rows, {free, none}, {none, drive}, true, q);
  EXPECT_EQ(q[0], 3);
  EXPECT_DOUBLE_EQ(q[1], 0.9);
  EXPECT_DOUBLE_EQ(q[2], 1.8);
  double r[3];
  set_start(rows, 3, Vec3(5, 6, 7), 0.1, r);
  EXPECT_DOUBLE_EQ(r[0], 0.7);
  EXPECT_DOUBLE_EQ(r[1], 0.5);
  EXPECT_DOUBLE_EQ(r[2], 0.6);
}

// ds/dpsi against differences of s, for gaps, overlaps and overlaps beyond the limit, in whole steps and parts of them.
TEST(StepTerms, SlopeOfTheGapTermIsItsDerivative) {
  OneContact one(0.3, Vec3::Zero());
  const World& world = *one.world;
  const collision::Contact& contact = one.contacts.at(0);
  const model::Twist still;
  for (const double h : {kH, 0.1 * kH})
    for (const double driven : {0.0, -2e-3})
      for (const double gap : {1e-6, -1.3e-7, -1e-6, -1e-3}) {
        const auto s = [&](double x) {
          return gap_term(world, contact, world.state, x, {still, still}, driven, h, kH);
        };
        const double width = 1e-9;
        const double difference = (s(gap + width) - s(gap - width)) / (2 * width);
        EXPECT_NEAR(gap_slope(world, contact, world.state, gap, {still, still}, driven, h, kH), difference, 1e-4 / kH)
            << h << ' ' << driven << ' ' << gap;
      }
}

TEST(ContactMemory, IsFoundAgainByTheIdentityOfAContact) {
  std::vector<ContactMemory> before(2), memory;
  before[0].id = {0, 1, 0, 0, 2, 0};
  before[0].force = Vec3(1, 0, 0);
  before[1].id = {0, 1, 0, 0, 5, 0};
  before[1].mode = Mode::Slide;
  std::vector<collision::Contact> contacts(3);
  contacts[0].id = {0, 1, 0, 0, 1, 0};
  contacts[1].id = {0, 1, 0, 0, 5, 0};
  contacts[2].id = {0, 2, 0, 0, 0, 0};
  carry_over(before, contacts, memory);
  ASSERT_EQ(memory.size(), 3U);
  EXPECT_EQ(memory[0].id, contacts[0].id);
  EXPECT_EQ(memory[0].mode, Mode::Open);
  EXPECT_EQ(memory[1].mode, Mode::Slide);
  EXPECT_EQ(memory[2].force, Vec3::Zero());
}

TEST(ContactMemory, InsertedContactsKeepTheCanonicalOrder) {
  std::vector<collision::Contact> contacts(2), more(2);
  contacts[0].id = {0, 1, 0, 0, 1, 0};
  contacts[1].id = {0, 1, 0, 0, 4, 0};
  more[0].id = {0, 1, 0, 0, 3, 0};
  more[1].id = {0, 0, 0, 0, 9, 0};
  insert_contacts(more, contacts);
  ASSERT_EQ(contacts.size(), 4U);
  for (std::size_t k = 1; k < 4; ++k) EXPECT_LT(contacts[k - 1].id, contacts[k].id);
}

TEST(ContactMemory, AContactThatWasOpenMeetsAtRestOrSliding) {
  contact::ContactRows rows;
  contact::set_frame(Vec3::UnitZ(), 3, rows);
  for (int k = 0; k < 3; ++k) rows.moment_a[k] = rows.moment_b[k] = Vec3::Zero();
  const model::Twist falls{{2, 0, -5}, Vec3::Zero()}, moves{{2, 0, 0}, Vec3::Zero()}, still;
  EXPECT_EQ(mode_before_touch(rows, 3, falls, moves), Mode::Stick);
  EXPECT_EQ(mode_before_touch(rows, 3, falls, still), Mode::Slide);
}

TEST(ContactMemory, StaticFrictionIsUsedUpAtItsBound) {
  const model::Surface two = testing::friction(0.5, 0.3), one = testing::friction(0.5);
  const double at[] = {2, 0.6, 0.8}, below[] = {2, 0.6, 0.7};
  EXPECT_TRUE(uses_up_static_friction(two, Mode::Stick, 0.5, at, 3));
  EXPECT_FALSE(uses_up_static_friction(two, Mode::Stick, 0.5, below, 3));
  EXPECT_FALSE(uses_up_static_friction(two, Mode::Slide, 0.5, at, 3));
  EXPECT_FALSE(uses_up_static_friction(one, Mode::Stick, 0.5, at, 3));
}

TEST(Rollback, PutsBackTheWorldAndTheMemoryOfAStepper) {
  OneContact one(0.3, Vec3::Zero());
  World& world = *one.world;
  Rollback<std::vector<int>> start;
  std::vector<int> memory = {1, 2, 3};
  start.keep(world) = memory;
  const std::uint64_t revision = world.revision;
  world.state.bodies[0].pose.position = Vec3(7, 8, 9);
  world.state.time = 3;
  memory.clear();
  memory = start.put_back(world);
  EXPECT_EQ(memory, (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(world.state.bodies[0].pose.position, Vec3::Zero());
  EXPECT_EQ(world.state.time, 0);
  EXPECT_GT(world.revision, revision);
}

TEST(Supports, PointsAreListedBodyByBody) {
  model::Model model;
  model.bodies.resize(3);
  model.bodies[0].support = {{{Vec3(1, 0, 0), 3}, {Vec3(-1, 0, 0), 4}}, 0.2, -1};
  model.bodies[2].support = {{{Vec3(0, 1, 0), 5}}, 0.4, 1};
  Supports supports;
  supports.collect(model);
  ASSERT_EQ(supports.points.size(), 3U);
  ASSERT_EQ(supports.footings.size(), 2U);
  EXPECT_EQ(supports.footings[0].plane, 3);  // stands still
  EXPECT_EQ(supports.footings[1].plane, 1);
  EXPECT_EQ(supports.footings[1].first, 2U);
  EXPECT_EQ(supports.points[1].load, 4);
  EXPECT_EQ(supports.points[2].friction, 0.4);
}

model::Model ball_beside_block() {
  model::ModelBuilder build(3);
  build.body("block").box({1, 1, 0.2}).fixed();
  build.body("ball").sphere(0.1).mass(1).position({0.45, 0, 0.2});
  build.contact("*", "*").friction(0.3);
  return build.finish();
}

// Over the top of a block, and beyond its end, where the plane of the top goes on.
TEST(TouchPlace, BeyondTheEndOfAFaceThereIsNoTouch) {
  const model::Model model = ball_beside_block();
  model::State state = model::initial_state(model);
  TouchPlace place;
  EXPECT_FALSE(place.is_prepared());
  place.prepare(model);
  collision::Contact contact;
  contact.id.body_a = 0;
  contact.id.body_b = 1;
  for (const double x : {0.45, 0.55}) {
    state.bodies[1].pose.position.x() = x;
    contact.point_a = contact.point_b = Vec3(x, 0, 0.1);
    EXPECT_EQ(place.is_on_bodies(contact, state), x < 0.5) << x;
  }
  state.bodies[1].pose.position = Vec3(0.4, 0, 0.19);
  EXPECT_NEAR(place.overlap(state, 0, 1), 0.01, 1e-9);
  state.bodies[1].pose.position.z() = 0.21;
  EXPECT_EQ(place.overlap(state, 0, 1), 0);
  EXPECT_NEAR(place.noise(0, 1), 1e-7 * 0.1, 1e-9);  // of the ball's radius
}

TEST(CornerPass, CornersPassOnTheSidesOfEachOther) {
  using collision::edge_code;
  using collision::face_code;
  using collision::vertex_code;
  const collision::ContactId over{0, 1, 0, 0, vertex_code(2), face_code(1)},
      under{0, 1, 0, 0, face_code(3), vertex_code(0)}, beside{0, 1, 0, 0, vertex_code(1), face_code(1)},
      edges{0, 1, 0, 0, edge_code(4), edge_code(5)}, other{0, 2, 0, 0, face_code(3), vertex_code(0)};
  EXPECT_TRUE(may_pass(over, under, 2));
  EXPECT_FALSE(may_pass(over, beside, 2));  // two corners of one body on one side
  EXPECT_FALSE(may_pass(over, other, 2));   // another body
  EXPECT_TRUE(may_pass(over, edges, 3));
  EXPECT_FALSE(may_pass(over, edges, 2));
}

// An ellipse that rolls on the floor along its flat side sinks in with the rows of the start of the step, by the second
// order of the step. With those of the middle, what is left of the gap is of third order.
TEST(Bending, RowsOfTheMiddleLeaveThirdOrderOfTheGap) {
  model::ModelBuilder build(2);
  build.body("floor").half_space(Vec3::UnitY()).fixed();
  build.body("ellipse").shape(model::Superellipse{0.2, 0.1, 2}).mass(1).position({0, 0.1, 0});
  build.contact("*", "*").friction(0.3);
  const model::Model model = build.finish();
  EXPECT_TRUE(has_bending_shapes(model));
  EXPECT_FALSE(has_bending_shapes(ball_beside_block()));
  const Method method;
  const auto collider = collision::make_collider("features");
  World world(model, method, *collider);
  const auto gap_at_end = [&](double h, bool middle) {
    world.state = model::initial_state(model);
    model::BodyState& ellipse = world.state.bodies[1];
    std::vector<collision::Contact> contacts;
    collider->find(model, world.state, 0.01, h, contacts);
    EXPECT_EQ(contacts.size(), 1U);
    std::vector<model::Twist> velocity(2);
    velocity[1].angular.z() = 3;
    Bending bending;
    if (middle) {
      EXPECT_TRUE(bending.move_to_middle(world, world.state, velocity, h, contacts));
    }
    // Lifted so that the gap stays zero by the rows.
    const Vec3 n = contacts[0].normal;  // along y, up or down
    velocity[1].linear = -n.dot(velocity[1].angular.cross(contacts[0].point_b - ellipse.pose.position)) * n;
    displace(ellipse, velocity[1], h, world.traits[1], true);
    collider->refresh(model, world.state, contacts);
    return contacts[0].gap;
  };
  const double rows_of_start = gap_at_end(0.01, false), rows_of_middle = gap_at_end(0.01, true);
  EXPECT_LT(rows_of_start, -1e-5);
  EXPECT_LT(std::fabs(rows_of_middle), 0.1 * std::fabs(rows_of_start));
  EXPECT_NEAR(gap_at_end(0.01, false) / gap_at_end(0.005, false), 4, 0.2);
  EXPECT_GT(gap_at_end(0.01, true) / gap_at_end(0.005, true), 7);
}

// Eighty islands of one contact each: the threads that solve them do not change a bit.
TEST(IslandPool, ThreadsDoNotChangeTheAnswers) {
  constexpr int kIslands = 80;
  std::vector<contact::Island> alone, shared;
  for (int k = 0; k < kIslands; ++k) {
    OneContact one(0.3, {-1 - 0.01 * k, 3 * std::cos(k), 3 * std::sin(k)});
    alone.push_back(one.island());
    shared.push_back(one.island());
  }
  Method method;
  IslandPool pool;
  ASSERT_TRUE(pool.solve(method, alone));
  method.threads = 3;
  ASSERT_TRUE(pool.solve(method, shared));
  for (int k = 0; k < kIslands; ++k) {
    const auto i = static_cast<std::size_t>(k);
    EXPECT_EQ(alone[i].r, shared[i].r);
    EXPECT_NEAR(alone[i].r[0], 2 * (1 + 0.01 * k), 1e-12);
  }
}

}  // namespace
}  // namespace stickslip::stepping
