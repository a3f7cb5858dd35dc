// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Names by which things are asked for, and paths of files.
#pragma once

#include "stickslip/scene/scene.h"

#include <pybind11/pybind11.h>

#include <algorithm>
#include <string>
#include <vector>

namespace stickslip::python {

inline std::vector<std::string> body_names(const model::Model& model) {
  std::vector<std::string> names;
  for (const model::Body& body : model.bodies) names.push_back(body.name);
  return names;
}

inline std::vector<std::string> observable_names(const scene::Scene& scene) {
  std::vector<std::string> names;
  for (const scene::Observable& observable : scene.observables) names.push_back(observable.name);
  return names;
}

// For __contains__: whether an object is one of the names.
inline bool contains(const std::vector<std::string>& names, const pybind11::handle& object) {
  return pybind11::isinstance<pybind11::str>(object) &&
         std::find(names.begin(), names.end(), object.cast<std::string>()) != names.end();
}

// What is asked by names has no order: without this, iter() would ask for 0, 1, ...
template <typename Class>
void refuse_iteration(Class& type) {
  type.attr("__iter__") = pybind11::none();
}

// A text, or what stands for a path in Python, as the system has it: names of files need not be UTF-8.
inline std::string path_from(const pybind11::object& path) {
  return pybind11::module_::import("os").attr("fsencode")(path).cast<std::string>();
}

// The way back, also for messages that name files.
inline pybind11::str text_from(const std::string& text) {
  PyObject* decoded = PyUnicode_DecodeFSDefaultAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
  if (decoded == nullptr) throw pybind11::error_already_set();
  return pybind11::reinterpret_steal<pybind11::str>(decoded);
}

}  // namespace stickslip::python
