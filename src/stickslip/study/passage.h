// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Can a planar part be moved through a device without touching it? The geometric stage of a verification: no forces, no
// motion, only whether a path from the start to a goal exists.
//
// A rapidly exploring random tree grows from each end through the poses (x, y, angle); the two reach for each other
// (Kuffner and LaValle, RRT-Connect, ICRA 2000). A pose is free when the outline of the part crosses no outline of the
// device. Moves are checked at poses so dense that no point of the part goes further than `resolution` between two.
//
// "Found" is proved by the path. "Not found" means: not with so many samples. Random numbers count from the seed: the
// answer is a function of the scene, the goal and the options.
#pragma once

#include "stickslip/model/model.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace stickslip::study {

struct PlanarPose {
  double x = 0, y = 0, angle = 0;  // of the centre of mass
};

struct PassageOptions {
  Vec2 low = Vec2::Zero(), high = Vec2::Zero();  // what may be searched
  std::int64_t samples = 2000;
  double resolution = 0;  // 0: a fortieth of the size of the part
  std::uint64_t seed = 1;
};

struct PassageResult {
  bool found = false;
  std::vector<PlanarPose> path;  // from start to goal
  std::int64_t samples = 0;      // drawn
  std::int64_t checks = 0;       // poses looked at
};

// The outlines of one part and of everything else, at the start of the run. Throws std::invalid_argument for shapes
// other than polygons, boxes, chains, discs and half-planes.
class PassageWorld {
 public:
  PassageWorld(const model::Model& model, int part);
  [[nodiscard]] bool free(const PlanarPose& pose) const;
  [[nodiscard]] double part_radius() const { return radius_; }
  [[nodiscard]] const PlanarPose& start() const { return start_; }

 private:
  struct Segment {
    Vec2 a, b;
  };
  struct Circle {
    Vec2 centre;
    double radius;
  };
  struct HalfPlane {
    Vec2 normal;
    double offset;
  };
  struct Outline {
    std::vector<Segment> segments;
    std::vector<Circle> circles;
    std::vector<HalfPlane> half_planes;
    std::vector<Vec2> points;  // one of each piece: a piece that lies inside the part crosses none of its edges
  };
  static void add(const model::PlacedShape& placed, const Vec2& origin, double angle, Outline& outline);
  [[nodiscard]] bool part_holds(const Vec2& point, const std::vector<Segment>& part) const;

  Outline part_, device_;  // the part in its own frame
  double radius_ = 0;
  PlanarPose start_;
};

// Any of the goals will do.
[[nodiscard]] PassageResult find_passage(const PassageWorld& world, const std::vector<PlanarPose>& goals,
                                         const PassageOptions& options);

}  // namespace stickslip::study
