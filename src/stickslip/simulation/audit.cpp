// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/simulation/audit.h"

#include "stickslip/contact/compliance.h"
#include "stickslip/model/described_force.h"
#include "stickslip/stepping/bending.h"
#include "stickslip/stepping/motion.h"
#include "stickslip/stepping/stepper_traits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

namespace stickslip::simulation {

using stepping::index;
using stepping::StepReport;
using stepping::World;

namespace {

constexpr double kDepth = 1e-2;  // of the thickness
constexpr double kGain = 1e-5;   // of the largest kinetic energy, in one step
// The same where less is known: steps that were divided (what their earlier parts pushed apart), drives under steppers of
// higher order (the forces are those of an instant), rows of the end of the step (they gain in the order of the step).
constexpr double kGainRoughly = 1e-3;
// The same summed up over the run: many gains that pass one by one. 5e-2 where single steps may gain 1e-3.
constexpr double kGainInAll = 2e-3, kGainInAllRoughly = 5e-2;
constexpr double kUnseen = 1e-5;    // of the thickness: what contacts may overlap by where an impact begins
constexpr double kMomentum = 1e-4;  // of the impulses on a body
// The same for steppers of higher order: they tell the forces of an instant of the step, which change within it.
constexpr double kMomentumOfOrder = 1e-2;
constexpr double kTotal = 1e-2;        // of what has been in motion: compliant contacts, over the whole run
constexpr double kFar = 1e6;           // scene sizes
constexpr std::size_t kMostPairs = 8;  // looked at after one step with events

// Steppers that follow how far a surface deforms. Others take surfaces as rigid, but for springs along normals.
bool follows_deformation(const World& world, const model::Surface& surface) {
  return stepping::traits_of(world.method.stepper).compliant && contact::is_compliant(surface.compliance);
}
bool has_spring(const World& world, const model::Surface& surface) {
  return world.method.compliance == stepping::SoftContacts::Normal && surface.compliance.stiffness_normal > 0;
}

constexpr const char* kStores = "compliant contacts store energy";

// Why the energy of a scene cannot be judged; empty when it can.
const char* objection_to_energy(const World& world) {
  if (world.method.motion != stepping::MotionModel::Dynamic) return "motion without inertia";
  for (const model::Surface& surface : world.model.surfaces)
    if (follows_deformation(world, surface)) return kStores;
  for (const model::Body& body : world.model.bodies)
    if (!body.support.points.empty() && body.support.on >= 0) return "supports on a body that moves";
  return "";
}

Vec3 velocity_at(const model::BodyState& body, const model::Twist& v, const Vec3& point) {
  return v.linear + v.angular.cross(point - body.pose.position);
}

bool is_finite(const model::BodyState& body) {
  return body.pose.position.allFinite() && body.pose.orientation.coeffs().allFinite() &&
         body.velocity.linear.allFinite() && body.velocity.angular.allFinite() && std::isfinite(body.angle);
}

// Of all bodies: velocities, angular velocities, positions.
void keep(const model::State& state, std::vector<Vec3>& kept) {
  const std::size_t bodies = state.bodies.size();
  for (std::size_t i = 0; i < bodies; ++i) {
    kept[i] = state.bodies[i].velocity.linear;
    kept[bodies + i] = state.bodies[i].velocity.angular;
    kept[2 * bodies + i] = state.bodies[i].pose.position;
  }
}

bool forces_may_jump(const model::Model& model) {
  return std::ranges::any_of(model.bodies, [](const model::Body& body) {
    return std::ranges::any_of(body.forces, [](const model::ForceFunction& force) {
      const model::DescribedForce* known = description_of(force);
      return known != nullptr && known->choices;
    });
  });
}

struct AngularDefect {
  double share = 0;  // of the moments of the impulses, without regard to their directions
  int body = -1;
};

// I (w+ - w) = sum of arm x impulse, of the bodies whose inertia does not depend on how they are turned, on which nothing
// but contacts acts. Arms from where the body was when the contacts were posed. `before` as kept; `turn` and `size` are
// room for two numbers per body, of which the second half is used.
AngularDefect angular_defect(const World& world, double h, bool end_geometry, const std::vector<Vec3>& before,
                             std::vector<Vec3>& turn, std::vector<double>& size) {
  const std::size_t bodies = world.state.bodies.size();
  std::fill(turn.begin() + static_cast<std::ptrdiff_t>(bodies), turn.end(), Vec3::Zero());
  std::fill(size.begin() + static_cast<std::ptrdiff_t>(bodies), size.end(), 0.0);
  for (std::size_t c = 0; c < world.contacts.size(); ++c) {
    const collision::Contact& contact = world.contacts[c];
    for (const int side : {0, 1}) {
      const std::size_t i = index(side == 0 ? contact.id.body_a : contact.id.body_b);
      if (!world.traits[i].movable) continue;
      const Vec3& centre = end_geometry ? world.state.bodies[i].pose.position : before[2 * bodies + i];
      const Vec3 arm = (side == 0 ? contact.point_a : contact.point_b) - centre;
      const Vec3 impulse = (side == 0 ? h : -h) * world.memory[c].force;
      turn[bodies + i] += arm.cross(impulse);
      size[bodies + i] += arm.norm() * impulse.norm();
    }
  }
  AngularDefect worst;
  for (std::size_t i = 0; i < bodies; ++i) {
    const model::Body& body = world.model.bodies[i];
    const contact::BodyTraits& traits = world.traits[i];
    if (!traits.movable || !traits.free_rotation || !(body.planar() || traits.isotropic) || traits.pushed ||
        body.angular_damping > 0 || !body.support.points.empty())
      continue;
    const double inertia = body.planar() ? body.inertia(2, 2) : body.inertia(0, 0);
    const Vec3 &w = before[bodies + i], &after = world.state.bodies[i].velocity.angular;
    Vec3 defect = inertia * (after - w) - turn[bodies + i];
    if (body.planar()) defect.x() = defect.y() = 0;
    // Bodies that hardly turn do so by the rounding of impulses that move them.
    const double speed =
        before[i].norm() + world.state.bodies[i].velocity.linear.norm() + h * world.model.gravity.norm();
    const double scale =
        size[bodies + i] + 1e-6 * (inertia * (after.norm() + w.norm()) + std::sqrt(inertia * body.mass) * speed);
    if (!(scale > 0) || defect.norm() <= worst.share * scale) continue;
    worst = {defect.norm() / scale, static_cast<int>(i)};
  }
  return worst;
}

}  // namespace

Audit::Audit(const World& world) : overlaps_(world.model) {
  summary_.on = true;
  summary_.energy_reason = objection_to_energy(world);
  judges_energy_ = *summary_.energy_reason == '\0';
  judges_momentum_ = world.method.motion == stepping::MotionModel::Dynamic;
  order_ = stepping::order_of(world.method.stepper);
  has_springs_ = std::ranges::any_of(world.model.surfaces,
                                     [&](const model::Surface& surface) { return has_spring(world, surface); });
  end_geometry_ = stepping::traits_of(world.method.stepper).end_geometry;
  const double g = world.model.gravity.norm();
  for (std::size_t i = 0; i < world.model.bodies.size(); ++i) {
    const model::Body& body = world.model.bodies[i];
    const contact::BodyTraits& traits = world.traits[i];
    has_drives_ = has_drives_ || traits.driven;
    keep_states_ = keep_states_ || traits.pushed;
    if (!traits.movable) continue;
    BodyEnergies::Mass mass;
    mass.body = static_cast<int>(i);
    for (int k = 0; k < 3; ++k)
      if (traits.free_translation[index(k)]) mass.translation[k] = body.mass;
    mass.weight = mass.translation.cwiseProduct(world.model.gravity);
    if (traits.free_rotation) {
      mass.anisotropic = !body.planar() && !traits.isotropic;
      mass.inertia = mass.anisotropic ? 0 : body.planar() ? body.inertia(2, 2) : body.inertia(0, 0);
    }
    bodies_.masses.push_back(mass);
    falling_ += body.mass * g * g;
  }
  judges_total_ = summary_.energy_reason == std::string_view(kStores) && !has_drives_ && !keep_states_ &&
                  std::ranges::none_of(world.model.surfaces, [](const model::Surface& surface) {
                    return surface.compliance.patch != nullptr;
                  });
  step_work_ = kStepWork + kBodyWork * static_cast<std::int64_t>(bodies_.masses.size());
  // Of each body, then the angular parts of each, then where it was.
  velocity_.resize(3 * world.model.bodies.size());
  impulse_.resize(2 * world.model.bodies.size());
  impulse_size_.resize(impulse_.size());
  begin(world);
}

void Audit::begin(const World& world) {
  start_.clear();
  start_time_ = world.state.time;
  scene_size_ = 0;
  bool finite = true;
  for (std::size_t i = 0; i < world.state.bodies.size(); ++i) {
    finite = finite && is_finite(world.state.bodies[i]);
    scene_size_ =
        std::max(scene_size_, world.state.bodies[i].pose.position.norm() + overlaps_.radius(static_cast<int>(i)));
  }
  if (finite)
    for (const collision::BodyOverlap& found : overlaps_.find(world.state))
      start_.push_back({found.body_a, found.body_b, found.depth});
  if (!finite) start_time_ = std::numeric_limits<double>::quiet_NaN();  // which judge_state() tells
  credit_ = 0;
  due_ = true;  // the first step is looked at
  energy_ = bodies_.of(world);
  largest_kinetic_ = std::max(largest_kinetic_, energy_.kinetic);
}

// --- energy

double BodyEnergies::turning_energy(const World& world, int body) {
  const model::BodyState& s = world.state.bodies[index(body)];
  if (s.velocity.angular.isZero(0)) return 0;
  const Vec3 w = s.pose.orientation.conjugate() * s.velocity.angular;
  return 0.5 * w.dot(world.model.bodies[index(body)].inertia * w);
}

double BodyEnergies::rounded(const World& world) const {
  double sum = 0;
  for (const Mass& mass : masses) sum += std::fabs(mass.weight.dot(world.state.bodies[index(mass.body)].pose.position));
  return sum;
}

// Power of the force functions, at both ends of the step with the velocities of both ends: the work of any rule of a
// stepper lies between h times the smallest and the largest of the four, and they differ by the error.
double Audit::work_of_forces(const World& world, double h, double& error) const {
  std::array<double, 4> power{};
  for (const BodyEnergies::Mass& mass : bodies_.masses) {
    const contact::BodyTraits& traits = world.traits[index(mass.body)];
    if (!traits.pushed) continue;
    const model::Body& body = world.model.bodies[index(mass.body)];
    for (int end = 0; end < 2; ++end) {
      const model::State& at = end == 0 ? before_ : world.state;
      model::Wrench wrench;
      for (const model::ForceFunction& force : body.forces) force(at, wrench);
      for (int with = 0; with < 2; ++with) {
        const model::Twist v =
            stepping::part_of(traits, (with == 0 ? before_ : world.state).bodies[index(mass.body)].velocity, true);
        power[index(2 * end + with)] += wrench.force.dot(v.linear) + wrench.torque.dot(v.angular);
      }
    }
  }
  const auto [low, high] = std::minmax_element(power.begin(), power.end());
  error = h * (*high - *low);
  return h * *high;
}

// What overlaps is pushed out, by the forces of the last step, which was one part.
double Audit::work_of_parting(const World& world, double h) const {
  double work = 0;
  for (std::size_t c = 0; c < world.contacts.size(); ++c) {
    const collision::Contact& contact = world.contacts[c];
    if (has_springs_ && has_spring(world, world.model.surfaces[index(contact.surface)])) continue;
    const double pressing = world.memory[c].force.dot(contact.normal);
    const double parting = world.memory[c].relative_velocity.dot(contact.normal);
    if (contact.gap < 0 && parting > 0 && pressing > 0) work += h * pressing * parting;
  }
  return work;
}

// The same for contacts of the last part of a divided step, and for steps with the gaps of their end, which do not tell what
// overlapped at the start: no more than what is left where an impact was located. Deeper overlaps came about within the
// step, and what parts them gives energy from nowhere.
double Audit::last_parted(const World& world, double h) const {
  double work = 0;
  for (std::size_t c = 0; c < world.contacts.size(); ++c) {
    const collision::Contact& contact = world.contacts[c];
    if (has_springs_ && has_spring(world, world.model.surfaces[index(contact.surface)])) continue;
    const double pressing = world.memory[c].force.dot(contact.normal);
    const double parting = world.memory[c].relative_velocity.dot(contact.normal);
    if (!(pressing > 0) || !(parting > 0)) continue;
    const double size = overlaps_.thickness(contact.id.body_a, contact.id.body_b);
    if (!std::isfinite(size) || (!end_geometry_ && !(contact.gap < 0))) continue;
    work += pressing * std::min(h * parting, kUnseen * size);
  }
  return work;
}

// k delta^2 / 2 of soft contacts at the end of the step, less that at its start, by the gaps of the step, which was one
// part: gap0 = gap - h drive, gap+ = gap0 + h u, because prescribed bodies stand at their end where gaps are measured.
double Audit::stored_in_springs(const World& world, double h) const {
  double stored = 0;
  for (std::size_t c = 0; c < world.contacts.size(); ++c) {
    const collision::Contact& contact = world.contacts[c];
    const model::Surface& surface = world.model.surfaces[index(contact.surface)];
    if (!has_spring(world, surface)) continue;
    double gap = contact.gap;
    if (has_drives_) gap -= h * (drive_at(world, contact, 0) - drive_at(world, contact, 1)).dot(contact.normal);
    const double before = std::max(0.0, -gap);
    const double after = std::max(0.0, -gap - h * world.memory[c].relative_velocity.dot(contact.normal));
    stored += 0.5 * surface.compliance.stiffness_normal * (after + before) * (after - before);
  }
  return stored;
}

// The prescribed part of the velocity of one side of a contact, at the end of the step.
Vec3 Audit::drive_at(const World& world, const collision::Contact& contact, int side) const {
  const std::size_t i = index(side == 0 ? contact.id.body_a : contact.id.body_b);
  const contact::BodyTraits& traits = world.traits[i];
  if (!traits.driven) return Vec3::Zero();
  const model::BodyState& body = world.state.bodies[i];
  const model::Twist v = traits.movable ? stepping::part_of(traits, body.velocity, false) : body.velocity;
  return velocity_at(body, v, side == 0 ? contact.point_a : contact.point_b);
}

// Drives push through contacts; by the same forces.
double Audit::work_of_drives(const World& world, double h, bool both_ends) const {
  double work = 0;
  for (std::size_t c = 0; c < world.contacts.size(); ++c) {
    const collision::Contact& contact = world.contacts[c];
    const Vec3& force = world.memory[c].force;
    for (const int side : {0, 1}) {
      const int i = side == 0 ? contact.id.body_a : contact.id.body_b;
      const contact::BodyTraits& traits = world.traits[index(i)];
      if (!traits.driven) continue;
      const Vec3 on_body = side == 0 ? force : Vec3(-force);
      const Vec3& point = side == 0 ? contact.point_a : contact.point_b;
      const auto given_by = [&](const model::BodyState& body) {
        const Vec3 velocity = traits.movable ? velocity_at(body, stepping::part_of(traits, body.velocity, false), point)
                                             : velocity_at(body, body.velocity, point);
        return -h * on_body.dot(velocity);
      };
      double given = given_by(world.state.bodies[index(i)]);
      if (both_ends) {  // the prescribed velocity at the start of the step may give more
        model::BodyState body = world.state.bodies[index(i)];
        model::apply_drive(world.model.bodies[index(i)].drive, world.state.time - h, body);
        given = std::max(given, given_by(body));
      }
      work += given;
    }
  }
  return work;
}

// Steppers of second and higher order keep energy to the third power of what turns in a step: bodies, and velocities
// under the forces of contacts.
double Audit::error_of_order(const World& world, double h, double kinetic) const {
  if (order_ < 2) return 0;
  double angle = 0;
  for (const BodyEnergies::Mass& mass : bodies_.masses) {
    const model::BodyState& s = world.state.bodies[index(mass.body)];
    angle = std::max(angle, h * s.velocity.angular.norm());
  }
  for (std::size_t c = 0; c < world.contacts.size(); ++c) {
    for (const int i : {world.contacts[c].id.body_a, world.contacts[c].id.body_b}) {
      if (!world.traits[index(i)].movable) continue;
      const double speed = world.state.bodies[index(i)].velocity.linear.norm();
      const double change = h * world.memory[c].force.norm() / world.model.bodies[index(i)].mass;
      angle = std::max(angle, change < speed ? change / speed : 1.0);
    }
  }
  angle = std::min(angle, 1.0);
  return angle * angle * angle * kinetic;
}

// A step after which there is more energy than before: is it explained?
bool Audit::explain(const World& world, double h, const StepReport& report, const Energy& before, double gain) {
  if (!std::isfinite(energy_.kinetic) || !std::isfinite(energy_.potential)) return judge_state(world);
  if (!(gain > 0)) return true;
  if (keep_states_) {
    if (!in_one_part(report) && forces_may_jump(world.model)) {  // within the step they are what its ends do not tell
      ++summary_.energy_not_judged;
      return true;
    }
    double error = 0;
    gain -= std::max(0.0, work_of_forces(world, h, error)) + error;
  }
  if (!(gain > 0)) return true;
  if (has_drives_) {
    if (!in_one_part(report)) {
      ++summary_.energy_not_judged;
      return true;
    }
    // Drives are costly to evaluate at the start as well.
    if (!(gain - work_of_drives(world, h, false) > 0)) return true;
    gain -= std::max(0.0, work_of_drives(world, h, true));
  }
  const bool whole = in_one_part(report);
  if (whole)
    gain -= work_of_parting(world, h);
  else if (!end_geometry_)
    gain -= last_parted(world, h);
  gain -= error_of_order(world, h, energy_.kinetic + before.kinetic);
  if (!(gain > 0)) return true;
  summary_.energy_added += gain;
  if (gain > summary_.energy_worst) {
    summary_.energy_worst = gain;
    summary_.energy_time = world.state.time;
  }
  const bool exactly = whole && !end_geometry_ && !(has_drives_ && order_ > 1);
  const double scale = std::max(largest_kinetic_, falling_ * h * h);
  const double parted = end_geometry_ ? last_parted(world, h) : 0.0;
  if (gain - parted > (exactly ? kGain : kGainRoughly) * scale)
    return violated(world, fmt::format("contacts added {:.3g} of energy in one step (the largest kinetic energy so far "
                                       "is {:.3g})",
                                       gain, largest_kinetic_));
  const bool roughly = end_geometry_ || (has_drives_ && order_ > 1);
  if (summary_.energy_added <= (roughly ? kGainInAllRoughly : kGainInAll) * scale) return true;
  return violated(world,
                  fmt::format("contacts added {:.3g} of energy in all steps together (the largest kinetic energy "
                              "so far is {:.3g})",
                              summary_.energy_added, largest_kinetic_));
}

// --- looks

bool Audit::violated(const World& world, const std::string& what) {
  summary_.violation = "audit: " + what;
  summary_.violation_time = world.state.time;
  return false;
}

void Audit::keep_velocities(const World& world) {
  keep(world.state, velocity_);
}

bool Audit::look_after_step(const World& world, double h, const StepReport& report) {
  due_ = false;
  return judge_momentum(world, h, report) && look(world, h);
}

bool Audit::look(const World& world, double h) {
  ++summary_.looks;
  if (!judge_state(world) || !judge_total(world)) return false;
  const std::int64_t before = overlaps_.work();
  for (const collision::BodyOverlap& found : overlaps_.find(world.state))
    if (!judge_depth(world, h, found)) return false;
  // The steps of a single body cost a third of what is estimated, those of bodies at rest a tenth.
  const std::int64_t dearer = energy_.kinetic == 0 && judges_energy_ ? 8 : bodies_.masses.size() == 1 ? 3 : 1;
  credit_ = -dearer * kShare * (kLookWork + overlaps_.work() - before);
  return true;
}

// Surfaces that give way return what they stored, which no single step tells. But there is never more energy than at the
// start, and a hundredth of what has been in motion.
bool Audit::judge_total(const World& world) {
  if (!judges_total_) return true;
  const Energy now = bodies_.of(world);
  const double released = energy_.potential - now.potential;
  const double gain =
      now.kinetic - energy_.kinetic - released - stored_at_start(world) - kRounding * bodies_.rounded(world);
  const double scale = std::max({largest_kinetic_, released, falling_ * world.method.step * world.method.step});
  largest_kinetic_ = std::max(largest_kinetic_, now.kinetic);
  if (gain <= kTotal * scale) return true;
  return violated(world,
                  fmt::format("contacts added {:.3g} to the energy of the start (the largest kinetic energy so far "
                              "is {:.3g})",
                              gain, largest_kinetic_));
}

// Of bodies that overlap by d, at 32 points or with tangential springs as well: at most.
double Audit::stored_at_start(const World& world) const {
  double stored = 0;
  for (const Start& start : start_) {
    const int surface = world.model.surface_between(start.a, start.b);
    if (surface < 0) continue;
    const model::Compliance& law = world.model.surfaces[index(surface)].compliance;
    stored += 16 * std::max(law.stiffness_normal, law.stiffness_tangential) * start.depth * start.depth;
  }
  return stored;
}

bool Audit::look_at_end(const World& world, double h) {
  const AuditSummary summary = summary_;
  const std::int64_t credit = credit_;
  const double largest = largest_kinetic_;
  if (!look(world, h)) return false;
  summary_ = summary;
  largest_kinetic_ = largest;
  credit_ = credit;
  return true;
}

bool Audit::look_at_events(const World& world, double h, const StepReport& report) {
  if (!judge_state(world)) return false;
  std::array<std::array<int, 2>, kMostPairs> seen{};
  std::size_t pairs = 0;
  for (const stepping::Event& event : report.events) {
    const std::array<int, 2> pair{event.contact.body_a, event.contact.body_b};
    if (pairs == kMostPairs || std::find(seen.begin(), seen.begin() + static_cast<std::ptrdiff_t>(pairs), pair) !=
                                   seen.begin() + static_cast<std::ptrdiff_t>(pairs))
      continue;
    seen[pairs++] = pair;
    const double depth = overlaps_.depth(world.state, pair[0], pair[1]);
    if (depth > 0 && !judge_depth(world, h, {pair[0], pair[1], depth})) return false;
  }
  return true;
}

bool Audit::judge_depth(const World& world, double h, const collision::BodyOverlap& overlap) {
  const int a = overlap.body_a, b = overlap.body_b;
  if (overlap.depth > summary_.depth) {
    summary_.depth = overlap.depth;
    summary_.depth_time = world.state.time;
    summary_.depth_a = a;
    summary_.depth_b = b;
  }
  const int surface = world.model.surface_between(a, b);
  const bool deforms = surface >= 0 && follows_deformation(world, world.model.surfaces[index(surface)]);
  if (deforms && world.model.surfaces[index(surface)].compliance.patch) return true;
  double size = overlaps_.thickness(a, b);
  if (!std::isfinite(size)) size = scene_size_;
  const model::BodyState &sa = world.state.bodies[index(a)], &sb = world.state.bodies[index(b)];
  const double path =
      h * ((sa.velocity.linear - sb.velocity.linear).norm() + sa.velocity.angular.norm() * overlaps_.radius(a) +
           sb.velocity.angular.norm() * overlaps_.radius(b));
  double allowed = kDepth * size + path * path / size;
  for (const Start& start : start_)
    if (start.a == a && start.b == b) allowed += 1.01 * start.depth;
  if (deforms) allowed += deformation_of(world, a, b);
  if (overlap.depth <= allowed) return true;
  const bool spring = surface >= 0 && has_spring(world, world.model.surfaces[index(surface)]);
  return violated(world,
                  fmt::format("{} and {} overlap by {:.3g} (allowed {:.3g}){}", world.model.bodies[index(a)].name,
                              world.model.bodies[index(b)].name, overlap.depth, allowed,
                              spring ? "; their contact is too soft for compliance = \"normal\"" : ""));
}

// How far the surfaces of two bodies give way where that is followed: what their contact remembers, or what its force and
// speed explain.
double Audit::deformation_of(const World& world, int a, int b) const {
  double most = 0;
  for (std::size_t c = 0; c < world.contacts.size(); ++c) {
    const collision::Contact& contact = world.contacts[c];
    if (contact.id.body_a != a || contact.id.body_b != b) continue;
    const stepping::ContactMemory& memory = world.memory[c];
    most = std::max(most, memory.deformation);
    const model::Compliance& law = world.model.surfaces[index(contact.surface)].compliance;
    if (law.stiffness_normal > 0)
      most = std::max(most, (std::fabs(memory.force.dot(contact.normal)) +
                             law.damping_normal * std::fabs(memory.relative_velocity.dot(contact.normal))) /
                                law.stiffness_normal);
  }
  return most;
}

bool Audit::judge_momentum(const World& world, double h, const StepReport& report) {
  if (!judges_momentum_ || !in_one_part(report)) return true;
  ++summary_.momentum_steps;
  if (keep_states_) keep(before_, velocity_);
  for (const BodyEnergies::Mass& mass : bodies_.masses) {
    impulse_[index(mass.body)] = h * mass.weight;
    impulse_size_[index(mass.body)] = h * mass.weight.norm();
  }
  for (std::size_t c = 0; c < world.contacts.size(); ++c) {
    const Vec3 impulse = h * world.memory[c].force;
    const auto a = index(world.contacts[c].id.body_a), b = index(world.contacts[c].id.body_b);
    impulse_[a] += impulse;
    impulse_[b] -= impulse;
    impulse_size_[a] += impulse.norm();
    impulse_size_[b] += impulse.norm();
  }
  for (const BodyEnergies::Mass& mass : bodies_.masses) {
    const std::size_t i = index(mass.body);
    const model::Body& body = world.model.bodies[i];
    if (world.traits[i].pushed || body.linear_damping > 0 || !body.support.points.empty()) continue;
    const Vec3& before = velocity_[i];
    const Vec3& after = world.state.bodies[i].velocity.linear;
    Vec3 defect = mass.translation.cwiseProduct(after - before);
    for (int k = 0; k < 3; ++k) defect[k] -= mass.translation[k] > 0 ? impulse_[i][k] : 0;
    const double size = impulse_size_[i] + 1e-6 * body.mass * (after.norm() + before.norm());
    if (!(size > 0) || defect.norm() <= summary_.momentum * size) continue;
    summary_.momentum = defect.norm() / size;
    summary_.momentum_time = world.state.time;
    summary_.momentum_body = mass.body;
  }
  if (summary_.momentum > (order_ < 2 ? kMomentum : kMomentumOfOrder))
    return violated(world, fmt::format("the momentum of {} changed by {:.3g} of its impulses more than they explain",
                                       world.model.bodies[index(summary_.momentum_body)].name, summary_.momentum));
  if (order_ > 1) return true;
  // Surfaces that bend act through the rows of the middle of the step, whose arms the contacts do not tell.
  if (stepping::has_bending_shapes(world.model)) return true;
  const AngularDefect angular = angular_defect(world, h, end_geometry_, velocity_, impulse_, impulse_size_);
  if (angular.share > summary_.momentum) {
    summary_.momentum = angular.share;
    summary_.momentum_time = world.state.time;
    summary_.momentum_body = angular.body;
  }
  if (angular.share <= kMomentum) return true;
  return violated(world,
                  fmt::format("the angular momentum of {} changed by {:.3g} of its impulses more than they explain",
                              world.model.bodies[index(angular.body)].name, angular.share));
}

bool Audit::judge_state(const World& world) {
  if (std::isnan(start_time_)) return violated(world, "the state at the start is not finite");
  const double time = world.state.time - start_time_, g = world.model.gravity.norm();
  for (std::size_t i = 0; i < world.state.bodies.size(); ++i) {
    const model::BodyState& s = world.state.bodies[i];
    const model::Body& body = world.model.bodies[i];
    if (!is_finite(s)) return violated(world, fmt::format("the state of {} is not finite", body.name));
    if (!world.traits[i].movable || world.traits[i].pushed || has_drives_) continue;
    const double flight = time * std::sqrt(2 * largest_kinetic_ / body.mass) + g * time * time;
    if (s.pose.position.norm() > kFar * scene_size_ + 2 * flight)
      return violated(
          world, fmt::format("{} is {:.3g} away, farther than it can have moved", body.name, s.pose.position.norm()));
  }
  return true;
}

void Audit::save(ByteWriter& out) const {
  for (const std::int64_t x :
       {summary_.looks, summary_.energy_steps, summary_.energy_not_judged, summary_.momentum_steps, credit_})
    out.put(x);
  for (const double x : {summary_.depth, summary_.depth_time, summary_.energy_added, summary_.energy_worst,
                         summary_.energy_time, summary_.momentum, summary_.momentum_time, energy_.kinetic,
                         energy_.potential, largest_kinetic_, scene_size_, start_time_})
    out.put(x);
  for (const int x : {summary_.depth_a, summary_.depth_b, summary_.momentum_body}) out.put(x);
  out.put(due_);
  out.put_list(start_, [&](const Start& s) {
    out.put(s.a);
    out.put(s.b);
    out.put(s.depth);
  });
}

void Audit::restore(ByteReader& in) {
  for (std::int64_t* x :
       {&summary_.looks, &summary_.energy_steps, &summary_.energy_not_judged, &summary_.momentum_steps, &credit_})
    in.get(*x);
  for (double* x : {&summary_.depth, &summary_.depth_time, &summary_.energy_added, &summary_.energy_worst,
                    &summary_.energy_time, &summary_.momentum, &summary_.momentum_time, &energy_.kinetic,
                    &energy_.potential, &largest_kinetic_, &scene_size_, &start_time_})
    in.get(*x);
  for (int* x : {&summary_.depth_a, &summary_.depth_b, &summary_.momentum_body}) in.get(*x);
  in.get(due_);
  in.get_list(start_, [&](Start& s) {
    in.get(s.a);
    in.get(s.b);
    in.get(s.depth);
  });
  summary_.violation.clear();
}

}  // namespace stickslip::simulation
