// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/planning/whole_trajectory.h"

#include "stickslip/collision/registry.h"
#include "stickslip/complementarity/mcp/mcp_solver.h"
#include "stickslip/sensitivity/tangent.h"

#include <algorithm>
#include <cmath>

namespace stickslip::planning {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using sensitivity::ActiveContact;
using sensitivity::kBodyTangent;
using sensitivity::StepEquations;
using Triplet = Eigen::Triplet<double>;

constexpr Index kCoarsest = 13;         // steps
constexpr double kRough = 1e-6;         // certificate on grids that are only a start for the next
constexpr double kFine = 1e-12;         // on the last one
constexpr double kDisplacement = 1e-5;  // for differences, relative to the size of things

bool orientation_matters(const model::Body& body, const contact::BodyTraits& traits) {
  if (body.planar() || !traits.free_rotation) return false;
  if (!traits.isotropic || traits.locked_rotation) return true;
  return !std::ranges::all_of(body.shapes, [](const model::PlacedShape& shape) {
    return std::holds_alternative<model::Sphere>(shape.shape) && shape.pose.position.isZero(0);
  });
}

// One grid of steps.
class Trajectory {
 public:
  Trajectory(const Plan& plan, const scene::Scene& scene)
      : plan_(plan),
        scene_(scene),
        equations_(scene.model, scene.method),
        conditions_(plan, scene),
        start_(model::initial_state(scene.model)) {
    n_ = static_cast<Index>(equations_.freedoms().size());
    m_ = static_cast<Index>(plan.unknowns.size());
    list_contacts();
    block_ = n_;
    for (const ActiveContact& contact : contacts_) block_ += 2 + contact.tangents;
  }

  void set_grid(Index steps) {
    steps_ = steps;
    h_ = scene_.duration / static_cast<double>(steps);
  }
  [[nodiscard]] Index size() const { return m_ + steps_ * block_; }

  // Everything moves on with the start velocity, and contacts carry what gravity puts on them in a step.
  [[nodiscard]] VectorXd cold_start(const VectorXd& u) {
    VectorXd x = VectorXd::Zero(size());
    x.head(m_) = u;
    const VectorXd v = start_velocity(x);
    for (Index k = 1; k <= steps_; ++k) {
      x.segment(place(k), n_) = static_cast<double>(k) * h_ * v;
      Index at = place(k) + n_;
      for (const ActiveContact& contact : contacts_) {
        x[at] = h_ * scene_.model.gravity.norm();
        at += 2 + contact.tangents;
        x[at - 1] = v.norm();
      }
    }
    return x;
  }

  // The same motion on another grid.
  [[nodiscard]] VectorXd refined(const VectorXd& coarse, Index coarse_steps) const {
    VectorXd x(size());
    x.head(m_) = coarse.head(m_);
    const double ratio = static_cast<double>(coarse_steps) / static_cast<double>(steps_);
    const auto old = [&](Index k) { return coarse.segment(m_ + (k - 1) * block_, block_); };
    for (Index k = 1; k <= steps_; ++k) {
      const double t = static_cast<double>(k) * ratio;
      const auto below = std::min(static_cast<Index>(t), coarse_steps - 1);
      const double share = t - static_cast<double>(below);
      const VectorXd before = below > 0 ? VectorXd(old(below)) : VectorXd(VectorXd::Zero(block_));
      auto here = x.segment(place(k), block_);
      here = (1 - share) * before + share * old(below + 1);
      Index at = n_;
      for (const ActiveContact& contact : contacts_) {  // impulses of the step into which the instant falls
        here.segment(at, 1 + contact.tangents) = ratio * old(below + 1).segment(at, 1 + contact.tangents);
        here[at + 1 + contact.tangents] = old(below + 1)[at + 1 + contact.tangents];
        at += 2 + contact.tangents;
      }
    }
    return x;
  }

  [[nodiscard]] complementarity::McpProblem problem() {
    complementarity::McpProblem mcp;
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    mcp.lower.setConstant(size(), -kInfinity);
    mcp.upper.setConstant(size(), kInfinity);
    for (Index k = 1; k <= steps_; ++k) {
      Index at = place(k) + n_;
      for (const ActiveContact& contact : contacts_) {
        mcp.lower[at] = 0;
        at += 2 + contact.tangents;
        mcp.lower[at - 1] = 0;
      }
    }
    mcp.function = [this](const VectorXd& x, VectorXd& f) {
      evaluate(x, f, nullptr);
      return f.allFinite();
    };
    mcp.jacobian = [this](const VectorXd& x, Eigen::SparseMatrix<double>& J) {
      VectorXd f(size());
      triplets_.clear();
      evaluate(x, f, &triplets_);
      J.resize(size(), size());
      J.setFromTriplets(triplets_.begin(), triplets_.end());
      return true;
    };
    return mcp;
  }

  // Of the conditions alone.
  [[nodiscard]] VectorXd condition_values(const VectorXd& x) {
    VectorXd f(size());
    evaluate(x, f, nullptr);
    return f.head(m_);
  }

 private:
  [[nodiscard]] Index place(Index k) const { return m_ + (k - 1) * block_; }

  void list_contacts() {
    std::vector<collision::Contact> found;
    const auto collider = collision::make_collider(scene_.method.collider);
    collider->find(scene_.model, start_, 0, scene_.method.step, found);
    const int tangents = scene_.model.dimension == 3 ? 2 : 1;
    for (const collision::Contact& contact : found) {
      ActiveContact active;
      active.contact = contact;
      active.tangents = tangents;
      active.slides = true;
      contact::set_frame(contact.normal, scene_.model.dimension, active.rows);
      contacts_.push_back(active);
    }
    // Velocity per impulse, and the size of things.
    values_ = {};
    equations_.evaluate(start_, {scene_.method.step, scene_.method.step}, VectorXd::Zero(n_), contacts_, values_);
    VectorXd change(n_);
    for (std::size_t c = 0; c < contacts_.size(); ++c) {
      double sum = 0;
      for (int k = 1; k <= tangents; ++k) {
        equations_.response(c, k, change);
        sum += equations_.row(c, k).dot(change) / tangents;
        length_ = std::max({length_, equations_.rows(c).moment_a[k].norm(), equations_.rows(c).moment_b[k].norm()});
      }
      weight_.push_back(sum > 0 ? sum : 1);
    }
    if (!(length_ > 0)) length_ = 1;
  }

  // By freedoms, with the unknowns filled in.
  [[nodiscard]] VectorXd start_velocity(const VectorXd& x) const {
    VectorXd v(n_);
    const auto freedoms = equations_.freedoms();
    for (Index i = 0; i < n_; ++i) {
      const sensitivity::Freedom& f = freedoms[static_cast<std::size_t>(i)];
      const model::Twist& twist = start_.bodies[static_cast<std::size_t>(f.body)].velocity;
      v[i] = f.axis < 3 ? twist.linear[f.axis] : twist.angular[f.axis - 3];
    }
    for (Index j = 0; j < m_; ++j) v[freedom_of(j)] = x[j];
    return v;
  }

  [[nodiscard]] Index freedom_of(Index unknown) const {
    const Unknown& one = plan_.unknowns[static_cast<std::size_t>(unknown)];
    const auto freedoms = equations_.freedoms();
    for (std::size_t i = 0; i < freedoms.size(); ++i)
      if (freedoms[i].body == one.body && freedoms[i].axis == one.component - sensitivity::kLinear)
        return static_cast<Index>(i);
    return 0;  // objection_to_whole has made sure that there is one
  }

  // The state of displacement q and velocity v.
  void state_at(const VectorXd& q, const VectorXd& v, double time, model::State& state) {
    tangent_.setZero(static_cast<Index>(start_.bodies.size()) * kBodyTangent);
    const auto freedoms = equations_.freedoms();
    for (Index i = 0; i < n_; ++i) {
      const sensitivity::Freedom& f = freedoms[static_cast<std::size_t>(i)];
      tangent_[f.body * kBodyTangent + f.axis] = q[i];  // positions, then rotations: as in the tangent
    }
    sensitivity::move_along(start_, tangent_, 1, state);
    for (Index i = 0; i < n_; ++i) {
      const sensitivity::Freedom& f = freedoms[static_cast<std::size_t>(i)];
      model::Twist& twist = state.bodies[static_cast<std::size_t>(f.body)].velocity;
      (f.axis < 3 ? twist.linear[f.axis] : twist.angular[f.axis - 3]) = v[i];
    }
    state.time = time;
    model::apply_drives(scene_.model, time, state);
  }

  void evaluate(const VectorXd& x, VectorXd& f, std::vector<Triplet>* J) {
    VectorXd q0 = VectorXd::Zero(n_), v0 = start_velocity(x);
    for (Index k = 1; k <= steps_; ++k) {
      const VectorXd q1 = x.segment(place(k), n_);
      const VectorXd v1 = (q1 - q0) / h_;
      take_impulses(x, k);
      const sensitivity::StepSpan span{h_, static_cast<double>(k) * h_};
      state_at(q0, v0, span.end_time - h_, before_);
      equations_.evaluate(before_, span, v1, contacts_, values_);
      fill_values(x, k, f);
      if (J != nullptr) add_derivatives(x, k, q0, v0, v1, span, *J);
      q0 = q1;
      v0 = v1;
    }
    end_conditions(x, q0, v0, f, J);
  }

  void take_impulses(const VectorXd& x, Index k) {
    Index at = place(k) + n_;
    for (std::size_t c = 0; c < contacts_.size(); ++c) {
      for (int i = 0; i <= contacts_[c].tangents; ++i) contacts_[c].p[i] = x[at + i] / weight_[c];
      at += 2 + contacts_[c].tangents;
    }
  }

  void fill_values(const VectorXd& x, Index k, VectorXd& f) const {
    f.segment(place(k), n_) = values_.balance;
    Index at = place(k) + n_;
    for (std::size_t c = 0; c < contacts_.size(); ++c) {
      const auto column = static_cast<Index>(c);
      const int nt = contacts_[c].tangents;
      const double mu = values_.mu[column], pn = x[at], sigma = x[at + 1 + nt];
      const auto pt = x.segment(at + 1, nt);
      f[at] = values_.approach[column];
      f.segment(at + 1, nt) = mu * pn * values_.slip.col(column).head(nt) + sigma * pt;
      f[at + 1 + nt] = mu * mu * pn * pn - pt.squaredNorm();
      at += 2 + nt;
    }
  }

  // Columns of the smooth parts by v1, v0 and q0; then the chain rule to q_k, q_(k-1), q_(k-2) and u.
  void add_derivatives(const VectorXd& x, Index k, const VectorXd& q0, const VectorXd& v0, const VectorXd& v1,
                       const sensitivity::StepSpan& span, std::vector<Triplet>& J) {
    const StepEquations::Values here = values_;
    add_impulse_derivatives(x, k, J);
    const Index rows = block_;
    MatrixXd by_v1(rows, n_), by_v0(rows, n_), by_q0(rows, n_);
    VectorXd moved = v1;
    for (Index i = 0; i < n_; ++i) {
      const double size = equations_.freedoms()[static_cast<std::size_t>(i)].axis < 3 ? length_ : 1.0;
      const double step = kDisplacement * size / h_;
      moved[i] = v1[i] - step;
      equations_.evaluate(before_, span, moved, contacts_, minus_);
      moved[i] = v1[i] + step;
      equations_.evaluate(before_, span, moved, contacts_, plus_);
      moved[i] = v1[i];
      by_v1.col(i) = smooth_rows(x, k, minus_, plus_, 2 * step);
    }
    moved = v0;
    for (Index i = 0; k > 1 ? i < n_ : i < m_; ++i) {  // in the first step only by the unknowns
      const Index at = k > 1 ? i : freedom_of(i);
      moved[at] = v0[at] + 1;  // linear
      state_at(q0, moved, span.end_time - h_, shifted_);
      equations_.evaluate(shifted_, span, v1, contacts_, plus_);
      moved[at] = v0[at];
      by_v0.col(i) = smooth_rows(x, k, here, plus_, 1);
    }
    if (k > 1) {
      moved = q0;
      for (Index i = 0; i < n_; ++i) {
        const double step =
            kDisplacement * (equations_.freedoms()[static_cast<std::size_t>(i)].axis < 3 ? length_ : 1.0);
        moved[i] = q0[i] - step;
        state_at(moved, v0, span.end_time - h_, shifted_);
        equations_.evaluate(shifted_, span, v1, contacts_, minus_);
        moved[i] = q0[i] + step;
        state_at(moved, v0, span.end_time - h_, shifted_);
        equations_.evaluate(shifted_, span, v1, contacts_, plus_);
        moved[i] = q0[i];
        by_q0.col(i) = smooth_rows(x, k, minus_, plus_, 2 * step);
      }
    }
    add_block(place(k), place(k), by_v1 / h_, J);
    if (k == 1) {
      add_block(place(k), 0, by_v0.leftCols(m_), J);
      return;
    }
    add_block(place(k), place(k - 1), by_q0 - by_v1 / h_ + by_v0 / h_, J);
    if (k > 2) add_block(place(k), place(k - 2), -by_v0 / h_, J);
  }

  // (plus - minus) / width in all rows of a step, impulses fixed.
  [[nodiscard]] VectorXd smooth_rows(const VectorXd& x, Index k, const StepEquations::Values& minus,
                                     const StepEquations::Values& plus, double width) const {
    VectorXd d = VectorXd::Zero(block_);
    d.head(n_) = (plus.balance - minus.balance) / width;
    Index at = n_;
    for (std::size_t c = 0; c < contacts_.size(); ++c) {
      const auto column = static_cast<Index>(c);
      const int nt = contacts_[c].tangents;
      d[at] = (plus.approach[column] - minus.approach[column]) / width;
      d.segment(at + 1, nt) = values_.mu[column] * x[place(k) + at] *
                              (plus.slip.col(column).head(nt) - minus.slip.col(column).head(nt)) / width;
      at += 2 + nt;
    }
    return d;
  }

  void add_impulse_derivatives(const VectorXd& x, Index k, std::vector<Triplet>& J) {
    VectorXd change(n_);
    Index at = place(k) + n_;
    for (std::size_t c = 0; c < contacts_.size(); ++c) {
      const auto column = static_cast<Index>(c);
      const int nt = contacts_[c].tangents;
      const double mu = values_.mu[column], pn = x[at], sigma = x[at + 1 + nt];
      for (int i = 0; i <= nt; ++i) {
        equations_.response(c, i, change);
        add_block(place(k), at + i, -change / weight_[c], J);
      }
      const auto add = [&](Index row, Index col, double value) {
        J.emplace_back(static_cast<int>(row), static_cast<int>(col), value);
      };
      for (int i = 1; i <= nt; ++i) {
        add(at + i, at, mu * values_.slip(i - 1, column));
        add(at + i, at + i, sigma);
        add(at + i, at + 1 + nt, x[at + i]);
        add(at + 1 + nt, at + i, -2 * x[at + i]);
      }
      add(at + 1 + nt, at, 2 * mu * mu * pn);
      at += 2 + nt;
    }
  }

  static void add_block(Index row, Index column, const MatrixXd& block, std::vector<Triplet>& J) {
    for (Index j = 0; j < block.cols(); ++j)
      for (Index i = 0; i < block.rows(); ++i)
        if (block(i, j) != 0) J.emplace_back(static_cast<int>(row + i), static_cast<int>(column + j), block(i, j));
  }

  void end_conditions(const VectorXd& x, const VectorXd& q, const VectorXd& v, VectorXd& f, std::vector<Triplet>* J) {
    const double time = scene_.duration;
    const VectorXd begin = start_velocity(x);
    const auto values = [&](const VectorXd& q_end, const VectorXd& v_end, const VectorXd& v_begin, VectorXd& c) {
      state_at(q_end, v_end, time, shifted_);
      state_at(VectorXd::Zero(n_), v_begin, 0, before_);
      conditions_.evaluate(before_, shifted_, c);
    };
    VectorXd c, low, high;
    values(q, v, begin, c);
    f.head(m_) = c.head(m_);
    if (J == nullptr) return;
    MatrixXd by_q(m_, n_), by_v(m_, n_), by_u(m_, m_);
    VectorXd a = q, b = v, d = begin;
    for (Index i = 0; i < n_; ++i) {
      const double size = equations_.freedoms()[static_cast<std::size_t>(i)].axis < 3 ? length_ : 1.0;
      const double step = kDisplacement * size;
      a[i] = q[i] - step, values(a, v, begin, low), a[i] = q[i] + step, values(a, v, begin, high), a[i] = q[i];
      by_q.col(i) = (high.head(m_) - low.head(m_)) / (2 * step);
      b[i] = v[i] - step, values(q, b, begin, low), b[i] = v[i] + step, values(q, b, begin, high), b[i] = v[i];
      by_v.col(i) = (high.head(m_) - low.head(m_)) / (2 * step);
    }
    for (Index j = 0; j < m_; ++j) {
      const Index i = freedom_of(j);
      const double step = kDisplacement;
      d[i] = begin[i] - step, values(q, v, d, low), d[i] = begin[i] + step, values(q, v, d, high), d[i] = begin[i];
      by_u.col(j) = (high.head(m_) - low.head(m_)) / (2 * step);
    }
    add_block(0, 0, by_u, *J);
    add_block(0, place(steps_), by_q + by_v / h_, *J);
    if (steps_ > 1) add_block(0, place(steps_ - 1), -by_v / h_, *J);
  }

  const Plan& plan_;
  const scene::Scene& scene_;
  StepEquations equations_;
  EndConditions conditions_;
  model::State start_, before_, shifted_;
  std::vector<ActiveContact> contacts_;
  std::vector<double> weight_;
  double length_ = 0, h_ = 0;
  Index n_ = 0, m_ = 0, block_ = 0, steps_ = 0;
  StepEquations::Values values_, minus_, plus_;
  VectorXd tangent_;
  std::vector<Triplet> triplets_;
};

}  // namespace

std::string objection_to_whole(const Plan& plan, const scene::Scene& scene) {
  if (const std::string reason = StepEquations::objection_to(scene.model, scene.method); !reason.empty()) return reason;
  if (plan.has_objective) return "an objective needs shooting";
  if (plan.equations() != static_cast<int>(plan.unknowns.size()) ||
      plan.equations() != static_cast<int>(plan.conditions.size()))
    return "the whole trajectory needs as many equations as unknowns, and no inequalities";
  const std::vector<contact::BodyTraits> traits = contact::body_traits(scene.model);
  for (const Unknown& unknown : plan.unknowns) {
    const auto body = static_cast<std::size_t>(std::max(unknown.body, 0));
    const int axis = unknown.component - sensitivity::kLinear;
    const bool free =
        unknown.body >= 0 && axis >= 0 &&
        (axis < 3 ? traits[body].free_translation[static_cast<std::size_t>(axis)] : traits[body].free_rotation);
    if (!free) return "the whole trajectory knows start velocities as unknowns, not '" + unknown.name + "'";
  }
  for (std::size_t i = 0; i < traits.size(); ++i) {
    if (orientation_matters(scene.model.bodies[i], traits[i]))
      return "the whole trajectory knows bodies in the plane and balls, not '" + scene.model.bodies[i].name + "'";
    if (!scene.model.bodies[i].support.points.empty()) return "the whole trajectory knows no supports";
  }
  for (const model::Surface& surface : scene.model.surfaces)
    if (surface.friction_static != surface.friction_kinetic)
      return "the whole trajectory knows one coefficient of friction, not a static and a kinetic one";
  return {};
}

Search solve_whole(const Plan& plan, const scene::Scene& scene, const VectorXd& start) {
  Trajectory trajectory(plan, scene);
  std::vector<Index> grids{static_cast<Index>(plan.steps)};
  while (grids.front() / 2 >= kCoarsest) grids.insert(grids.begin(), grids.front() / 2);
  complementarity::McpSolver solver;
  Search result;
  VectorXd x;
  Index before = 0;
  for (const Index steps : grids) {
    trajectory.set_grid(steps);
    x = before == 0 ? trajectory.cold_start(start) : trajectory.refined(x, before);
    complementarity::SolverOptions options;
    options.tolerance = steps == grids.back() ? kFine : kRough;
    const complementarity::SolverSummary summary = solver.solve(trajectory.problem(), x, options, "semismooth");
    result.iterations += summary.iterations;
    result.worst_residual = summary.residual.error;
    before = steps;
  }
  result.unknowns = x.head(start.size());
  result.residual = trajectory.condition_values(x);
  result.ending = result.violation() <= plan.tolerance && result.worst_residual <= kRough ? Search::Ending::Solved
                                                                                          : Search::Ending::Stalled;
  return result;
}

}  // namespace stickslip::planning
