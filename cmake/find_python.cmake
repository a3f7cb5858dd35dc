# SPDX-License-Identifier: Apache-2.0
# Copyright the stickslip authors
#
# Finds pybind11 and the Python that has NumPy. Debian's interpreter is taken unless Python_EXECUTABLE names another: a
# different python3 that comes first on the PATH often lacks NumPy and headers.
if(NOT Python_EXECUTABLE AND EXISTS /usr/bin/python3)
  set(Python_EXECUTABLE /usr/bin/python3 CACHE FILEPATH "The interpreter that the Python package is built for")
endif()
set(PYBIND11_FINDPYTHON ON)
if(STICKSLIP_WITH_PYTHON STREQUAL "ON")
  find_package(Python REQUIRED COMPONENTS Interpreter Development.Module NumPy)
  find_package(pybind11 REQUIRED)
else()
  find_package(Python QUIET COMPONENTS Interpreter Development.Module NumPy)
  if(Python_FOUND)
    find_package(pybind11 QUIET)
  endif()
endif()
