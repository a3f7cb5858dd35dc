// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "states.h"

#include <cmath>
#include <cstdint>

namespace stickslip::python {
namespace {

BodyRow row_of(const model::BodyState& body) {
  BodyRow row;
  const Quat& q = body.pose.orientation;
  const double wxyz[4] = {q.w(), q.x(), q.y(), q.z()};
  for (int k = 0; k < 3; ++k) {
    row.position[k] = body.pose.position(k);
    row.velocity[k] = body.velocity.linear(k);
    row.angular_velocity[k] = body.velocity.angular(k);
  }
  std::copy(wxyz, wxyz + 4, row.orientation);
  row.angle = body.angle;
  return row;
}

model::BodyState body_of(const BodyRow& row, const model::Body& body) {
  model::BodyState state;
  state.pose.position = Vec3(row.position[0], row.position[1], row.position[2]);
  state.velocity.linear = Vec3(row.velocity[0], row.velocity[1], row.velocity[2]);
  state.velocity.angular = Vec3(row.angular_velocity[0], row.angular_velocity[1], row.angular_velocity[2]);
  state.angle = row.angle;
  const Quat q(row.orientation[0], row.orientation[1], row.orientation[2], row.orientation[3]);
  // Where it has unit length up to rounding it is left alone: a state that was read is the same when it is set.
  const double length = q.norm();
  if (!(length > 1e-6)) throw py::value_error("orientations must be quaternions (w, x, y, z) that are not zero");
  state.pose.orientation = std::fabs(length - 1) < 1e-15 ? q : q.normalized();
  if (body.planar()) state.pose.orientation = Quat(Eigen::AngleAxisd(row.angle, Vec3::UnitZ()));
  return state;
}

// The rows of an array of the right kind, whatever its strides. Of structures NumPy takes every address for aligned.
py::array_t<BodyRow> rows_of(const py::handle& object, const char* name) {
  if (!py::isinstance<py::array>(object) ||
      !py::reinterpret_borrow<py::array>(object).dtype().equal(py::dtype::of<BodyRow>()))
    throw py::type_error(fmt::format("{} must be an array of bodies as Simulation.state gives it", name));
  using Rows = py::array_t<BodyRow, py::array::c_style>;
  const Rows rows(py::reinterpret_borrow<py::object>(object));  // MemoryError where a copy has no room
  const bool aligned = reinterpret_cast<std::uintptr_t>(rows.data()) % alignof(BodyRow) == 0;
  return aligned ? rows : Rows(rows.attr("copy")());
}

void read_rows(const BodyRow* rows, const model::Model& model, model::State& state) {
  state.bodies.resize(model.bodies.size());
  for (std::size_t i = 0; i < model.bodies.size(); ++i) state.bodies[i] = body_of(rows[i], model.bodies[i]);
  check_state(model, state);
}

}  // namespace

Vec3 vector_of(const py::handle& object, const char* name) {
  const DoubleArray given = real_array(object, name);
  if (given.ndim() != 1 || (given.size() != 3 && given.size() != 2))
    throw py::value_error(
        given.ndim() == 0 ? fmt::format("{} must have 3 entries (or 2 in the plane), not be one number", name)
        : given.ndim() == 1
            ? fmt::format("{} must have 3 entries (or 2 in the plane), not {}", name, given.size())
            : fmt::format("{} must have 3 entries (or 2 in the plane), not {} axes", name, given.ndim()));
  const auto x = vector_map(given);
  if (!x.allFinite()) throw py::value_error(fmt::format("{} must be finite", name));
  return {x(0), x(1), x.size() == 3 ? x(2) : 0.0};
}

Vec3 torque_of(const py::handle& object, const char* name) {
  if (PyFloat_Check(object.ptr()) || PyLong_Check(object.ptr())) {
    const double z = object.cast<double>();
    if (!std::isfinite(z)) throw py::value_error(fmt::format("{} must be finite", name));
    return {0, 0, z};
  }
  return vector_of(object, name);
}

py::array_t<BodyRow> state_array(const model::State& state) {
  py::array_t<BodyRow> out(static_cast<py::ssize_t>(state.bodies.size()));
  for (std::size_t i = 0; i < state.bodies.size(); ++i) out.mutable_data()[i] = row_of(state.bodies[i]);
  return out;
}

void read_state(const py::handle& array, const model::Model& model, model::State& state) {
  const py::array_t<BodyRow> rows = rows_of(array, "state");
  const auto bodies = static_cast<py::ssize_t>(model.bodies.size());
  if (rows.ndim() != 1 || rows.shape(0) != bodies)
    throw py::value_error(fmt::format("state must have one row for each of the {} bodies", bodies));
  read_rows(rows.data(), model, state);
}

std::vector<model::State> read_states(const py::handle& table, const model::Model& model) {
  const py::array_t<BodyRow> rows = rows_of(table, "states");
  const auto bodies = static_cast<py::ssize_t>(model.bodies.size());
  if (rows.ndim() != 2 || rows.shape(1) != bodies)
    throw py::value_error(fmt::format("states must be a table with {} bodies in each row", bodies));
  std::vector<model::State> states(static_cast<std::size_t>(rows.shape(0)));
  for (std::size_t k = 0; k < states.size(); ++k)
    read_rows(rows.data() + static_cast<py::ssize_t>(k) * bodies, model, states[k]);
  return states;
}

void check_state(const model::Model& model, const model::State& state) {
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const model::Body& body = model.bodies[i];
    const model::BodyState& at = state.bodies[i];
    const Vec3 &x = at.pose.position, &v = at.velocity.linear, &w = at.velocity.angular;
    if (!x.allFinite() || !v.allFinite() || !w.allFinite() || !std::isfinite(at.angle) ||
        !at.pose.orientation.coeffs().allFinite())
      throw py::value_error(fmt::format("the state of {} must be finite", body.name));
    if (body.planar() && (x.z() != body.initial.pose.position.z() || v.z() != 0 || w.x() != 0 || w.y() != 0))
      throw py::value_error(fmt::format("{} moves in the plane: it must keep its z and turn about z alone", body.name));
    if (!body.rotates() && !w.isZero(0))
      throw py::value_error(fmt::format("{} is a particle: it does not turn", body.name));
  }
}

void bind_states(py::module_&) {
  PYBIND11_NUMPY_DTYPE(BodyRow, position, orientation, velocity, angular_velocity, angle);
}

}  // namespace stickslip::python
