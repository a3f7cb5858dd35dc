// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The collider "features": exact feature pairs between all shapes of model/shape.h, in the plane and in space.
//
//     bounding boxes -> BroadPhase -> pairs of shapes -> narrow phase -> feature pairs, without ghosts (buried.h)
//
// Bodies that are both prescribed in every degree of freedom never touch each other (nothing could answer).
#pragma once

#include "stickslip/collision/broad_phase.h"
#include "stickslip/collision/buried.h"
#include "stickslip/collision/collider.h"
#include "stickslip/collision/narrow_phase.h"

#include <vector>

namespace stickslip::collision {

class FeatureCollider final : public Collider {
 public:
  void find(const model::Model& model, const model::State& state, double margin, double horizon,
            std::vector<Contact>& contacts) override;
  bool find_moving(const model::Model& model, const model::State& state, double margin, double horizon,
                   std::span<const Stillness> stillness, std::vector<Contact>& contacts,
                   std::vector<int>& disturbed) override;
  bool find_more(const model::Model& model, const model::State& state, std::span<const model::Twist> motion, double h,
                 std::span<const Contact> contacts, std::vector<Contact>& more) override;
  void refresh(const model::Model& model, const model::State& state, std::vector<Contact>& contacts) override;

  // The model is read at the first call and again when another one is passed. Call this after changing the shapes of
  // a model in place.
  void forget() { model_ = nullptr; }

 private:
  // A pair of shapes (indices into geometry_), in the order of bodies.
  struct ShapePair {
    std::int32_t a = 0, b = 0;
    std::int32_t surface = 0;
  };

  void prepare(const model::Model& model);
  void place_body(const model::State& state, std::size_t body);
  void place_bodies(const model::State& state, bool with_velocity);
  void list_pairs(const model::Model& model, double margin, double horizon);
  void bound_shapes(double margin, double horizon);
  [[nodiscard]] double sweep_of(double horizon) const;
  [[nodiscard]] double reach_of(const Geometry& a, const Geometry& b, double margin, double horizon) const;
  void search_pair(const ShapePair& pair, double margin, double horizon, std::span<const Vec3> blocked,
                   std::vector<Contact>& contacts);
  [[nodiscard]] bool within_reach(const ShapePair& pair, double margin, double horizon) const;
  void list_partners();
  void list_others(int geometry_q, int geometry_p, double reach);
  void drop_buried(const ShapePair& pair, double margin, double horizon, std::size_t first,
                   std::vector<Contact>& contacts);
  void explain_overlaps(double margin, double horizon, std::vector<Contact>& contacts);
  void find_sinking(const Contact& contact, bool rim_is_b, double h, std::span<const Contact> contacts,
                    std::vector<Contact>& more) const;
  [[nodiscard]] Placed placed(int body, int shape) const;
  [[nodiscard]] int surface_of(const model::Model& model, int geometry_a, int geometry_b) const;

  const model::Model* model_ = nullptr;
  const model::Body* bodies_ = nullptr;
  std::size_t body_count_ = 0;

  std::vector<Geometry> geometry_;        // by body, then shape
  std::vector<int> first_geometry_;       // of each body, one more at the end
  std::vector<double> body_radius_;       // about the centre of mass, without half-spaces
  std::vector<std::uint8_t> prescribed_;  // body has no free degree of freedom
  std::vector<std::uint8_t> fixed_;       // body never moves
  bool placed_ = false;                   // the frames of fixed bodies are known
  std::vector<std::uint8_t> turns_;       // orientation matters: not just balls about the centre of mass
  bool thin_shapes_ = false;              // chains need to know on which side bodies were
  bool cylinders_ = false;                // their rims are continua of points
  bool few_pairs_ = false;                // so few that all of them are looked at every time

  std::vector<BodyFrame> frame_;
  std::vector<Quat> orientation_;  // for which frame_.rotation was made
  std::vector<double> speed_;      // of the fastest point of each body
  std::vector<Vec3> centre_;       // of each geometry's bounding ball, world
  std::vector<Bounds> bounds_;     // of bounded shapes
  std::vector<int> bounded_;       // their geometry
  std::vector<ShapePair> pairs_;
  std::vector<ShapePair> always_;  // with half-spaces
  // Shapes that may touch shape i: partner_[first_partner_[i] .. first_partner_[i + 1]).
  std::vector<int> first_partner_, partner_, next_partner_;
  bool may_be_buried_ = false;     // polyhedra, and third solids that may be flush with them
  std::vector<Neighbour> others_;  // third solids next to the pair at hand
  std::vector<Vec3> blocked_;
  std::vector<ShapePair> unexplained_;  // they overlap, and all that their list says of it is hidden
  bool any_depth_ = false;
  BroadPhase broad_phase_;
  SearchScratch scratch_;
  std::vector<Contact> previous_;
};

}  // namespace stickslip::collision
