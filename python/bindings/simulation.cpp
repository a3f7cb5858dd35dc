// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// stickslip.Simulation: a model in motion, step by step.
#include "handles.h"

#include "stickslip/expression/nearest_name.h"

#include <pybind11/stl.h>

namespace stickslip::python {
namespace {

// One contact as a row of a structured array. All vectors in the world frame.
struct ContactRow {
  std::int32_t body_a, body_b;
  std::int32_t mode;  // contact::Mode
  std::int32_t surface;
  double gap;
  double point[3], normal[3], force[3], slip[3];
};

struct StepResult {
  stepping::StepReport report;
  std::vector<stepping::Event> events;
};

// A body of a simulation, by its place. Keeps the simulation alive.
struct BodyView {
  std::shared_ptr<Simulation> simulation;
  std::size_t index;

  [[nodiscard]] const model::BodyState& state() const { return simulation->run().state().bodies[index]; }
  [[nodiscard]] const model::Body& body() const { return simulation->scene().model.bodies[index]; }
};

py::array_t<double> array_of(const Vec3& x) {
  return py::array_t<double>(3, x.data());
}

py::array_t<double> array_of(const Quat& q) {
  const double wxyz[4] = {q.w(), q.x(), q.y(), q.z()};
  return py::array_t<double>(4, wxyz);
}

// Two numbers (plane) or three.
Vec3 vector_of(const py::handle& object, const char* name) {
  const Eigen::VectorXd x = vector_from(object, name);
  if (x.size() != 3 && x.size() != 2)
    throw py::value_error(fmt::format("{} must have 3 entries (or 2 in the plane), not {}", name, x.size()));
  if (!x.allFinite()) throw py::value_error(fmt::format("{} must be finite", name));
  return {x(0), x(1), x.size() == 3 ? x(2) : 0.0};
}

// One number (about z) or three.
Vec3 torque_of(const py::handle& object) {
  if (PyFloat_Check(object.ptr()) || PyLong_Check(object.ptr())) {
    const double z = object.cast<double>();
    if (!std::isfinite(z)) throw py::value_error("torque must be finite");
    return {0, 0, z};
  }
  return vector_of(object, "torque");
}

template <typename Get>
py::array_t<double> all_bodies(Simulation& simulation, py::ssize_t width, const Get& get) {
  const Simulation::Use use(simulation);
  const auto& bodies = simulation.run().state().bodies;
  py::array_t<double> out({static_cast<py::ssize_t>(bodies.size()), width});
  for (std::size_t i = 0; i < bodies.size(); ++i) get(bodies[i], out.mutable_data(static_cast<py::ssize_t>(i)));
  return out;
}

py::array_t<ContactRow> contacts_of(Simulation& simulation) {
  const Simulation::Use use(simulation);
  const auto contacts = simulation.run().contacts();
  py::array_t<ContactRow> out(static_cast<py::ssize_t>(contacts.size()));
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const contact::ContactResult& from = contacts[c];
    ContactRow& row = *out.mutable_data(static_cast<py::ssize_t>(c));
    row = {from.contact.id.body_a,
           from.contact.id.body_b,
           static_cast<std::int32_t>(from.mode),
           from.contact.surface,
           from.contact.gap,
           {},
           {},
           {},
           {}};
    const Vec3 point = 0.5 * (from.contact.point_a + from.contact.point_b);
    for (int k = 0; k < 3; ++k) {
      row.point[k] = point(k);
      row.normal[k] = from.contact.normal(k);
      row.force[k] = from.force(k);
      row.slip[k] = from.relative_velocity(k);
    }
  }
  return out;
}

py::dict observe(Simulation& simulation) {
  const Simulation::Use use(simulation);
  std::vector<double> values;
  simulation.observe(values);
  py::dict out;
  for (std::size_t i = 0; i < values.size(); ++i) out[py::str(simulation.scene().observables[i].name)] = values[i];
  return out;
}

void set_state(Simulation& simulation, double time, const py::object& positions, const py::object& orientations,
               const py::object& velocities, const py::object& angular_velocities, const py::object& angles) {
  const Simulation::Use use(simulation);
  model::State state = simulation.run().state();
  const auto table = [&](const py::object& object, const char* name, py::ssize_t width, auto&& put) {
    if (object.is_none()) return;
    const DoubleArray array = real_array(object, name);
    const auto bodies = static_cast<py::ssize_t>(state.bodies.size());
    if (array.ndim() != 2 || array.shape(0) != bodies || array.shape(1) != width)
      throw py::value_error(fmt::format("{} must be an array of {} x {} numbers", name, bodies, width));
    for (py::ssize_t i = 0; i < bodies; ++i) {
      for (py::ssize_t k = 0; k < width; ++k)
        if (!std::isfinite(array.at(i, k))) throw py::value_error(fmt::format("{} must be finite", name));
      put(state.bodies[static_cast<std::size_t>(i)], array.data(i));
    }
  };
  if (!std::isfinite(time)) throw py::value_error("time must be finite");
  state.time = time;
  table(positions, "positions", 3,
        [](model::BodyState& b, const double* x) { b.pose.position = Vec3(x[0], x[1], x[2]); });
  table(velocities, "velocities", 3,
        [](model::BodyState& b, const double* x) { b.velocity.linear = Vec3(x[0], x[1], x[2]); });
  table(angular_velocities, "angular_velocities", 3,
        [](model::BodyState& b, const double* x) { b.velocity.angular = Vec3(x[0], x[1], x[2]); });
  table(orientations, "orientations", 4, [](model::BodyState& b, const double* x) {
    const Quat q(x[0], x[1], x[2], x[3]);
    if (!(q.norm() > 1e-6)) throw py::value_error("orientations must be quaternions (w, x, y, z) that are not zero");
    b.pose.orientation = q.normalized();
  });
  if (!angles.is_none()) {
    const Eigen::VectorXd given = vector_from(angles, "angles", static_cast<py::ssize_t>(state.bodies.size()));
    for (std::size_t i = 0; i < state.bodies.size(); ++i) {
      const double angle = given(static_cast<Eigen::Index>(i));
      if (!std::isfinite(angle)) throw py::value_error("angles must be finite");
      if (!simulation.scene().model.bodies[i].planar()) continue;
      state.bodies[i].angle = angle;
      state.bodies[i].pose.orientation = Quat(Eigen::AngleAxisd(angle, Vec3::UnitZ()));
    }
  }
  simulation.set_state(state);
}

void bind_step(py::module_& module) {
  py::class_<StepResult>(module, "Step", "What one step tells about itself.")
      .def_property_readonly(
          "certified", [](const StepResult& s) { return s.report.certified; },
          "Every contact problem of the step was solved to the tolerance.")
      .def_property_readonly(
          "residual", [](const StepResult& s) { return s.report.residual; }, "The worst certificate of the step.")
      .def_property_readonly(
          "solver", [](const StepResult& s) { return s.report.solver; },
          "The algorithm that solved the hardest problem.")
      .def_property_readonly(
          "contacts", [](const StepResult& s) { return s.report.contacts; }, "Potential contacts that took part.")
      .def_property_readonly(
          "solves", [](const StepResult& s) { return s.report.solves; }, "Contact problems solved.")
      .def_property_readonly(
          "sub_steps", [](const StepResult& s) { return s.report.sub_steps; }, "Parts into which the step was divided.")
      .def_property_readonly(
          "fallbacks", [](const StepResult& s) { return s.report.fallbacks; },
          "Parts that were done at first order because events piled up, or in halves.")
      .def_property_readonly(
          "events",
          [](const StepResult& s) {
            py::list list;
            for (const stepping::Event& event : s.events)
              list.append(py::make_tuple(event.time, event.contact.body_a, event.contact.body_b,
                                         contact::to_string(event.from), contact::to_string(event.to)));
            return list;
          },
          "Changes of contact mode that were located: (time, body_a, body_b, from, to).")
      .def("__bool__", [](const StepResult& s) { return s.report.certified; })
      .def("__repr__", [](const StepResult& s) {
        return fmt::format("<Step: {}, residual {:.2e}, {} contacts>",
                           s.report.certified ? "certified" : "NOT certified", s.report.residual, s.report.contacts);
      });
}

void bind_body(py::module_& module) {
  const auto wrench = [](const BodyView& view) {
    const Simulation::Use use(*view.simulation);
    return view.simulation->applied(view.index);
  };
  py::class_<BodyView>(module, "Body", "A body of a simulation.")
      .def_property_readonly(
          "name", [](const BodyView& b) { return b.body().name; }, "As the scene names it.")
      .def_property_readonly(
          "mass", [](const BodyView& b) { return b.body().mass; }, "0 where all motion is prescribed.")
      .def_property_readonly(
          "position", [](const BodyView& b) { return array_of(b.state().pose.position); },
          "Centre of mass, world frame.")
      .def_property_readonly(
          "orientation", [](const BodyView& b) { return array_of(b.state().pose.orientation); },
          "Unit quaternion w, x, y, z.")
      .def_property_readonly(
          "angle", [](const BodyView& b) { return b.state().angle; }, "Planar bodies: rotation about z, not wrapped.")
      .def_property_readonly(
          "velocity", [](const BodyView& b) { return array_of(b.state().velocity.linear); },
          "Of the centre of mass, world frame.")
      .def_property_readonly(
          "angular_velocity", [](const BodyView& b) { return array_of(b.state().velocity.angular); }, "World frame.")
      .def_property(
          "force", [wrench](const BodyView& b) { return array_of(wrench(b).force); },
          [wrench](const BodyView& b, const py::object& force) {
            model::Wrench next = wrench(b);
            next.force = vector_of(force, "force");
            const Simulation::Use use(*b.simulation);
            b.simulation->apply(b.index, next);
          },
          "Applied at the centre of mass, world frame, besides what the scene applies; kept until changed.")
      .def_property(
          "torque", [wrench](const BodyView& b) { return array_of(wrench(b).torque); },
          [wrench](const BodyView& b, const py::object& torque) {
            model::Wrench next = wrench(b);
            next.torque = torque_of(torque);
            const Simulation::Use use(*b.simulation);
            b.simulation->apply(b.index, next);
          },
          "Applied torque, world frame (one number: about z); kept until changed.")
      .def("__repr__", [](const BodyView& b) { return fmt::format("<Body \"{}\">", b.body().name); });
}

}  // namespace

Simulation::Simulation(const Model& model) : scene_(std::make_unique<scene::Scene>(model.scene())) {
  start();
}

void Simulation::start() {
  run_ = std::make_unique<runs::Run>(*scene_);
  if (const std::string objection = run_->objection_to_start(); !objection.empty())
    throw scene::SceneError({scene_->file.string(), 0, 0}, objection);
  run_->begin();
}

std::size_t Simulation::body_index(const std::string& name) const {
  std::vector<std::string> known;
  for (std::size_t i = 0; i < scene_->model.bodies.size(); ++i) {
    if (scene_->model.bodies[i].name == name) return i;
    known.push_back(scene_->model.bodies[i].name);
  }
  const std::string hint = expression::did_you_mean(name, known);
  throw py::key_error(fmt::format("no body \"{}\"{}{}", name, hint.empty() ? "" : "; ", hint));
}

stepping::StepReport Simulation::step() {
  return run_->step();
}

bool Simulation::run_until(double time) {
  return run_->run_until(time);
}

void Simulation::observe(std::vector<double>& values) {
  values.resize(scene_->observables.size());
  run_->observe(values);
}

model::Wrench Simulation::applied(std::size_t body) const {
  return applied_ ? (*applied_)[body] : model::Wrench{};
}

void Simulation::apply(std::size_t body, const model::Wrench& wrench) {
  if (!applied_) make_room_for_forces();
  (*applied_)[body] = wrench;
}

// Whether anything pushes a body is settled when a simulation is made, so it is made again and goes on where it was.
void Simulation::make_room_for_forces() {
  const std::string before = save();
  applied_ = std::make_shared<std::vector<model::Wrench>>(scene_->model.bodies.size());
  for (std::size_t i = 0; i < scene_->model.bodies.size(); ++i)
    scene_->model.bodies[i].forces.emplace_back([table = applied_, i](const model::State&, model::Wrench& wrench) {
      wrench.force += (*table)[i].force;
      wrench.torque += (*table)[i].torque;
    });
  run_ = std::make_unique<runs::Run>(*scene_);
  restore(before);
}

std::string Simulation::save() const {
  ByteWriter out;
  run_->save(out);
  return out.take();
}

void Simulation::restore(std::string_view bytes) {
  ByteReader in(bytes);
  run_->restore(in);
  if (!in.at_end()) throw std::runtime_error("these bytes were not saved by a simulation of this model");
}

void Simulation::reset() {
  if (applied_) std::fill(applied_->begin(), applied_->end(), model::Wrench{});
  start();
}

void Simulation::set_state(const model::State& state) {
  auto next = std::make_unique<runs::Run>(*scene_);
  next->simulation().set_state(state);
  next->begin();
  run_ = std::move(next);
}

void bind_simulation(py::module_& module) {
  PYBIND11_NUMPY_DTYPE(ContactRow, body_a, body_b, mode, surface, gap, point, normal, force, slip);
  bind_step(module);
  bind_body(module);
  py::class_<Simulation, std::shared_ptr<Simulation>>(module, "Simulation", "A model in motion, step by step.")
      .def(py::init([](const Model& model, const py::kwargs& values) {
             return std::make_shared<Simulation>(values.empty() ? model : model.with(overrides_from(&model, values)));
           }),
           py::arg("model"), "Keywords set parameters, duration, and keys of [method] such as stepper and step.")
      .def(
          "step",
          [](Simulation& simulation) {
            const Simulation::Use use(simulation);
            StepResult result;
            {
              const py::gil_scoped_release unlocked;
              result.report = simulation.step();
            }
            result.events.assign(result.report.events.begin(), result.report.events.end());
            result.report.events = {};
            return result;
          },
          "One step. When it is not certified, the state is the last certified one.")
      .def(
          "run_until",
          [](Simulation& simulation, double time) {
            if (!std::isfinite(time)) throw py::value_error("time must be finite");
            const Simulation::Use use(simulation);
            const py::gil_scoped_release unlocked;
            return simulation.run_until(time);
          },
          py::arg("time"), "Steps until that time. False when a step was not certified.")
      .def_property_readonly(
          "time", [](Simulation& s) { return s.run().time(); }, "Simulated seconds.")
      .def_property_readonly(
          "step_size", [](Simulation& s) { return s.run().method().step; }, "The time step.")
      .def_property_readonly(
          "certified", [](Simulation& s) { return s.run().failure() == nullptr; },
          "Whether every step so far was certified.")
      .def_property_readonly(
          "worst_residual", [](Simulation& s) { return s.run().counters().worst_residual; },
          "The largest certificate so far.")
      .def_property_readonly(
          "steps_at_worst", [](Simulation& s) { return s.run().counters().at_worst; },
          "Steps above the certificate, taken at certificate_at_worst.")
      .def_property_readonly("contacts", &contacts_of,
                             "Contacts at the end of the last step: a structured array with body_a, body_b, mode (0 "
                             "open, 1 stick, 2 roll, 3 slide), surface, gap, point, normal, force (on a), slip.")
      .def_property_readonly(
          "positions",
          [](Simulation& s) {
            return all_bodies(s, 3, [](const model::BodyState& b, double* x) {
              for (int k = 0; k < 3; ++k) x[k] = b.pose.position(k);
            });
          },
          "Centres of mass, bodies x 3.")
      .def_property_readonly(
          "orientations",
          [](Simulation& s) {
            return all_bodies(s, 4, [](const model::BodyState& b, double* x) {
              const Quat& q = b.pose.orientation;
              x[0] = q.w(), x[1] = q.x(), x[2] = q.y(), x[3] = q.z();
            });
          },
          "Unit quaternions w, x, y, z, bodies x 4.")
      .def_property_readonly(
          "velocities",
          [](Simulation& s) {
            return all_bodies(s, 3, [](const model::BodyState& b, double* x) {
              for (int k = 0; k < 3; ++k) x[k] = b.velocity.linear(k);
            });
          },
          "Velocities of the centres of mass, bodies x 3.")
      .def_property_readonly(
          "angular_velocities",
          [](Simulation& s) {
            return all_bodies(s, 3, [](const model::BodyState& b, double* x) {
              for (int k = 0; k < 3; ++k) x[k] = b.velocity.angular(k);
            });
          },
          "World frame, bodies x 3.")
      .def_property_readonly(
          "angles",
          [](Simulation& s) {
            const Simulation::Use use(s);
            std::vector<double> angles;
            for (const model::BodyState& b : s.run().state().bodies) angles.push_back(b.angle);
            return to_numpy(angles);
          },
          "Rotations of planar bodies about z, not wrapped.")
      .def(
          "body",
          [](const std::shared_ptr<Simulation>& simulation, const std::string& name) {
            return BodyView{simulation, simulation->body_index(name)};
          },
          py::arg("name"), "A body by its name.")
      .def("observe", &observe, "Names and present values of what the scene observes.")
      .def("__getitem__",
           [](Simulation& simulation, const std::string& name) {
             const py::dict values = observe(simulation);
             if (!values.contains(name.c_str())) throw py::key_error(fmt::format("no observable \"{}\"", name));
             return values[name.c_str()].cast<double>();
           })
      .def(
          "save",
          [](Simulation& simulation) {
            const Simulation::Use use(simulation);
            return py::bytes(simulation.save());
          },
          "Everything that later steps depend on. Not a file format: for this version and this model.")
      .def(
          "restore",
          [](Simulation& simulation, const py::bytes& bytes) {
            const Simulation::Use use(simulation);
            simulation.restore(std::string_view(bytes));
          },
          py::arg("saved"), "Goes back to what save() gave.")
      .def(
          "reset",
          [](Simulation& simulation) {
            const Simulation::Use use(simulation);
            simulation.reset();
          },
          "Starts again from the scene's initial state, without applied forces.")
      .def("set_state", &set_state, py::kw_only(), py::arg("time") = 0.0, py::arg("positions") = py::none(),
           py::arg("orientations") = py::none(), py::arg("velocities") = py::none(),
           py::arg("angular_velocities") = py::none(), py::arg("angles") = py::none(),
           "Goes on from the given time and arrays (None: as they are now). Prescribed motions follow the time.")
      .def("__repr__", [](Simulation& s) {
        return fmt::format("<Simulation at t = {:.6g}, step {:g}, {}>", s.run().time(), s.run().method().step,
                           s.run().failure() == nullptr ? "certified" : "NOT certified");
      });
}

}  // namespace stickslip::python
