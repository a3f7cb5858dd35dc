// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Models of the mechanical problems that the tests are named after, built without scene files.
#pragma once

#include "stickslip/model/model.h"

#include <array>
#include <cmath>
#include <memory>
#include <numbers>

namespace stickslip::testing {

inline void same_surface_everywhere(model::Model& model, const model::Surface& surface) {
  model.surfaces = {surface};
  model.laws = model::PairLaws(model.bodies.size(), 0);
}

inline model::Surface friction(double mu) {
  return {mu, mu, 0, {}, {}};
}
inline model::Surface friction(double mu_s, double mu_k) {
  return {mu_s, mu_k, 0, {}, {}};
}

inline model::PlacedShape placed(model::Shape shape) {
  return {std::move(shape), {}};
}

// A half-space that does not move: mass 0 and no drive.
inline model::Body floor(const Vec3& normal, model::BodyKind kind = model::BodyKind::Spatial) {
  model::Body body;
  body.name = "floor";
  body.kind = kind;
  body.shapes = {placed(model::HalfSpace{normal.normalized(), 0})};
  return body;
}

inline Mat3 box_inertia(double m, const Vec3& size) {
  const Vec3 s = size.cwiseProduct(size);
  return (m / 12 * Vec3(s.y() + s.z(), s.z() + s.x(), s.x() + s.y())).asDiagonal();
}

inline std::vector<Vec3> box_corners(const Vec3& size) {
  std::vector<Vec3> corners;
  for (int k = 0; k < 8; ++k)
    corners.push_back(0.5 *
                      Vec3(k & 1 ? size.x() : -size.x(), k & 2 ? size.y() : -size.y(), k & 4 ? size.z() : -size.z()));
  return corners;
}

// The ball of Song, Kumar and Pang 2005: a shot with spin on a floor (SI).
inline model::Model ball(double mu = 0.2, const Vec3& v = {1, 0.5, 0}, const Vec3& w = {40, -20, -10}) {
  model::Model model;
  model.gravity = Vec3(0, 0, -9.8);
  model::Body body;
  body.name = "ball";
  body.mass = 0.2;
  const double r = 0.05;
  body.inertia = 0.4 * body.mass * r * r * Mat3::Identity();
  body.shapes = {placed(model::Sphere{r})};
  body.initial.pose.position = Vec3(0, 0, r);
  body.initial.velocity = {v, w};
  model.bodies = {body, floor(Vec3::UnitZ())};
  same_surface_everywhere(model, friction(mu));
  return model;
}

// A box of 1 kg on a slope of the given tangent; down-slope is +x of the slope frame.
inline model::Model incline(double tangent, double mu, double mass = 1) {
  model::Model model;
  model.gravity = Vec3(0, 0, -9.81);
  const double angle = std::atan(tangent);
  const Quat tilt(Eigen::AngleAxisd(angle, Vec3::UnitY()));
  const Vec3 size(0.4, 0.3, 0.2);
  model::Body box;
  box.name = "box";
  box.mass = mass;
  box.inertia = box_inertia(mass, size);
  box.shapes = {placed(model::PointSet{box_corners(size)})};
  box.initial.pose.orientation = tilt;
  box.initial.pose.position = tilt * Vec3(0, 0, 0.1);
  model.bodies = {box, floor(tilt * Vec3::UnitZ())};
  same_surface_everywhere(model, friction(mu));
  return model;
}
inline double slide_along(const model::Model& model, const model::State& state) {
  const Vec3 n = std::get<model::HalfSpace>(model.bodies[1].shapes[0].shape).normal;
  const Vec3 down = (model.gravity - model.gravity.dot(n) * n).normalized();
  return down.dot(state.bodies[0].pose.position - model.bodies[0].initial.pose.position);
}

// A box between two jaws that are pushed together; the jaws move along x only.
inline model::Model pinch(double force, double mu, double mass = 1) {
  model::Model model;
  model.gravity = Vec3(0, 0, -9.81);
  const Vec3 size(0.1, 0.1, 0.1);
  model::Body box;
  box.name = "box";
  box.mass = mass;
  box.inertia = box_inertia(mass, size);
  box.shapes = {placed(model::PointSet{box_corners(size)})};
  model.bodies = {box};
  for (double side : {-1.0, 1.0}) {
    model::Body jaw;
    jaw.name = side < 0 ? "left" : "right";
    jaw.mass = 1;
    jaw.inertia = Mat3::Identity();
    jaw.shapes = {placed(model::HalfSpace{Vec3(-side, 0, 0), 0})};
    jaw.initial.pose.position = Vec3(side * 0.05, 0, 0);
    jaw.drive.translation[1] = jaw.drive.translation[2] = [](double) { return model::TimeJet{}; };
    jaw.drive.orientation = [](double) { return model::OrientationJet{}; };
    jaw.forces = {[=](const model::State&, model::Wrench& wrench) { wrench.force.x() -= side * force; }};
    model.bodies.push_back(jaw);
  }
  same_surface_everywhere(model, friction(mu));
  const model::PairLaws::Rule jaws_never_meet{{1}, {2}, model::PairLaws::kNever};
  model.laws = model::PairLaws(3, 0, {&jaws_never_meet, 1});
  return model;
}

// Leong and Lv: a metre stick on two fingers, the left one moving right (plane, SI). The stick's lower face is a
// half-plane.
inline model::Model meter_stick(double speed, double mu_s, double mu_k, double half_thickness = 0.0025) {
  model::Model model;
  model.dimension = 2;
  model.gravity = Vec3(0, -9.8, 0);
  model::Body stick;
  stick.name = "stick";
  stick.kind = model::BodyKind::Planar;
  stick.mass = 0.2;
  stick.inertia(2, 2) = 0.2 / 12;
  stick.shapes = {placed(model::HalfSpace{-Vec3::UnitY(), half_thickness})};
  stick.initial.pose.position = Vec3(0, half_thickness, 0);
  model.bodies = {stick};
  for (int k = 0; k < 2; ++k) {
    model::Body finger;
    finger.name = k == 0 ? "left" : "right";
    finger.kind = model::BodyKind::Particle2;
    finger.shapes = {placed(model::PointSet{{Vec3::Zero()}})};
    finger.initial.pose.position = Vec3(k == 0 ? -0.4 : 0.4, 0, 0);
    if (k == 0) {
      finger.drive.translation[0] = [speed](double t) { return model::TimeJet{-0.4 + speed * t, speed, 0}; };
      finger.drive.translation[1] = [](double) { return model::TimeJet{}; };
    }
    model.bodies.push_back(finger);
  }
  same_surface_everywhere(model, friction(mu_s, mu_k));
  return model;
}

// Berard, Nguyen, Trinkle and Anderson 2010: acceleration amplitudes (cm/s^2, rad/s^2) and phases of a plate that
// vibrates at 33 Hz.
struct PlateMotion {
  std::array<double, 6> amplitude{}, phase{};
  static constexpr double kOmega = 66 * std::numbers::pi;

  [[nodiscard]] Vec3 angular_velocity(double t) const {
    Vec3 w;
    for (int k = 0; k < 3; ++k) w[k] = -amplitude[3 + k] * std::cos(kOmega * t + phase[3 + k]) / kOmega;
    return w;
  }
  [[nodiscard]] Vec3 angular_acceleration(double t) const {
    Vec3 a;
    for (int k = 0; k < 3; ++k) a[k] = amplitude[3 + k] * std::sin(kOmega * t + phase[3 + k]);
    return a;
  }
  [[nodiscard]] model::TimeFunction translation(int axis) const {
    const double A = amplitude[axis], C = phase[axis];
    return [=](double t) {
      const double x = kOmega * t + C;
      return model::TimeJet{-A * std::sin(x) / (kOmega * kOmega), -A * std::cos(x) / kOmega, A * std::sin(x)};
    };
  }
  // One axis in closed form; more by a table of Runge-Kutta steps from `start`, refined from the nearest entry.
  [[nodiscard]] model::OrientationFunction orientation(const Quat& start, double duration) const {
    const PlateMotion self = *this;
    if (amplitude[3] == 0 && amplitude[4] == 0)
      return [self](double t) {
        const double a = -self.amplitude[5] * std::sin(kOmega * t + self.phase[5]) / (kOmega * kOmega);
        return model::OrientationJet{Quat(std::cos(a / 2), 0, 0, std::sin(a / 2)), self.angular_velocity(t),
                                     self.angular_acceleration(t)};
      };
    constexpr double dt = 2e-5;
    auto table = std::make_shared<std::vector<Quat>>(1, start);
    for (double t = 0; t < duration + 1e-2; t = static_cast<double>(table->size() - 1) * dt)
      table->push_back(self.rk4(table->back(), t, dt));
    return [self, table](double t) {
      const auto k = std::min(static_cast<std::size_t>(std::max(0.0, t / dt)), table->size() - 1);
      const double t0 = static_cast<double>(k) * dt;
      return model::OrientationJet{self.rk4((*table)[k], t0, t - t0), self.angular_velocity(t),
                                   self.angular_acceleration(t)};
    };
  }

 private:
  [[nodiscard]] Quat rk4(const Quat& q, double t, double h) const {
    const auto rate = [](const Eigen::Vector4d& x, const Vec3& w) -> Eigen::Vector4d {
      Quat p;
      p.coeffs() = x;
      return 0.5 * (Quat(0, w.x(), w.y(), w.z()) * p).coeffs();
    };
    const Vec3 w0 = angular_velocity(t), wm = angular_velocity(t + h / 2), w1 = angular_velocity(t + h);
    const Eigen::Vector4d x = q.coeffs(), k1 = rate(x, w0), k2 = rate(x + h / 2 * k1, wm),
                          k3 = rate(x + h / 2 * k2, wm), k4 = rate(x + h * k3, w1);
    Quat next;
    next.coeffs() = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    return next.normalized();
  }
};

// A particle (or a rigid set of points) on that plate, at rest against it at (x, y) of the plate's frame. Units cm, g,
// s.
inline model::Model plate_part(const PlateMotion& motion, double x, double y, const std::vector<Vec3>& points,
                               double mass, const Mat3& inertia, double mu = 0.3, const Quat& start = Quat::Identity(),
                               double duration = 6) {
  model::Model model;
  model.gravity = Vec3(0, 0, -980.665);
  model::Body plate;
  plate.name = "plate";
  plate.shapes = {placed(model::HalfSpace{Vec3::UnitZ(), 0})};
  for (int k = 0; k < 3; ++k) plate.drive.translation[k] = motion.translation(k);
  plate.drive.orientation = motion.orientation(start, duration);
  const model::OrientationJet turn = plate.drive.orientation(0);
  Vec3 p, v;
  for (int k = 0; k < 3; ++k) p[k] = plate.drive.translation[k](0).value, v[k] = plate.drive.translation[k](0).rate;

  model::Body part;
  part.name = "part";
  part.kind = points.size() == 1 ? model::BodyKind::Particle3 : model::BodyKind::Spatial;
  part.mass = mass;
  part.inertia = inertia;
  part.shapes = {placed(model::PointSet{points})};
  const double height = points.size() == 1 ? 0 : -points[0].z();
  const Vec3 arm = turn.orientation * Vec3(x, y, height);
  part.initial.pose.position = p + arm;
  part.initial.velocity.linear = v + turn.angular_velocity.cross(arm);
  if (points.size() > 1) {
    part.initial.pose.orientation = turn.orientation;
    part.initial.velocity.angular = turn.angular_velocity;
  }
  model.bodies = {plate, part};
  same_surface_everywhere(model, friction(mu));
  return model;
}
inline model::Model plate_particle(const PlateMotion& motion, double x, double y, double mu = 0.3,
                                   const Quat& start = Quat::Identity()) {
  return plate_part(motion, x, y, {Vec3::Zero()}, 1, Mat3::Identity(), mu, start);
}
inline Vec3 in_plate_frame(const model::State& state) {
  const model::Pose& plate = state.bodies[0].pose;
  return plate.orientation.conjugate() * (state.bodies[1].pose.position - plate.position);
}

// A planar rectangle dropped on its corner (SI).
inline model::Model peg(double mu, double height, double tilt, double width = 0.1,
                        double thickness = std::sqrt(0.002)) {
  model::Model model;
  model.dimension = 2;
  model.gravity = Vec3(0, -9.8, 0);
  model::Body body;
  body.name = "peg";
  body.kind = model::BodyKind::Planar;
  body.mass = 0.2;
  body.inertia(2, 2) = body.mass / 12 * (width * width + thickness * thickness);
  std::vector<Vec3> corners;
  for (int k = 0; k < 4; ++k)
    corners.push_back(0.5 * Vec3(k == 0 || k == 3 ? -width : width, k < 2 ? -thickness : thickness, 0));
  body.shapes = {placed(model::PointSet{corners})};
  body.initial.pose.position = Vec3(0, height, 0);
  body.initial.angle = tilt;
  body.initial.pose.orientation = Quat(std::cos(tilt / 2), 0, 0, std::sin(tilt / 2));
  model.bodies = {body, floor(Vec3::UnitY(), model::BodyKind::Planar)};
  same_surface_everywhere(model, friction(mu));
  return model;
}

}  // namespace stickslip::testing
