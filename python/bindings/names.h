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

// A text, or what stands for a path in Python.
inline std::string path_from(const pybind11::object& path) {
  return pybind11::module_::import("os").attr("fspath")(path).cast<std::string>();
}

}  // namespace stickslip::python
