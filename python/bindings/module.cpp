// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// stickslip._core: scenes, simulations, batches, recordings and stores. One file for each area; errors of the library
// become Python exceptions here.
#include "handles.h"

#include "stickslip/recording/hdf5_file.h"
#include "stickslip/study/database.h"

#include <string>
#include <string_view>

namespace {

// Values that the command line gives by --set are keywords here.
std::string as_keyword(const std::string& text) {
  constexpr std::string_view kOption = "--set ";
  return text.starts_with(kOption) ? text.substr(kOption.size()) : text;
}

}  // namespace

PYBIND11_MODULE(_core, module) {
  namespace py = pybind11;
  module.doc() = "Scenes, simulations, batches, recordings and stores.";

  // class SceneError(ValueError): file, line, column, hint.
  static PyObject* scene_error = PyErr_NewExceptionWithDoc(
      "stickslip.SceneError", "A scene, study or plan that is not valid: file, line, column, hint.", PyExc_ValueError,
      nullptr);
  static PyObject* file_error = PyErr_NewExceptionWithDoc(
      "stickslip.FileError", "A recording or store that cannot be read or written.", PyExc_OSError, nullptr);
  module.add_object("SceneError", scene_error);
  module.add_object("FileError", file_error);
  py::register_exception_translator([](std::exception_ptr pointer) {
    try {
      if (pointer) std::rethrow_exception(pointer);
    } catch (const stickslip::scene::SceneError& error) {
      py::object instance = py::reinterpret_borrow<py::object>(scene_error)(as_keyword(error.what()));
      instance.attr("file") = as_keyword(error.place().file);
      instance.attr("line") = error.place().line;
      instance.attr("column") = error.place().column;
      instance.attr("hint") = error.hint();
      PyErr_SetObject(scene_error, instance.ptr());
    } catch (const stickslip::recording::RecordingError& error) {
      PyErr_SetString(file_error, error.what());
    } catch (const stickslip::study::StoreError& error) {
      PyErr_SetString(file_error, error.what());
    }
  });

  stickslip::python::bind_model(module);
  stickslip::python::bind_simulation(module);
  stickslip::python::bind_batch(module);
  stickslip::python::bind_files(module);
  stickslip::python::bind_run(module);
  stickslip::python::bind_design(module);
  stickslip::python::bind_tables(module);
  stickslip::python::bind_plugins(module);
}
