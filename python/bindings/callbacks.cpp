// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "callbacks.h"

#include "stickslip/expression/nearest_name.h"

#include <algorithm>

namespace stickslip::python {
namespace {

const py::object& callable(const py::object& function, const char* what) {
  if (!PyCallable_Check(function.ptr()))
    throw py::type_error(fmt::format("{} must be a function of (time, state)", what));
  return function;
}

// A force, or a pair of a force and a torque.
model::Wrench wrench_from(const py::handle& given) {
  model::Wrench wrench;
  if (given.is_none()) return wrench;
  const bool pair = py::isinstance<py::tuple>(given) && py::len(given) == 2 &&
                    !PyFloat_Check(given[py::int_(0)].ptr()) && !PyLong_Check(given[py::int_(0)].ptr());
  if (!pair) {
    wrench.force = vector_of(given, "force");
    return wrench;
  }
  wrench.force = vector_of(given[py::int_(0)], "force");
  wrench.torque = torque_of(given[py::int_(1)], "torque");
  return wrench;
}

void add(model::Wrench& sum, const model::Wrench& more) {
  sum.force += more.force;
  sum.torque += more.torque;
}

}  // namespace

py::key_error unknown(const char* what, const std::string& name, const std::vector<std::string>& known) {
  constexpr std::size_t kMost = 12;  // names in a message
  std::string hint = expression::did_you_mean(name, known);
  if (hint.empty() && !known.empty() && known.size() <= kMost)
    hint = fmt::format("there {} {}", known.size() == 1 ? "is" : "are", fmt::join(known, ", "));
  return py::key_error(fmt::format("no {} \"{}\"{}{}", what, name, hint.empty() ? "" : "; ", hint));
}

std::size_t body_index(const model::Model& model, const std::string& name) {
  std::vector<std::string> known;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (model.bodies[i].name == name) return i;
    known.push_back(model.bodies[i].name);
  }
  throw unknown("body", name, known);
}

void feel(model::Model& model, const std::shared_ptr<const Pushes>& pushes) {
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    model.bodies[i].forces.emplace_back([pushes, i](const model::State&, model::Wrench& wrench) {
      add(wrench, pushes->kept[i]);
      add(wrench, pushes->called[i]);
    });
}

void Callbacks::add_force(std::size_t body, const py::object& function) {
  forces_.push_back({body, callable(function, "a force")});
}

void Callbacks::add_controller(const py::object& function) {
  controllers_.push_back(callable(function, "a controller"));
}

void Callbacks::add_observer(const py::object& function) {
  observers_.push_back(callable(function, "an observer"));
}

int Callbacks::traverse(visitproc visit, void* arg) const {
  for (const Force& force : forces_) Py_VISIT(force.function.ptr());
  for (const py::object& controller : controllers_) Py_VISIT(controller.ptr());
  for (const py::object& observer : observers_) Py_VISIT(observer.ptr());
  return 0;
}

void Callbacks::push(const model::Model& model, const model::State& state, std::vector<model::Wrench>& wrenches) const {
  std::fill(wrenches.begin(), wrenches.end(), model::Wrench{});
  // Functions may keep or change the array that they are given: each gets its own.
  for (const Force& force : forces_)
    add(wrenches[force.body], wrench_from(force.function(state.time, state_array(state))));
  for (const py::object& controller : controllers_) {
    const py::object given = controller(state.time, state_array(state));
    if (given.is_none()) continue;
    if (!py::isinstance<py::dict>(given))
      throw py::type_error("a controller must return a dictionary of bodies and forces, or None");
    for (const auto& [name, wrench] : py::reinterpret_borrow<py::dict>(given)) {
      if (!py::isinstance<py::str>(name)) throw py::type_error("a controller must name bodies by text");
      add(wrenches[body_index(model, name.cast<std::string>())], wrench_from(wrench));
    }
  }
}

bool Callbacks::observe(const model::State& state) const {
  bool go_on = true;
  for (const py::object& observer : observers_) {
    const py::object answer = observer(state.time, state_array(state));
    // What a comparison gives: of Python or, with an entry of the state in it, of NumPy. Nothing else is taken for an answer.
    py::detail::make_caster<bool> said;
    if (said.load(answer, false) && !static_cast<bool>(said)) go_on = false;
  }
  return go_on;
}

}  // namespace stickslip::python
