// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What is constant during a run: bodies, their shapes and mass, what drives them, and the laws between them.
// A Model is made once (by scene/ or by a program) and then only read.
#pragma once

#include "stickslip/model/pair_laws.h"
#include "stickslip/model/shape.h"
#include "stickslip/model/state.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace stickslip::model {

// A function of time with its first and second derivative, so that a prescribed position also gives velocity and
// acceleration exactly.
struct TimeJet {
  double value = 0, rate = 0, second = 0;
};
using TimeFunction = std::function<TimeJet(double t)>;

struct OrientationJet {
  Quat orientation = Quat::Identity();
  Vec3 angular_velocity = Vec3::Zero(), angular_acceleration = Vec3::Zero();
};
using OrientationFunction = std::function<OrientationJet(double t)>;

struct Wrench {
  Vec3 force = Vec3::Zero();   // at the centre of mass, world frame
  Vec3 torque = Vec3::Zero();  // world frame
};
// Adds to `wrench` what acts on one body; may read the whole state (time included).
using ForceFunction = std::function<void(const State& state, Wrench& wrench)>;

// How each degree of freedom of a body is governed. Translations are along world axes. Free ones obey Newton's law,
// prescribed ones follow a function of time whatever the contacts do (their inverse mass is zero).
struct Drive {
  std::array<TimeFunction, 3> translation;  // empty: free
  TimeFunction angle;                       // planar rotation about z; empty: free
  OrientationFunction orientation;          // spatial rotation as a whole; empty: free
  std::array<bool, 3> rotation_locked{};    // spatial: no angular velocity about these world axes

  // Times at which the prescribed functions are not smooth (start, end or corner of a motion), ascending.
  std::vector<double> breakpoints;
};

// What a planar body stands on, when the plane of motion is itself a surface (2.5D): points that press with given loads
// on a plane parallel to the motion, and rub on it.
struct Support {
  struct Point {
    Vec3 position = Vec3::Zero();  // body frame
    double load = 0;               // >= 0, force out of the plane
  };
  std::vector<Point> points;  // empty: nothing is below the body
  double friction = 0;        // coefficient
  int on = -1;                // body whose motion the plane follows; -1: it stands still
};

enum class BodyKind : std::uint8_t { Particle2, Planar, Particle3, Spatial };

struct Body {
  std::string name;
  BodyKind kind = BodyKind::Spatial;
  std::vector<PlacedShape> shapes;
  double mass = 0;              // 0 only when every degree of freedom is prescribed
  Mat3 inertia = Mat3::Zero();  // about the centre of mass, body frame; planar bodies use (2,2) only
  BodyState initial;
  Drive drive;
  std::vector<ForceFunction> forces;               // besides gravity
  double linear_damping = 0, angular_damping = 0;  // force = -damping * velocity (first-order and 2.5D models too)
  Support support;

  [[nodiscard]] bool planar() const { return kind == BodyKind::Particle2 || kind == BodyKind::Planar; }
  [[nodiscard]] bool rotates() const { return kind == BodyKind::Planar || kind == BodyKind::Spatial; }
};

// The elements into which the layer at a contact is divided: n in a row (plane) or n x n (space) on a square about the
// contact point. Matrices couple the deformations of all of them; symmetric, stiffness positive definite.
struct Patch {
  int side = 1;              // n
  double size = 0;           // of the square
  double radius = 0;         // of curvature of the gap beside the contact point; 0: flat
  Eigen::MatrixXd K_n, K_t;  // stiffness, force per length; K_t empty: K_n is of all directions (contact/patch.h)
  Eigen::MatrixXd C_n, C_t;  // damping, force per speed; likewise
};

// A visco-elastic layer between two bodies: force = stiffness * deformation + damping * its rate (Kelvin-Voigt), along
// the normal and along the tangents. Without stiffness and damping in a direction, the contact is rigid in it.
struct Compliance {
  double stiffness_normal = 0, stiffness_tangential = 0;  // force per length
  double damping_normal = 0, damping_tangential = 0;      // force per speed
  std::shared_ptr<const Patch> patch;                     // null: lumped, the numbers above
  friend bool operator==(const Compliance&, const Compliance&) = default;
};

// What an impact gives back: a share of the approach speed, of the impulse of compression, or of its work.
enum class ImpactLaw : std::uint8_t { Newton, Poisson, Stronge };

// The law between two bodies that may touch.
struct Surface {
  double friction_static = 0, friction_kinetic = 0;  // coefficients, static >= kinetic >= 0
  double restitution = 0;                            // 0 .. 1
  ImpactLaw impact = ImpactLaw::Newton;
  Compliance compliance;
  friend bool operator==(const Surface&, const Surface&) = default;
};

struct Model {
  int dimension = 3;  // 2: all bodies planar, contacts have one tangent; 3: spatial
  Vec3 gravity = Vec3::Zero();
  std::vector<Body> bodies;

  // surfaces[laws.between(a, b)] is the law between a and b; PairLaws::kNever: the pair never touches.
  std::vector<Surface> surfaces;
  PairLaws laws;

  [[nodiscard]] int surface_between(int a, int b) const { return laws.between(a, b); }
};

// Sets the pose and velocity of every prescribed degree of freedom to its value at `time` (others are left alone).
void apply_drive(const Drive& drive, double time, BodyState& body);
void apply_drives(const Model& model, double time, State& state);

// The state in which a run starts.
[[nodiscard]] State initial_state(const Model& model);

}  // namespace stickslip::model
