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

void CanonicalShare::apply(ContactSystem& system, std::size_t index, std::span<const BodyDynamics> dynamics,
                           double aim) {
  Island& island = system.islands()[index];
  const complementarity::ContactProblem& problem = island.problem;
  const int contacts = problem.contacts(), D = problem.dimension();
  if (contacts < 2 || contacts > kMostContacts || !problem.kind.empty() || !island.summary.solved()) return;
  // A system of one island may be that of many components in turn. q is looked at first: where bodies move it differs.
  const bool in_turn = system.islands().size() == 1;
  Kept* seen = nullptr;
  for (std::size_t k = in_turn ? 0 : index; k < (in_turn ? kept_.size() : std::min(index + 1, kept_.size())); ++k) {
    Kept& kept = kept_[k];
    if (!is_same(kept.q, kept.size_q, problem.q)) continue;
    if (!kept.W.empty() && kept.mu == problem.mu && is_same(kept.r, kept.size_r, island.r) &&
        is_same(kept.W, kept.size_W, problem.W.value))
      return;
    if (seen == nullptr) seen = &kept;
  }
  load_.classify(island);
  if (contacts > kMostInMotion && !load_.all_stick()) return;
  load_.add_columns(island, system.rows(), dynamics);
  if (load_.independent()) return;
  start_.clear();
  for (const SharedLoad::Closed& one : load_.closed) start_.push_back(island.r[at(one.contact * D)]);
  if (share(load_, start_, N_, t_)) take(island, aim);
  // Kept whatever came of it: the same problem is not looked at again. Whole when its q comes a second time, as at rest.
  if (seen != nullptr) {
    seen->W = problem.W.value;
    seen->r = island.r;
    seen->mu = problem.mu;
    seen->size_W = largest(seen->W);
    seen->size_r = largest(seen->r);
    return;
  }
  constexpr std::size_t kMostKept = 64;
  std::size_t place = index;
  if (in_turn) place = kept_.size() < kMostKept ? kept_.size() : std::bit_cast<std::uint64_t>(island.r[0]) % kMostKept;
  if (kept_.size() <= place) kept_.resize(place + 1);
  kept_[place].q = problem.q;
  kept_[place].size_q = largest(problem.q);
  kept_[place].W.clear();
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
