// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The equations of a step and their derivatives by start, velocity and model, part by part against closed forms. All
// scenes are small enough to be differentiated by hand: a ball on a floor, a particle and a ball on a plate that turns.
#include "stickslip/collision/registry.h"
#include "stickslip/sensitivity/plane_contact.h"
#include "stickslip/sensitivity/prescribed_changes.h"
#include "stickslip/sensitivity/step_jacobian.h"
#include "stickslip/sensitivity/tangent.h"
#include "tests/support/mechanics.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stickslip::sensitivity {
namespace {

using Eigen::Index;
using Eigen::VectorXd;
using testing::ball;

constexpr double kH = 1e-3, kMass = 0.2, kRadius = 0.05, kGravity = 9.8, kMu = 0.2;
constexpr double kInertia = 0.4 * kMass * kRadius * kRadius;
constexpr double kRounding = 1e-14;  // of numbers of size 1 and a few operations

stepping::Method method_of(const char* stepper) {
  stepping::Method method;
  method.stepper = stepper;
  method.step = kH;
  return method;
}

// The only contact of a model, as it presses with impulses p.
ActiveContact contact_of(const model::Model& model, bool slides, const Vec3& p) {
  std::vector<collision::Contact> contacts;
  collision::make_collider("features")->find(model, model::initial_state(model), 1, 0, contacts);
  EXPECT_EQ(contacts.size(), 1U);
  ActiveContact active;
  active.contact = contacts.at(0);
  active.slides = slides;
  active.tangents = model.dimension == 3 ? 2 : 1;
  contact::set_frame(active.contact.normal, model.dimension, active.rows);
  for (int k = 0; k <= active.tangents; ++k) active.p[k] = p.dot(active.rows.direction[k]);
  return active;
}

// A ball that slides along x without turning, after one step: v+ = v - mu g h, w+ = 5/2 mu g h / r about y.
struct SlidingBall {
  model::Model model = ball(kMu, {1, 0, 0}, {0, 0, 0});
  stepping::Method method;
  StepEquations equations;
  model::State start = model::initial_state(model);
  ActiveContact active = contact_of(model, true, kMass* kGravity* kH* Vec3(-kMu, 0, 1));
  VectorXd velocity = VectorXd::Zero(6);
  StepEquations::Values values;

  explicit SlidingBall(const char* stepper) : method(method_of(stepper)), equations(model, method) {
    velocity[0] = 1 - kMu * kGravity * kH;
    velocity[4] = 2.5 * kMu * kGravity * kH / kRadius;
  }
  void evaluate() { equations.evaluate(start, {kH, kH}, velocity, {&active, 1}, values); }
  // The slip at the contact, along world axes.
  [[nodiscard]] Vec3 slip() const {
    return values.slip(0, 0) * active.rows.direction[1] + values.slip(1, 0) * active.rows.direction[2];
  }
};

TEST(StepEquations, HoldAtTheClosedFormOfASlidingBall) {
  for (const char* stepper : {"stewart-trinkle", "implicit"}) {
    SlidingBall one(stepper);
    one.evaluate();
    EXPECT_EQ(one.equations.freedoms().size(), 6U);
    EXPECT_LE(one.values.balance.norm(), kRounding);
    EXPECT_NEAR(one.values.approach[0], 0, 1e-13);  // gap / h: rounding of the gap over 1e-3
    EXPECT_EQ(one.values.mu[0], kMu);
    EXPECT_LE((one.slip() - Vec3(1 - 3.5 * kMu * kGravity * kH, 0, 0)).norm(), kRounding);
  }
}

// Beside the solution the residuals are what is missing: here 0.3 upwards, 2 of spin, and half the weight.
TEST(StepEquations, TellWhatIsMissingBesideTheSolution) {
  for (const char* stepper : {"stewart-trinkle", "implicit"}) {
    SlidingBall one(stepper);
    one.velocity[2] = 0.3;
    one.velocity[5] = 2;
    one.active.p[0] *= 0.5;
    one.evaluate();
    EXPECT_NEAR(one.values.balance[2], 0.3 + 0.5 * kGravity * kH, kRounding);
    EXPECT_NEAR(one.values.balance[5], 2, kRounding);
    EXPECT_NEAR(one.values.approach[0], 0.3, 1e-13);
  }
}

// The reference of quasi-static motion is v+ itself: what is left is the balance of forces, in units of velocity.
TEST(StepEquations, QuasiStaticBalanceIsThatOfForces) {
  SlidingBall one("implicit");
  one.method.motion = stepping::MotionModel::QuasiStatic;
  one.evaluate();
  EXPECT_NEAR(one.values.balance[0], kMu * kGravity * kH, kRounding);
  EXPECT_NEAR(one.values.balance[2], 0, kRounding);
  one.velocity *= 7;
  one.evaluate();
  EXPECT_NEAR(one.values.balance[0], kMu * kGravity * kH, kRounding);
}

TEST(StepEquations, ResponseIsTheRowOverMassAndInertia) {
  SlidingBall one("stewart-trinkle");
  one.evaluate();
  const Vec3 arm(0, 0, -kRadius);
  for (int k = 0; k < 3; ++k) {
    const Vec3 d = one.active.rows.direction[k], moment = arm.cross(d);
    VectorXd response(6);
    one.equations.response(0, k, response);
    Eigen::MatrixXd row = Eigen::MatrixXd::Zero(1, 6);
    one.equations.put_row(0, k, row, 0);
    EXPECT_LE((row.transpose() - (VectorXd(6) << d, moment).finished()).norm(), kRounding);
    EXPECT_LE((response - (VectorXd(6) << d / kMass, moment / kInertia).finished()).norm(), 1e-11);  // of 250
  }
}

TEST(StepEquations, EndIsTheStartDisplaced) {
  SlidingBall one("implicit");
  model::State end;
  one.equations.end_of(one.start, {kH, kH}, one.velocity, end);
  EXPECT_LE((end.bodies[0].pose.position - Vec3(kH * one.velocity[0], 0, kRadius)).norm(), kRounding);
  const double angle = kH * one.velocity[4];
  EXPECT_LE(
      (end.bodies[0].pose.orientation.coeffs() - Quat(std::cos(angle / 2), 0, std::sin(angle / 2), 0).coeffs()).norm(),
      kRounding);
  EXPECT_EQ(end.time, kH);
}

// Points under a body in the plane: no approach, the load is given, and friction has a lever.
TEST(StepEquations, SupportsHaveAGivenNormalImpulse) {
  model::Model model;
  model.dimension = 2;
  model::Body body;
  body.kind = model::BodyKind::Planar;
  body.mass = 2;
  body.inertia(2, 2) = 0.5;
  body.shapes = {testing::placed(model::Disc{1})};
  body.initial.velocity = {Vec3(3, 0, 0), Vec3(0, 0, 4)};
  body.support.points = {{Vec3(0, 0.25, 0), 10}};
  body.support.friction = 0.6;
  model.bodies = {body};
  testing::same_surface_everywhere(model, testing::friction(0.1));
  const stepping::Method method = method_of("stewart-trinkle");
  StepEquations equations(model, method);
  ASSERT_EQ(equations.supports(), 1);
  ActiveContact point;
  point.support = 0;
  point.tangents = 2;
  point.slides = true;
  const double limit = 0.6 * 10 * kH;
  point.p[0] = 10 * kH;
  StepEquations::Values values;
  equations.evaluate(model::initial_state(model), {kH, kH}, Vec3(3, 0, 4), {&point, 1}, values);
  EXPECT_EQ(values.approach[0], 0);
  EXPECT_EQ(values.mu[0], 0.6);
  EXPECT_NEAR(values.normal_impulse[0], 10 * kH, kRounding);
  EXPECT_NEAR(values.slip.col(0).norm(), 3 - 4 * 0.25, kRounding);  // the point is at y = 1/4
  const Vec2 along = values.slip.col(0).normalized();
  for (int k = 0; k < 2; ++k) point.p[1 + k] = -limit * along[k];
  equations.evaluate(model::initial_state(model), {kH, kH}, Vec3(3 - limit / 2, 0, 4 + limit * 0.25 / 0.5), {&point, 1},
                     values);
  EXPECT_LE(values.balance.norm(), kRounding);
}

// A plate in the plane z = 0 that is body a and turns, and something on it at (kAway, 0, its radius).
constexpr double kAway = 0.3;

model::Model on_plate(model::BodyKind kind, double radius) {
  model::Model model;
  model.gravity = Vec3(0, 0, -kGravity);
  model::Body plate;
  plate.shapes = {testing::placed(model::HalfSpace{Vec3::UnitZ(), 0})};
  for (auto& along : plate.drive.translation) along = [](double) { return model::TimeJet{}; };
  plate.drive.orientation = [](double) { return model::OrientationJet{}; };
  model::Body body;
  body.kind = kind;
  body.mass = kMass;
  body.inertia = kInertia * Mat3::Identity();
  body.shapes = {radius > 0 ? testing::placed(model::Sphere{radius})
                            : testing::placed(model::PointSet{{Vec3::Zero()}})};
  body.initial.pose.position = Vec3(kAway, 0, radius);
  model.bodies = {plate, body};
  testing::same_surface_everywhere(model, testing::friction(kMu));
  return model;
}

TEST(PlaneContact, KnowsWhichRowsHaveAClosedForm) {
  using enum PlaneContact::Side;
  const auto side = [](const model::Model& model) {
    return PlaneContact::side_of(model, contact_of(model, false, Vec3::Zero()).contact.id);
  };
  EXPECT_EQ(side(ball()), B);
  EXPECT_EQ(side(on_plate(model::BodyKind::Particle3, 0)), A);
  EXPECT_EQ(side(on_plate(model::BodyKind::Spatial, kRadius)), A);
  EXPECT_EQ(side(on_plate(model::BodyKind::Spatial, 0)), None);  // a point of a body that turns
  model::Model eccentric = ball();
  eccentric.bodies[0].shapes[0].pose.position = Vec3(0.01, 0, 0);
  EXPECT_EQ(side(eccentric), None);
}

TEST(PlaneContact, RowsBendOnlyWithAPlaneThatTurns) {
  model::Model model = on_plate(model::BodyKind::Particle3, 0);
  const collision::ContactId id = contact_of(model, false, Vec3::Zero()).contact.id;
  const std::vector<contact::BodyTraits> traits = contact::body_traits(model);
  model::State state = model::initial_state(model);
  EXPECT_FALSE(PlaneContact::bends(model, traits, id, state));
  state.bodies[0].velocity.angular = Vec3(0, 1, 0);
  EXPECT_TRUE(PlaneContact::bends(model, traits, id, state));
}

// The plate turned about y: normal and tangents turn with it, the arm of a particle stays, that of a ball does not; the
// foot on the plate goes up or down with it.
TEST(PlaneContact, RowsTurnWithThePlate) {
  for (const double radius : {0.0, kRadius}) {
    const model::Model model = on_plate(radius > 0 ? model::BodyKind::Spatial : model::BodyKind::Particle3, radius);
    const ActiveContact active = contact_of(model, false, Vec3::Zero());
    const model::State state = model::initial_state(model);
    const PlaneContact plane(model, active.contact, state, PlaneContact::Side::A);
    contact::ContactRows rows;
    contact::set_rows<3>(active.contact, state, rows);
    const contact::ContactRows at = rows;
    plane.turn(1, 2, rows);
    // exact: the plane turned by an angle, its normal from the plate to the body
    const auto exact = [&](double angle, contact::ContactRows& turned) {
      const Vec3 up(std::sin(angle), 0, std::cos(angle)), centre(kAway, 0, radius);
      collision::Contact contact = active.contact;
      contact.normal = -up;  // from b to a
      contact.point_a = centre - up.dot(centre) * up;
      contact.point_b = centre - radius * up;
      contact::set_rows_near(at, contact, state, 3, turned);
    };
    contact::ContactRows low, high;
    exact(-1e-5, low);
    exact(1e-5, high);
    for (int k = 0; k < 3; ++k) {  // differences over 2e-5: error 1e-10
      EXPECT_LE((rows.direction[k] - at.direction[k] - (high.direction[k] - low.direction[k]) / 2e-5).norm(), 1e-9);
      EXPECT_LE((rows.moment_a[k] - at.moment_a[k] - (high.moment_a[k] - low.moment_a[k]) / 2e-5).norm(), 1e-9) << k;
      EXPECT_LE((rows.moment_b[k] - at.moment_b[k] - (high.moment_b[k] - low.moment_b[k]) / 2e-5).norm(), 1e-9) << k;
    }
    EXPECT_LE((rows.direction[0] - at.direction[0] - Vec3(-1, 0, 0)).norm(), kRounding);  // e_y x (-e_z)
  }
}

// What is on the plate moved along x: only its foot moves on the plate. Moved along z: nothing.
TEST(PlaneContact, FootMovesAlongThePlate) {
  const model::Model model = on_plate(model::BodyKind::Particle3, 0);
  const ActiveContact active = contact_of(model, false, Vec3::Zero());
  const model::State state = model::initial_state(model);
  const PlaneContact plane(model, active.contact, state, PlaneContact::Side::A);
  contact::ContactRows rows;
  contact::set_rows<3>(active.contact, state, rows);
  const contact::ContactRows at = rows;
  plane.shift(2, 2, rows);
  for (int k = 0; k < 3; ++k) EXPECT_EQ(rows.moment_a[k], at.moment_a[k]);
  plane.shift(0, 2, rows);
  for (int k = 0; k < 3; ++k) {
    EXPECT_LE((rows.moment_a[k] - at.moment_a[k] - Vec3::UnitX().cross(at.direction[k])).norm(), kRounding);
    EXPECT_EQ(rows.moment_b[k], at.moment_b[k]);
    EXPECT_EQ(rows.direction[k], at.direction[k]);
  }
}

// x = A sin t along one axis, the angle B t about another: linear in A, so the difference is exact.
TEST(PrescribedChanges, FollowTheFunctionsOfTime) {
  const auto plate = [](double A, double B) {
    model::Model model = on_plate(model::BodyKind::Particle3, 0);
    model.bodies[0].drive.translation[0] = [A](double t) {
      return model::TimeJet{A * std::sin(t), A * std::cos(t), -A * std::sin(t)};
    };
    model.bodies[0].drive.orientation = [B](double t) {
      return model::OrientationJet{Quat(std::cos(B * t / 2), 0, 0, std::sin(B * t / 2)), Vec3(0, 0, B), Vec3::Zero()};
    };
    return model;
  };
  const model::Model here = plate(2, 0.5), slow = plate(1.9, 0.5), fast = plate(2.1, 0.5), back = plate(2, 0.5 - 1e-4),
                     ahead = plate(2, 0.5 + 1e-4);
  std::vector<Direction> directions(3);
  directions[0] = {&slow, &fast, 0.1, 0.1, {}, {}, true};
  directions[1] = {&back, &ahead, 1e-4, 1e-4, {}, {}, true};
  const PrescribedChanges changes(here, directions);
  EXPECT_TRUE(changes.of(2).empty());
  model::State state = model::initial_state(here);
  const double t = 0.7;
  state.time = t;
  model::apply_drives(here, t, state);
  Eigen::MatrixXd tangents = Eigen::MatrixXd::Zero(2 * kBodyTangent, 3), expected = tangents;
  for (Index k = 0; k < 3; ++k) changes.put(state, k, tangents);
  expected(kPosition, 0) = std::sin(t);
  expected(kLinear, 0) = std::cos(t);
  expected(kRotation + 2, 1) = t;
  expected(kAngular + 2, 1) = 1;
  EXPECT_LE((tangents - expected).col(0).norm(), 1e-13);
  EXPECT_LE((tangents - expected).col(1).norm(), 1e-9);  // a turn of 1.4e-4 counts as its sine: 8e-10 of it
  EXPECT_TRUE(tangents.col(2).isZero(0));
  VectorXd tangent = VectorXd::Ones(2 * kBodyTangent);
  changes.clear(tangent);
  EXPECT_TRUE(tangent.head(kBodyTangent).isZero(0));
  EXPECT_EQ(tangent.tail(kBodyTangent), VectorXd::Ones(kBodyTangent));
}

// Of a ball on a floor: the balance has the start's velocity less what damping takes of it at the end of the step,
// m v+ = m v - h c v+; the approach has the height over h.
TEST(StepSlopes, OfABallWithDamping) {
  SlidingBall one("stewart-trinkle");
  one.model.bodies[0].linear_damping = 3;
  one.model.bodies[0].angular_damping = 1e-4;
  one.evaluate();
  StepSlopes slopes(one.equations);
  slopes.evaluate({kH, kH}, kRadius, {&one.active, 1}, std::vector<bool>(2 * kBodyTangent, true));
  Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(9, 2 * kBodyTangent);
  for (int k = 0; k < 3; ++k) {
    expected(k, kLinear + k) = -kMass / (kMass + kH * 3);
    expected(3 + k, kAngular + k) = -kInertia / (kInertia + kH * 1e-4);
  }
  expected(6, kPosition + 2) = 1 / kH;
  expected(6, kBodyTangent + kPosition + 2) = -1 / kH;  // the floor
  const Eigen::MatrixXd found = slopes.matrix();
  // Columns of the floor's rotation are those of a plane that never turns; nobody asks for them.
  EXPECT_LE((found - expected).leftCols(kBodyTangent + kRotation).cwiseAbs().maxCoeff(), 1e-11);
}

// The plate turned about y by an angle a: the gap of the particle grows by a kAway, its push leans by a.
TEST(StepSlopes, OfAParticleOnAPlateThatTurns) {
  model::Model model = on_plate(model::BodyKind::Particle3, 0);
  const double weight = kMass * kGravity * kH;
  for (const char* stepper : {"stewart-trinkle", "implicit"}) {
    const stepping::Method method = method_of(stepper);
    StepEquations equations(model, method);
    const ActiveContact active = contact_of(model, false, Vec3(0, 0, -weight));  // on body a, the plate
    StepEquations::Values values;
    equations.evaluate(model::initial_state(model), {kH, kH}, Vec3::Zero(), {&active, 1}, values);
    EXPECT_LE(values.balance.norm(), kRounding);
    StepSlopes slopes(equations);
    slopes.evaluate({kH, kH}, kAway, {&active, 1}, std::vector<bool>(2 * kBodyTangent, true));
    const VectorXd by_turn = slopes.matrix().col(kRotation + 1);
    EXPECT_NEAR(by_turn[0], -kGravity * kH, kRounding);
    EXPECT_NEAR(by_turn[1], 0, kRounding);
    EXPECT_NEAR(by_turn[2], 0, kRounding);
    EXPECT_NEAR(by_turn[3], kAway / kH, 1e-11);
  }
}

// The ball again, linearised with one unknown that enters the model (its mass) and one of the start (its height).
TEST(StepJacobian, OfASlidingBall) {
  SlidingBall one("stewart-trinkle");
  const double dm = 1e-5;
  model::Model light = one.model, heavy = one.model;
  for (auto [model, m] : {std::pair{&light, kMass - dm}, std::pair{&heavy, kMass + dm}}) {
    model->bodies[0].mass = m;
    model->bodies[0].inertia *= m / kMass;
  }
  std::vector<Direction> directions(2);
  directions[0] = {&light, &heavy, dm, dm, {}, VectorXd::Zero(2 * kBodyTangent), false};
  directions[1].start = VectorXd::Unit(2 * kBodyTangent, kPosition + 2);
  StepJacobian jacobian(one.model, one.method, directions);
  EXPECT_FALSE(jacobian.all_by_slopes());
  jacobian.linearise(one.start, {kH, kH}, one.velocity, {&one.active, 1});
  EXPECT_TRUE(jacobian.balance_is_plain());
  EXPECT_EQ(jacobian.balance_v(), Eigen::MatrixXd::Identity(6, 6));
  EXPECT_LE((jacobian.approach_v() - VectorXd::Unit(6, 2).transpose()).norm(), kRounding);
  EXPECT_EQ(jacobian.size(), 9);
  EXPECT_NEAR(jacobian.weight(0), 3.5 / kMass, 1e-12);  // of a ball along the tangents

  model::State end;
  one.equations.end_of(one.start, {kH, kH}, one.velocity, end);
  Eigen::MatrixXd tangents = Eigen::MatrixXd::Zero(2 * kBodyTangent, 2);
  tangents.col(1) = directions[1].start;
  const Eigen::MatrixXd along = jacobian.along(end, tangents);
  // v+ - v_free - p / m: by the mass p / m^2. With p = m g h (-mu, 0, 1) it is g h / m; by the inertia likewise.
  VectorXd by_mass = VectorXd::Zero(along.rows());
  by_mass[0] = -kMu * kGravity * kH / kMass;
  by_mass[2] = kGravity * kH / kMass;
  by_mass[4] = 2.5 * kMu * kGravity * kH / (kRadius * kMass);
  EXPECT_LE((along.col(0) - by_mass).cwiseAbs().maxCoeff(), 2e-9);  // (dm / m)^2 = 2.5e-9 of 0.49
  VectorXd by_height = VectorXd::Zero(along.rows());
  by_height[6] = 1 / kH;
  EXPECT_LE((along.col(1) - by_height).cwiseAbs().maxCoeff(), 1e-11);

  // dq+ = dq + h dv, in rotation too (the ball turns about one axis).
  Eigen::MatrixXd dv = Eigen::MatrixXd::Zero(6, 2);
  dv(0, 0) = 5;
  dv(4, 0) = 6;
  jacobian.take_step(end, dv, tangents);
  VectorXd moved = VectorXd::Zero(2 * kBodyTangent);
  moved[kPosition] = 5 * kH, moved[kLinear] = 5, moved[kRotation + 1] = 6 * kH, moved[kAngular + 1] = 6;
  EXPECT_LE((tangents.col(0) - moved).norm(), kRounding);
  EXPECT_EQ(tangents.col(1), directions[1].start);
}

// Rows at the end of the step: the push of a plate that is free to turn leans by h times what its spin changes.
TEST(StepJacobian, RowsAtTheEndTurnWithTheVelocity) {
  model::Model model = on_plate(model::BodyKind::Particle3, 0);
  model.bodies[0].drive = {};
  model.bodies[0].mass = 4;
  model.bodies[0].inertia = Mat3::Identity();
  const double push = 0.01;
  const ActiveContact active = contact_of(model, false, Vec3(0, 0, -push));
  const model::State start = model::initial_state(model);
  const stepping::Method method = method_of("implicit");
  std::vector<Direction> directions(1);
  directions[0].start = VectorXd::Unit(2 * kBodyTangent, kLinear);
  StepJacobian jacobian(model, method, directions);
  ASSERT_TRUE(jacobian.all_by_slopes());
  const VectorXd velocity = VectorXd::Zero(9);  // six of the plate, three of the particle
  jacobian.linearise(start, {kH, kH}, velocity, {&active, 1});
  EXPECT_FALSE(jacobian.balance_is_plain());
  const VectorXd by_spin = jacobian.balance_v().col(4);
  EXPECT_NEAR(by_spin[0], kH * push / 4, kRounding);       // the plate is pushed back
  EXPECT_NEAR(by_spin[6], -kH * push / kMass, kRounding);  // the particle forward
  EXPECT_NEAR(by_spin[4], 1, 1e-12);
  EXPECT_NEAR(jacobian.approach_v()(0, 4), kAway, 1e-12);  // psi / h by h w
  EXPECT_NEAR(jacobian.approach_v()(0, 8), 1, 1e-12);
}

}  // namespace
}  // namespace stickslip::sensitivity
