// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The instants at which the second-order stepper ends a sub-step, and what happens there. Each is the root of a
// function of the sub-step's length that takes one trial (one contact solve) to evaluate.
//
//   lift, slip  where the line of force reserves vanishes (events.h); the trial to that instant gives a better line
//   touch       gap(tau) = 0                                Newton with the approach speed, inside a bracket; then the
//                                                           impact law of each pair
//               A corner of one body that slides over a corner of the other comes down to the line of the other's face
//               exactly where that face ends, and leaves it there: no impact (corner_pass.h). What comes down to the
//               plane of a face beyond its end touches nothing (touch_place.h): the step ends there, to go on with new
//               contacts, or the contact is left out where it begins there
//   stop        F(tau) = G (mu p_n - |p_t|) - |u_t1| = 0    with the law of the end velocity alone: F < 0 while
//                                                           friction is too weak to end the slip within tau, F >= 0
//                                                           once it can
//   reversal    u_t1(tau) . d0 = 0                          friction cannot hold the contact (|b_t| > G mu_s p_n), so
//                                                           it slips on in the other direction
//
// Symbol    variable                meaning
//   G       ContactTrial::g         diagonal of W
//   u_t1    ContactTrial::u1        slip at the end of the trial
//   d0      d0                      direction of slip at the start
//   mu_s    friction_static
//
// Every search leaves in ComponentStep::trial the sub-step that ends at the instant, and accepts it. Not certified: the
// trial says so. Cost: up to 30 trials; most take three to six.
#pragma once

#include "stickslip/stepping/component_step.h"
#include "stickslip/stepping/touch_place.h"

#include <utility>

namespace stickslip::stepping {

class EventSearch {
 public:
  void begin_part() { beyond_.left_out.clear(), beyond_.ends_at = 0; }
  // For the next component. H: length of the step.
  void begin(double H) { H_ = H, hardest_ = 0; }
  // What to do with touches beyond the ends of faces: end the step, leave the contact out, or take them as touches.
  enum class BeyondEnds { EndStep, LeaveOut, Touch };
  void set_beyond_ends(BeyondEnds what, const TouchPlace& places) { beyond_ends_ = what, places_ = &places; }
  void treat_beyond_ends_as(const EventSearch& other) { beyond_ends_ = other.beyond_ends_, places_ = other.places_; }
  // What touched nothing in the part.
  struct Beyond {
    double ends_at = 0;                         // offset from the start of the part at which it is to end; 0: nowhere
    std::vector<std::pair<int, int>> left_out;  // pairs of bodies of which a contact was left out
  };
  [[nodiscard]] double ends_at() const { return beyond_.ends_at; }
  [[nodiscard]] const std::vector<std::pair<int, int>>& left_out() const { return beyond_.left_out; }
  void move_beyond_to(Beyond& beyond) { std::swap(beyond, beyond_), begin_part(); }
  void add(const Beyond& beyond) {
    beyond_.ends_at = beyond.ends_at;
    beyond_.left_out.insert(beyond_.left_out.end(), beyond.left_out.begin(), beyond.left_out.end());
  }

  // instant: events closer than this are simultaneous.
  void lift_or_slip(World& world, Component& component, const EventCandidate& event, double instant,
                    ComponentStep& step);
  // True when something rebounds.
  bool touch(World& world, Component& component, const EventCandidate& event, ComponentStep& step);
  // h: length of the trial in which the slip ends.
  void stop(World& world, Component& component, const EventCandidate& event, double h, ComponentStep& step);

 private:
  // A contact that closes: tau in the sub-step at which; its gap at the start, up to what noise it is zero in the end;
  // whether it parts again within the sub-step; how fast the bodies accelerate towards each other.
  struct Touching {
    std::size_t who = 0;
    double tau = 0, gap = 0, noise = 0, falling = 0;
    bool passes = false;
  };
  static void refine(World& world, Component& component, const EventCandidate& event, double instant,
                     ComponentStep& step);
  bool search_touch(World& world, Component& component, Touching& touching, ComponentStep& step) const;
  [[nodiscard]] bool touches_nothing(const World& world, const Touching& touching, const Component& component,
                                     const ComponentStep& step) const;
  void choose_restitution(const World& world, const Component& component, std::size_t who, double gap, double falling);
  void note_impact(const World& world, const Component& component, ComponentStep& step) const;
  bool search_stop(World& world, Component& component, double tau, double h, ComponentStep& step) const;
  double stop_reserve(const World& world, const Component& component, const Trial& trial, bool& stuck) const;
  static bool reverse(World& world, Component& component, int c, double tau, double h, ComponentStep& step);

  double H_ = 0;
  BeyondEnds beyond_ends_ = BeyondEnds::Touch;
  const TouchPlace* places_ = nullptr;
  Beyond beyond_;
  double hardest_ = 0;                // approach of the hardest impact of the component in the step
  std::vector<contact::Mode> modes_;  // before an impact
  std::vector<double> restitution_;
  std::vector<int> stopping_;
};

}  // namespace stickslip::stepping
