// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/scene/drive_reader.h"

#include "stickslip/expression/nearest_name.h"
#include "stickslip/motion/prescribed_rotation.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>

namespace stickslip::scene {
namespace {

constexpr std::array kTranslationKeys = {"position", "velocity", "acceleration"};
constexpr std::array kRotationKeys = {"angle", "angular_velocity", "angular_acceleration"};
constexpr std::array kAxes = {"x", "y", "z"};

class MotionReader {
 public:
  MotionReader(const TableReader& body_table, const model::Body& body, const motion::Span& span)
      : body_table_(body_table),
        body_(body),
        span_(span),
        scope_(time_scope(body_table.scope())),
        table_(body_table.require("motion"), keys_of("motion"), scope_, "motion of " + body_table.name()),
        symmetric_(table_.boolean("symmetric", false)) {}

  model::Drive read() {
    reject_what_has_no_effect();
    read_translations();
    if (body_.kind == model::BodyKind::Planar)
      read_planar_rotation();
    else if (body_.kind == model::BodyKind::Spatial)
      read_spatial_rotation();
    else
      reject_rotation();
    std::ranges::sort(drive_.breakpoints);
    const auto repeated = std::ranges::unique(drive_.breakpoints);
    drive_.breakpoints.erase(repeated.begin(), repeated.end());
    return std::move(drive_);
  }

 private:
  static expression::Scope time_scope(const expression::Scope& constants) {
    expression::Scope scope = constants;
    scope.reach = expression::Reach::Time;
    return scope;
  }

  int dimension() const { return body_.planar() ? 2 : 3; }

  motion::TimeExpression expression(const Value& value, const std::string& what) {
    motion::TimeExpression expression = read_time_expression(value, scope_, what);
    std::ranges::copy(motion::find_breakpoints(expression, span_), std::back_inserter(drive_.breakpoints));
    return expression;
  }

  // Initial values that the motion overrides would only mislead.
  void reject_what_has_no_effect() const {
    const DriveFreedom freedom = freedom_of(body_table_, body_);
    const auto reject = [&](const char* key) {
      if (const Value* value = body_table_.find(key)) {
        throw SceneError(value->place,
                         fmt::format("{} has no effect: the motion prescribes it", body_table_.what(key)));
      }
    };
    const bool from_rate = table_.has("acceleration") && !symmetric_;
    if (!freedom.translation && !from_rate) reject("velocity");
    if (!freedom.translation && table_.has("position") && !table_.has("velocity") && !table_.has("acceleration"))
      reject("position");
    const bool from_spin = table_.has("angular_acceleration") && !symmetric_;
    if (!freedom.rotation && !from_spin) reject("angular_velocity");
    if (!freedom.rotation && table_.has("angle") && body_.planar()) reject("angle");
  }

  // Every component of the position is prescribed by at most one key; what no key mentions stands still.
  void read_translations() {
    std::array<bool, 3> mentioned{};
    for (std::size_t k = 0; k < kTranslationKeys.size(); ++k) {
      const Value* value = table_.find(kTranslationKeys[k]);
      if (value == nullptr) continue;
      if (is_free(*value)) {
        mentioned.fill(true);
        continue;
      }
      const std::string what = table_.what(kTranslationKeys[k]);
      if (value->kind != Value::Kind::Array || static_cast<int>(value->items.size()) != dimension()) {
        throw SceneError(value->place, fmt::format("{} must be a list of {} expressions (\"free\" leaves one free)",
                                                   what, dimension()));
      }
      for (std::size_t axis = 0; axis < value->items.size(); ++axis) {
        read_translation(value->items[axis], static_cast<motion::Given>(k), axis, what, mentioned[axis]);
      }
    }
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(dimension()); ++axis) {
      if (!mentioned[axis])
        drive_.translation[axis] =
            motion::constant_motion(body_.initial.pose.position[static_cast<Eigen::Index>(axis)]);
    }
  }

  void read_translation(const Value& value, motion::Given given, std::size_t axis, const std::string& what,
                        bool& mentioned) {
    const bool free = is_free(value);
    if (!free && drive_.translation[axis]) {
      throw SceneError(value.place, fmt::format("{} prescribes {} a second time", what, kAxes[axis]),
                       "write \"free\" in one of them");
    }
    mentioned = true;
    if (free) return;
    const auto i = static_cast<Eigen::Index>(axis);
    drive_.translation[axis] =
        motion::make_motion(expression(value, what), given, body_.initial.pose.position[i],
                            body_.initial.velocity.linear[i], symmetric_ && given != motion::Given::Position, span_);
  }

  // The one key that prescribes the rotation, or null; its index in kRotationKeys.
  const Value* rotation_key(std::size_t& which) const {
    const Value* found = nullptr;
    for (std::size_t k = 0; k < kRotationKeys.size(); ++k) {
      const Value* value = table_.find(kRotationKeys[k]);
      if (value == nullptr) continue;
      if (found != nullptr)
        throw SceneError(value->place,
                         fmt::format("{} prescribes the rotation a second time", table_.what(kRotationKeys[k])));
      found = value;
      which = k;
    }
    return found;
  }

  void reject_rotation() const {
    std::size_t which = 0;
    if (const Value* value = rotation_key(which))
      throw SceneError(value->place, fmt::format("{}: a particle does not turn", table_.name()));
  }

  void read_planar_rotation() {
    std::size_t which = 0;
    const Value* value = rotation_key(which);
    if (value == nullptr) {
      drive_.angle = motion::constant_motion(body_.initial.angle);
    } else if (!is_free(*value)) {
      const motion::Given given = static_cast<motion::Given>(which);
      drive_.angle = motion::make_motion(expression(*value, table_.what(kRotationKeys[which])), given,
                                         body_.initial.angle, body_.initial.velocity.angular.z(),
                                         symmetric_ && given != motion::Given::Position, span_);
    }
    if (const Value* axis = table_.find("axis"))
      throw SceneError(axis->place, "a planar body turns about z: 'axis' has no meaning");
  }

  void read_spatial_rotation() {
    std::size_t which = 0;
    const Value* value = rotation_key(which);
    const Quat& start = body_.initial.pose.orientation;
    if (value == nullptr) {
      drive_.orientation = motion::constant_orientation(start);
      return;
    }
    if (is_free(*value)) return;
    const std::string what = table_.what(kRotationKeys[which]);
    const motion::Given given = static_cast<motion::Given>(which);
    if (given == motion::Given::Position) {
      const Vec3 axis = read_vector(table_.require("axis"), scope_, table_.what("axis"), 3);
      if (!(axis.norm() > 0)) throw SceneError(table_.require("axis").place, "the axis must not be zero");
      drive_.orientation = motion::rotation_about(
          axis.normalized(), motion::make_motion(expression(*value, what), given, 0, 0, false, span_), start);
      return;
    }
    if (value->kind != Value::Kind::Array || value->items.size() != 3) {
      throw SceneError(value->place, fmt::format("{} must be a list of 3 expressions, or \"free\"", what));
    }
    motion::RotationRequest request;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (is_free(value->items[axis])) {
        throw SceneError(value->items[axis].place,
                         fmt::format("{}: a rotation in space is prescribed as a whole or not at all", what),
                         "use 'locked' to stop single axes");
      }
      request.rate[axis] = expression(value->items[axis], what);
    }
    request.given = given;
    request.orientation = start;
    request.angular_velocity = body_.initial.velocity.angular;
    request.symmetric = symmetric_;
    request.period = table_.positive("period", 0);
    drive_.orientation = motion::make_rotation(request, span_);
  }

  const TableReader& body_table_;
  const model::Body& body_;
  motion::Span span_;
  expression::Scope scope_;
  TableReader table_;
  bool symmetric_;
  model::Drive drive_;
};

model::Drive fixed_drive(const TableReader& table, const model::Body& body) {
  if (body.initial.velocity.linear != Vec3::Zero() || body.initial.velocity.angular != Vec3::Zero()) {
    throw SceneError(table.place(), fmt::format("{} is fixed and cannot have a velocity", table.name()));
  }
  model::Drive drive;
  for (std::size_t axis = 0; axis < (body.planar() ? 2U : 3U); ++axis) {
    drive.translation[axis] = motion::constant_motion(body.initial.pose.position[static_cast<Eigen::Index>(axis)]);
  }
  if (body.kind == model::BodyKind::Planar) drive.angle = motion::constant_motion(body.initial.angle);
  if (body.kind == model::BodyKind::Spatial)
    drive.orientation = motion::constant_orientation(body.initial.pose.orientation);
  return drive;
}

void lock(const Value& item, const TableReader& table, const model::Body& body, model::Drive& drive) {
  static const std::vector<std::string> kPlanar = {"x", "y", "rz"}, kSpatial = {"x", "y", "z", "rx", "ry", "rz"};
  const std::vector<std::string>& names = body.planar() ? kPlanar : kSpatial;
  const std::string& name = read_text(item, table.what("locked"));
  if (std::ranges::find(names, name) == names.end()) {
    throw SceneError(item.place, fmt::format("{}: unknown degree of freedom '{}'", table.what("locked"), name),
                     expression::did_you_mean(name, names));
  }
  const bool rotation = name.size() == 2;
  const auto axis = static_cast<std::size_t>(name.back() - 'x');
  const auto i = static_cast<Eigen::Index>(axis);
  const bool moves = rotation ? body.initial.velocity.angular[i] != 0 : body.initial.velocity.linear[i] != 0;
  if (moves) throw SceneError(item.place, fmt::format("{}: '{}' starts with a velocity", table.what("locked"), name));
  if (rotation && !body.rotates())
    throw SceneError(item.place, fmt::format("{}: a particle does not turn", table.what("locked")));
  const bool taken = !rotation       ? bool(drive.translation[axis])
                     : body.planar() ? bool(drive.angle)
                                     : bool(drive.orientation);
  if (taken) throw SceneError(item.place, fmt::format("{}: '{}' is prescribed already", table.what("locked"), name));
  if (!rotation)
    drive.translation[axis] = motion::constant_motion(body.initial.pose.position[i]);
  else if (body.planar())
    drive.angle = motion::constant_motion(body.initial.angle);
  else
    drive.rotation_locked[axis] = true;
}

void read_locks(const TableReader& table, const model::Body& body, model::Drive& drive) {
  const Value* locked = table.find("locked");
  if (locked == nullptr) return;
  if (locked->kind != Value::Kind::Array)
    throw SceneError(locked->place, fmt::format("{} must be a list of names", table.what("locked")));
  for (const Value& item : locked->items) lock(item, table, body, drive);
}

}  // namespace

model::Drive read_drive(const TableReader& table, const model::Body& body, const motion::Span& span) {
  model::Drive drive;
  const Value* motion = table.find("motion");
  if (table.boolean("fixed", false)) {
    if (motion != nullptr)
      throw SceneError(motion->place, fmt::format("{} is fixed and cannot have a motion", table.name()));
    drive = fixed_drive(table, body);
  } else if (motion != nullptr) {
    drive = MotionReader(table, body, span).read();
  }
  read_locks(table, body, drive);
  // A fixed body without mass stands still by itself: no function has to be asked at every step.
  if (body.mass == 0 && table.boolean("fixed", false)) drive = {};
  return drive;
}

DriveFreedom freedom_of(const model::Body& body) {
  const model::Drive& drive = body.drive;
  DriveFreedom freedom;
  freedom.translation = !drive.translation[0] || !drive.translation[1] || (!body.planar() && !drive.translation[2]);
  const bool all_locked = std::ranges::all_of(drive.rotation_locked, [](bool locked) { return locked; });
  if (body.kind == model::BodyKind::Planar)
    freedom.rotation = !drive.angle;
  else
    freedom.rotation = body.kind == model::BodyKind::Spatial && !drive.orientation && !all_locked;
  return freedom;
}

DriveFreedom freedom_of(const TableReader& table, const model::Body& body) {
  // A stand-in with the right parts filled: only which degrees of freedom are free is read from it.
  model::Body stand_in;
  stand_in.kind = body.kind;
  const Value* motion = table.find("motion");
  if (table.boolean("fixed", false)) {
    stand_in.drive = fixed_drive(table, stand_in);
  } else if (motion != nullptr) {
    stand_in.drive = fixed_drive(table, stand_in);
    const TableReader motion_table(*motion, keys_of("motion"), table.scope(), "motion of " + table.name());
    for (std::size_t axis = 0; axis < 3; ++axis) {
      bool free = false, given = false;
      for (const char* key : kTranslationKeys) {
        const Value* value = motion_table.find(key);
        if (value == nullptr) continue;
        const bool says_free = is_free(*value) || (axis < value->items.size() && is_free(value->items[axis]));
        (says_free ? free : given) = true;
      }
      if (free && !given) stand_in.drive.translation[axis] = nullptr;
    }
    for (const char* key : kRotationKeys) {
      const Value* value = motion_table.find(key);
      if (value == nullptr || !is_free(*value)) continue;
      stand_in.drive.angle = nullptr;
      stand_in.drive.orientation = nullptr;
    }
  }
  read_locks(table, stand_in, stand_in.drive);
  return freedom_of(stand_in);
}

}  // namespace stickslip::scene
