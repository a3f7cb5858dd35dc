// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Contacts as a structured array: those of a simulation, and those of a frame of a recording, which does not hold the
// number of the surface.
#pragma once

#include "arrays.h"

#include "stickslip/contact/contact_result.h"

#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace stickslip::python {

enum class WithSurface : bool { No, Yes };

inline py::dtype contact_type(const std::vector<std::string>& bodies, WithSurface with_surface) {
  std::size_t longest = 1;
  for (const std::string& name : bodies) longest = std::max(longest, name.size());
  py::list fields;
  fields.append(py::make_tuple("bodies", fmt::format("U{}", longest), py::make_tuple(2)));
  for (const char* name : {"body_a", "body_b"}) fields.append(py::make_tuple(name, "i4"));
  if (with_surface == WithSurface::Yes) fields.append(py::make_tuple("surface", "i4"));
  fields.append(py::make_tuple("mode", "U5"));
  fields.append(py::make_tuple("gap", "f8"));
  for (const char* name : {"point", "normal", "force", "slip"})
    fields.append(py::make_tuple(name, "f8", py::make_tuple(3)));
  return py::module_::import("numpy").attr("dtype")(fields);
}

// Texts of a structured array are UCS-4, filled with zeros; names are ASCII.
inline void put_text(char* to, const std::string& text) {
  auto* letters = reinterpret_cast<std::uint32_t*>(to);
  for (std::size_t k = 0; k < text.size(); ++k) letters[k] = static_cast<unsigned char>(text[k]);
}

// type: that of contact_type() for these bodies.
inline py::array contact_array(std::span<const contact::ContactResult> contacts, const std::vector<std::string>& bodies,
                               const py::dtype& type) {
  const py::array out = py::module_::import("numpy").attr("zeros")(contacts.size(), type);
  const py::dict fields = type.attr("fields");
  const auto offset_of = [&](const char* name) { return fields[name].cast<py::tuple>()[1].cast<std::ptrdiff_t>(); };
  const std::ptrdiff_t names = offset_of("bodies"), length = (offset_of("body_a") - names) / 2,
                       indices = offset_of("body_a"), mode = offset_of("mode"), gap = offset_of("gap"),
                       vectors = offset_of("point"), surface = fields.contains("surface") ? offset_of("surface") : -1;
  auto* row = static_cast<char*>(py::array(out).mutable_data());
  for (const contact::ContactResult& from : contacts) {
    const std::int32_t ids[2] = {from.contact.id.body_a, from.contact.id.body_b}, law = from.contact.surface;
    for (int k = 0; k < 2; ++k) put_text(row + names + k * length, bodies[static_cast<std::size_t>(ids[k])]);
    std::memcpy(row + indices, ids, sizeof ids);
    if (surface >= 0) std::memcpy(row + surface, &law, sizeof law);
    put_text(row + mode, contact::to_string(from.mode));
    std::memcpy(row + gap, &from.contact.gap, sizeof(double));
    const Vec3 point = 0.5 * (from.contact.point_a + from.contact.point_b);
    const Vec3* parts[] = {&point, &from.contact.normal, &from.force, &from.relative_velocity};
    for (std::size_t k = 0; k < 4; ++k)
      std::memcpy(row + vectors + static_cast<std::ptrdiff_t>(k * 3 * sizeof(double)), parts[k]->data(),
                  3 * sizeof(double));
    row += type.itemsize();
  }
  return out;
}

}  // namespace stickslip::python
