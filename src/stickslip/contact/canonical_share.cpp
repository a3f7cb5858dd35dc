// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/contact/canonical_share.h"

#include "stickslip/complementarity/cone/contact_residual.h"
#include "stickslip/contact/load_share.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace stickslip::contact {
namespace {

constexpr double kSameShare = 1e-13;  // of the largest impulse: the share was canonical already
constexpr double kBears = 1e-6;       // of the largest impulse: a contact bears something

constexpr std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

double largest(std::span<const double> x) {
  double most = 0;
  for (const double v : x) most = std::max(most, std::fabs(v));
  return most;
}

// Up to what the share is told apart by. What was shared is compared, so that small changes do not add up.
bool is_same(const std::vector<double>& kept, double size, const std::vector<double>& now) {
  if (kept.size() != now.size()) return false;
  for (std::size_t k = 0; k < kept.size(); ++k)
    if (!(std::fabs(kept[k] - now[k]) <= kSameShare * size)) return false;
  return true;
}

}  // namespace

CanonicalShare::CanonicalShare() : search_(std::make_unique<LoadShare>()) {}
CanonicalShare::CanonicalShare(CanonicalShare&&) noexcept = default;
CanonicalShare& CanonicalShare::operator=(CanonicalShare&&) noexcept = default;
CanonicalShare::~CanonicalShare() = default;

bool CanonicalShare::share(const SharedLoad& load, std::span<const double> normal_start, Eigen::VectorXd& N,
                           Eigen::VectorXd& t) {
  return search_->find(load, normal_start, N, t);
}

// Rows through which the impulses of closed contacts act on bodies that can move, three numbers at a time, until f returns
// false; returns what the last call did.
template <class F>
bool CanonicalShare::each_row(const ContactSystem& system, const Island& island, std::span<const BodyDynamics> dynamics,
                              F&& f) const {
  const int D = island.problem.dimension();
  for (const SharedLoad::Closed& one : load_.closed) {
    const ContactRows& row = system.rows()[at(island.contacts[at(one.contact)])];
    const bool a = dynamics[at(row.a)].movable, b = dynamics[at(row.b)].movable;
    for (int k = 0; k < D; ++k)
      if (!f(row.direction[k]) || (a && !f(row.moment_a[k])) || (b && !f(row.moment_b[k]))) return false;
  }
  return true;
}

void CanonicalShare::keep_rows(const ContactSystem& system, const Island& island,
                               std::span<const BodyDynamics> dynamics, Kept& kept) const {
  kept.rows.clear();
  each_row(system, island, dynamics, [&](const Vec3& row) {
    kept.rows.insert(kept.rows.end(), row.data(), row.data() + 3);
    return true;
  });
  kept.size_rows = largest(kept.rows);
}

bool CanonicalShare::same_rows(const ContactSystem& system, const Island& island,
                               std::span<const BodyDynamics> dynamics, const Kept& kept) const {
  const double noise = kSameShare * kept.size_rows;
  const double *before = kept.rows.data(), *const end = before + kept.rows.size();
  return each_row(system, island, dynamics,
                  [&](const Vec3& row) {
                    if (before == end) return false;
                    bool same = true;
                    for (int axis = 0; axis < 3; ++axis) same = same & (std::fabs(before[axis] - row[axis]) <= noise);
                    before += 3;
                    return same;
                  }) &&
         before == end;
}

// Are the closed contacts and their laws those of a load that was shared? Its impulses are.
bool CanonicalShare::same_laws(const Kept& kept, const Island& island) const {
  if (kept.closed.size() != load_.closed.size()) return false;
  const int D = island.problem.dimension();
  for (std::size_t i = 0; i < kept.closed.size(); ++i) {
    const SharedLoad::Closed &before = kept.closed[i], &now = load_.closed[i];
    if (before.contact != now.contact || before.first != now.first || before.sticks != now.sticks ||
        before.mu != now.mu)
      return false;
    // The direction of one that bears something is in its impulse.
    if (island.r[at(now.contact * D)] > kBears * kept.size_r) continue;
    for (int k = 1; k < D; ++k)
      if (!(std::fabs(before.direction[k] - now.direction[k]) <= kSameShare * std::max(1.0, now.mu))) return false;
  }
  return true;
}

void CanonicalShare::apply(ContactSystem& system, std::size_t index, std::span<const BodyDynamics> dynamics,
                           double aim) {
  Island& island = system.islands()[index];
  const complementarity::ContactProblem& problem = island.problem;
  const int contacts = problem.contacts(), D = problem.dimension();
  if (contacts < 2 || contacts > kMostInStep || !problem.kind.empty() || !island.summary.solved()) return;
  load_.classify(island);
  if (load_.closed.empty()) return;
  // A system of one island may be that of many components in turn.
  const bool in_turn = system.islands().size() == 1;
  for (std::size_t k = in_turn ? 0 : index; k < (in_turn ? kept_.size() : std::min(index + 1, kept_.size())); ++k) {
    if (!(std::fabs(keys_[k].first - island.r[0]) <= keys_[k].noise)) continue;
    const Kept& kept = kept_[k];
    if (is_same(kept.r, kept.size_r, island.r) && same_laws(kept, island) && same_rows(system, island, dynamics, kept))
      return;
  }
  if (load_.surely_independent(island)) return;
  load_.add_columns(island, system.rows(), dynamics);
  if (load_.independent()) return;
  start_.clear();
  for (const SharedLoad::Closed& one : load_.closed) start_.push_back(island.r[at(one.contact * D)]);
  const bool found = share(load_, start_, N_, t_);
  if (found) take(island, aim);
  // Kept as it ought to be: an island with these impulses need not be looked at again, and one that has no share that is found
  // neither.
  constexpr std::size_t kMostKept = 64;
  std::size_t place = index;
  if (in_turn) place = kept_.size() < kMostKept ? kept_.size() : std::bit_cast<std::uint64_t>(island.r[0]) % kMostKept;
  if (kept_.size() <= place) {
    kept_.resize(place + 1);
    keys_.resize(kept_.size());
  }
  Kept& kept = kept_[place];
  kept.r = found ? r_ : island.r;
  kept.size_r = largest(kept.r);
  kept.closed = load_.closed;
  keep_rows(system, island, dynamics, kept);
  keys_[place] = {kept.r[0], kSameShare * kept.size_r};
}

// N_ and t_ as the island's impulses, where they are certified as well as those that it has.
void CanonicalShare::take(Island& island, double aim) {
  const int D = island.problem.dimension();
  r_.assign(island.r.size(), 0.0);
  for (std::size_t i = 0; i < load_.closed.size(); ++i) {
    const SharedLoad::Closed& one = load_.closed[i];
    for (int k = 0; k < D; ++k) {
      double& r = r_[at(one.contact * D + k)];
      r = one.direction[k] * N_[static_cast<Eigen::Index>(i)];
      if (k > 0 && one.first >= 0) r += t_[one.first + k - 1];
    }
  }
  double change = 0;
  for (std::size_t k = 0; k < r_.size(); ++k) change = std::max(change, std::fabs(r_[k] - island.r[k]));
  if (!(change > kSameShare * largest(r_))) return;
  const complementarity::Residual residual = complementarity::contact_residual(island.problem, r_);
  if (!(residual.error <= std::max(0.1 * aim, island.summary.residual.error))) return;  // what rests must not creep
  std::copy(r_.begin(), r_.end(), island.r.begin());
  island.summary.residual = residual;
}

}  // namespace stickslip::contact
