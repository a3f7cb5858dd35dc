// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// stickslip._core: scenes, simulations, batches, recordings and stores. One file for each area; errors of the library
// become Python exceptions here.
#include "handles.h"
#include "names.h"

#include "stickslip/recording/hdf5_file.h"
#include "stickslip/study/database.h"

#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>

namespace {

// Values that the command line gives by --set are keywords here.
std::string as_keyword(const std::string& text) {
  constexpr std::string_view kOption = "--set ";
  return text.starts_with(kOption) ? text.substr(kOption.size()) : text;
}

// That of a scene, study or plan itself; of those that it names the error says where.
bool is_missing_file(const stickslip::scene::SceneError& error) {
  return error.place().line == 0 && error.message() == std::string("cannot be opened: ") + std::strerror(ENOENT);
}

}  // namespace

PYBIND11_MODULE(_core, module) {
  namespace py = pybind11;
  using stickslip::python::text_from;
  module.doc() = "Scenes, simulations, batches, recordings and stores.";

  // class SceneError(ValueError): file, line, column, hint.
  static PyObject* scene_error = PyErr_NewExceptionWithDoc(
      "stickslip.SceneError", "A scene, study or plan that is not valid: file, line, column, hint.", PyExc_ValueError,
      nullptr);
  // A file that is not there is what open() raises, too.
  static PyObject* not_found = PyErr_NewExceptionWithDoc(
      "stickslip.SceneNotFoundError", "A SceneError, and a FileNotFoundError: the file is not there.",
      py::make_tuple(py::handle(scene_error), py::handle(PyExc_FileNotFoundError)).ptr(), nullptr);
  static PyObject* file_error = PyErr_NewExceptionWithDoc(
      "stickslip.FileError", "A recording or store that cannot be read or written.", PyExc_OSError, nullptr);
  module.add_object("SceneError", scene_error);
  module.add_object("SceneNotFoundError", not_found);
  module.add_object("FileError", file_error);
  py::register_exception_translator([](std::exception_ptr pointer) {
    try {
      if (pointer) std::rethrow_exception(pointer);
    } catch (const stickslip::scene::SceneError& error) {
      const bool missing = is_missing_file(error);
      py::object instance = py::handle(missing ? not_found : scene_error)(text_from(as_keyword(error.what())));
      instance.attr("file") = text_from(as_keyword(error.place().file));
      instance.attr("line") = error.place().line;
      instance.attr("column") = error.place().column;
      instance.attr("hint") = error.hint();
      if (missing) instance.attr("errno") = ENOENT;
      PyErr_SetObject(missing ? not_found : scene_error, instance.ptr());
    } catch (const stickslip::recording::RecordingError& error) {
      PyErr_SetObject(file_error, text_from(error.what()).ptr());
    } catch (const stickslip::study::StoreError& error) {
      PyErr_SetObject(file_error, text_from(error.what()).ptr());
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
  for (const char* name : {"Batch", "Body", "Model", "Simulation", "Step"})
    module.attr(name).attr("__module__") = "stickslip";  // where they are found
}
