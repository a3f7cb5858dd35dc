// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Between start and end of a step: does anything pass through anything? Conservative advancement along the motion of
// two convex pieces (Mirtich 1996), with separating directions instead of distances, so that what touches and slides is
// no different from what is apart.
//
//     s(n, t) = min over a of n.x - max over b of n.x            separation along n; s >= 0: apart
//     s(n, t + dt) >= s(n, t) - c(n) dt                          c(n) = (-n.v)+ + |n x w_a| r_a + |n x w_b| r_b
//
// At t any direction n with s(n, t) >= -d/2 will do: the pair overlaps by less than d until t + (s + d) / c(n). The
// directions: the last one, normals of the step's contacts, and that of the signed separation (convex_separation.h),
// which is the best there is. Where none is left the pair overlaps by more than d/2: the step has to be divided here.
//
//   d     what a pair may overlap: kMissed of its thickness (thickness.h), kPressed where contacts press between the
//   two shapes (a
//         stepper linearises gaps), and as much as it overlaps at the start
//   path  bodies move by constant twists between the step's ends and its waypoints, at which impacts changed velocities
//
// Points against chains, and chains against each other, have no thickness: a point passes where it changes sides within
// the length of a segment, in the frame of that segment. So do the corners of a polygon against a chain, but those that a
// contact presses: a chain has no inside, and a corner that is behind it unnoticed belongs there from then on.
//
// Skipped: pairs that move against each other by less than kSlow of the thickness (what they overlap then is a graze of
// less than 1 % of it), and pairs that are farther apart than they move. is_slow() and is_calm() say so for all pairs
// at once, from the largest displacement or speed: O(bodies).
//
// Assumptions: a prescribed motion is taken as the twist between its ends; a pair of bodies without any free degree of
// freedom is left out, as in collision. Cost: O(fast bodies x shapes) balls; a few support points for each pair left.
#pragma once

#include "stickslip/collision/contact.h"
#include "stickslip/collision/convex_separation.h"
#include "stickslip/collision/waypoint.h"
#include "stickslip/model/model.h"

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace stickslip::collision {

struct Passage {
  int body_a = -1, body_b = -1;  // -1: nothing passed
  double time = 0;               // when they overlapped by more than they may
  explicit operator bool() const { return body_a >= 0; }
};

class Sweep {
 public:
  // movable: which bodies have a free degree of freedom; moving: those, and driven ones; driven: alone.
  Sweep(const model::Model& model, std::vector<std::uint8_t> movable, std::vector<std::uint8_t> moving,
        std::vector<std::uint8_t> driven = {});

  // No pair of the model can ever pass: points and half-spaces only, which are found behind their planes.
  [[nodiscard]] bool is_needless() const { return limit_ == std::numeric_limits<double>::infinity(); }
  // At the speeds of this state, and with what gravity adds, no body gets so far within h that anything could pass.
  [[nodiscard]] bool is_calm(const model::State& state, double h);
  // At the speeds of this state no pair moves by more than 3 % of its thickness within h.
  [[nodiscard]] bool is_still(const model::State& state, double h) const;
  // The same by what bodies did between two states.
  [[nodiscard]] bool is_slow(const model::State& start, const model::State& end) const;

  // The longest part of a step in which no driven body moves by more than kDriven of the thickness of what it may meet
  // within h. Steppers that look for contacts with driven bodies where they will be at its end would find what is in
  // their way behind them.
  [[nodiscard]] double length_for_drives(const model::State& state, double h) const;

  // The first pair that passes between the two states. contacts: of the step, pressed: beside them.
  [[nodiscard]] Passage first_passage(const model::State& start, const model::State& end,
                                      std::span<const Waypoint> waypoints, std::span<const Contact> contacts,
                                      std::span<const std::uint8_t> pressed);
  // How often pairs were looked at so far: work that callers bound.
  [[nodiscard]] std::int64_t advances() const { return advances_; }

 private:
  struct Leg {  // a constant twist
    double begin = 0, end = 0;
    model::Pose pose;
    model::Twist twist;
  };
  struct Frame {
    Vec3 position = Vec3::Zero();
    Mat3 rotation = Mat3::Identity();
  };
  struct Shape {  // in convex pieces
    int body = 0, shape = 0;
    double thickness = 0;
    Solid solid;
    std::vector<double> lever;  // of each piece: farthest point that turning moves (a ball's centre, not its skin)
    std::vector<std::uint8_t> notch;  // is this vertex of the solid the corner of a notch?
  };
  struct Query {  // one pair of pieces
    PlacedPiece a, b;
    int body_a = 0, body_b = 0;
    double lever_a = 0, lever_b = 0;
    double allowed = 0, before = 0;  // d, and the overlap at the start
    std::span<const Vec3> normals;   // of contacts between the shapes, from b to a
    Vec3 axis = Vec3::Zero();        // the last direction; zero: none
  };
  struct Direction {
    Vec3 n = Vec3::Zero();
    double separation = 0, lasts = -1;  // seconds
  };

  [[nodiscard]] static bool is_plane(const Shape& shape) { return !shape.solid.half_space.empty(); }
  [[nodiscard]] static bool is_points(const Shape& shape) { return shape.solid.piece.front().point; }
  [[nodiscard]] static double thickness_between(const Shape& a, const Shape& b);
  void lay_paths(const model::State& start, const model::State& end, std::span<const Waypoint> waypoints);
  void add_leg(int body, const model::BodyState& from, double begin, const model::BodyState& to, double end);
  [[nodiscard]] const Leg& leg_at(int body, double time) const;
  [[nodiscard]] Frame frame_at(int body, double time) const;
  [[nodiscard]] double travel_between(const Shape& a, const Shape& b) const;
  [[nodiscard]] double shapes_pass(const Shape& a, const Shape& b, double begin, double end,
                                   std::span<const Contact> contacts, std::span<const std::uint8_t> pressed);
  [[nodiscard]] double pieces_pass(Query& query, double begin, double end);
  [[nodiscard]] double leg_end(const Query& query, double time, double end) const;
  void place(Query& query, double time) const;
  [[nodiscard]] static double separation(const Query& query, const Vec3& n);
  [[nodiscard]] Direction judge(const Query& query, const Vec3& n, double time) const;
  [[nodiscard]] Direction longest_lasting(const Query& query, double time, double end) const;
  [[nodiscard]] double corners_cross(const Shape& corners, const Shape& chain, Query& query, double begin, double end,
                                     std::span<const Contact> contacts, std::span<const std::uint8_t> pressed);
  [[nodiscard]] bool is_held(const Shape& shape, const Vec3& corner, int other, double begin, double end,
                             std::span<const Contact> contacts, std::span<const std::uint8_t> pressed) const;
  // depth: how far behind the segment the point must come.
  [[nodiscard]] double crosses(const Query& query, double begin, double end, double depth = 0);

  const model::Model& model_;
  std::vector<std::uint8_t> movable_, moving_, driven_;
  std::vector<Shape> shapes_;
  struct Mover {
    int body;
    double lever2;  // square of its lever
  };
  std::vector<Mover> movers_;                                // bodies that move
  double calm_step_ = 0, calm_speed2_ = 0, calm_turn2_ = 0;  // squares of speeds that are calm in such a step
  std::vector<double> lever_;                                // of each body: farthest point that turning moves
  std::vector<std::uint8_t> plane_;  // the body has a half-space: turning moves what is far away
  std::vector<double> thinnest_;     // of each body: smallest thickness of a pair with a movable one
  double limit_ = 0;                 // what each body may move without anything passing
  std::vector<Leg> legs_;            // by body
  std::vector<int> first_leg_;
  std::vector<double> travel_, turned_;  // of each body in this step: distance of its centre, angle
  std::vector<Vec3> normals_;
  std::vector<double> times_;
  std::int64_t advances_ = 0;
};

}  // namespace stickslip::collision
