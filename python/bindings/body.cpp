// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// stickslip.Body: pose, velocity, and what pushes one body of a simulation.
#include "body_view.h"

#include <pybind11/stl.h>

namespace stickslip::python {
namespace {

py::array_t<double> array_of(const Vec3& x) {
  return py::array_t<double>(3, x.data());
}

py::array_t<double> array_of(const Quat& q) {
  const double wxyz[4] = {q.w(), q.x(), q.y(), q.z()};
  return py::array_t<double>(4, wxyz);
}

// A getter that no other thread disturbs.
template <typename Get>
auto looking(const Get& get) {
  return [get](const BodyView& view) {
    const Simulation::Look look(*view.simulation);
    return get(view);
  };
}

// The state of the simulation with this body changed. Not in a function that the simulation calls.
void change(const BodyView& view, const std::function<void(model::BodyState&)>& how) {
  const Simulation::Use use(*view.simulation);
  if (view.body().mass == 0) throw py::value_error(fmt::format("all motion of {} is prescribed", view.body().name));
  view.simulation->change_body(view.index, how);
}

// A cycle through a body goes on through its simulation, which lets its functions go: the body need not let go of it,
// and stays usable in what runs while a cycle is taken apart.
void collect_cycles(PyHeapTypeObject* heap_type) {
  PyTypeObject* type = &heap_type->ht_type;
  type->tp_flags |= Py_TPFLAGS_HAVE_GC;
  type->tp_traverse = [](PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    if (const BodyView* view = made_instance<BodyView>(self)) Py_VISIT(view->owner.ptr());
    return 0;
  };
}

}  // namespace

void bind_body(py::module_& module) {
  py::class_<BodyView>(module, "Body", py::custom_type_setup(&collect_cycles),
                       "A body of a simulation.\n\n"
                       ">>> import stickslip as ss\n"
                       ">>> sim = ss.Simulation(ss.Model.from_file(\"examples/box/scene.toml\"))\n"
                       ">>> box = sim.body(\"box\")\n"
                       ">>> box.force = [1, 0]\n"
                       ">>> box.velocity.tolist(), box.force.tolist()\n"
                       "([2.0, 0.0, 0.0], [1.0, 0.0, 0.0])\n")
      .def_property_readonly(
          "name", [](const BodyView& b) { return b.body().name; }, "As the scene names it.")
      .def_property_readonly(
          "mass", [](const BodyView& b) { return b.body().mass; }, "0 where all motion is prescribed.")
      .def_property(
          "position", looking([](const BodyView& b) { return array_of(b.state().pose.position); }),
          [](const BodyView& b, const py::object& given) {
            Vec3 x = vector_of(given, "position");
            if (b.body().planar()) x.z() = b.body().initial.pose.position.z();
            change(b, [&](model::BodyState& state) { state.pose.position = x; });
          },
          "Centre of mass, world frame.")
      .def_property_readonly("orientation",
                             looking([](const BodyView& b) { return array_of(b.state().pose.orientation); }),
                             "Unit quaternion w, x, y, z; Simulation.set_state sets it.")
      .def_property_readonly("angle", looking([](const BodyView& b) { return b.state().angle; }),
                             "Planar bodies: rotation about z, not wrapped; Simulation.set_state sets it.")
      .def_property(
          "velocity", looking([](const BodyView& b) { return array_of(b.state().velocity.linear); }),
          [](const BodyView& b, const py::object& given) {
            const Vec3 v = vector_of(given, "velocity");
            change(b, [&](model::BodyState& state) { state.velocity.linear = v; });
          },
          "Of the centre of mass, world frame.")
      .def_property(
          "angular_velocity", looking([](const BodyView& b) { return array_of(b.state().velocity.angular); }),
          [](const BodyView& b, const py::object& given) {
            const Vec3 w = torque_of(given, "angular_velocity");
            change(b, [&](model::BodyState& state) { state.velocity.angular = w; });
          },
          "World frame (when set, one number: about z).")
      .def_property(
          "force", looking([](const BodyView& b) { return array_of(b.simulation->applied(b.index).force); }),
          [](const BodyView& b, const py::object& given) {
            const Vec3 force = vector_of(given, "force");
            const Simulation::Look look(*b.simulation);
            model::Wrench next = b.simulation->applied(b.index);
            next.force = force;
            b.simulation->apply(b.index, next);
          },
          "Applied at the centre of mass, world frame, besides what the scene applies; kept until changed.")
      .def_property(
          "torque", looking([](const BodyView& b) { return array_of(b.simulation->applied(b.index).torque); }),
          [](const BodyView& b, const py::object& given) {
            const Vec3 torque = torque_of(given, "torque");
            const Simulation::Look look(*b.simulation);
            model::Wrench next = b.simulation->applied(b.index);
            next.torque = torque;
            b.simulation->apply(b.index, next);
          },
          "Applied torque, world frame (one number: about z); kept until changed.")
      .def("__repr__", [](const BodyView& b) { return fmt::format("<Body \"{}\">", b.body().name); });
}

}  // namespace stickslip::python
