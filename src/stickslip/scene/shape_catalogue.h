// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Every shape that a scene can name, in one table: its key, its help, the keys of its own table, and how it becomes a
// model::Shape. Reader, error messages and docs/scene-reference.md follow.
//
// A shape that can be written as one of those of model/shape.h (a box is a polyhedron, an ellipsoid a superellipsoid)
// is an entry here and nothing more: collision, mass, recordings and pictures know it already.
#pragma once

#include "stickslip/scene/keys.h"
#include "stickslip/scene/shape_reader.h"

#include <span>
#include <string>

namespace stickslip::scene {

// What the reader of a shape is given: the value of its key.
struct ShapeRequest {
  const Value& value;
  const expression::Scope& scope;
  std::string what;  // names it in messages
  const ShapeContext& context;
};

struct ShapeEntry {
  Key key;            // of the table `shape`
  int dimension = 0;  // 0: both
  model::Shape (*read)(const ShapeRequest&) = nullptr;
  TableKeys table;  // empty when the value is no table, or the table that of an entry before
};

[[nodiscard]] std::span<const ShapeEntry> shape_catalogue();

}  // namespace stickslip::scene
