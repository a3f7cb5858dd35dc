// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// stickslip.Simulation: a model in motion, step by step.
#include "body_view.h"
#include "contact_arrays.h"
#include "names.h"
#include "problem_arrays.h"
#include "unlocked.h"

#include <pybind11/stl.h>

#include <cmath>
#include <optional>
#include <utility>

namespace stickslip::python {
namespace {

// A getter that no other thread disturbs.
template <typename Get>
auto looking(const Get& get) {
  return [get](Simulation& simulation) {
    const Simulation::Look look(simulation);
    return get(simulation);
  };
}

struct StepResult {
  using MadeByInit = StepResult;
  stepping::StepReport report;
  std::vector<stepping::Event> events;
  double certificate = 0;
  [[nodiscard]] bool certified() const { return report.certified && report.residual <= certificate; }
};

template <typename Get>
py::array_t<double> all_bodies(Simulation& simulation, py::ssize_t width, const Get& get) {
  const Simulation::Look look(simulation);
  const auto& bodies = simulation.run().state().bodies;
  py::array_t<double> out({static_cast<py::ssize_t>(bodies.size()), width});
  for (std::size_t i = 0; i < bodies.size(); ++i) get(bodies[i], out.mutable_data(static_cast<py::ssize_t>(i)));
  return out;
}

py::array contacts_of(Simulation& simulation) {
  const Simulation::Look look(simulation);
  return contact_array(simulation.run().contacts(), body_names(simulation.scene().model), simulation.contact_type());
}

py::dict observe(Simulation& simulation) {
  const Simulation::Look look(simulation);
  std::vector<double> values;
  simulation.observe(values);
  py::dict out;
  for (std::size_t i = 0; i < values.size(); ++i) out[py::str(simulation.scene().observables[i].name)] = values[i];
  return out;
}

void set_state(Simulation& simulation, std::optional<double> time, const py::object& positions,
               const py::object& orientations, const py::object& velocities, const py::object& angular_velocities,
               const py::object& angles) {
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
  if (time && !std::isfinite(*time)) throw py::value_error("time must be finite");
  state.time = time.value_or(state.time);
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
  check_state(simulation.scene().model, state);
  simulation.set_state(state);
}

py::object failure_of(Simulation& simulation) {
  const Simulation::Look look(simulation);
  const stepping::StepFailure* failure = simulation.run().failure();
  if (failure == nullptr) return py::none();
  py::dict out;
  out["time"] = failure->time;
  out["reason"] = failure->reason;
  out["residual"] = failure->residual;
  out["solver"] = failure->solver;
  out["problem"] = py::none();
  if (!failure->contacts.empty())
    out["problem"] = py::module_::import("stickslip.problems").attr("Problem")(contact_problem(failure->problem));
  return out;
}

// Copies, and what goes to another process: the model, where the simulation is, and the forces that are kept. Functions
// mostly hold the simulation for which they were written, so they are not taken along.
py::tuple contents_of(const py::object& self) {
  auto& simulation = self.cast<Simulation&>();
  const Simulation::Look look(simulation);
  if (simulation.has_functions())
    throw py::type_error(
        "a simulation with functions cannot be copied: copy it before they are added, or after clear_functions()");
  py::list forces;
  if (simulation.has_forces())
    for (std::size_t i = 0; i < simulation.scene().model.bodies.size(); ++i) {
      const model::Wrench wrench = simulation.applied(i);
      forces.append(py::make_tuple(to_numpy(Eigen::VectorXd(wrench.force)), to_numpy(Eigen::VectorXd(wrench.torque))));
    }
  // Classes that are derived in Python have attributes of their own.
  return py::make_tuple(simulation.model(), py::bytes(simulation.save()), forces,
                        py::getattr(self, "__dict__", py::dict()));
}

std::pair<std::shared_ptr<Simulation>, py::dict> simulation_from(const py::tuple& contents) {
  if (contents.size() != 4) throw py::value_error("this is no simulation of this version");
  auto simulation = std::make_shared<Simulation>(contents[0].cast<const Model&>());
  const py::list forces = contents[2];
  if (!forces.empty() && forces.size() != simulation->scene().model.bodies.size())
    throw py::value_error("this is no simulation of this model");
  for (std::size_t i = 0; i < forces.size(); ++i) {
    const auto of = forces[i].cast<py::tuple>();
    simulation->apply(i, {vector_of(of[0], "force"), vector_of(of[1], "torque")});
  }
  simulation->restore(contents[1].cast<std::string>());
  return {std::move(simulation), contents[3].cast<py::dict>()};
}

void bind_step(py::module_& module) {
  py::class_<StepResult>(module, "Step",
                         "The report of one step. True when it was taken: certified, or at certificate_at_worst.\n\n"
                         ">>> import stickslip as ss\n"
                         ">>> model = ss.Model.from_file(\"examples/box/scene.toml\")\n"
                         ">>> step = ss.Simulation(model).step()\n"
                         ">>> step.certified, step.residual < 1e-8\n"
                         "(True, True)\n")
      .def_property_readonly("certified", &StepResult::certified,
                             "Every contact problem of the step was solved to method.certificate.")
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
          "Changes of contact mode that were located: (time, body_a, body_b, from, to), bodies by their places.")
      .def("__bool__", [](const StepResult& s) { return s.report.certified; })
      .def("__repr__", [](const StepResult& s) {
        return fmt::format("<Step: {}, residual {:.2e}, {} contacts>",
                           s.certified()        ? "certified"
                           : s.report.certified ? "at worst"
                                                : "NOT certified",
                           s.report.residual, s.report.contacts);
      });
}

// Functions that hold the simulation that calls them are found by the collector of cycles.
void collect_cycles(PyHeapTypeObject* heap_type) {
  PyTypeObject* type = &heap_type->ht_type;
  type->tp_flags |= Py_TPFLAGS_HAVE_GC;
  type->tp_traverse = [](PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    const Simulation* simulation = made_instance<Simulation>(self);
    return simulation != nullptr ? simulation->visit_callbacks(visit, arg) : 0;
  };
  type->tp_clear = [](PyObject* self) {
    if (auto* simulation = made_instance<Simulation>(self)) simulation->clear_callbacks();
    return 0;
  };
}

}  // namespace

Simulation::Simulation(const Model& model) : model_(model), scene_(std::make_unique<scene::Scene>(model.scene())) {
  start();
}

void Simulation::start() {
  run_ = std::make_unique<runs::Run>(*scene_);
  if (const std::string objection = run_->objection_to_start(); !objection.empty())
    throw scene::SceneError({scene_->file.string(), 0, 0}, objection);
  run_->begin();
}

// Functions of Python look at the simulation while it waits for them.
template <typename Call>
void Simulation::call_back(const Call& call) {
  calling_ = std::this_thread::get_id();
  try {
    or_wait_for_the_end(call);
  } catch (...) {
    calling_ = std::thread::id();
    throw;
  }
  calling_ = std::thread::id();
}

void Simulation::before_step() {
  if (callbacks_.empty()) return;
  call_back([&] { callbacks_.push(scene_->model, run().state(), pushes_->called); });
}

bool Simulation::after_step() {
  bool go_on = true;
  if (!callbacks_.empty()) call_back([&] { go_on = callbacks_.observe(run().state()); });
  return go_on;
}

stepping::StepReport Simulation::step() {
  before_step();
  stepping::StepReport report;
  {
    const Unlocked unlocked;
    report = run_->step();
  }
  if (report.certified) (void)after_step();
  return report;
}

bool Simulation::run_until(double time) {
  constexpr int kStepsBetweenSignals = 64;
  if (time > run().time()) before_step();
  int steps = 0;
  const Unlocked unlocked;
  return run_->run_until(time, [&](const runs::Run&) {
    if (callbacks_.empty() && ++steps % kStepsBetweenSignals != 0) return true;
    const Locked locked;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (!after_step()) return false;
    before_step();
    return true;
  });
}

Callbacks& Simulation::callbacks() {
  if (!pushes_) make_room_for_forces();
  return callbacks_;
}

void Simulation::clear_callbacks() {
  // The functions go last: their end may run Python that looks at the simulation.
  const Callbacks going = std::exchange(callbacks_, {});
  if (pushes_) std::fill(pushes_->called.begin(), pushes_->called.end(), model::Wrench{});
}

const py::dtype& Simulation::contact_type() {
  if (!contact_type_) contact_type_ = python::contact_type(body_names(scene_->model), WithSurface::Yes);
  return reinterpret_cast<const py::dtype&>(contact_type_);
}

void Simulation::observe(std::vector<double>& values) {
  values.resize(scene_->observables.size());
  run_->observe(values);
}

model::Wrench Simulation::applied(std::size_t body) const {
  return pushes_ ? pushes_->kept[body] : model::Wrench{};
}

void Simulation::apply(std::size_t body, const model::Wrench& wrench) {
  if (!pushes_) make_room_for_forces();
  pushes_->kept[body] = wrench;
}

// Whether anything pushes a body is settled when a simulation is made, so it is made again and goes on where it was.
void Simulation::make_room_for_forces() {
  const std::string before = save();
  const std::size_t bodies = scene_->model.bodies.size();
  pushes_ = std::make_shared<Pushes>(Pushes{std::vector<model::Wrench>(bodies), std::vector<model::Wrench>(bodies)});
  feel(scene_->model, pushes_);
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
  if (pushes_) std::fill(pushes_->kept.begin(), pushes_->kept.end(), model::Wrench{});
  start();
}

void Simulation::set_state(const model::State& state) {
  auto next = std::make_unique<runs::Run>(*scene_);
  next->simulation().set_state(state);
  // What settles does so from the scene's own start alone.
  const bool settles = std::exchange(scene_->settle, false);
  const std::shared_ptr<void> as_before(nullptr, [this, settles](void*) { scene_->settle = settles; });
  next->begin();
  run_ = std::move(next);
}

void Simulation::change_body(std::size_t body, const std::function<void(model::BodyState&)>& change) {
  model::State next = run().state();
  change(next.bodies[body]);
  check_state(scene_->model, next);
  set_state(next);
}

void bind_simulation(py::module_& module) {
  bind_states(module);
  bind_step(module);
  bind_body(module);
  py::class_<Simulation, std::shared_ptr<Simulation>> type(
      module, "Simulation", py::custom_type_setup(&collect_cycles),
      "A model in motion, step by step.\n\n"
      ">>> import stickslip as ss\n"
      ">>> model = ss.Model.from_file(\"examples/box/scene.toml\")\n"
      ">>> sim = ss.Simulation(model, speed=1, mu=0.5)\n"
      ">>> sim.run_until(1.0), sim.certified\n"
      "(True, True)\n"
      ">>> round(sim[\"x\"], 6)  # v^2 / (2 mu g)\n"
      "0.101937\n");
  refuse_iteration(type);
  type.def(py::init([](const Model& model, const py::kwargs& values) {
             return std::make_shared<Simulation>(values.empty() ? model : model.with(overrides_from(&model, values)));
           }),
           py::arg("model"), "Keywords set parameters, duration, and keys of [method] such as stepper and step.")
      .def(py::pickle(&contents_of, &simulation_from))
      .def(
          "step",
          [](Simulation& simulation) {
            const Simulation::Use use(simulation);
            StepResult result;
            result.report = simulation.step();
            result.certificate = simulation.run().method().certificate;
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
            return simulation.run_until(time);
          },
          py::arg("time"),
          "Steps until that time. False when a step was not certified or an observer ended it. Ctrl-C raises "
          "KeyboardInterrupt; the simulation is then at the end of its last step.")
      .def_property_readonly("time", looking([](Simulation& s) { return s.run().time(); }), "Simulated seconds.")
      .def_property_readonly(
          "model", [](Simulation& s) { return s.model(); }, "What is simulated, with the values that it was made with.")
      .def_property_readonly(
          "bodies", [](Simulation& s) { return body_names(s.scene().model); },
          "Names of the bodies, in the order of all arrays.")
      .def_property_readonly(
          "duration", [](Simulation& s) { return s.scene().duration; },
          "Simulated seconds of a run, as the scene says; steps may go on beyond.")
      .def_property_readonly("step_size", looking([](Simulation& s) { return s.run().method().step; }),
                             "The time step.")
      .def_property_readonly("certified", looking([](Simulation& s) {
                               return s.run().failure() == nullptr && s.run().counters().at_worst == 0;
                             }),
                             "Whether every step so far reached method.certificate.")
      .def_property_readonly("worst_residual", looking([](Simulation& s) { return s.run().counters().worst_residual; }),
                             "The largest certificate so far.")
      .def_property_readonly("steps_at_worst", looking([](Simulation& s) { return s.run().counters().at_worst; }),
                             "Steps above the certificate, taken at certificate_at_worst.")
      .def_property_readonly("contacts", &contacts_of,
                             "Contacts at the end of the last step: a structured array with bodies (names), body_a, "
                             "body_b (places), surface, mode (open, stick, roll, slide), gap, point, normal, force (on "
                             "the first body), slip.")
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
            const Simulation::Look look(s);
            std::vector<double> angles;
            for (const model::BodyState& b : s.run().state().bodies) angles.push_back(b.angle);
            return to_numpy(angles);
          },
          "Rotations of planar bodies about z, not wrapped.")
      .def(
          "body",
          [](Simulation& simulation, const std::string& name) {
            const std::size_t index = body_index(simulation.scene().model, name);
            return BodyView{py::cast(&simulation, py::return_value_policy::reference), &simulation, index};
          },
          py::arg("name"), "A body by its name.")
      .def_property_readonly(
          "state",
          [](Simulation& s) {
            const Simulation::Look look(s);
            return state_array(s.run().state());
          },
          "All bodies: a structured array with position, orientation, velocity, angular_velocity, angle. A copy.")
      .def_property_readonly(
          "failure", &failure_of,
          "None while every step was certified; else time, reason, residual, solver and problem (a Problem; None "
          "when no contact problem is to blame).")
      .def(
          "add_force",
          [](Simulation& s, const std::string& body, const py::object& function) {
            const Simulation::Use use(s);
            const std::size_t index = body_index(s.scene().model, body);
            s.callbacks().add_force(index, function);
          },
          py::arg("body"), py::arg("function"),
          "function(time, state) gives a force, or a pair of force and torque, on the body for each step; called at "
          "its "
          "begin.")
      .def(
          "add_controller",
          [](Simulation& s, const py::object& function) {
            const Simulation::Use use(s);
            s.callbacks().add_controller(function);
          },
          py::arg("function"),
          "function(time, state) gives a dictionary of bodies with forces, or pairs of force and torque, for each "
          "step; "
          "called at its begin.")
      .def(
          "add_observer",
          [](Simulation& s, const py::object& function) {
            const Simulation::Use use(s);
            s.callbacks().add_observer(function);
          },
          py::arg("function"), "function(time, state) is called after each certified step; False ends run_until().")
      .def(
          "clear_functions",
          [](Simulation& s) {
            const Simulation::Use use(s);
            s.clear_callbacks();
          },
          "Takes all forces, controllers and observers away.")
      .def("observe", &observe, "Names and present values of what the scene observes.")
      .def("__contains__", [](const Simulation& simulation,
                              const py::object& name) { return contains(observable_names(simulation.scene()), name); })
      .def("__getitem__",
           [](Simulation& simulation, const std::string& name) {
             const py::dict values = observe(simulation);
             if (!values.contains(name.c_str()))
               throw unknown("observable", name, observable_names(simulation.scene()));
             return values[name.c_str()].cast<double>();
           })
      .def(
          "save",
          [](Simulation& simulation) {
            const Simulation::Look look(simulation);
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
          [](Simulation& simulation, const py::object& state, double time) {
            if (!std::isfinite(time)) throw py::value_error("time must be finite");
            const Simulation::Use use(simulation);
            if (state.is_none()) {
              if (time != 0) throw py::value_error("the scene's initial state is that of time 0");
              simulation.reset();
              return;
            }
            model::State next;
            next.time = time;
            read_state(state, simulation.scene().model, next);
            simulation.reset();
            simulation.set_state(next);
          },
          py::arg("state") = py::none(), py::arg("time") = 0.0,
          "Starts again without applied forces: from the scene's initial state, or from an array like `state`.")
      .def("set_state", &set_state, py::kw_only(), py::arg("time") = py::none(), py::arg("positions") = py::none(),
           py::arg("orientations") = py::none(), py::arg("velocities") = py::none(),
           py::arg("angular_velocities") = py::none(), py::arg("angles") = py::none(),
           "Goes on from the given time and arrays (None: as they are now). Prescribed motions follow the time.")
      .def("__repr__", [](Simulation& s) {
        const Simulation::Look look(s);
        return fmt::format("<Simulation at t = {:.6g}, step {:g}, {}>", s.run().time(), s.run().method().step,
                           s.run().failure() != nullptr       ? "NOT certified"
                           : s.run().counters().at_worst == 0 ? "certified"
                                                              : "certified at worst");
      });
}

}  // namespace stickslip::python
