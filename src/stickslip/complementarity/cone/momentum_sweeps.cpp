// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/cone/momentum_sweeps.h"

#include "stickslip/complementarity/cone/one_contact.h"
#include "stickslip/complementarity/wide_clone.h"

#include <atomic>
#include <thread>

namespace stickslip::complementarity {
namespace {

constexpr int kLookEvery = 20, kLookSoon = 4;  // iterations between two looks at the error; where changes are small
constexpr double kSmallChange = 1;             // of the goal, relative to the impulses: worth a look
constexpr int kJudgeEvery = 100;  // iterations between two looks at the pace; momentum makes the error rise in between
constexpr double kWorth = 600;    // iterations left at that pace beyond which the rest is for Newton's method
constexpr double kRestart = 0.3;  // share of theta - 1 that is kept

// One colour's contacts begin .. end, x in place.
struct ColourRows {
  const int *row_start, *column;
  const double *block, *diagonal, *q, *mu, *given, *round;
  const ContactKind* kind;
  double *slip_rate, *x;
};

// The inverses of W_nn and of S where the block is diag(W_nn, S, .., S) to rounding, as between balls; else zeros.
template <int D>
void find_round(const double* W, double* inverses) {
  constexpr double kRounding = 1e-14;
  const double least = kRounding * block_trace<D>(W), S = W[D * D - 1];
  inverses[0] = inverses[1] = 0;
  for (int k = 0; k < D; ++k)
    for (int l = 0; l < D; ++l) {
      const double expected = k != l ? 0.0 : k == 0 ? W[0] : S;
      if (!(std::fabs(W[k * D + l] - expected) <= least)) return;
    }
  if (!(W[0] > 0) || !(S > 0)) return;
  inverses[0] = 1 / W[0], inverses[1] = 1 / S;
}

// one_contact.h for such a block: normal and tangential rows do not see each other, and what slips slips against b.
template <int D>
STICKSLIP_ALWAYS_INLINE void solve_round(const double* inverses, double mu, const double* b, double* r) {
  const double normal = std::max(0.0, -b[0] * inverses[0]), limit = mu * normal;
  double squared = 0;
  for (int k = 1; k < D; ++k) squared += b[k] * b[k];
  const double length = std::sqrt(squared);
  const double factor = length * inverses[1] <= limit ? inverses[1] : limit / length;
  r[0] = normal;
  for (int k = 1; k < D; ++k) r[k] = -factor * b[k];
}

template <int D>
STICKSLIP_ALWAYS_INLINE void solve_rows(const ColourRows& rows, int begin, int end) {
  for (int i = begin; i < end; ++i) {
    Lanes sum = {};
    for (int k = 0; k < D; ++k) sum[k] = rows.q[i * D + k];
    for (int p = rows.row_start[i]; p < rows.row_start[i + 1]; ++p) {
      const double *block = rows.block + static_cast<std::size_t>(p) * D * kLanes, *x = rows.x + rows.column[p] * D;
      for (int l = 0; l < D; ++l) {
        Lanes column;
        load(column, block + l * kLanes);
        sum += column * x[l];
      }
    }
    double b[kLanes];
    store(b, sum);
    if (rows.round[2 * i] > 0)
      solve_round<D>(rows.round + 2 * i, rows.mu[i], b, rows.x + i * D);
    else
      solve_one_contact<D>(rows.kind[i], rows.mu[i], rows.given[i], rows.diagonal + i * D * D, b, rows.x + i * D,
                           rows.slip_rate[i]);
  }
}

STICKSLIP_WIDE_CLONE void solve_rows_2(const ColourRows& rows, int begin, int end) {
  solve_rows<2>(rows, begin, end);
}
STICKSLIP_WIDE_CLONE void solve_rows_3(const ColourRows& rows, int begin, int end) {
  solve_rows<3>(rows, begin, end);
}

// The share of one member of the team.
struct Share {
  int begin, end;
};
Share share_of(int count, int member, int team) {
  return {static_cast<int>(static_cast<long>(count) * member / team),
          static_cast<int>(static_cast<long>(count) * (member + 1) / team)};
}

}  // namespace

// Each contact takes the first colour that no neighbour before it has.
template <int D>
void MomentumSweeps<D>::colour(const ScaledIsland<D>& island) {
  const int n = island.contacts;
  colour_of_.resize(n), order_.resize(n), place_.resize(n);
  colour_start_.assign(1, 0);
  for (int i = 0; i < n; ++i) {
    taken_.assign(colour_start_.size(), 0);
    for (int p = island.row_start[i]; p < island.diagonal[i]; ++p) taken_[colour_of_[island.column[p]]] = 1;
    int c = 0;
    while (taken_[c]) ++c;
    colour_of_[i] = c;
    if (c + 1 == static_cast<int>(colour_start_.size())) colour_start_.push_back(0);
    ++colour_start_[c + 1];
  }
  for (std::size_t c = 1; c < colour_start_.size(); ++c) colour_start_[c] += colour_start_[c - 1];
  std::vector<int>& next = row_start_;  // workspace
  next.assign(colour_start_.begin(), colour_start_.end());
  for (int i = 0; i < n; ++i) {
    place_[i] = next[colour_of_[i]]++;
    order_[place_[i]] = i;
  }
}

template <int D>
void MomentumSweeps<D>::arrange(const ScaledIsland<D>& island, const std::vector<double>& r) {
  const int n = island.contacts, blocks = static_cast<int>(island.column.size()) - n;
  row_start_.resize(n + 1), column_.resize(blocks), block_.resize(static_cast<std::size_t>(blocks) * D * kLanes);
  diagonal_.resize(n * D * D), q_.resize(n * D), mu_.resize(n), given_.resize(n), round_.resize(2 * n), kind_.resize(n);
  slip_rate_.assign(n, 0.0);
  x_.resize(n * D);
  int out = 0;
  for (int a = 0; a < n; ++a) {
    const int i = order_[a];
    mu_[a] = island.mu[i], given_[a] = island.given[i], kind_[a] = island.kind[i];
    for (int k = 0; k < D; ++k) q_[a * D + k] = island.q[i * D + k], x_[a * D + k] = r[i * D + k];
    row_start_[a] = out;
    for (int p = island.row_start[i]; p < island.row_start[i + 1]; ++p) {
      const double* from = island.block(p);
      if (p == island.diagonal[i]) {
        for (int k = 0; k < D * D; ++k) diagonal_[a * D * D + k] = from[k];
        find_round<D>(from, round_.data() + 2 * a);
        if (kind_[a] != ContactKind::Frictional) round_[2 * a] = 0;
        continue;
      }
      column_[out] = place_[island.column[p]];
      double* to = block_.data() + static_cast<std::size_t>(out) * D * kLanes;
      for (int l = 0; l < D; ++l)
        for (int k = 0; k < kLanes; ++k) to[l * kLanes + k] = k < D ? from[k * D + l] : 0.0;
      ++out;
    }
  }
  row_start_[n] = out;
  y_ = x_;
  before_ = x_;
  natural_r_.resize(n * D), natural_u_.resize(n * D);
  change_.resize((n + kChunk - 1) / kChunk);
  size_.resize(change_.size());
}

template <int D>
bool MomentumSweeps<D>::look() {
  for (int a = 0; a < island_->contacts; ++a)
    for (int k = 0; k < D; ++k) natural_r_[order_[a] * D + k] = x_[a * D + k];
  island_velocity(*island_, natural_r_.data(), natural_u_.data());
  const bool reached = search_->offer(natural_r_.data(), natural_u_.data());
  search_->record(0, "sweeps");
  return reached;
}

// The threads that sweep one island.
template <int D>
struct MomentumSweeps<D>::Team {
  int size = 1;
  std::atomic<int> arrived{0}, round{0};

  // All members wait for each other. Spins: a colour takes some ten microseconds.
  void meet(int& phase) {
    if (size == 1) return;
    constexpr int kPatience = 4000;
    ++phase;
    if (arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == size) {
      arrived.store(0, std::memory_order_relaxed);
      round.store(phase, std::memory_order_release);
      return;
    }
    for (int spins = 0; round.load(std::memory_order_acquire) != phase; ++spins)
      if (spins > kPatience) std::this_thread::yield();
  }
};

template <int D>
void MomentumSweeps<D>::solve_part(int colour, int member, int team) {
  const int first = colour_start_[colour];
  const Share share = share_of(colour_start_[colour + 1] - first, member, team);
  const ColourRows rows{row_start_.data(), column_.data(), block_.data(), diagonal_.data(),  q_.data(), mu_.data(),
                        given_.data(),     round_.data(),  kind_.data(),  slip_rate_.data(), x_.data()};
  if constexpr (D == 2)
    solve_rows_2(rows, first + share.begin, first + share.end);
  else
    solve_rows_3(rows, first + share.begin, first + share.end);
}

template <int D>
void MomentumSweeps<D>::sum_changes(int member, int team) {
  const Share share = share_of(static_cast<int>(change_.size()), member, team);
  const int n = static_cast<int>(x_.size());
  for (int chunk = share.begin; chunk < share.end; ++chunk) {
    double change = 0, size = 0;
    for (int k = chunk * kChunk * D; k < std::min(n, (chunk + 1) * kChunk * D); ++k) {
      change += (x_[k] - y_[k]) * (x_[k] - y_[k]);
      size += x_[k] * x_[k];
    }
    change_[chunk] = change, size_[chunk] = size;
  }
}

// What the first member does alone after each iteration: momentum, the error now and then, the end.
template <int D>
void MomentumSweeps<D>::decide() {
  double change = 0, size = 0;
  for (std::size_t k = 0; k < change_.size(); ++k) change += change_[k], size += size_[k];
  ++iteration_;
  const bool within = search_->budget().spend(static_cast<double>(island_->W.size()));
  const double small = kSmallChange * search_->goal() * std::max(q_norm_, std::sqrt(size));
  const bool last = iteration_ == most_ || !within;
  if (last || iteration_ - last_look_ >= (std::sqrt(change) <= small ? kLookSoon : kLookEvery)) {
    last_look_ = iteration_;
    if (look() || last) {
      done_ = true;
      return;
    }
    if (search_->budget().give_up_early && iteration_ - judged_ >= kJudgeEvery) {
      const double left = std::log(search_->last() / search_->goal());
      const double gained = std::log(judged_error_ / search_->last());
      done_ = !(gained > 0 && (iteration_ - judged_) * left <= kWorth * gained);
      judged_ = iteration_, judged_error_ = search_->last();
      if (done_) return;
    }
  }
  if (iteration_ > 1 && change > last_change_) {
    theta_ = 1 + kRestart * (theta_ - 1), beta_ = 0;
  } else {
    const double next = 0.5 * (1 + std::sqrt(1 + 4 * theta_ * theta_));
    beta_ = (theta_ - 1) / next;
    theta_ = next;
  }
  last_change_ = change;
}

template <int D>
void MomentumSweeps<D>::extrapolate(int member, int team) {
  const Share share = share_of(static_cast<int>(change_.size()), member, team);
  const int n = static_cast<int>(x_.size());
  for (int k = share.begin * kChunk * D; k < std::min(n, share.end * kChunk * D); ++k) {
    y_[k] = x_[k] + beta_ * (x_[k] - before_[k]);
    before_[k] = x_[k];
    x_[k] = y_[k];
  }
}

template <int D>
void MomentumSweeps<D>::work_as(int member, Team& team) {
  for (int phase = 0;;) {
    for (int c = 0; c < colours(); ++c, team.meet(phase)) solve_part(c, member, team.size);
    sum_changes(member, team.size);
    team.meet(phase);
    if (member == 0) decide();
    team.meet(phase);
    if (done_) return;
    extrapolate(member, team.size);
    team.meet(phase);
  }
}

template <int D>
bool MomentumSweeps<D>::run(const ScaledIsland<D>& island, IslandSearch<D>& search, std::vector<double>& r, int most,
                            int threads, WorkerPool& pool) {
  island_ = &island, search_ = &search;
  colour(island);
  arrange(island, r);
  q_norm_ = 0;
  for (const double q : island.q) q_norm_ += q * q;
  q_norm_ = std::sqrt(q_norm_);
  iteration_ = last_look_ = judged_ = 0, most_ = most;
  theta_ = 1, beta_ = last_change_ = 0, done_ = false;
  judged_error_ = std::numeric_limits<double>::infinity();
  Team team;
  team.size = threads;
  // As many jobs as threads, each of which waits for the others: every thread takes one.
  pool.run(threads, threads, [&](int, int member) { work_as(member, team); });
  r = natural_r_;
  return search.reached();
}

template class MomentumSweeps<2>;
template class MomentumSweeps<3>;

}  // namespace stickslip::complementarity
