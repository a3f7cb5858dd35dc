// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A model made by a program, with the words of a scene file:
//
//     ModelBuilder build(3);
//     build.gravity({0, 0, -9.81});
//     build.body("floor").half_space(Vec3::UnitZ()).fixed();
//     build.body("ball").sphere(0.05).density(1000).position({0, 0, 0.5});
//     build.contact("*", "*").friction(0.3).restitution(0.5);
//     const Model model = build.finish();
//
// Nothing is checked before finish(), which throws std::invalid_argument with one line on the first mistake. Bodies get
// their index in Model::bodies and State::bodies in the order in which they were added. Units are the caller's, as long
// as they are consistent.
#pragma once

#include "stickslip/model/model.h"

#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace stickslip::model {

// One body. Shapes are written in a frame of the body; the centre of mass is found from them.
class BodyBuilder {
 public:
  BodyBuilder(std::string name, int dimension);

  // Shapes, several make a compound. `pose`: shape frame -> frame of the body.
  BodyBuilder& shape(Shape shape, const Pose& pose = {});
  BodyBuilder& particle();  // a point that does not turn
  BodyBuilder& sphere(double radius) { return shape(Sphere{radius}); }
  BodyBuilder& disc(double radius) { return shape(Disc{radius}); }
  BodyBuilder& box(const Vec3& size);                              // full sizes; in the plane z is ignored
  BodyBuilder& half_space(const Vec3& normal, double offset = 0);  // in the plane: half-plane
  BodyBuilder& polygon(std::vector<Vec2> corners);                 // plane, either way round
  BodyBuilder& cylinder(double radius, double length) { return shape(Cylinder{radius, 0.5 * length}); }  // along z
  BodyBuilder& capsule(double radius, double length) { return shape(Capsule{radius, 0.5 * length}); }    // along z

  // Mass by one of the two. Without inertia() it is that of a uniform body.
  BodyBuilder& mass(double mass);
  BodyBuilder& density(double density);
  BodyBuilder& inertia(const Mat3& about_centre);  // body frame; in the plane only (2, 2) is read

  // How it starts: the origin of the frame in which the shapes are written, and the velocity of the centre of mass.
  BodyBuilder& position(const Vec3& origin);
  BodyBuilder& orientation(const Quat& orientation);  // space
  BodyBuilder& angle(double about_z);                 // plane
  BodyBuilder& velocity(const Vec3& velocity);
  BodyBuilder& angular_velocity(const Vec3& angular_velocity);

  BodyBuilder& fixed();             // does not move
  BodyBuilder& drive(Drive drive);  // prescribed motion; positions are those of the centre of mass
  BodyBuilder& force(ForceFunction force);
  BodyBuilder& damping(double linear, double angular);

  [[nodiscard]] const std::string& name() const { return body_.name; }
  [[nodiscard]] Body finish() const;  // throws std::invalid_argument

 private:
  [[noreturn]] void refuse(const std::string& why) const;
  void check_shapes() const;
  void set_mass(Body& body) const;

  Body body_;
  std::optional<double> mass_, density_;
  std::optional<Mat3> inertia_;
  bool fixed_ = false;
};

// The law between the bodies that two patterns name.
class ContactBuilder {
 public:
  ContactBuilder(std::string first, std::string second) : first_(std::move(first)), second_(std::move(second)) {}

  ContactBuilder& friction(double coefficient) { return friction(coefficient, coefficient); }
  ContactBuilder& friction(double of_rest, double of_sliding);
  ContactBuilder& restitution(double restitution, ImpactLaw law = ImpactLaw::Newton);
  ContactBuilder& compliance(const Compliance& compliance);  // for the steppers song-pang-kumar and runge-kutta
  ContactBuilder& disabled();                                // the bodies pass through each other

 private:
  friend class ModelBuilder;
  void check() const;

  std::string first_, second_;
  Surface surface_;
  bool enabled_ = true;
};

class ModelBuilder {
 public:
  explicit ModelBuilder(int dimension);  // 2 or 3

  ModelBuilder& gravity(const Vec3& acceleration);
  // References stay valid while the builder lives.
  BodyBuilder& body(std::string name);
  // Names of bodies, in which * stands for any text; later contacts override earlier ones. Pairs that no contact names
  // touch without friction and restitution.
  ContactBuilder& contact(std::string first, std::string second);

  [[nodiscard]] Model finish() const;  // throws std::invalid_argument

 private:
  [[nodiscard]] std::vector<int> select(std::string_view pattern, const Model& model) const;

  int dimension_;
  Vec3 gravity_ = Vec3::Zero();
  std::deque<BodyBuilder> bodies_;
  std::deque<ContactBuilder> contacts_;
};

}  // namespace stickslip::model
