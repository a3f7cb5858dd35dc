// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/planning/whole_trajectory.h"

#include "stickslip/collision/registry.h"
#include "stickslip/contact/compliance.h"
#include "stickslip/contact/support_rows.h"
#include "stickslip/sensitivity/step_jacobian.h"
#include "stickslip/stepping/stepper_traits.h"

#include <Eigen/LU>
#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>

namespace stickslip::planning {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using sensitivity::ActiveContact;
using sensitivity::Direction;
using sensitivity::StepJacobian;
using sensitivity::StepSpan;

constexpr Index kCoarsest = 13;  // steps
constexpr double kRough = 1e-4;  // defect, relative to the speeds, on grids that are only a start for the next
constexpr double kFine = 1e-11;  // on the last one
constexpr std::size_t kLookBack = 5;
constexpr double kDecrease = 1e-4, kShortest = 1.0 / 512;

// One step's unknowns, and their change per unit of [1, du].
struct StepValues {
  VectorXd v, p;  // p in units of velocity: normal, tangents of each contact
  MatrixXd change;
};

// One direction of a contact over a step: what is added to approach or slip, by_p p + by_delta delta, and the
// deformation at its end, next_p p + next_delta delta; p in units of velocity. All zero where it is rigid.
struct Layer {
  double by_p = 0, by_delta = 0, next_p = 0, next_delta = 0;

  // Of the impulse that fulfils the law, how much of a change of approach or slip.
  [[nodiscard]] double share() const { return 1 / (1 + by_p); }
};

// Steps with compliance whose equations, without it, are those of the implicit stepper.
bool gives_way(const stepping::Method& method) {
  const stepping::StepperTraits& traits = stepping::traits_of(method.stepper);
  return traits.compliant && traits.end_geometry;
}

// The equations of the step without compliance.
stepping::Method rigid(const stepping::Method& method) {
  stepping::Method out = method;
  if (gives_way(method)) out.stepper = "implicit";
  return out;
}

class Trajectory {
 public:
  Trajectory(const Plan& plan, Shooter& shooter, const VectorXd& start) : plan_(plan), shooter_(shooter), u_(start) {}

  // Why not; empty when it can be searched.
  std::string begin() {
    if (!place(u_)) return "there is no scene at the start";
    for (const Direction& direction : directions_)
      for (std::size_t i = 0; direction.low != nullptr && i < direction.low->surfaces.size(); ++i)
        if (gives_way(placed_->scene->method) &&
            !(direction.low->surfaces[i].compliance == direction.high->surfaces[i].compliance))
          return "the whole trajectory has no derivative with respect to the stiffness or damping of a contact";
    find_contacts();
    return {};
  }

  void set_grid(Index steps) {
    const std::vector<StepValues> coarse = std::move(steps_);
    steps_.assign(static_cast<std::size_t>(steps), {});
    states_.resize(steps_.size() + 1);
    h_ = placed_->scene->duration / static_cast<double>(steps);
    deltas_.assign(steps_.size() + 1, VectorXd::Zero(impulses_));
    set_layers();
    if (coarse.empty())
      start_cold();
    else
      refine(coarse);
  }

  // Newton's method on this grid.
  bool solve(double tolerance, double of_conditions, int most, SearchResult& result) {
    std::deque<double> merits{defect()};
    for (; result.iterations < most; ++result.iterations) {
      if (largest_ <= tolerance * speed_ && condition_values().cwiseAbs().maxCoeff() <= of_conditions) return true;
      if (!linearise()) return false;
      const double reference = *std::ranges::max_element(merits);
      if (!search_line(reference)) return false;
      merits.push_back(defect());
      if (merits.size() > kLookBack) merits.pop_front();
    }
    return false;
  }

  [[nodiscard]] VectorXd condition_values() const { return values_.head(static_cast<Index>(plan_.conditions.size())); }
  [[nodiscard]] const VectorXd& unknowns() const { return u_; }
  [[nodiscard]] double relative_defect() const { return largest_ / speed_; }

 private:
  // The scene at u: model, start, directions (the first one is that of the defects).
  bool place(const VectorXd& u) {
    placed_.emplace(shooter_.place(u, true));
    if (placed_->scene == nullptr) return false;
    directions_.assign(1, {});
    directions_[0].start.setZero(placed_->directions[0].start.size());
    directions_.insert(directions_.end(), placed_->directions.begin(), placed_->directions.end());
    method_ = rigid(placed_->scene->method);
    jacobian_.emplace(placed_->scene->model, method_, directions_);
    start_ = model::initial_state(placed_->scene->model);
    return true;
  }

  void find_contacts() {
    const scene::Scene& scene = *placed_->scene;
    std::vector<collision::Contact> found;
    collision::make_collider(scene.method.collider)->find(scene.model, start_, 0, scene.method.step, found);
    for (const collision::Contact& contact : found) {
      ActiveContact& active = contacts_.emplace_back();
      active.contact = contact;
      active.tangents = scene.model.dimension == 3 ? 2 : 1;
      active.slides = true;
      contact::set_frame(contact.normal, scene.model.dimension, active.rows);
    }
    const VectorXd still = VectorXd::Zero(freedoms());
    jacobian_->linearise(start_, {scene.method.step, scene.method.step}, still, contacts_);
    for (std::size_t c = 0; c < contacts_.size(); ++c) weight_.push_back(jacobian_->weight(c));
    impulses_ = jacobian_->size() - freedoms();
  }

  // Of the contacts' normals and tangents, for steps of this length.
  void set_layers() {
    layers_.assign(2 * contacts_.size(), {});
    if (!gives_way(placed_->scene->method)) return;
    for (std::size_t c = 0; c < contacts_.size(); ++c) {
      const model::Compliance& compliance =
          placed_->scene->model.surfaces[static_cast<std::size_t>(contacts_[c].contact.surface)].compliance;
      const contact::SpringDamper n = contact::normal_spring(compliance, h_);
      const contact::SpringDamper t = contact::tangential_spring(compliance, h_);
      const double w = weight_[c];
      layers_[2 * c] = {n.compliance() / w, n.normal_term(1), n.next(1, 0) / w, n.next(0, 1)};
      layers_[2 * c + 1] = {t.compliance() / w, t.tangential_term(1), t.next(1, 0) / w, t.next(0, 1)};
    }
  }
  [[nodiscard]] const Layer& normal_layer(std::size_t c) const { return layers_[2 * c]; }
  [[nodiscard]] const Layer& tangential_layer(std::size_t c) const { return layers_[2 * c + 1]; }

  // From changes of impulses and deformations in a step to changes of the deformations at its end; or the values
  // themselves, which are linear in each other.
  template <class Change>
  void deform(const Change& p, Eigen::Ref<MatrixXd> delta) const {
    for (std::size_t c = 0; c < contacts_.size(); ++c)
      for (int i = 0; i <= contacts_[c].tangents; ++i) {
        const Layer& layer = i == 0 ? normal_layer(c) : tangential_layer(c);
        delta.row(first(c) + i) = layer.next_p * p.row(first(c) + i) + layer.next_delta * delta.row(first(c) + i);
      }
  }

  [[nodiscard]] Index freedoms() const { return jacobian_->freedoms(); }

  [[nodiscard]] VectorXd start_velocity() const {
    VectorXd v(freedoms());
    const auto list = jacobian_->equations().freedoms();
    for (std::size_t i = 0; i < list.size(); ++i)
      v[static_cast<Index>(i)] =
          list[i].of(std::as_const(start_.bodies[static_cast<std::size_t>(list[i].body)].velocity));
    return v;
  }

  // Everything moves on with the start velocity, and contacts carry what gravity puts on them in a step.
  void start_cold() {
    const VectorXd v = start_velocity();
    for (StepValues& step : steps_) {
      step.v = v;
      step.p.setZero(impulses_);
      for (std::size_t c = 0; c < contacts_.size(); ++c) step.p[first(c)] = h_ * placed_->scene->model.gravity.norm();
    }
  }

  // The same motion on a finer grid: velocities between those of the old one, impulses of the step into which the
  // instant falls.
  void refine(const std::vector<StepValues>& coarse) {
    const double ratio = static_cast<double>(coarse.size()) / static_cast<double>(steps_.size());
    const VectorXd v0 = start_velocity();
    for (std::size_t k = 0; k < steps_.size(); ++k) {
      const double t = static_cast<double>(k + 1) * ratio;
      const std::size_t below = std::min(static_cast<std::size_t>(t), coarse.size() - 1);
      const double share = t - static_cast<double>(below);
      steps_[k].v = (1 - share) * (below > 0 ? coarse[below - 1].v : v0) + share * coarse[below].v;
      steps_[k].p = ratio * coarse[below].p;
    }
  }

  [[nodiscard]] Index first(std::size_t c) const {
    return static_cast<Index>(c) * (1 + contacts_[0].tangents);  // all contacts of a model have as many
  }
  [[nodiscard]] StepSpan span_of(std::size_t k) const { return {h_, static_cast<double>(k + 1) * h_}; }

  void take_impulses(const VectorXd& p) {
    for (std::size_t c = 0; c < contacts_.size(); ++c)
      for (int i = 0; i <= contacts_[c].tangents; ++i) contacts_[c].p[i] = p[first(c) + i] / weight_[c];
  }

  // z, and what is projected on the disc.
  [[nodiscard]] double pressing(std::size_t c, const VectorXd& p, const VectorXd& delta,
                                const sensitivity::StepEquations::Values& values) const {
    const Layer& layer = normal_layer(c);
    const double pn = p[first(c)];
    return pn - layer.share() *
                    (values.approach[static_cast<Index>(c)] + layer.by_p * pn + layer.by_delta * delta[first(c)]);
  }
  [[nodiscard]] VectorXd pulling(std::size_t c, const VectorXd& p, const VectorXd& delta,
                                 const sensitivity::StepEquations::Values& values) const {
    const Layer& layer = tangential_layer(c);
    const int nt = contacts_[c].tangents;
    const auto pt = p.segment(first(c) + 1, nt);
    return pt - layer.share() * (values.slip.col(static_cast<Index>(c)).head(nt) + layer.by_p * pt +
                                 layer.by_delta * delta.segment(first(c) + 1, nt));
  }

  // What of one contact's law is not fulfilled, in units of velocity; the first entry is the normal one.
  void law(std::size_t c, const VectorXd& p, const VectorXd& delta, const sensitivity::StepEquations::Values& values,
           Eigen::Ref<VectorXd> out) const {
    const auto i = static_cast<Index>(c);
    const int nt = contacts_[c].tangents;
    const double z = pressing(c, p, delta, values), pressed = std::max(0.0, z);
    const auto pt = p.segment(first(c) + 1, nt);
    const VectorXd x = pulling(c, p, delta, values);
    const double radius = values.mu[i] * pressed, size = x.norm();
    out[0] = p[first(c)] - pressed;
    out.tail(nt) = size <= radius ? VectorXd(pt - x) : VectorXd(pt - radius / size * x);
  }

  // Sum of squares of all defects. Fills states_, values_ and largest_.
  double defect() {
    states_[0] = start_;
    largest_ = 0;
    speed_ = 0;
    double sum = 0;
    VectorXd laws(impulses_);
    for (std::size_t k = 0; k < steps_.size(); ++k) {
      take_impulses(steps_[k].p);
      sensitivity::StepEquations& equations = jacobian_->equations();
      equations.evaluate(states_[k], span_of(k), steps_[k].v, contacts_, step_values_);
      for (std::size_t c = 0; c < contacts_.size(); ++c)
        law(c, steps_[k].p, deltas_[k], step_values_, laws.segment(first(c), 1 + contacts_[c].tangents));
      deltas_[k + 1] = deltas_[k];
      deform(steps_[k].p, deltas_[k + 1]);
      equations.end_of(states_[k], span_of(k), steps_[k].v, states_[k + 1]);
      sum += step_values_.balance.squaredNorm() + laws.squaredNorm();
      largest_ = std::max(largest_, step_values_.balance.cwiseAbs().maxCoeff());
      if (laws.size() > 0) largest_ = std::max(largest_, laws.cwiseAbs().maxCoeff());
      speed_ = std::max(speed_, steps_[k].v.cwiseAbs().maxCoeff());
    }
    speed_ = std::max(speed_, h_ * placed_->scene->model.gravity.norm());
    if (!(speed_ > 0)) speed_ = 1;
    placed_->conditions->evaluate(start_, states_.back(), values_);
    const double duration = placed_->scene->duration;
    sum += condition_values().squaredNorm() / (duration * duration) * static_cast<double>(steps_.size());
    return std::isfinite(sum) ? sum : std::numeric_limits<double>::infinity();
  }

  // Newton's step: change of every step's unknowns, and du.
  bool linearise() {
    const auto m = static_cast<Index>(directions_.size());
    MatrixXd tangents(directions_[0].start.size(), m);
    for (Index j = 0; j < m; ++j) tangents.col(j) = directions_[static_cast<std::size_t>(j)].start;
    MatrixXd deformed = MatrixXd::Zero(impulses_, m);  // d delta, one column per direction
    for (std::size_t k = 0; k < steps_.size(); ++k) {
      take_impulses(steps_[k].p);
      jacobian_->linearise(states_[k], span_of(k), steps_[k].v, contacts_);
      fill(steps_[k].p, deltas_[k], states_[k + 1], tangents, deformed);
      lu_.compute(matrix_);
      steps_[k].change = lu_.solve(right_);
      if (!steps_[k].change.allFinite()) return false;
      jacobian_->take_step(states_[k + 1], steps_[k].change.topRows(freedoms()), tangents);
      deform(steps_[k].change.bottomRows(impulses_), deformed);
    }
    return solve_conditions(tangents);
  }

  void fill(const VectorXd& p, const VectorXd& delta, const model::State& end, MatrixXd& tangents,
            const MatrixXd& deformed) {
    const Index n = freedoms(), size = n + impulses_;
    const auto& here = jacobian_->here();
    matrix_.setZero(size, size);
    right_.setZero(size, tangents.cols());
    matrix_.topLeftCorner(n, n) = jacobian_->balance_v();
    VectorXd out(1 + (contacts_.empty() ? 0 : contacts_[0].tangents));
    for (std::size_t c = 0; c < contacts_.size(); ++c) {
      const Index count = 1 + contacts_[c].tangents;
      matrix_.block(0, n + first(c), n, count) = -jacobian_->response().middleCols(first(c), count) / weight_[c];
      fill_law(c, p, delta, here);
      law(c, p, delta, here, out);
      right_.block(n + first(c), 0, count, 1) = -out;
    }
    right_.block(0, 0, n, 1) = -here.balance;
    const MatrixXd& along = jacobian_->along(end, tangents);
    right_.topRows(n) -= along.topRows(n);
    for (std::size_t c = 0; c < contacts_.size(); ++c) {
      const auto i = static_cast<Index>(c), m = std::ssize(contacts_);
      const int nt = contacts_[c].tangents;
      const Eigen::RowVectorXd approach = along.row(n + 3 * i) + normal_layer(c).by_delta * deformed.row(first(c));
      const MatrixXd slip =
          along.middleRows(n + 3 * i + 1, nt) + tangential_layer(c).by_delta * deformed.middleRows(first(c) + 1, nt);
      right_.row(n + first(c)) -= by_approach_[c] * approach;
      right_.middleRows(n + first(c) + 1, nt) -=
          cone_by_approach_[c] * approach + cone_by_mu_[c] * along.row(n + 3 * m + i) + cone_by_slip_[c] * slip;
    }
  }

  // Rows of one contact's law, and how they change with approach, slip and mu.
  void fill_law(std::size_t c, const VectorXd& p, const VectorXd& delta,
                const sensitivity::StepEquations::Values& here) {
    const Index n = freedoms(), row = n + first(c);
    const auto i = static_cast<Index>(c);
    const int nt = contacts_[c].tangents;
    const double z = pressing(c, p, delta, here), pressed = std::max(0.0, z), mu = here.mu[i];
    const bool closed = z > 0;
    const VectorXd x = pulling(c, p, delta, here);
    const double radius = mu * pressed, size = x.norm();
    const Layer &normal = normal_layer(c), &tangential = tangential_layer(c);
    const double share_n = normal.share(), share_t = tangential.share();
    for (auto* list : {&cone_by_approach_, &cone_by_mu_}) list->resize(contacts_.size());
    by_approach_.resize(contacts_.size());
    cone_by_slip_.resize(contacts_.size());
    by_approach_[c] = closed ? share_n : 0;
    matrix_(row, row) = closed ? share_n * normal.by_p : 1;
    matrix_.block(row, 0, 1, n) = by_approach_[c] * jacobian_->approach_v().row(i);
    MatrixXd by_p = share_t * tangential.by_p * MatrixXd::Identity(nt, nt);
    cone_by_approach_[c].setZero(nt);
    cone_by_mu_[c].setZero(nt);
    cone_by_slip_[c] = share_t * MatrixXd::Identity(nt, nt);
    if (size > radius) {  // pt - radius x / |x|
      const VectorXd t = x / size;
      const MatrixXd turn = share_t * radius / size * (MatrixXd::Identity(nt, nt) - t * t.transpose());
      by_p = MatrixXd::Identity(nt, nt) - turn;
      cone_by_slip_[c] = turn;
      cone_by_mu_[c] = -pressed * t;
      if (closed) {
        cone_by_approach_[c] = share_n * mu * t;
        matrix_.block(row + 1, row, nt, 1) = -share_n * mu * t;
      }
    }
    matrix_.block(row + 1, row + 1, nt, nt) = by_p;
    matrix_.block(row + 1, 0, nt, n) = cone_by_approach_[c] * jacobian_->approach_v().row(i) +
                                       cone_by_slip_[c] * jacobian_->slip_v().middleRows(2 * i, nt);
  }

  bool solve_conditions(const MatrixXd& tangents) {
    const auto conditions = static_cast<Index>(plan_.conditions.size()), m = u_.size();
    MatrixXd by(values_.size(), m + 1);
    differentiate_ends(start_, states_.back(), tangents.col(0), directions_[0], *placed_->conditions,
                       *placed_->conditions, by.col(0));
    for (Index j = 0; j < m; ++j) {
      const auto i = static_cast<std::size_t>(j);
      differentiate_ends(start_, states_.back(), tangents.col(j + 1), directions_[i + 1], *placed_->low[i],
                         *placed_->high[i], by.col(j + 1));
    }
    const VectorXd right = -(condition_values() + by.col(0).head(conditions));
    du_ = by.topRightCorner(conditions, m).completeOrthogonalDecomposition().solve(right);
    return du_.allFinite();
  }

  // The longest of 1, 1/2, 1/4 ... of Newton's step that makes the defects smaller than they were not long ago.
  bool search_line(double reference) {
    const VectorXd u = u_;
    std::vector<StepValues> before = steps_;
    for (double share = 1; share >= kShortest; share *= 0.5) {
      VectorXd next = u + share * du_;
      for (Index j = 0; j < next.size(); ++j) {
        const Unknown& unknown = plan_.unknowns[static_cast<std::size_t>(j)];
        next[j] = std::clamp(next[j], unknown.low, unknown.high);
      }
      VectorXd by(next.size() + 1);
      by << share, next - u;
      if (!place(next)) continue;
      u_ = next;
      for (std::size_t k = 0; k < steps_.size(); ++k) {
        steps_[k].v = before[k].v + before[k].change.topRows(freedoms()) * by;
        steps_[k].p = before[k].p + before[k].change.bottomRows(impulses_) * by;
      }
      if (defect() <= (1 - kDecrease * share) * reference) return true;
    }
    return false;
  }

  const Plan& plan_;
  Shooter& shooter_;
  VectorXd u_, du_;
  std::optional<SceneAtUnknowns> placed_;
  std::vector<Direction> directions_;
  std::optional<StepJacobian> jacobian_;
  model::State start_;
  std::vector<ActiveContact> contacts_;
  std::vector<double> weight_, by_approach_;
  std::vector<VectorXd> cone_by_approach_, cone_by_mu_;
  std::vector<MatrixXd> cone_by_slip_;
  std::vector<StepValues> steps_;
  std::vector<model::State> states_;
  std::vector<VectorXd> deltas_;  // deformations at the start of each step, and at the end: normal, tangents
  std::vector<Layer> layers_;     // normal and tangential of each contact
  stepping::Method method_;       // of the equations
  sensitivity::StepEquations::Values step_values_;
  VectorXd values_;
  MatrixXd matrix_, right_;
  Eigen::PartialPivLU<MatrixXd> lu_;
  Index impulses_ = 0;
  double h_ = 0, largest_ = 0, speed_ = 1;
};

}  // namespace

std::string objection_to_whole(const Plan& plan, const scene::Scene& scene) {
  const stepping::Method& method = scene.method;
  if (const std::string reason = sensitivity::StepEquations::objection_to(scene.model, rigid(method)); !reason.empty())
    return reason;
  if (gives_way(method)) {
    if (method.gamma > 0) return "the whole trajectory does not handle a smoothed cone: leave out gamma";
    if (method.gap_step > 0) return "the whole trajectory needs steps of one length: leave out gap_step";
    for (const model::Surface& surface : scene.model.surfaces)
      if (surface.compliance.patch) return "the whole trajectory does not handle patches";
  }
  if (plan.has_objective) return "an objective needs shooting";
  if (plan.equations() != static_cast<int>(plan.unknowns.size()) ||
      plan.equations() != static_cast<int>(plan.conditions.size()))
    return "the whole trajectory needs as many equations as unknowns, and no inequalities";
  if (contact::has_supports(scene.model)) return "the whole trajectory does not handle supports";
  for (const model::Surface& surface : scene.model.surfaces)
    if (surface.friction_static != surface.friction_kinetic)
      return "the whole trajectory needs one coefficient of friction: static and kinetic friction must be equal";
  return {};
}

SearchResult solve_whole(const Plan& plan, Shooter& shooter, const VectorXd& start) {
  std::vector<Index> grids{static_cast<Index>(plan.steps)};
  while (grids.front() / 2 >= kCoarsest) grids.insert(grids.begin(), grids.front() / 2);
  SearchResult result;
  result.unknowns = start;
  Trajectory trajectory(plan, shooter, start);
  result.cause = trajectory.begin();
  if (!result.cause.empty()) return result;
  bool solved = false;
  for (const Index steps : grids) {
    trajectory.set_grid(steps);
    const bool last = steps == grids.back();
    solved = trajectory.solve(last ? kFine : kRough, last ? plan.tolerance : std::numeric_limits<double>::infinity(),
                              result.iterations + plan.iterations, result);
  }
  result.unknowns = trajectory.unknowns();
  result.residual = trajectory.condition_values();
  result.worst_residual = trajectory.relative_defect();
  result.ending =
      solved && result.violation() <= plan.tolerance ? SearchResult::Ending::Solved : SearchResult::Ending::Stalled;
  return result;
}

}  // namespace stickslip::planning
