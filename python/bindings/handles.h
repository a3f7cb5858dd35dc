// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The types behind the Python classes Model and Simulation.
//
// A Model is a scene document with the values that were given for it; it never changes. A Simulation owns the scene
// that it runs. Its steps run without the interpreter lock, so a second thread could touch it meanwhile: every access
// takes the simulation through Simulation::Use or Simulation::Look, which raise RuntimeError while another thread is
// inside. Functions that the simulation itself calls may look at it and push its bodies, but not step or replace it.
#pragma once

#include "callbacks.h"
#include "made.h"

#include "stickslip/runs/run.h"
#include "stickslip/scene/scene.h"
#include "stickslip/simulation/simulation.h"

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace stickslip::python {

// A value for --set from a Python object: numbers with all digits, texts as they are.
[[nodiscard]] std::string override_value(const py::handle& value, const std::string& name);

class Model {
 public:
  using MadeByInit = Model;

  Model(std::shared_ptr<const scene::Document> document, std::vector<scene::Override> overrides);

  // The same document with further values.
  [[nodiscard]] Model with(const std::vector<scene::Override>& more) const;

  [[nodiscard]] const scene::Scene& scene() const { return *scene_; }
  [[nodiscard]] const scene::Document& document() const { return *document_; }
  [[nodiscard]] const std::vector<scene::Override>& overrides() const { return overrides_; }

 private:
  std::shared_ptr<const scene::Document> document_;
  std::vector<scene::Override> overrides_;
  std::shared_ptr<const scene::Scene> scene_;
};

// Keyword arguments of Python as overrides: parameters by name, "duration", "stepper", "step" and every other key of
// [method] by its own name. A parameter of the scene hides a key of [method] of the same name.
[[nodiscard]] std::vector<scene::Override> overrides_from(const Model* model, const py::kwargs& values);

class Simulation {
 public:
  using MadeByInit = Simulation;

  explicit Simulation(const Model& model);

  // Exclusive access for one call.
  class Use {
   public:
    explicit Use(Simulation& simulation) : busy_(simulation.busy_) {
      if (!busy_.exchange(true)) return;
      throw std::runtime_error(simulation.calls_this_thread()
                                   ? "a function that the simulation calls cannot step or change it"
                                   : "the simulation is being used by another thread");
    }
    ~Use() { busy_.store(false); }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    std::atomic<bool>& busy_;
  };

  // The same for what changes nothing that a step holds on to; also in a function that the simulation calls.
  class Look {
   public:
    explicit Look(Simulation& simulation) : busy_(&simulation.busy_) {
      if (!busy_->exchange(true)) return;
      if (!simulation.calls_this_thread()) throw std::runtime_error("the simulation is being used by another thread");
      busy_ = nullptr;
    }
    ~Look() {
      if (busy_ != nullptr) busy_->store(false);
    }
    Look(const Look&) = delete;
    Look& operator=(const Look&) = delete;

   private:
    std::atomic<bool>* busy_;
  };

  [[nodiscard]] simulation::Simulation& run() { return run_->simulation(); }
  [[nodiscard]] const Model& model() const { return model_; }
  [[nodiscard]] const scene::Scene& scene() const { return *scene_; }

  // With the interpreter lock, which they release while they work. Ctrl-C ends run_until() after a step.
  stepping::StepReport step();
  bool run_until(double time);  // false: a step was not certified, or an observer ended it
  void observe(std::vector<double>& values);

  // A force and torque on a body, kept until they are changed. The first use makes room for them in the model.
  [[nodiscard]] model::Wrench applied(std::size_t body) const;
  void apply(std::size_t body, const model::Wrench& wrench);

  [[nodiscard]] bool has_functions() const { return !callbacks_.empty(); }
  [[nodiscard]] bool has_forces() const { return pushes_ != nullptr; }

  [[nodiscard]] std::string save() const;
  void restore(std::string_view bytes);  // throws std::runtime_error
  void reset();
  void set_state(const model::State& state);
  // With one body changed: change(state of the body). Throws ValueError where that is no state.
  void change_body(std::size_t body, const std::function<void(model::BodyState&)>& change);

  // The functions to call; room is made for their pushes.
  [[nodiscard]] Callbacks& callbacks();
  void clear_callbacks();
  int visit_callbacks(visitproc visit, void* arg) const { return callbacks_.traverse(visit, arg); }
  [[nodiscard]] const py::dtype& contact_type();  // of rows of contacts

 private:
  void start();
  void make_room_for_forces();
  template <typename Call>
  void call_back(const Call& call);
  void before_step();
  bool after_step();
  [[nodiscard]] bool calls_this_thread() const { return calling_.load() == std::this_thread::get_id(); }

  Model model_;
  std::unique_ptr<scene::Scene> scene_;  // stays where it is: forces and the run point into it
  std::unique_ptr<runs::Run> run_;
  std::shared_ptr<Pushes> pushes_;  // read by the force functions; null until forces are used
  Callbacks callbacks_;
  py::object contact_type_;  // null until contacts are asked for
  std::atomic<bool> busy_ = false;
  std::atomic<std::thread::id> calling_;  // the thread in which it calls a function of Python
};

// What a Python object of one of our types holds; null for an object whose __init__ has not run. For slots of types,
// which are called at any time.
template <typename T>
T* made_instance(PyObject* self) {
  auto* instance = reinterpret_cast<py::detail::instance*>(self);
  const bool made = instance->get_value_and_holder().holder_constructed();
  return made ? py::handle(self).cast<T*>() : nullptr;
}

void bind_model(py::module_& module);
void bind_body(py::module_& module);
void bind_simulation(py::module_& module);
void bind_batch(py::module_& module);
void bind_files(py::module_& module);
void bind_run(py::module_& module);
void bind_design(py::module_& module);
void bind_tables(py::module_& module);
void bind_plugins(py::module_& module);

}  // namespace stickslip::python
