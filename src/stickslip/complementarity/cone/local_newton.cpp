// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/cone/local_newton.h"

#include "stickslip/complementarity/cone/contact_residual.h"
#include "stickslip/complementarity/cone/damped_newton.h"

#include <algorithm>

namespace stickslip::complementarity {
namespace {

constexpr int kMostContacts = 200;  // whose defects are largest, beside their neighbours,
constexpr int kLeastShare = 12;     // and one in so many of the island's at most
constexpr double kEnough = 0.999;   // of the squared defect: more contacts are not needed
constexpr int kSteps = 50;
constexpr double kBeyond = 0.1;  // of the island's goal

}  // namespace

// place_: 0 for the contacts of the part, -1 for all others.
template <int D>
void LocalNewton<D>::choose(const ScaledIsland<D>& island, const std::vector<double>& r) {
  u_.resize(r.size());
  island_velocity(island, r.data(), u_.data());
  defect_.resize(island.contacts);
  double all = 0;
  for (int i = 0; i < island.contacts; ++i) {
    const double defect =
        natural_defect_squared<D>(island.kind[i], island.mu[i], island.given[i], r.data() + i * D, u_.data() + i * D);
    defect_[i] = {-defect, i};  // largest first; equal ones by number
    all += defect;
  }
  const int most = std::min(kMostContacts, std::max(1, island.contacts / kLeastShare));
  std::partial_sort(defect_.begin(), defect_.begin() + most, defect_.end());
  place_.assign(island.contacts, -1);
  double sum = 0;
  for (int k = 0; k < most && sum < kEnough * all; ++k) {
    const int i = defect_[k].second;
    for (int p = island.row_start[i]; p < island.row_start[i + 1]; ++p) place_[island.column[p]] = 0;
    sum -= defect_[k].first;
  }
}

template <int D>
void LocalNewton<D>::extract(const ScaledIsland<D>& island, const std::vector<double>& r) {
  part_.member.clear();
  for (int i = 0; i < island.contacts; ++i) {
    if (place_[i] < 0) continue;
    place_[i] = static_cast<int>(part_.member.size());
    part_.member.push_back(i);
  }
  const int n = part_.contacts = static_cast<int>(part_.member.size());
  part_.plain_floor = island.plain_floor, part_.scaled_floor = island.scaled_floor, part_.speed = island.speed;
  part_.row_start.resize(n + 1), part_.diagonal.resize(n), part_.q.resize(n * D);
  part_.mu.resize(n), part_.given.resize(n), part_.scale.resize(n), part_.kind.resize(n);
  part_.column.clear(), part_.mirror.clear(), part_.W.clear();
  block_.assign(island.column.size(), -1);
  for (int a = 0; a < n; ++a) {
    const int i = part_.member[a];
    part_.mu[a] = island.mu[i], part_.given[a] = island.given[i];
    part_.scale[a] = island.scale[i], part_.kind[a] = island.kind[i];
    double* q = part_.q.data() + a * D;
    for (int k = 0; k < D; ++k) q[k] = island.q[i * D + k];
    part_.row_start[a] = static_cast<int>(part_.column.size());
    for (int p = island.row_start[i]; p < island.row_start[i + 1]; ++p) {
      const int j = island.column[p];
      const double* block = island.block(p);
      if (place_[j] < 0) {
        for (int k = 0; k < D; ++k)
          for (int l = 0; l < D; ++l) q[k] += block[k * D + l] * r[j * D + l];
        continue;
      }
      block_[p] = static_cast<int>(part_.column.size());
      if (j == i) part_.diagonal[a] = block_[p];
      part_.column.push_back(place_[j]);
      part_.mirror.push_back(island.mirror[p]);  // in the island, until all blocks are there
      part_.W.insert(part_.W.end(), block, block + D * D);
    }
  }
  part_.row_start[n] = static_cast<int>(part_.column.size());
  for (int& p : part_.mirror) p = block_[p];
}

template <int D>
bool LocalNewton<D>::run(const ScaledIsland<D>& island, IslandSearch<D>& search, std::vector<double>& r) {
  choose(island, r);
  extract(island, r);
  if (2 * part_.contacts > island.contacts) return false;
  part_search_.begin(part_, kBeyond * search.goal(), search.budget(), nullptr);
  engine_.begin(part_, plan_);
  for (int a = 0; a < part_.contacts; ++a)
    for (int k = 0; k < D; ++k) engine_.r()[a * D + k] = r[part_.member[a] * D + k];
  if (!engine_.look(part_search_)) damped_newton(engine_, part_search_, kSteps, false);
  const std::vector<double>& found = part_search_.best_r();
  for (int a = 0; a < part_.contacts; ++a)
    for (int k = 0; k < D; ++k) r[part_.member[a] * D + k] = found[a * D + k];
  return true;
}

template class LocalNewton<2>;
template class LocalNewton<3>;

}  // namespace stickslip::complementarity
