// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What shapes consist of, as shape_fields.h declares it: every field tells two shapes apart, and names stand for the
// alternatives of Shape in their order.
#include "stickslip/model/shape_fields.h"

#include <gtest/gtest.h>

#include <type_traits>

namespace stickslip::model {
namespace {

// Another value of a field.
void change(double& x) {
  x += 0.5;
}
void change(bool& x) {
  x = !x;
}
template <class T>
void change(T& vector_or_list) {
  if constexpr (std::is_same_v<T, Vec3>)
    vector_or_list.x() += 1;
  else
    vector_or_list.emplace_back();
}

template <std::size_t K>
void check_one() {
  using Kind = std::variant_alternative_t<K, Shape>;
  const Kind usual;
  EXPECT_TRUE(fields_of(usual) == fields_of(usual)) << kShapeNames[K];
  constexpr std::size_t kFields = std::tuple_size_v<decltype(fields_of(usual))>;
  for (std::size_t changed = 0; changed < kFields; ++changed) {
    Kind other;
    std::size_t at = 0;
    std::apply(
        [&](const auto&... field) {
          ((at++ == changed ? change(const_cast<std::remove_cvref_t<decltype(field.value)>&>(field.value)) : void()),
           ...);
        },
        fields_of(other));
    const Kind& as_constant = other;
    EXPECT_FALSE(fields_of(usual) == fields_of(as_constant)) << kShapeNames[K] << ", field " << changed;
  }
}

template <std::size_t... K>
void check_all(std::index_sequence<K...>) {
  (check_one<K>(), ...);
}

TEST(ShapeFields, EveryFieldTellsTwoShapesApart) {
  check_all(std::make_index_sequence<std::variant_size_v<Shape>>());
}

TEST(ShapeFields, NamesStandForTheAlternativesInTheirOrder) {
  EXPECT_EQ(kShapeNames[Shape(PointSet{}).index()], "points");
  EXPECT_EQ(kShapeNames[Shape(HalfSpace{}).index()], "half-space");
  EXPECT_EQ(kShapeNames[Shape(Disc{}).index()], "disc");
  EXPECT_EQ(kShapeNames[Shape(Polygon{}).index()], "polygon");
  EXPECT_EQ(kShapeNames[Shape(Chain{}).index()], "chain");
  EXPECT_EQ(kShapeNames[Shape(Superellipse{}).index()], "superellipse");
  EXPECT_EQ(kShapeNames[Shape(Sphere{}).index()], "sphere");
  EXPECT_EQ(kShapeNames[Shape(Capsule{}).index()], "capsule");
  EXPECT_EQ(kShapeNames[Shape(Cylinder{}).index()], "cylinder");
  EXPECT_EQ(kShapeNames[Shape(Superellipsoid{}).index()], "superellipsoid");
  EXPECT_EQ(kShapeNames[Shape(Polyhedron{}).index()], "polyhedron");
}

}  // namespace
}  // namespace stickslip::model
