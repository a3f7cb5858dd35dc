// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/contact/contact_system.h"

#include "stickslip/complementarity/union_find.h"
#include "stickslip/contact/contact_response.h"
#include "stickslip/contact/island_pattern.h"

#include <Eigen/Core>
#include <algorithm>
#include <numeric>

namespace stickslip::contact {
namespace {

template <int D>
void fill_block(const ContactRows& c, const ContactRows& d, std::span<const BodyDynamics> dynamics, double* block) {
  std::fill(block, block + D * D, 0.0);
  const BodyDynamics& a = dynamics[static_cast<std::size_t>(c.a)];
  const BodyDynamics& b = dynamics[static_cast<std::size_t>(c.b)];
  if (a.movable) {
    if (c.a == d.a)
      add_response<D>(c.direction, c.moment_a, d.direction, d.turn_a, a.inverse_mass, 1, block);
    else if (c.a == d.b)
      add_response<D>(c.direction, c.moment_a, d.direction, d.turn_b, a.inverse_mass, -1, block);
  }
  if (b.movable) {
    if (c.b == d.b)
      add_response<D>(c.direction, c.moment_b, d.direction, d.turn_b, b.inverse_mass, 1, block);
    else if (c.b == d.a)
      add_response<D>(c.direction, c.moment_b, d.direction, d.turn_a, b.inverse_mass, -1, block);
  }
}

// The rows of a contact in space side by side, axis by axis, with a fourth that is zero: sums over them go through two
// registers of two numbers.
using FourRows = Eigen::Array4d;
struct RowsByAxis {
  FourRows direction[3], moment_a[3], moment_b[3];

  explicit RowsByAxis(const ContactRows& rows) {
    for (int axis = 0; axis < 3; ++axis) {
      direction[axis] << rows.direction[0][axis], rows.direction[1][axis], rows.direction[2][axis], 0;
      moment_a[axis] << rows.moment_a[0][axis], rows.moment_a[1][axis], rows.moment_a[2][axis], 0;
      moment_b[axis] << rows.moment_b[0][axis], rows.moment_b[1][axis], rows.moment_b[2][axis], 0;
    }
  }
};

// The transpose of fill_block() in space, with the same bits: row k of c and row l of d at block[l][k]. Terms are added as in a
// product of vectors.
inline void add_response_by_axis(const FourRows* direction_c, const FourRows* moment_c, const Vec3* direction_d,
                                 const Vec3* turn_d, const Vec3& inverse_mass, double sign, FourRows* block) {
  for (int l = 0; l < 3; ++l) {
    const Vec3 push = inverse_mass.cwiseProduct(direction_d[l]);
    const Vec3& turn = turn_d[l];
    block[l] += sign * ((direction_c[0] * push.x() + direction_c[1] * push.y() + direction_c[2] * push.z()) +
                        (moment_c[0] * turn.x() + moment_c[1] * turn.y() + moment_c[2] * turn.z()));
  }
}

// The symmetric matrix: blocks (c, d) for d up to c, and their transposes.
void fill_symmetric_space(std::span<const ContactRows> rows, std::span<const BodyDynamics> dynamics, Island& island) {
  complementarity::BlockMatrix& W = island.problem.W;
  for (int i = 0; i < W.rows(); ++i) {
    const ContactRows& c = rows[static_cast<std::size_t>(island.contacts[static_cast<std::size_t>(i)])];
    const BodyDynamics& a = dynamics[static_cast<std::size_t>(c.a)];
    const BodyDynamics& b = dynamics[static_cast<std::size_t>(c.b)];
    const RowsByAxis by_axis(c);
    for (int p = W.row_start[i]; p <= W.diagonal[i]; ++p) {
      const ContactRows& d = rows[static_cast<std::size_t>(island.contacts[static_cast<std::size_t>(W.column[p])])];
      FourRows sum[3] = {FourRows::Zero(), FourRows::Zero(), FourRows::Zero()};
      if (a.movable) {
        if (c.a == d.a)
          add_response_by_axis(by_axis.direction, by_axis.moment_a, d.direction, d.turn_a, a.inverse_mass, 1, sum);
        else if (c.a == d.b)
          add_response_by_axis(by_axis.direction, by_axis.moment_a, d.direction, d.turn_b, a.inverse_mass, -1, sum);
      }
      if (b.movable) {
        if (c.b == d.b)
          add_response_by_axis(by_axis.direction, by_axis.moment_b, d.direction, d.turn_b, b.inverse_mass, 1, sum);
        else if (c.b == d.a)
          add_response_by_axis(by_axis.direction, by_axis.moment_b, d.direction, d.turn_a, b.inverse_mass, -1, sum);
      }
      double* block = W.value.data() + p * 9;
      double* mirror = W.value.data() + island.mirror[static_cast<std::size_t>(p)] * 9;
      if (block == mirror)  // rounding does not keep the symmetry: the upper half counts
        for (int k = 0; k < 3; ++k)
          for (int l = 0; l < 3; ++l) block[k * 3 + l] = sum[std::max(k, l)][std::min(k, l)];
      else
        for (int k = 0; k < 3; ++k)
          for (int l = 0; l < 3; ++l) {
            block[k * 3 + l] = sum[l][k];
            mirror[l * 3 + k] = sum[l][k];
          }
    }
  }
}

// The same in the plane.
void fill_symmetric_plane(std::span<const ContactRows> rows, std::span<const BodyDynamics> dynamics, Island& island) {
  complementarity::BlockMatrix& W = island.problem.W;
  for (int i = 0; i < W.rows(); ++i) {
    const ContactRows& c = rows[static_cast<std::size_t>(island.contacts[static_cast<std::size_t>(i)])];
    for (int p = W.row_start[i]; p <= W.diagonal[i]; ++p) {
      const ContactRows& d = rows[static_cast<std::size_t>(island.contacts[static_cast<std::size_t>(W.column[p])])];
      double* block = W.value.data() + p * 4;
      fill_block<2>(c, d, dynamics, block);
      double* mirror = W.value.data() + island.mirror[static_cast<std::size_t>(p)] * 4;
      for (int k = 0; k < 2; ++k)
        for (int l = 0; l < 2; ++l) mirror[l * 2 + k] = block[k * 2 + l];
    }
  }
}

template <int D>
void fill_matrix(std::span<const ContactRows> velocity_rows, std::span<const ContactRows> rows,
                 std::span<const BodyDynamics> dynamics, Island& island) {
  complementarity::BlockMatrix& W = island.problem.W;
  for (int i = 0; i < W.rows(); ++i) {
    const ContactRows& c = velocity_rows[static_cast<std::size_t>(island.contacts[static_cast<std::size_t>(i)])];
    for (int p = W.row_start[i]; p < W.row_start[i + 1]; ++p) {
      const ContactRows& d = rows[static_cast<std::size_t>(island.contacts[static_cast<std::size_t>(W.column[p])])];
      fill_block<D>(c, d, dynamics, W.value.data() + p * D * D);
    }
  }
}

template <int D>
void fill_rows(const model::State& state, std::span<const collision::Contact> contacts,
               std::span<const BodyDynamics> dynamics, std::span<ContactRows> rows) {
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    set_rows<D>(contacts[c], state, rows[c]);
    set_turns<D>(dynamics[static_cast<std::size_t>(rows[c].a)], dynamics[static_cast<std::size_t>(rows[c].b)], rows[c]);
  }
}

template <int D>
void apply_all(std::span<const ContactRows> rows, std::span<const Island> islands,
               std::span<const BodyDynamics> dynamics, std::span<model::Twist> v) {
  for (const Island& island : islands)
    for (std::size_t i = 0; i < island.contacts.size(); ++i) {
      const ContactRows& row = rows[static_cast<std::size_t>(island.contacts[i])];
      const auto a = static_cast<std::size_t>(row.a), b = static_cast<std::size_t>(row.b);
      apply_impulse<D>(row, island.r.data() + i * D, dynamics[a], dynamics[b], v[a], v[b]);
    }
}

}  // namespace

void ContactSystem::build(int dimension, const model::State& state, std::span<const collision::Contact> contacts,
                          std::span<const BodyDynamics> dynamics) {
  dimension_ = dimension;
  rows_.resize(contacts.size());
  if (dimension_ == 2)
    fill_rows<2>(state, contacts, dynamics, rows_);
  else
    fill_rows<3>(state, contacts, dynamics, rows_);
  group_into_islands(dynamics, dynamics.size());
  make_patterns(dynamics);
}

void ContactSystem::build(int dimension, std::span<const ContactRows> rows, std::span<const BodyDynamics> dynamics) {
  take_rows(dimension, rows, dynamics);
  group_into_islands(dynamics, dynamics.size());
  make_patterns(dynamics);
}

void ContactSystem::build_single(int dimension, std::span<const ContactRows> rows,
                                 std::span<const BodyDynamics> dynamics) {
  take_rows(dimension, rows, dynamics);
  island_count_ = 0;
  Island& island = start_island();
  for (std::size_t c = 0; c < rows.size(); ++c) island.contacts.push_back(static_cast<int>(c));
  make_patterns(dynamics);
}

void ContactSystem::take_rows(int dimension, std::span<const ContactRows> rows,
                              std::span<const BodyDynamics> dynamics) {
  dimension_ = dimension;
  rows_.assign(rows.begin(), rows.end());
  for (ContactRows& row : rows_) {
    const BodyDynamics &a = dynamics[static_cast<std::size_t>(row.a)], &b = dynamics[static_cast<std::size_t>(row.b)];
    if (dimension_ == 2)
      set_turns<2>(a, b, row);
    else
      set_turns<3>(a, b, row);
  }
}

void ContactSystem::make_patterns(std::span<const BodyDynamics> dynamics) {
  for (Island& island : islands()) {
    key_.clear();
    for (int c : island.contacts) {
      const ContactRows& row = rows_[static_cast<std::size_t>(c)];
      key_.emplace_back(dynamics[static_cast<std::size_t>(row.a)].movable ? row.a : -1,
                        dynamics[static_cast<std::size_t>(row.b)].movable ? row.b : -1);
    }
    if (key_ == island.bodies && island.problem.W.block_size == dimension_) continue;
    island.bodies = key_;
    make_pattern(dimension_, dynamics.size(), island, {body_start_, body_contact_, body_slot_});
  }
}

Island& ContactSystem::start_island() {
  if (island_count_ == islands_.size()) islands_.emplace_back();
  Island& island = islands_[island_count_++];
  island.contacts.clear();
  return island;
}

void ContactSystem::assemble(std::span<const BodyDynamics> dynamics) {
  for (Island& island : islands()) {
    island.soft_contacts = 0;
    if (dimension_ == 2)
      fill_symmetric_plane(rows_, dynamics, island);
    else
      fill_symmetric_space(rows_, dynamics, island);
  }
}

void ContactSystem::assemble(std::span<const ContactRows> velocity_rows, std::span<const BodyDynamics> dynamics) {
  for (Island& island : islands()) {
    island.soft_contacts = 0;
    if (dimension_ == 2)
      fill_matrix<2>(velocity_rows, rows_, dynamics, island);
    else
      fill_matrix<3>(velocity_rows, rows_, dynamics, island);
  }
}

void ContactSystem::apply_impulses(std::span<const BodyDynamics> dynamics, std::span<model::Twist> velocities) const {
  if (dimension_ == 2)
    apply_all<2>(rows_, islands(), dynamics, velocities);
  else
    apply_all<3>(rows_, islands(), dynamics, velocities);
}

int ContactSystem::find_root(int body) {
  return complementarity::find_root(parent_, body);
}

void ContactSystem::group_into_islands(std::span<const BodyDynamics> dynamics, std::size_t bodies) {
  island_count_ = 0;
  if (rows_.size() <= 1) {  // nothing to group
    if (rows_.size() == 1 && (dynamics[static_cast<std::size_t>(rows_[0].a)].movable ||
                              dynamics[static_cast<std::size_t>(rows_[0].b)].movable))
      start_island().contacts.push_back(0);
    return;
  }
  const auto movable = [&](int body) { return dynamics[static_cast<std::size_t>(body)].movable; };
  if (rows_.size() == 2) {  // two contacts of one body, the other sides of which do not answer
    const int first = movable(rows_[0].a) ? rows_[0].a : rows_[0].b,
              second = movable(rows_[1].a) ? rows_[1].a : rows_[1].b;
    if (first == second && movable(first)) {
      Island& island = start_island();
      island.contacts.push_back(0);
      island.contacts.push_back(1);
      return;
    }
  }
  parent_.resize(bodies);
  std::iota(parent_.begin(), parent_.end(), 0);
  for (const ContactRows& row : rows_)
    if (movable(row.a) && movable(row.b)) {
      const int a = find_root(row.a), b = find_root(row.b);
      if (a != b) parent_[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
    }
  island_of_root_.assign(bodies, -1);
  for (std::size_t c = 0; c < rows_.size(); ++c) {
    const int body = movable(rows_[c].a) ? rows_[c].a : rows_[c].b;
    if (!movable(body)) continue;  // two prescribed bodies: nothing to decide
    int& index = island_of_root_[static_cast<std::size_t>(find_root(body))];
    if (index < 0) {
      index = static_cast<int>(island_count_);
      start_island();
    }
    islands_[static_cast<std::size_t>(index)].contacts.push_back(static_cast<int>(c));
  }
}

}  // namespace stickslip::contact
