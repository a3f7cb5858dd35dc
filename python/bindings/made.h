// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Objects whose __init__ has not run (made by __new__ alone, or by a subclass that does not call super().__init__):
// pybind11 gives their functions memory that nobody has filled. A type with a member type MadeByInit is looked at before
// anything touches it, and such an object is a TypeError.
#pragma once

#include <fmt/format.h>
#include <pybind11/pybind11.h>

#include <string>

namespace stickslip::python {

template <typename T>
concept Made = requires { typename T::MadeByInit; };

}  // namespace stickslip::python

namespace pybind11::detail {

template <stickslip::python::Made T>
class type_caster<T, void> : public type_caster_base<T> {
 public:
  bool load(handle source, bool convert) {
    if (!type_caster_base<T>::load(source, convert)) return false;
    if (this->value == nullptr) return true;  // None
    auto* object = reinterpret_cast<instance*>(source.ptr());
    const type_info* type = object->simple_layout ? nullptr : this->typeinfo;
    if (!object->get_value_and_holder(type).holder_constructed())
      throw type_error(fmt::format("{}.__init__() was not called", Py_TYPE(source.ptr())->tp_name));
    return true;
  }
};

}  // namespace pybind11::detail
