// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/recording/run_description.h"

#include "stickslip/model/primitives.h"
#include "stickslip/recording/hdf5_file.h"

#include <gtest/gtest.h>

namespace stickslip::recording {
namespace {

// One body with every shape there is.
RunDescription everything() {
  RunDescription run;
  run.title = "all \"shapes\" </script>";
  run.duration = 2.5;
  run.tolerance = 1e-9;
  run.parameters = {{"mu", "", "friction", 0.1 + 0.2}};
  run.observables = {{"x", "cm", "", 0}};
  run.model.dimension = 3;
  run.model.gravity = Vec3(0, 0, -9.81);
  model::Body body;
  body.name = "all";
  body.mass = 0.3;
  body.inertia << 1, 0.1, 0, 0.1, 2, 0, 0, 0, 3;
  const model::Pose pose{Vec3(1, 2, 3), Quat(Eigen::AngleAxisd(0.3, Vec3::UnitX()))};
  const std::vector<model::Shape> shapes{model::PointSet{{Vec3(1, 0, 0)}},
                                         model::HalfSpace{Vec3::UnitZ(), 0.5},
                                         model::Disc{0.1},
                                         model::make_rectangle(1, 2),
                                         model::Chain{{Vec2(0, 0), Vec2(1, 1)}},
                                         model::Superellipse{1, 2, 4},
                                         model::Sphere{0.7},
                                         model::Capsule{0.1, 0.2},
                                         model::Cylinder{0.3, 0.4},
                                         model::Superellipsoid{1, 2, 3, 4, 5},
                                         model::make_box(Vec3(1, 2, 3))};
  for (const model::Shape& shape : shapes) body.shapes.push_back({shape, pose});
  model::Body floor;
  floor.name = "floor";
  run.model.bodies = {body, floor};
  run.model.surfaces = {{0.4, 0.3, 0.1}};
  run.model.laws = model::PairLaws(2, 0);
  return run;
}

TEST(RunDescription, EveryShapeComesBackTheSame) {
  const RunDescription run = everything();
  const RunDescription back = description_from_json(to_json(run));
  EXPECT_EQ(to_json(back), to_json(run));
  ASSERT_EQ(back.model.bodies.size(), 2U);
  ASSERT_EQ(back.model.bodies[0].shapes.size(), run.model.bodies[0].shapes.size());
  for (std::size_t k = 0; k < run.model.bodies[0].shapes.size(); ++k)
    EXPECT_EQ(back.model.bodies[0].shapes[k].shape.index(), run.model.bodies[0].shapes[k].shape.index());
  EXPECT_EQ(std::get<model::Superellipsoid>(back.model.bodies[0].shapes[9].shape).exponent_z, 5);
  EXPECT_EQ(back.model.bodies[0].inertia, run.model.bodies[0].inertia);
  EXPECT_EQ(back.parameters[0].value, 0.1 + 0.2) << "numbers keep their bits";
  EXPECT_EQ(back.model.laws, run.model.laws);
}

TEST(RunDescription, DamagedTextIsRefusedInOneLine) {
  const std::string good = to_json(everything());
  std::string few_pairs = good;
  few_pairs.replace(few_pairs.find("\"pairs\":["), 9, "\"pairs\":[[0,99],");
  std::string bad_corner = good;
  bad_corner.replace(bad_corner.find("\"faces\":[["), 10, "\"faces\":[[99,");
  for (const std::string& text :
       {std::string("{"), std::string("{}"), good.substr(0, good.size() / 2), few_pairs, bad_corner}) {
    try {
      (void)description_from_json(text);
      ADD_FAILURE() << "accepted: " << text.substr(0, 60);
    } catch (const RecordingError& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace stickslip::recording
