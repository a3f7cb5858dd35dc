// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/motion/prescribed_motion.h"

#include "stickslip/motion/dense_integral.h"
#include "stickslip/motion/dense_orientation.h"
#include "stickslip/motion/prescribed_rotation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace stickslip::motion {
namespace {

using std::numbers::pi;

expression::Scope time_scope() {
  expression::Scope scope;
  scope.reach = expression::Reach::Time;
  scope.constants = {{"w", 66 * pi}, {"c", 0.7}};
  return scope;
}

TimeExpression expression(const std::string& text) {
  const expression::Scope scope = time_scope();
  return {"the motion", {"test", 1, 1}, expression::Expression(text, scope), ClosedForm::recognise(text, scope)};
}

constexpr Span kSpan{2.0, 1e-3};

TEST(ClosedForm, RecognisesSumsOfPolynomialsAndWaves) {
  for (const std::string text :
       {"3", "t", "2*t^3 - t/4 + 1", "5*sin(w*t + c)", "sin(3*t)*cos(2*t)", "(1 + t)^2 * sin(5*t)", "-cos(1 - 2*t)",
        "sin(t)^3", "sqrt(2)*t", "t*t*cos(4*t + 1)/3", "sin(c) + t", "if(c > 0, 2, 3) * t"}) {
    const expression::Scope scope = time_scope();
    const auto form = ClosedForm::recognise(text, scope);
    ASSERT_TRUE(form.has_value()) << text;
    const expression::Expression direct(text, scope);
    for (const double t : {0.0, 0.3, 1.7}) {
      const model::TimeJet a = form->evaluate(t), b = direct.evaluate_jet(t);
      // Rounding of sums of terms as large as the derivatives themselves.
      const double scale = 1 + std::abs(b.second);
      EXPECT_NEAR(a.value, b.value, 1e-12) << text << " at " << t;
      EXPECT_NEAR(a.rate, b.rate, 1e-12 * scale) << text << " at " << t;
      EXPECT_NEAR(a.second, b.second, 1e-12 * scale) << text << " at " << t;
    }
  }
}

TEST(ClosedForm, LeavesTheRestToQuadrature) {
  for (const char* text : {"exp(t)", "1/t", "sin(t^2)", "abs(t)", "t^0.5", "t > 1 ? 1 : 0", "sqrt(t)"}) {
    EXPECT_FALSE(ClosedForm::recognise(text, time_scope()).has_value()) << text;
  }
}

TEST(ClosedForm, IntegralIsAnAntiderivative) {
  for (const char* text : {"3", "t^4", "t^3*sin(7*t)", "t^2*cos(7*t + c)", "sin(3*t)*cos(3*t)"}) {
    const auto form = ClosedForm::recognise(text, time_scope());
    ASSERT_TRUE(form);
    const ClosedForm integral = form->integral();
    for (const double t : {0.1, 0.9, 2.0}) {
      EXPECT_NEAR(integral.evaluate(t).rate, form->evaluate(t).value, 1e-13 * (1 + std::abs(form->evaluate(t).value)))
          << text;
    }
  }
}

TEST(PrescribedMotion, VelocityIsIntegratedFromTheStart) {
  const auto x = make_motion(expression("2 + 3*t"), Given::Velocity, 5, 0, false, kSpan);
  EXPECT_DOUBLE_EQ(x(2).value, 5 + 4 + 6);
  EXPECT_DOUBLE_EQ(x(2).rate, 8);
  EXPECT_DOUBLE_EQ(x(2).second, 3);
}

TEST(PrescribedMotion, AccelerationIsIntegratedTwiceFromTheStart) {
  const auto x = make_motion(expression("6*t"), Given::Acceleration, 1, 2, false, kSpan);
  EXPECT_DOUBLE_EQ(x(2).value, 1 + 4 + 8);
  EXPECT_DOUBLE_EQ(x(2).rate, 2 + 12);
}

// Berard, Nguyen, Trinkle and Anderson 2010, appendix A: the antiderivatives of a sin(b t + c) without constants.
TEST(PrescribedMotion, SymmetricSwingIsTheNegativeOverTheSquareOfTheFrequency) {
  const double a = 100, w = 66 * pi, c = 0.7;
  const auto x = make_motion(expression("100*sin(w*t + c)"), Given::Acceleration, 2, 0, true, kSpan);
  for (const double t : {0.0, 0.011, 1.3}) {
    EXPECT_NEAR(x(t).value, 2 - a * std::sin(w * t + c) / (w * w), 1e-15);
    EXPECT_NEAR(x(t).rate, -a * std::cos(w * t + c) / w, 1e-13);
    EXPECT_NEAR(x(t).second, a * std::sin(w * t + c), 1e-10);
  }
}

TEST(PrescribedMotion, OnlySwingsCanBeSymmetric) {
  EXPECT_THROW((void)make_motion(expression("1 + sin(t)"), Given::Acceleration, 0, 0, true, kSpan), files::SceneError);
  EXPECT_THROW((void)make_motion(expression("exp(t)"), Given::Velocity, 0, 0, true, kSpan), files::SceneError);
}

TEST(PrescribedMotion, NumericalIntegralsAreExactToRounding) {
  // v = exp(-t) cos(9 t): the integral is exp(-t) (9 sin 9t - cos 9t) / 82.
  const auto x = make_motion(expression("exp(-t)*cos(9*t)"), Given::Velocity, 0, 0, false, kSpan);
  const auto exact = [](double t) { return (std::exp(-t) * (9 * std::sin(9 * t) - std::cos(9 * t)) + 1) / 82; };
  for (const double t : {0.0, 0.123, 0.99, 2.0, 2.5}) EXPECT_NEAR(x(t).value, exact(t), 2e-15) << t;
  // a = exp(t): x = exp(t) - 1 - t with zero start.
  const auto y = make_motion(expression("exp(t)"), Given::Acceleration, 0, 0, false, kSpan);
  for (const double t : {0.0, 0.5, 2.0, 2.7}) {
    EXPECT_NEAR(y(t).value, std::exp(t) - 1 - t, 2e-14) << t;
    EXPECT_NEAR(y(t).rate, std::exp(t) - 1, 2e-14) << t;
    EXPECT_DOUBLE_EQ(y(t).second, std::exp(t));
  }
}

// Of a bell curve of width 1e-4 of the run, wherever it lies: sqrt(pi) / 4000. Between the points of long cells nothing
// of it is seen.
TEST(PrescribedMotion, ShortPulsesAreSeen) {
  for (const char* at : {"0.1003", "0.777", "1.0123", "1.98"}) {
    const auto x =
        make_motion(expression(std::string("exp(-((t - ") + at + ")*4000)^2)"), Given::Velocity, 0, 0, false, kSpan);
    EXPECT_NEAR(x(2).value, std::sqrt(pi) / 4000, 1e-15) << at;
  }
}

TEST(PrescribedMotion, IntegratesExactlyAcrossJumps) {
  // A velocity of 1 and -1 in turn, for 0.3 each: a saw tooth.
  const auto x = make_motion(expression("mod(t, 0.6) < 0.3 ? 1 : -1"), Given::Velocity, 0, 0, false, kSpan);
  for (const double t : {0.1, 0.3, 0.45, 0.75, 1.9}) {
    const double phase = std::fmod(t, 0.6);
    EXPECT_NEAR(x(t).value, phase < 0.3 ? phase : 0.6 - phase, 3e-15) << t;
  }
}

TEST(PrescribedMotion, ValueDoesNotDependOnWhatWasAskedBefore) {
  const auto a = make_motion(expression("exp(sin(5*t))"), Given::Velocity, 0, 0, false, kSpan);
  const auto b = make_motion(expression("exp(sin(5*t))"), Given::Velocity, 0, 0, false, kSpan);
  std::vector<double> up, down;
  for (int i = 0; i <= 50; ++i) up.push_back(a(0.05 * i).value);
  for (int i = 50; i >= 0; --i) down.push_back(b(0.05 * i).value);
  std::ranges::reverse(down);
  EXPECT_EQ(up, down);
}

TEST(PrescribedMotion, BreakpointsAreFoundToTheLastBit) {
  const auto found = find_breakpoints(expression("mod(t, 0.25) < 0.125 ? 1 : 2"), {1.0, 1e-2});
  EXPECT_THAT(found, testing::ElementsAre(0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875));
  EXPECT_THAT(find_breakpoints(expression("abs(t - 0.5)"), {1.0, 1e-2}), testing::ElementsAre(0.5));
  EXPECT_THAT(find_breakpoints(expression("sin(t)"), {1.0, 1e-2}), testing::IsEmpty());
}

TEST(PrescribedMotion, NotANumberIsReportedWithNameAndTime) {
  try {
    (void)make_motion(expression("sqrt(1 - t)"), Given::Position, 0, 0, false, kSpan);
    FAIL();
  } catch (const files::SceneError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("the motion is not a number (nan) at t = 1.00"));
  }
}

// --- rotations

RotationRequest rotation(const std::string& x, const std::string& y, const std::string& z, Given given) {
  RotationRequest request;
  request.rate = {expression(x), expression(y), expression(z)};
  request.given = given;
  return request;
}

TEST(PrescribedRotation, OneAxisIsAnalytic) {
  RotationRequest request = rotation("0", "0", "100*sin(w*t)", Given::Acceleration);
  request.symmetric = true;
  const auto motion = make_rotation(request, kSpan);
  const double w = 66 * pi, t = 0.0123, angle = -100 * std::sin(w * t) / (w * w);
  EXPECT_NEAR(motion(t).orientation.z(), std::sin(angle / 2), 1e-18);
  EXPECT_NEAR(motion(t).angular_velocity.z(), -100 * std::cos(w * t) / w, 1e-14);
  EXPECT_NEAR(motion(t).angular_acceleration.z(), 100 * std::sin(w * t), 1e-11);
  EXPECT_EQ(motion(0).orientation.z(), 0);
}

// Constant angular velocity about an oblique axis, seen as three components: the exponential of it.
TEST(PrescribedRotation, ConstantRateAboutAnObliqueAxisIsTheExponential) {
  const auto motion = make_rotation(rotation("3", "-2", "1.5", Given::Velocity), kSpan);
  const Vec3 omega(3, -2, 1.5);
  for (const double t : {0.0, 0.31, 1.99, 3.0}) {
    const Quat exact(Eigen::AngleAxisd(omega.norm() * t, omega.normalized()));
    EXPECT_LT(std::min((motion(t).orientation.coeffs() - exact.coeffs()).norm(),
                       (motion(t).orientation.coeffs() + exact.coeffs()).norm()),
              1e-14)
        << t;
    EXPECT_NEAR(motion(t).orientation.norm(), 1, 1e-15);
  }
}

// Classical coning: omega = (a cos bt, a sin bt, c) has a closed form: R = Rz(bt) exp(t ((a, 0, c - b))).
TEST(PrescribedRotation, ConingAgreesWithItsClosedForm) {
  const double a = 2, b = 11, c = 0.5;
  const auto motion = make_rotation(rotation("2*cos(11*t)", "2*sin(11*t)", "0.5", Given::Velocity), kSpan);
  const Vec3 axis(a, 0, c - b);
  for (const double t : {0.1, 1.0, 2.0}) {
    const Quat exact =
        Quat(Eigen::AngleAxisd(b * t, Vec3::UnitZ())) * Quat(Eigen::AngleAxisd(axis.norm() * t, axis.normalized()));
    const Quat got = motion(t).orientation;
    EXPECT_LT(std::min((got.coeffs() - exact.coeffs()).norm(), (got.coeffs() + exact.coeffs()).norm()), 1e-13) << t;
  }
}

// Late in a long run the phase w t is only known to eps w t: the table must be content with that.
TEST(PrescribedRotation, LongFastSwingsAreResolved) {
  RotationRequest request = rotation("100*sin(w*t)", "50*sin(w*t)", "100*sin(w*t)", Given::Acceleration);
  request.symmetric = true;
  const auto motion = make_rotation(request, {20.0, 1e-4});
  // All components in phase: a swing about one oblique axis, with a closed form. (The symmetric start is made of Euler
  // angles and differs from the identity by 1.7e-6, so the rotation since t = 0 is compared.)
  const double w = 66 * pi;
  const Vec3 axis = Vec3(2, 1, 2) / 3;
  for (const double t : {0.0, 0.013, 7.77, 19.99}) {
    const Quat exact(Eigen::AngleAxisd(-150 * std::sin(w * t) / (w * w), axis));
    const Quat turned = motion(t).orientation * motion(0).orientation.conjugate();
    EXPECT_LT((turned.coeffs() - exact.coeffs()).norm(), 1e-13) << t;
  }
}

// One period for all of them against all of them computed. The turn of one period is not the identity (the axes do not
// commute): over 66 periods it adds up.
TEST(PrescribedRotation, OnePeriodServesTheWholeRun) {
  const double w = 66 * pi;
  const auto omega = [w](double t) {
    return Vec3(30 * std::cos(w * t), 20 * std::sin(w * t), 5 * std::sin(2 * w * t));
  };
  const Quat start = from_euler_angles(0.1, -0.2, 0.3);
  const DenseOrientation whole(omega, start, 2.0, {});
  const PeriodicOrientation periodic(omega, start, 2.0, 1 / 33.0);
  EXPECT_GT(whole.evaluate(1.0).angularDistance(start), 0.1) << "the periods do add up";
  for (const double t : {0.0, 0.01, 1 / 33.0, 1.0, 1.7777, 2.0, 2.3})
    EXPECT_LT((periodic.evaluate(t).coeffs() - whole.evaluate(t).coeffs()).norm(), 1e-12) << t;
}

TEST(PrescribedMotion, FastWavesOfLongRunsAreResolved) {
  // exp(0 * t) hides the wave from the closed form.
  const auto x = make_motion(expression("sin(w*t) * exp(0*t)"), Given::Velocity, 0, 0, false, {20.0, 1e-3});
  for (const double t : {0.3, 19.99}) EXPECT_NEAR(x(t).value, (1 - std::cos(66 * pi * t)) / (66 * pi), 1e-13) << t;
}

// The check values of the reference data for the first paper's centrifuge motion. The last printed digits of e_s, e_x
// and e_z; e_y is a product of second order, for which the reference's own sampling leaves 1e-6 relative.
TEST(PrescribedRotation, SymmetricStartOfTheCentrifugeMotion) {
  RotationRequest request = rotation("100*sin(w*t + pi/2)", "100*sin(w*t + pi)", "0", Given::Acceleration);
  request.symmetric = true;
  const Quat q = make_rotation(request, kSpan)(0).orientation;
  EXPECT_NEAR(q.w(), 0.999999324, 5e-10);
  EXPECT_NEAR(q.x(), -1.16300480e-3, 1e-11);
  EXPECT_NEAR(q.y(), 4.94186e-9, 1e-13);
  EXPECT_NEAR(q.z(), -4.249253e-6, 1e-12);
}

TEST(PrescribedRotation, SymmetricSwingStaysSymmetric) {
  RotationRequest request = rotation("100*sin(w*t + pi/2)", "100*sin(w*t + pi)", "0", Given::Acceleration);
  request.symmetric = true;
  const auto motion = make_rotation(request, kSpan);
  double low = 1, high = -1;
  for (int i = 0; i <= 2000; ++i) {
    const Quat q = motion(i / 33.0 / 2000).orientation;
    const double roll = std::atan2(2 * (q.w() * q.x() + q.y() * q.z()), 1 - 2 * (q.x() * q.x() + q.y() * q.y()));
    low = std::min(low, roll);
    high = std::max(high, roll);
  }
  // The offsets are combined to first order in the angles (2e-3), so symmetry holds to their square.
  EXPECT_NEAR(low + high, 0, 1e-5 * high);
}

}  // namespace
}  // namespace stickslip::motion
