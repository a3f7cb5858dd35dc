// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Part of expression.h.
//
// The one declaration of what expressions know: the compiler, the hints and the scene reference read these tables.
#include "stickslip/expression/expression.h"
#include "stickslip/expression/expression_ops.h"
#include "stickslip/expression/jet.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

namespace stickslip::expression {
namespace {

constexpr int kAny = 16;

// Smooth functions of one number: f, f', f''.
SmoothValue smooth_tan(double x) {
  const double f = std::tan(x);
  return {f, 1 + f * f, 2 * f * (1 + f * f)};
}
SmoothValue smooth_asin(double x) {
  const double d = 1 / std::sqrt(1 - x * x);
  return {std::asin(x), d, x * d * d * d};
}
SmoothValue smooth_acos(double x) {
  const double d = 1 / std::sqrt(1 - x * x);
  return {std::acos(x), -d, -x * d * d * d};
}
SmoothValue smooth_atan(double x) {
  const double d = 1 / (1 + x * x);
  return {std::atan(x), d, -2 * x * d * d};
}
SmoothValue smooth_tanh(double x) {
  const double f = std::tanh(x);
  return {f, 1 - f * f, -2 * f * (1 - f * f)};
}

// Functions of several numbers, and those that choose between formulas: x[0], x[1], ... are the arguments, Number is a
// double or a TimeJet (jet.h has its arithmetic), `branch` says which formula was taken, and by what.
template <class Function>
constexpr PureFunction pure(bool branches) {
  return {[](const double* x, model::ForceChoice& branch) { return Function()(x, branch); },
          [](const model::TimeJet* x, model::ForceChoice& branch) { return Function()(x, branch); }, branches};
}
constexpr bool kSmooth = false, kBranches = true;

struct Abs {
  static double positive(double x) { return std::abs(x); }  // |-0| = 0
  static model::TimeJet positive(const model::TimeJet& x) { return x; }
  template <class Number>
  Number operator()(const Number* x, model::ForceChoice& branch) const {
    branch = {.taken = value_of(x[0]) < 0 ? 1.0 : 0.0, .at = value_of(x[0])};
    return branch.taken != 0 ? -x[0] : positive(x[0]);
  }
};
struct Sign {
  template <class Number>
  Number operator()(const Number* x, model::ForceChoice& branch) const {
    const double v = value_of(x[0]);
    branch = {.taken = v > 0 ? 1 : v < 0 ? -1 : v, .at = v};
    return constant<Number>(branch.taken);
  }
};
struct Floor {
  template <class Number>
  Number operator()(const Number* x, model::ForceChoice& branch) const {
    branch = {.taken = std::floor(value_of(x[0])), .at = value_of(x[0]), .spacing = 1};
    return constant<Number>(branch.taken);
  }
};
struct Ceil {
  template <class Number>
  Number operator()(const Number* x, model::ForceChoice& branch) const {
    branch = {.taken = std::ceil(value_of(x[0])), .at = value_of(x[0]), .spacing = 1};
    return constant<Number>(branch.taken);
  }
};
struct Step {
  template <class Number>
  Number operator()(const Number* x, model::ForceChoice& branch) const {
    branch = {.taken = value_of(x[0]) >= 0 ? 1.0 : 0.0, .at = value_of(x[0])};
    return constant<Number>(branch.taken);
  }
};
struct Atan2 {
  template <class Number>
  Number operator()(const Number* x, model::ForceChoice& /*branch*/) const {
    return jet_atan2(x[0], x[1]);
  }
};
struct Hypot {
  template <class Number>
  Number operator()(const Number* x, model::ForceChoice& /*branch*/) const {
    return jet_hypot(x[0], x[1]);
  }
};
struct Mod {
  template <class Number>
  Number operator()(const Number* x, model::ForceChoice& branch) const {
    const double periods = value_of(x[0]) / value_of(x[1]);
    branch = {.taken = std::floor(periods), .at = periods, .spacing = 1};
    return x[0] - constant<Number>(branch.taken) * x[1];
  }
};
struct Clamp {
  template <class Number>
  Number operator()(const Number* x, model::ForceChoice& branch) const {
    const int side = value_of(x[0]) < value_of(x[1]) ? 1 : value_of(x[0]) > value_of(x[2]) ? 2 : 0;
    const double low = value_of(x[1]), high = value_of(x[2]);
    branch = {.taken = static_cast<double>(side), .at = (value_of(x[0]) - low) / (high - low), .spacing = 1};
    return x[side];
  }
};
struct Smoothstep {
  template <class Number>
  Number operator()(const Number* x, model::ForceChoice& branch) const {
    const Number u = (x[2] - x[0]) / (x[1] - x[0]);
    branch = {.taken = value_of(u) <= 0 ? -1.0 : value_of(u) >= 1 ? 1.0 : 0.0, .at = value_of(u), .spacing = 1};
    if (!(value_of(u) > 0)) return constant<Number>(0);
    if (value_of(u) >= 1) return constant<Number>(1);
    return u * u * (constant<Number>(3) - constant<Number>(2) * u);
  }
};

struct Entry {
  FunctionInfo info;
  PureFunction pure{};  // of Op::Pure
};
constexpr Entry kEntries[] = {
    {{"sin", "x", 1, 1, Op::Sin, Reach::Constant, "sine, x in radians"}},
    {{"cos", "x", 1, 1, Op::Cos, Reach::Constant, "cosine"}},
    {{"tan", "x", 1, 1, Op::Smooth, Reach::Constant, "tangent", smooth_tan}},
    {{"asin", "x", 1, 1, Op::Smooth, Reach::Constant, "inverse sine", smooth_asin}},
    {{"acos", "x", 1, 1, Op::Smooth, Reach::Constant, "inverse cosine", smooth_acos}},
    {{"atan", "x", 1, 1, Op::Smooth, Reach::Constant, "inverse tangent", smooth_atan}},
    {{"atan2", "y, x", 2, 2, Op::Pure, Reach::Constant, "angle of the point (x, y)"}, pure<Atan2>(kSmooth)},
    {{"hypot", "x, y", 2, 2, Op::Pure, Reach::Constant, "sqrt(x^2 + y^2)"}, pure<Hypot>(kSmooth)},
    {{"sqrt", "x", 1, 1, Op::Sqrt, Reach::Constant, "square root"}},
    {{"exp", "x", 1, 1, Op::Exp, Reach::Constant, "exponential"}},
    {{"log", "x", 1, 1, Op::Log, Reach::Constant, "natural logarithm"}},
    {{"tanh", "x", 1, 1, Op::Smooth, Reach::Constant, "hyperbolic tangent", smooth_tanh}},
    {{"abs", "x", 1, 1, Op::Pure, Reach::Constant, "absolute value"}, pure<Abs>(kBranches)},
    {{"sign", "x", 1, 1, Op::Pure, Reach::Constant, "-1, 0 or 1"}, pure<Sign>(kBranches)},
    {{"floor", "x", 1, 1, Op::Pure, Reach::Constant, "largest integer not above x"}, pure<Floor>(kBranches)},
    {{"ceil", "x", 1, 1, Op::Pure, Reach::Constant, "smallest integer not below x"}, pure<Ceil>(kBranches)},
    {{"mod", "x, m", 2, 2, Op::Pure, Reach::Constant, "x - m floor(x / m): the remainder has the sign of m"},
     pure<Mod>(kBranches)},
    {{"min", "a, b, ...", 2, kAny, Op::Min, Reach::Constant, "smallest"}},
    {{"max", "a, b, ...", 2, kAny, Op::Max, Reach::Constant, "largest"}},
    {{"clamp", "x, low, high", 3, 3, Op::Pure, Reach::Constant, "x limited to the range from low to high"},
     pure<Clamp>(kBranches)},
    {{"step", "x", 1, 1, Op::Pure, Reach::Constant, "0 for x < 0, else 1"}, pure<Step>(kBranches)},
    {{"smoothstep", "a, b, x", 3, 3, Op::Pure, Reach::Constant, "0 below a, 1 above b, a cubic in between"},
     pure<Smoothstep>(kBranches)},
    {{"if", "condition, a, b", 3, 3, Op::Conditional, Reach::Constant, "a when the condition holds, else b"}},
    {{"random", "a, ...", 1, 4, Op::Random, Reach::Constant,
      "a number in [0, 1) that depends on the arguments only: the same in every run"}},
    {{"gap", "a, b", 1, 2, Op::Gap, Reach::Run, "smallest signed distance between two bodies, infinite out of reach"}},
    {{"normal_force", "a, b", 1, 2, Op::NormalForce, Reach::Run, "sum of the normal forces between two bodies"}},
    {{"normal_force_min", "a, b", 1, 2, Op::NormalForceMin, Reach::Run,
      "the smallest value that this sum can have: rigid contacts may share a load in more than one way "
      "(theory/contact.md)"}},
    {{"normal_force_max", "a, b", 1, 2, Op::NormalForceMax, Reach::Run,
      "the largest value, likewise; infinite where bodies jam"}},
    {{"friction_force", "a, b", 1, 2, Op::FrictionForce, Reach::Run, "size of the sum of the friction forces"}},
    {{"force_x", "a, b", 1, 2, Op::ForceX, Reach::Run,
      "x of the sum of the contact forces, normal and friction, of b on a (of all bodies that touch it)"}},
    {{"force_y", "a, b", 1, 2, Op::ForceY, Reach::Run, "y likewise"}},
    {{"force_z", "a, b", 1, 2, Op::ForceZ, Reach::Run, "z likewise"}},
    {{"slip_speed", "a, b", 1, 2, Op::SlipSpeed, Reach::Run,
      "largest slip speed among the touching contacts, 0 if none"}},
    {{"contact_x", "a, b", 1, 2, Op::ContactX, Reach::Run,
      "x of the point where two bodies press on each other (the mean of several, weighted by their normal forces), "
      "infinite if they do not"}},
    {{"contact_y", "a, b", 1, 2, Op::ContactY, Reach::Run, "y likewise"}},
    {{"contact_z", "a, b", 1, 2, Op::ContactZ, Reach::Run, "z likewise"}},
    {{"touching", "a, b", 1, 2, Op::Touching, Reach::Run, "1 when the bodies touch, else 0"}},
    {{"sticking", "a, b", 1, 2, Op::Sticking, Reach::Run,
      "1 when they touch and no contact slides (they stick or roll)"}},
    {{"sliding", "a, b", 1, 2, Op::Sliding, Reach::Run, "1 when at least one contact slides"}},
    {{"local_x", "a, frame", 2, 2, Op::LocalX, Reach::State,
      "x of the centre of mass of a in the frame of another body"}},
    {{"local_y", "a, frame", 2, 2, Op::LocalY, Reach::State, "y likewise"}},
    {{"local_z", "a, frame", 2, 2, Op::LocalZ, Reach::State, "z likewise"}},
    {{"local_yaw", "a, frame", 2, 2, Op::LocalYaw, Reach::State,
      "angle of a about the z axis of another body, in (-pi, pi]"}},
    {{"distance", "a, b", 2, 2, Op::Distance, Reach::State, "distance of the centres of mass"}},
    {{"kinetic_energy", "[a]", 0, 1, Op::KineticEnergy, Reach::Run, "of one body, or of all"}},
    {{"potential_energy", "[a]", 0, 1, Op::PotentialEnergy, Reach::Run,
      "in the scene's gravity, of one body or of all"}},
    {{"worst_penetration", "", 0, 0, Op::WorstPenetration, Reach::Run,
      "depth of the deepest overlap of two bodies, by geometry; 0 if none overlap"}},
    {{"contacts", "", 0, 0, Op::Contacts, Reach::Run, "number of contacts that touch"}},
    {{"first_time", "condition", 1, 1, Op::FirstTime, Reach::Run,
      "when the condition first held (nan until then); the time of the contact event inside the step if the stepper "
      "located one, else a comparison is interpolated within the step"}},
    {{"max_over_time", "x", 1, 1, Op::MaxOverTime, Reach::Run, "largest value so far"}},
    {{"min_over_time", "x", 1, 1, Op::MinOverTime, Reach::Run, "smallest value so far"}},
    {{"mean_over_time", "x", 1, 1, Op::MeanOverTime, Reach::Run, "mean over the run so far (trapezoidal rule)"}},
    {{"unwrap", "angle", 1, 1, Op::Unwrap, Reach::Run, "the angle without its jumps by 2 pi"}},
    {{"initial", "x", 1, 1, Op::Initial, Reach::Run, "the value at the start of the run"}},
    {{"rate_over_period", "x, period", 2, 2, Op::RateOverPeriod, Reach::Run,
      "mean rate of change of x over the last full period (over the run so far within the first one)"}},
    {{"mean_over_period", "x, period", 2, 2, Op::MeanOverPeriod, Reach::Run,
      "mean of x over the last full period (over the run so far within the first one)"}},
    {{"sum_every", "x, interval", 2, 2, Op::SumEvery, Reach::Run,
      "sum of the values of x at interval, 2 interval, ... after the start of the run"}},
};

constexpr auto kFunctions = [] {
  std::array<FunctionInfo, std::size(kEntries)> infos{};
  for (std::size_t i = 0; i < infos.size(); ++i) infos[i] = kEntries[i].info;
  return infos;
}();
constexpr auto kPure = [] {
  std::array<PureFunction, std::size(kEntries)> functions{};
  for (std::size_t i = 0; i < functions.size(); ++i) {
    functions[i] = kEntries[i].pure;
    functions[i].arguments = kEntries[i].info.least;
  }
  return functions;
}();

// In the order of BodyComponent.
constexpr BodyVariable kBodyVariables[] = {
    {"x", "position of the centre of mass"},
    {"y", "position of the centre of mass"},
    {"z", "position of the centre of mass"},
    {"vx", "velocity of the centre of mass"},
    {"vy", "velocity of the centre of mass"},
    {"vz", "velocity of the centre of mass"},
    {"angle", "planar bodies: angle about z, not wrapped; spatial bodies: angle of the rotation from the world frame"},
    {"wx", "angular velocity, world frame"},
    {"wy", "angular velocity, world frame"},
    {"wz", "angular velocity, world frame"},
    {"qw", "orientation as a unit quaternion"},
    {"qx", "orientation as a unit quaternion"},
    {"qy", "orientation as a unit quaternion"},
    {"qz", "orientation as a unit quaternion"},
    {"yaw", "last of the Euler angles: about the world's z axis"},
    {"pitch", "second of the Euler angles, in [-pi/2, pi/2]"},
    {"roll", "first of the Euler angles: about the body's x axis"},
    {"speed", "length of the velocity"},
};

}  // namespace

const PureFunction& pure_function(int place) {
  return kPure[static_cast<std::size_t>(place)];
}

std::span<const FunctionInfo> functions() {
  return kFunctions;
}
std::span<const BodyVariable> body_variables() {
  return kBodyVariables;
}

bool is_identifier(std::string_view name) {
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0) return false;
  return std::ranges::all_of(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; });
}

bool is_reserved_name(std::string_view name) {
  static constexpr std::array<std::string_view, 5> kReserved = {"t", "pi", "true", "false", "free"};
  if (std::ranges::find(kReserved, name) != kReserved.end()) return true;
  if (std::ranges::any_of(units(), [&](const Unit& unit) { return name == unit.name; })) return true;
  // Asked for every parameter of every scene of a study: the first letter decides nearly always.
  return std::ranges::any_of(kFunctions,
                             [&](const FunctionInfo& f) { return name.starts_with(f.name[0]) && name == f.name; });
}

}  // namespace stickslip::expression
