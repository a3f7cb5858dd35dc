// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/model/model_builder.h"

#include "stickslip/model/mass_properties.h"
#include "stickslip/model/name_pattern.h"
#include "stickslip/model/polygon_checks.h"
#include "stickslip/model/primitives.h"

#include <fmt/format.h>

#include <cmath>
#include <set>
#include <stdexcept>
#include <type_traits>

namespace stickslip::model {
namespace {

template <class T, class... Kinds>
constexpr bool is_one_of = (std::is_same_v<T, Kinds> || ...);

// 0: any dimension.
int dimension_of(const Shape& shape) {
  return std::visit(
      [](const auto& s) {
        using T = std::remove_cvref_t<decltype(s)>;
        if constexpr (is_one_of<T, PointSet, HalfSpace>) return 0;
        return is_one_of<T, Disc, Polygon, Chain, Superellipse> ? 2 : 3;
      },
      shape);
}

// Empty, or what is wrong with the sizes of a shape.
std::string objection_to(const Shape& shape) {
  const auto positive = [](std::initializer_list<double> sizes) {
    for (const double size : sizes)
      if (!(size > 0) || !std::isfinite(size)) return "a shape whose size is not positive";
    return "";
  };
  return std::visit(
      [&](const auto& s) -> std::string {
        using T = std::remove_cvref_t<decltype(s)>;
        if constexpr (is_one_of<T, Disc, Sphere>) return positive({s.radius});
        if constexpr (std::is_same_v<T, Cylinder>) return positive({s.radius, s.half_length});
        if constexpr (std::is_same_v<T, Capsule>)
          return s.half_length >= 0 ? positive({s.radius}) : "a capsule of negative length";
        if constexpr (std::is_same_v<T, Superellipse>) return positive({s.a, s.b, s.exponent - 1});
        if constexpr (std::is_same_v<T, Superellipsoid>)
          return positive({s.a, s.b, s.c, s.exponent_xy - 1, s.exponent_z - 1});
        if constexpr (std::is_same_v<T, Polygon>) return polygon_problem(s);
        if constexpr (std::is_same_v<T, Chain>) return chain_problem(s);
        if constexpr (std::is_same_v<T, HalfSpace>)
          return s.normal.allFinite() && s.normal.norm() > 0 && std::isfinite(s.offset) ? ""
                                                                                        : "a half-space without normal";
        if constexpr (std::is_same_v<T, Polyhedron>)
          return s.vertices.size() >= 4 && s.faces.size() >= 4 ? "" : "a polyhedron with fewer than four faces";
        return "";
      },
      shape);
}

}  // namespace

BodyBuilder::BodyBuilder(std::string name, int dimension) {
  body_.name = std::move(name);
  body_.kind = dimension == 2 ? BodyKind::Planar : BodyKind::Spatial;
}

BodyBuilder& BodyBuilder::shape(Shape shape, const Pose& pose) {
  body_.shapes.push_back({std::move(shape), pose});
  return *this;
}

BodyBuilder& BodyBuilder::particle() {
  body_.kind = body_.planar() ? BodyKind::Particle2 : BodyKind::Particle3;
  return shape(PointSet{{Vec3::Zero()}});
}

BodyBuilder& BodyBuilder::box(const Vec3& size) {
  if (!(size.head(body_.planar() ? 2 : 3).minCoeff() > 0)) refuse("a box whose sizes are not positive");
  return body_.planar() ? shape(make_rectangle(size.x(), size.y())) : shape(make_box(size));
}

BodyBuilder& BodyBuilder::half_space(const Vec3& normal, double offset) {
  return shape(HalfSpace{normal.normalized(), offset});
}

BodyBuilder& BodyBuilder::polygon(std::vector<Vec2> corners) {
  Polygon polygon{{std::move(corners)}};
  orient_loops(polygon);
  return shape(std::move(polygon));
}

BodyBuilder& BodyBuilder::mass(double mass) {
  mass_ = mass;
  return *this;
}

BodyBuilder& BodyBuilder::density(double density) {
  density_ = density;
  return *this;
}

BodyBuilder& BodyBuilder::inertia(const Mat3& about_centre) {
  inertia_ = about_centre;
  return *this;
}

BodyBuilder& BodyBuilder::position(const Vec3& origin) {
  body_.initial.pose.position = origin;
  return *this;
}

BodyBuilder& BodyBuilder::orientation(const Quat& orientation) {
  body_.initial.pose.orientation = orientation.normalized();
  return *this;
}

BodyBuilder& BodyBuilder::angle(double about_z) {
  body_.initial.angle = about_z;
  body_.initial.pose.orientation = Quat(std::cos(0.5 * about_z), 0, 0, std::sin(0.5 * about_z));
  return *this;
}

BodyBuilder& BodyBuilder::velocity(const Vec3& velocity) {
  body_.initial.velocity.linear = velocity;
  return *this;
}

BodyBuilder& BodyBuilder::angular_velocity(const Vec3& angular_velocity) {
  body_.initial.velocity.angular = angular_velocity;
  return *this;
}

BodyBuilder& BodyBuilder::fixed() {
  fixed_ = true;
  return *this;
}

BodyBuilder& BodyBuilder::drive(Drive drive) {
  body_.drive = std::move(drive);
  return *this;
}

BodyBuilder& BodyBuilder::force(ForceFunction force) {
  body_.forces.push_back(std::move(force));
  return *this;
}

BodyBuilder& BodyBuilder::damping(double linear, double angular) {
  body_.linear_damping = linear;
  body_.angular_damping = angular;
  return *this;
}

void BodyBuilder::refuse(const std::string& why) const {
  throw std::invalid_argument(fmt::format("body '{}' has {}", body_.name, why));
}

void BodyBuilder::check_shapes() const {
  const int own = body_.planar() ? 2 : 3;
  for (const PlacedShape& placed : body_.shapes) {
    const int dimension = dimension_of(placed.shape);
    if (dimension != 0 && dimension != own)
      refuse(fmt::format("a shape of dimension {} in a model of dimension {}", dimension, own));
    if (const std::string why = objection_to(placed.shape); !why.empty()) refuse(why);
  }
  if (!body_.rotates() && body_.shapes.size() > 1) refuse("a point that does not turn, and other shapes");
}

// Mass and inertia, and the origin of the body's frame moved to the centre of mass.
void BodyBuilder::set_mass(Body& body) const {
  if (mass_ && density_) refuse("both a mass and a density");
  if (mass_ && !(*mass_ > 0 && std::isfinite(*mass_))) refuse("a mass that is not positive");
  if (density_ && !(*density_ > 0 && std::isfinite(*density_))) refuse("a density that is not positive");
  const std::optional<MassProperties> uniform = uniform_body(body.shapes);
  if (density_ && !uniform) refuse("a density but no solid shape");
  if (!mass_ && !density_) refuse("no mass: give mass(), or density() with a solid shape, or say fixed()");
  body.mass = mass_ ? *mass_ : *density_ * uniform->mass;
  if (uniform) {
    for (PlacedShape& shape : body.shapes) shape.pose.position -= uniform->centre;
    body.initial.pose.position += body.initial.pose.orientation * uniform->centre;
  }
  if (!body.rotates()) return;
  if (!inertia_ && !uniform) refuse("no inertia: give inertia(), or a solid shape");
  body.inertia = inertia_ ? *inertia_ : (body.mass / uniform->mass) * uniform->inertia;
  const bool regular = body.planar() ? body.inertia(2, 2) > 0 : body.inertia.ldlt().isPositive();
  if (!body.inertia.allFinite() || !regular) refuse("an inertia that is not positive");
}

Body BodyBuilder::finish() const {
  check_shapes();
  Body body = body_;
  const BodyState& start = body.initial;
  if (!start.pose.position.allFinite() || !start.pose.orientation.coeffs().allFinite() ||
      !start.velocity.linear.allFinite() || !start.velocity.angular.allFinite())
    refuse("a start that is not finite");
  if (body.planar() &&
      (start.pose.position.z() != 0 || start.velocity.linear.z() != 0 ||
       start.velocity.angular.head<2>() != Vec2::Zero() || start.pose.orientation.vec().head<2>() != Vec2::Zero()))
    refuse("a start outside the plane: positions are (x, y, 0), turning is about z");
  if (!(body.linear_damping >= 0) || !(body.angular_damping >= 0)) refuse("a negative damping");
  if (!fixed_) {
    set_mass(body);
    return body;
  }
  if (mass_ || density_ || inertia_) refuse("a mass although it is fixed");
  if (start.velocity.linear != Vec3::Zero() || start.velocity.angular != Vec3::Zero())
    refuse("a velocity although it is fixed");
  return body;  // without mass and drive it stands still
}

ContactBuilder& ContactBuilder::friction(double of_rest, double of_sliding) {
  surface_.friction_static = of_rest;
  surface_.friction_kinetic = of_sliding;
  return *this;
}

ContactBuilder& ContactBuilder::restitution(double restitution, ImpactLaw law) {
  surface_.restitution = restitution;
  surface_.impact = law;
  return *this;
}

ContactBuilder& ContactBuilder::compliance(const Compliance& compliance) {
  surface_.compliance = compliance;
  return *this;
}

ContactBuilder& ContactBuilder::disabled() {
  enabled_ = false;
  return *this;
}

void ContactBuilder::check() const {
  const auto refuse = [this](const char* why) {
    throw std::invalid_argument(fmt::format("the contact between '{}' and '{}' has {}", first_, second_, why));
  };
  const Surface& s = surface_;
  if (!(s.friction_kinetic >= 0) || !std::isfinite(s.friction_static)) refuse("a negative or infinite friction");
  if (s.friction_kinetic > s.friction_static) refuse("a kinetic friction above its static friction");
  if (!(s.restitution >= 0 && s.restitution <= 1)) refuse("a restitution outside 0 to 1");
  const Compliance& c = s.compliance;
  for (const double x : {c.stiffness_normal, c.stiffness_tangential, c.damping_normal, c.damping_tangential})
    if (!(x >= 0) || !std::isfinite(x)) refuse("a negative or infinite stiffness or damping");
  if (c.damping_normal > 0 && !(c.stiffness_normal > 0)) refuse("damping but no stiffness");
  if (s.restitution > 0 && !(c == Compliance{})) refuse("both stiffness and restitution");
}

ModelBuilder::ModelBuilder(int dimension) : dimension_(dimension) {
  if (dimension != 2 && dimension != 3) throw std::invalid_argument("a model has dimension 2 or 3");
}

ModelBuilder& ModelBuilder::gravity(const Vec3& acceleration) {
  gravity_ = acceleration;
  return *this;
}

BodyBuilder& ModelBuilder::body(std::string name) {
  return bodies_.emplace_back(std::move(name), dimension_);
}

ContactBuilder& ModelBuilder::contact(std::string first, std::string second) {
  return contacts_.emplace_back(std::move(first), std::move(second));
}

std::vector<int> ModelBuilder::select(std::string_view pattern, const Model& model) const {
  std::vector<int> selected;
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (matches(pattern, model.bodies[i].name)) selected.push_back(static_cast<int>(i));
  if (selected.empty() && pattern.find('*') == std::string_view::npos)
    throw std::invalid_argument(fmt::format("a contact names the body '{}', which does not exist", pattern));
  return selected;
}

Model ModelBuilder::finish() const {
  Model model;
  model.dimension = dimension_;
  model.gravity = gravity_;
  if (!gravity_.allFinite() || (dimension_ == 2 && gravity_.z() != 0))
    throw std::invalid_argument("gravity must be finite, and in a model of dimension 2 lie in the plane");
  std::set<std::string_view> names;
  for (const BodyBuilder& body : bodies_) {
    if (!names.insert(body.name()).second)
      throw std::invalid_argument(fmt::format("two bodies are called '{}'", body.name()));
    model.bodies.push_back(body.finish());
  }
  model.surfaces = {Surface{}};
  std::vector<PairLaws::Rule> rules;
  for (const ContactBuilder& contact : contacts_) {
    contact.check();
    const int law = contact.enabled_ ? static_cast<int>(model.surfaces.size()) : PairLaws::kNever;
    if (contact.enabled_) model.surfaces.push_back(contact.surface_);
    rules.push_back({select(contact.first_, model), select(contact.second_, model), law});
  }
  model.laws = PairLaws(model.bodies.size(), 0, rules);
  return model;
}

}  // namespace stickslip::model
