// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// stickslip.Model: a scene with values for its parameters.
#include "handles.h"
#include "names.h"

#include "stickslip/expression/nearest_name.h"
#include "stickslip/scene/keys.h"
#include "stickslip/stepping/choose_stepper.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>

namespace stickslip::python {
namespace {

bool has_parameter(const scene::Scene& scene, const std::string& name) {
  return std::any_of(scene.parameters.begin(), scene.parameters.end(),
                     [&](const scene::Parameter& parameter) { return parameter.name == name; });
}

// Also a misspelt one, unless a parameter is as near: the error then names the key that was meant.
bool is_method_key(const std::string& name, const Model* model) {
  std::vector<std::string> keys, others{"duration"};
  for (const scene::Key& key : scene::keys_of("method").keys) keys.emplace_back(key.name);
  if (std::ranges::find(keys, name) != keys.end()) return true;
  if (model != nullptr)
    for (const scene::Parameter& parameter : model->scene().parameters) others.push_back(parameter.name);
  return expression::did_you_mean(name, others).empty() && !expression::did_you_mean(name, keys).empty();
}

Model model_from_document(scene::Document document, const py::kwargs& values) {
  const Model plain(std::make_shared<const scene::Document>(std::move(document)), {});
  if (values.empty()) return plain;
  return plain.with(overrides_from(&plain, values));
}

py::dict parameters_of(const Model& model) {
  py::dict values;
  for (const scene::Parameter& parameter : model.scene().parameters) values[py::str(parameter.name)] = parameter.value;
  return values;
}

// Copies, and what goes to another process: the text and the values. Files that the scene names are read again.
py::tuple contents_of(const Model& model) {
  py::list values;
  for (const scene::Override& value : model.overrides()) values.append(py::make_tuple(value.name, value.value));
  return py::make_tuple(model.document().text, text_from(model.document().file.string()), values);
}

Model model_from(const py::tuple& contents) {
  if (contents.size() != 3) throw py::value_error("this is no model of this version");
  std::vector<scene::Override> overrides;
  for (const py::handle entry : py::list(contents[2])) {
    const auto of = entry.cast<std::pair<std::string, std::string>>();
    overrides.push_back({of.first, of.second});
  }
  scene::Document document = scene::parse_document(contents[0].cast<std::string>(), path_from(contents[1]));
  return {std::make_shared<const scene::Document>(std::move(document)), std::move(overrides)};
}

std::string brief(const Model& model) {
  const scene::Scene& scene = model.scene();
  return fmt::format("<Model \"{}\": {} bodies, {} parameters, {} observables, duration {:g}>", scene.title,
                     scene.model.bodies.size(), scene.parameters.size(), scene.observables.size(), scene.duration);
}

}  // namespace

std::string override_value(const py::handle& value, const std::string& name) {
  if (py::isinstance<py::str>(value)) return value.cast<std::string>();
  if (py::isinstance<py::bool_>(value)) return value.cast<bool>() ? "true" : "false";
  const double number = PyFloat_AsDouble(value.ptr());
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw py::type_error(fmt::format("{} must be a number, a text or a bool", name));
  }
  if (!std::isfinite(number)) throw py::value_error(fmt::format("{} must be a finite number", name));
  return fmt::format("{}", number);
}

std::vector<scene::Override> overrides_from(const Model* model, const py::kwargs& values) {
  std::vector<scene::Override> overrides;
  for (const auto& [key, value] : values) {
    std::string name = key.cast<std::string>();
    const bool parameter = model != nullptr && has_parameter(model->scene(), name);
    std::string text = override_value(value, name);
    if (!parameter && is_method_key(name, model)) name = "method." + name;
    overrides.push_back({std::move(name), std::move(text)});
  }
  return overrides;
}

Model::Model(std::shared_ptr<const scene::Document> document, std::vector<scene::Override> overrides)
    : document_(std::move(document)),
      overrides_(std::move(overrides)),
      scene_(std::make_shared<const scene::Scene>(scene::make_scene(*document_, overrides_))) {}

Model Model::with(const std::vector<scene::Override>& more) const {
  std::vector<scene::Override> all = overrides_;
  all.insert(all.end(), more.begin(), more.end());
  return Model(document_, std::move(all));
}

void bind_model(py::module_& module) {
  py::class_<Model>(module, "Model",
                    "A scene, with values for its parameters. A model never changes.\n\n"
                    ">>> import stickslip as ss\n"
                    ">>> model = ss.Model.from_file(\"examples/ball/scene.toml\", mu=0.3)\n"
                    ">>> model.bodies, model.parameters[\"mu\"]\n"
                    "(['floor', 'ball'], 0.3)\n"
                    ">>> model.with_values(mu=0.1, step=1e-2).step\n"
                    "0.01\n")
      .def_static(
          "from_file",
          [](const py::object& path, const py::kwargs& values) {
            return model_from_document(scene::read_document(path_from(path)), values);
          },
          py::arg("path"), "Reads a scene file. Keywords set parameters of the scene, duration, and keys of [method].")
      .def_static(
          "from_string",
          [](const std::string& text, const py::object& name, const py::kwargs& values) {
            return model_from_document(scene::parse_document(text, path_from(name)), values);
          },
          py::arg("text"), py::arg("name") = "scene",
          "The same from the text of a scene file; `name` stands for the file in messages.")
      .def(
          "with_values",
          [](const Model& model, const py::kwargs& values) { return model.with(overrides_from(&model, values)); },
          "The same scene with other values.")
      .def_property_readonly(
          "title", [](const Model& m) { return m.scene().title; }, "The scene's title.")
      .def_property_readonly(
          "description", [](const Model& m) { return m.scene().description; }, "What the scene says about itself.")
      .def_property_readonly(
          "duration", [](const Model& m) { return m.scene().duration; }, "Simulated seconds of a run.")
      .def_property_readonly(
          "step", [](const Model& m) { return m.scene().method.step; }, "The time step.")
      .def_property_readonly(
          "stepper", [](const Model& m) { return stepping::with_stepper(m.scene().method, m.scene().model).stepper; },
          "The stepper that runs take.")
      .def_property_readonly(
          "dimension", [](const Model& m) { return m.scene().model.dimension; }, "2 or 3.")
      .def_property_readonly(
          "text", [](const Model& m) { return m.document().text; }, "The scene file, as read.")
      .def_property_readonly("parameters", &parameters_of, "Names and values of the scene's parameters.")
      .def_property_readonly(
          "bodies", [](const Model& m) { return body_names(m.scene().model); },
          "Names of the bodies, in the order of all arrays.")
      .def_property_readonly(
          "observables", [](const Model& m) { return observable_names(m.scene()); },
          "Names of what the scene observes.")
      .def(py::pickle(&contents_of, &model_from))
      .def("__copy__", [](const py::object& self) { return self; })  // nothing can change it
      .def("__deepcopy__", [](const py::object& self, const py::object&) { return self; })
      .def("__repr__", &brief);
}

}  // namespace stickslip::python
