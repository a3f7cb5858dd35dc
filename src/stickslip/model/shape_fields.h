// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The one declaration of what each shape consists of, for all that treats shapes alike: recordings, comparisons of models.
//
//     fields_of(shape)     a tuple of names and references to the values; tuples of two shapes compare by their values
#pragma once

#include "stickslip/model/shape.h"

#include <array>
#include <string_view>
#include <tuple>
#include <variant>

namespace stickslip::model {

// In the order of the alternatives of Shape.
inline constexpr std::array<std::string_view, std::variant_size_v<Shape>> kShapeNames{
    "points", "half-space", "disc",     "polygon",        "chain",     "superellipse",
    "sphere", "capsule",    "cylinder", "superellipsoid", "polyhedron"};

template <class T>
struct ShapeField {
  const char* name;
  T& value;
  friend bool operator==(const ShapeField& x, const ShapeField& y) { return x.value == y.value; }
};
template <class T>
ShapeField(const char*, T&) -> ShapeField<T>;  // for the compiler of the web page

// S: a kind of shape, or a constant one.
template <class S>
auto fields_of(S& s) {
  using Kind = std::remove_const_t<S>;
  if constexpr (std::is_same_v<Kind, PointSet> || std::is_same_v<Kind, Chain>)
    return std::tuple{ShapeField{"points", s.points}};
  else if constexpr (std::is_same_v<Kind, HalfSpace>)
    return std::tuple{ShapeField{"normal", s.normal}, ShapeField{"offset", s.offset}};
  else if constexpr (std::is_same_v<Kind, Disc> || std::is_same_v<Kind, Sphere>)
    return std::tuple{ShapeField{"radius", s.radius}};
  else if constexpr (std::is_same_v<Kind, Polygon>)
    return std::tuple{ShapeField{"loops", s.loops}};
  else if constexpr (std::is_same_v<Kind, Superellipse>)
    return std::tuple{ShapeField{"a", s.a}, ShapeField{"b", s.b}, ShapeField{"exponent", s.exponent}};
  else if constexpr (std::is_same_v<Kind, Capsule> || std::is_same_v<Kind, Cylinder>)
    return std::tuple{ShapeField{"radius", s.radius}, ShapeField{"half_length", s.half_length}};
  else if constexpr (std::is_same_v<Kind, Superellipsoid>)
    return std::tuple{ShapeField{"a", s.a}, ShapeField{"b", s.b}, ShapeField{"c", s.c},
                      ShapeField{"exponent_xy", s.exponent_xy}, ShapeField{"exponent_z", s.exponent_z}};
  else
    return std::tuple{ShapeField{"vertices", s.vertices}, ShapeField{"faces", s.faces}, ShapeField{"convex", s.convex}};
}

}  // namespace stickslip::model
