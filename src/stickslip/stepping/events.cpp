// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/events.h"

#include "stickslip/stepping/motion.h"
#include "stickslip/stepping/noise.h"

#include <algorithm>
#include <cmath>

namespace stickslip::stepping {

using contact::Mode;

namespace {

constexpr double kLargestTurn = 0.3;  // rad per sub-step
constexpr double kTurnPerStep = 5;    // see the header
constexpr double kMiss = 0.01;        // passing zero slip closer than this part of its change counts as a stop,
constexpr double kMissPerStep = 0.3;  // and at small steps than this times H / T

// Zero of the parabola through gap and speed at the start and the gap at the end.
double touch_time(double gap0, double speed0, double gap1, double h) {
  gap0 = std::max(0.0, gap0);
  const double c = (gap1 - gap0 - speed0 * h) / (h * h);
  const double root = std::sqrt(std::max(0.0, speed0 * speed0 - 4 * c * gap0));
  // Of the two forms of the root the one without a difference: where nothing accelerates, c is rounding.
  const double tau = speed0 > 0 ? (speed0 + root) / (-2 * c) : 2 * gap0 / (root - speed0);
  return tau >= 0 && tau <= h ? tau : h * gap0 / (gap0 - gap1);
}

// Where the line through the old and the new margin is zero; h or more: not within the step. What holds at the limit
// of friction has a margin of zero up to rounding, which is `noise`: it goes on holding.
double vanishing_time(double before, double age, double now, double h, double noise = 0) {
  const double slope = (now - before) / (age + 0.5 * h);
  if (!(slope < 0) || now + 0.5 * h * slope >= -noise) return h;
  return std::clamp(0.5 * h - now / slope, 0.0, h * (1 - kTimeNoise));
}

class FirstEvent {
 public:
  FirstEvent(const World& world, const Component& component, const Trial& trial, double H, double h_min)
      : world_(world), trial_(trial), H_(H), h_min_(h_min) {
    best_.tau = trial.h * (1 + 1e-9);
    for (const ContactStart& start : component.contacts)
      if (start.mode != Mode::Open && start.mode != Mode::Slide) ++sticking_;
  }

  void look(const ContactStart& start, int c) {
    const ContactTrial& contact = trial_.contacts[static_cast<std::size_t>(c)];
    if (start.mode == Mode::Open)
      look_open(start, contact, c);
    else
      look_closed(start, contact, c);
  }
  [[nodiscard]] const EventCandidate& best() const { return best_; }

 private:
  void offer(EventKind kind, int contact, double tau, bool without_history = false) {
    if (tau >= best_.tau) return;
    best_.kind = kind;
    best_.contact = contact;
    best_.tau = tau;
    best_.without_history = without_history;
  }

  void look_open(const ContactStart& start, const ContactTrial& contact, int c) {
    if (start.passes) return;
    const double gap = contact.contact.gap, gap0 = start.contact.gap;
    const double tolerance = touch_tolerance(start, contact, trial_.h);
    // What overlapped before and does not get deeper is on its way out.
    if (gap < -tolerance && gap < gap0 - tolerance)
      offer(EventKind::Touch, c, touch_time(gap0, start.velocity[0], gap, trial_.h));
    else if (contact.met > 0)
      offer(EventKind::Touch, c, touch_time(gap0, start.velocity[0], contact.met_depth, contact.met));
  }

  void look_closed(const ContactStart& start, const ContactTrial& contact, int c) {
    const int D = world_.model.dimension;
    const double h = trial_.h;
    const model::Surface& surface = world_.model.surfaces[static_cast<std::size_t>(start.contact.surface)];
    const Margins margins = force_margins(contact, surface.friction_static, h, D);
    const bool line = start.margins_known && !start.just_changed;
    if (line) {
      const double tau = vanishing_time(start.margin_n, start.margin_age, margins.normal, h);
      if (tau < h)
        offer(EventKind::Lift, c, tau);
      else if (!contact.closed)
        offer(EventKind::Lift, c, 0, true);
    } else if (!contact.closed && !start.just_changed) {
      offer(EventKind::Lift, c, 0, true);
    }
    if (start.mode == Mode::Slide) {
      look_sliding(start, contact, c);
      return;
    }
    // Where several contacts stick, how they share friction is not unique, and the reserve of one may run out while the
    // others could still bear it. With kinetic below static friction that must not let it go: the solver decides.
    const bool shared = sticking_ > 1 && surface.friction_static != surface.friction_kinetic;
    if (line && !start.false_alarm && (!shared || contact.slides)) {
      const double noise = kForceNoise * (contact.p[0] + tangential_norm(contact.p, D)) / h;
      const double tau = vanishing_time(start.margin_t, start.margin_age, margins.tangential, h, noise);
      if (tau < h) {
        offer(EventKind::Slip, c, tau);
        return;
      }
    }
    if (contact.slides && !start.just_changed) offer(EventKind::Slip, c, 0, true);
  }

  void look_sliding(const ContactStart& start, const ContactTrial& contact, int c) {
    const int D = world_.model.dimension;
    const double h = trial_.h, speed = tangential_norm(start.velocity, D);
    if (start.just_changed || !contact.closed || speed <= slip_noise(start, contact, D)) return;
    const double along = tangential_dot(start.velocity, contact.u1, D);
    const bool crosses = along <= 0 || !contact.slides;
    if (D == 3 && contact.slides && h > h_min_) {
      const double turn = relative_turn(start, contact, H_, h);
      if (turn > best_.turn) {
        best_.turn = turn;
        best_.turning = c;
      }
      if (turn > 1) return;
    }
    if (crosses) offer(EventKind::Stop, c, h * speed * speed / std::max(speed * speed - along, 1e-300));
  }

  const World& world_;
  const Trial& trial_;
  double H_, h_min_;
  int sticking_ = 0;
  EventCandidate best_;
};

}  // namespace

Margins force_margins(const ContactTrial& contact, double mu_static, double h, int dimension) {
  const double g_t = dimension == 2 ? contact.g[1] : std::max(contact.g[1], contact.g[2]);
  Margins m;
  m.normal = (contact.p[0] - std::max(0.0, contact.u1[0]) / contact.g[0]) / h;
  m.tangential = (mu_static * contact.p[0] - tangential_norm(contact.p, dimension) -
                  tangential_norm(contact.u1, dimension) / g_t) /
                 h;
  return m;
}

double slip_noise(const ContactStart& start, const ContactTrial& contact, int dimension) {
  double scale = 0;
  for (int k = 0; k < dimension; ++k) scale += contact.g[k] * std::fabs(contact.p[k]);
  return kEventNoise * std::max(scale, start.slip_peak);
}

bool slip_crosses(const ContactStart& start, const ContactTrial& contact, int dimension) {
  if (start.mode != Mode::Slide || start.just_changed || !contact.closed) return false;
  if (tangential_norm(start.velocity, dimension) <= slip_noise(start, contact, dimension)) return false;
  return tangential_dot(start.velocity, contact.u1, dimension) <= 0 || !contact.slides;
}

double relative_turn(const ContactStart& start, const ContactTrial& contact, double H, double h) {
  const double across = std::fabs(start.velocity[1] * contact.u1[2] - start.velocity[2] * contact.u1[1]);
  const double change = std::hypot(contact.u1[1] - start.velocity[1], contact.u1[2] - start.velocity[2]);
  const double rate = start.slip_peak > 0 ? H * change / (h * start.slip_peak) : 1.0;  // H / T
  if (!(across > std::min(kMiss, kMissPerStep * rate) * change * change)) return 0;
  const double turn = std::atan2(across, tangential_dot(start.velocity, contact.u1, 3));
  return turn / std::clamp(kTurnPerStep * rate, 1e-3, kLargestTurn);
}

EventCandidate first_event(const World& world, const Component& component, const Trial& trial, double H, double h_min) {
  FirstEvent search(world, component, trial, H, h_min);
  for (std::size_t c = 0; c < component.contacts.size(); ++c) search.look(component.contacts[c], static_cast<int>(c));
  return search.best();
}

bool rests_open(const World& world, const ContactStart& contact) {
  constexpr double kAtRest = 1e-9;  // of the velocities of the bodies
  if (!contact.just_changed) return false;
  const Vec3 &va = world.state.bodies[index(contact.rows.a)].velocity.linear,
             &vb = world.state.bodies[index(contact.rows.b)].velocity.linear;
  return -contact.velocity[0] <= kAtRest * (va.lpNorm<1>() + vb.lpNorm<1>());
}

EventCandidate first_touch(const World& world, const Component& component, const Trial& trial) {
  FirstEvent search(world, component, trial, trial.h, 0);
  for (std::size_t c = 0; c < component.contacts.size(); ++c)
    if (component.contacts[c].mode == Mode::Open && !rests_open(world, component.contacts[c]))
      search.look(component.contacts[c], static_cast<int>(c));
  return search.best();
}

}  // namespace stickslip::stepping
