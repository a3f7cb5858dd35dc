// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Closed surfaces from OBJ and STL (text and binary) files.
//
// Vertices that coincide are joined, faces that have lost their area by it are dropped, polygons that are not flat are
// divided into triangles. The surface must be closed and consistently oriented; one that is inside out as a whole is
// turned. Errors are std::runtime_error with a text that says where. Ours instead of a library for meshes (assimp): two
// formats, and every file that is not a closed surface must be refused with its place.
#pragma once

#include "stickslip/model/shape.h"

#include <filesystem>
#include <string_view>

namespace stickslip::model {

[[nodiscard]] Polyhedron read_mesh(const std::filesystem::path& path);  // by extension: .obj, .stl

[[nodiscard]] Polyhedron parse_obj(std::string_view text);
[[nodiscard]] Polyhedron parse_stl(std::string_view bytes);

// Joins, drops, divides, checks and turns as described above.
[[nodiscard]] Polyhedron close_surface(const std::vector<Vec3>& vertices, const std::vector<std::vector<int>>& faces);

}  // namespace stickslip::model
