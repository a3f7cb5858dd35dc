// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "bench/siconos_problems.h"

#include <FrictionContactProblem.h>
#include <GlobalFrictionContactProblem.h>
#include <LinearComplementarityProblem.h>
#include <MLCP_Solvers.h>
#include <MixedLinearComplementarityProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <RelayProblem.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>
#include <Eigen/Core>
#include <algorithm>
#include <cstdlib>

namespace stickslip::bench {
namespace {

using complementarity::AffineProblem;
using complementarity::BlockMatrix;
using complementarity::ContactProblem;
using complementarity::GlobalContactProblem;
using complementarity::MixedLcp;
using Sparse = Eigen::SparseMatrix<double>;

// Siconos' own containers come from malloc; the child never gives them back.
template <class T>
T* allocate(std::size_t count) {
  return static_cast<T*>(std::calloc(std::max<std::size_t>(count, 1), sizeof(T)));
}

double* copy_of(const double* data, std::size_t count) {
  double* copy = allocate<double>(count);
  std::copy_n(data, count, copy);
  return copy;
}

NumericsMatrix* dense_matrix(const Eigen::MatrixXd& A) {
  NumericsMatrix* matrix = NM_create(NM_DENSE, static_cast<int>(A.rows()), static_cast<int>(A.cols()));
  std::copy_n(A.data(), A.size(), matrix->matrix0);  // both column by column
  return matrix;
}

NumericsMatrix* sparse_matrix(const Sparse& A) {
  NumericsMatrix* matrix = NM_create(NM_SPARSE, static_cast<int>(A.rows()), static_cast<int>(A.cols()));
  NM_triplet_alloc(matrix, std::max<Eigen::Index>(A.nonZeros(), 1));
  for (int column = 0; column < A.outerSize(); ++column)
    for (Sparse::InnerIterator entry(A, column); entry; ++entry)
      NM_entry(matrix, static_cast<int>(entry.row()), column, entry.value());
  return matrix;
}

NumericsMatrix* block_matrix(const BlockMatrix& W) {
  const int rows = W.rows(), D = W.block_size;
  const std::size_t blocks = W.column.size();
  SparseBlockStructuredMatrix* sbm = SBM_new();
  sbm->nbblocks = static_cast<unsigned>(blocks);
  sbm->blocknumber0 = sbm->blocknumber1 = static_cast<unsigned>(rows);
  sbm->blocksize0 = allocate<unsigned>(rows);
  for (int i = 0; i < rows; ++i) sbm->blocksize0[i] = static_cast<unsigned>(D * (i + 1));
  sbm->blocksize1 = allocate<unsigned>(rows);
  std::copy_n(sbm->blocksize0, rows, sbm->blocksize1);
  sbm->filled1 = static_cast<std::size_t>(rows) + 1;
  sbm->filled2 = blocks;
  sbm->index1_data = allocate<std::size_t>(rows + 1);
  std::copy(W.row_start.begin(), W.row_start.end(), sbm->index1_data);
  sbm->index2_data = allocate<std::size_t>(blocks);
  std::copy(W.column.begin(), W.column.end(), sbm->index2_data);
  sbm->block = allocate<double*>(blocks);
  for (std::size_t k = 0; k < blocks; ++k) {
    sbm->block[k] = allocate<double>(D * D);
    for (int i = 0; i < D; ++i)  // ours by rows, theirs by columns
      for (int j = 0; j < D; ++j) sbm->block[k][i + D * j] = W.value[k * D * D + i * D + j];
  }
  NumericsMatrix* matrix = NM_new();
  NM_fill(matrix, NM_SPARSE_BLOCK, D * rows, D * rows, sbm);
  return matrix;
}

Sparse scalar_matrix(const BlockMatrix& W) {
  const int D = W.block_size;
  std::vector<Eigen::Triplet<double>> entries;
  for (int row = 0; row < W.rows(); ++row)
    for (int k = W.row_start[row]; k < W.row_start[row + 1]; ++k)
      for (int i = 0; i < D; ++i)
        for (int j = 0; j < D; ++j) {
          const double value = W.value[(static_cast<std::size_t>(k) * D + i) * D + j];
          if (value != 0) entries.emplace_back(D * row + i, D * W.column[k] + j, value);
        }
  Sparse matrix(D * W.rows(), D * W.rows());
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

Eigen::MatrixXd dense_of(const AffineProblem& problem) {
  return problem.is_dense ? problem.dense : Eigen::MatrixXd(problem.sparse);
}

Sparse sparse_of(const AffineProblem& problem) {
  return problem.is_dense ? Sparse(problem.dense.sparseView()) : problem.sparse;
}

NumericsMatrix* matrix_of(const Sparse& A, SiconosStorage storage) {
  return storage == SiconosStorage::Dense ? dense_matrix(Eigen::MatrixXd(A)) : sparse_matrix(A);
}

void set_zero(std::vector<double>& values) {
  std::fill(values.begin(), values.end(), 0.0);
}

class Lcp final : public SiconosProblem {
 public:
  Lcp(const AffineProblem& problem, SiconosStorage storage) : w_(problem.size()) {
    answer.resize(problem.size());
    lcp_.size = static_cast<int>(problem.size());
    lcp_.M = matrix_of(sparse_of(problem), storage);
    lcp_.q = copy_of(problem.q.data(), problem.size());
  }
  int solve(SolverOptions* options) override {
    set_zero(answer);
    set_zero(w_);
    return linearComplementarity_driver(&lcp_, answer.data(), w_.data(), options);
  }

 private:
  LinearComplementarityProblem lcp_{};
  std::vector<double> w_;
};

class Relay final : public SiconosProblem {
 public:
  explicit Relay(const AffineProblem& problem) : w_(problem.size()) {
    answer.resize(problem.size());
    relay_.size = static_cast<int>(problem.size());
    relay_.M = dense_matrix(dense_of(problem));
    relay_.q = copy_of(problem.q.data(), problem.size());
    relay_.lb = finite_copy(problem.lower);
    relay_.ub = finite_copy(problem.upper);
  }
  int solve(SolverOptions* options) override {
    set_zero(answer);
    set_zero(w_);
    return relay_driver(&relay_, answer.data(), w_.data(), options);
  }

 private:
  // Siconos writes "no bound" as 1e20.
  static double* finite_copy(const Eigen::VectorXd& bounds) {
    const Eigen::VectorXd finite = bounds.cwiseMax(-1e20).cwiseMin(1e20);
    return copy_of(finite.data(), finite.size());
  }
  RelayProblem relay_{};
  std::vector<double> w_;
};

// Given in both of Siconos' storages at once: the whole matrix, and its four blocks.
class Mlcp final : public SiconosProblem {
 public:
  explicit Mlcp(const MixedLcp& problem) {
    const auto unknowns = problem.A.cols(), equations = problem.A.rows(), m = problem.B.rows();
    Eigen::MatrixXd M(equations + m, unknowns + m);
    M << Eigen::MatrixXd(problem.A), Eigen::MatrixXd(problem.C), Eigen::MatrixXd(problem.D), Eigen::MatrixXd(problem.B);
    Eigen::VectorXd q(equations + m);
    q << problem.a, problem.b;
    answer.resize(unknowns + m);
    w_.resize(std::max(equations, unknowns) + m);

    mlcp_ = mixedLinearComplementarity_new();
    mlcp_->n = static_cast<int>(unknowns);
    mlcp_->m = static_cast<int>(m);
    mlcp_->M = dense_matrix(M);
    mlcp_->q = copy_of(q.data(), q.size());
    mlcp_->isStorageType1 = 1;
    mlcp_->blocksRows = allocate<int>(3);
    mlcp_->blocksIsComp = allocate<int>(3);
    mlcp_->blocksRows[1] = static_cast<int>(equations);
    mlcp_->blocksRows[2] = static_cast<int>(equations + m);
    mlcp_->blocksIsComp[1] = 1;
    if (equations == unknowns) add_blocks(problem);
  }
  void prepare(SolverOptions* options) override { mlcp_driver_init(mlcp_, options); }
  int solve(SolverOptions* options) override {
    set_zero(answer);
    set_zero(w_);
    return mlcp_driver(mlcp_, answer.data(), w_.data(), options);
  }

 private:
  static double* dense_copy(const Sparse& block) {
    const Eigen::MatrixXd dense(block);
    return copy_of(dense.data(), dense.size());
  }
  void add_blocks(const MixedLcp& problem) {
    mlcp_->isStorageType2 = 1;
    mlcp_->A = dense_copy(problem.A);
    mlcp_->B = dense_copy(problem.B);
    mlcp_->C = dense_copy(problem.C);
    mlcp_->D = dense_copy(problem.D);
    mlcp_->a = copy_of(problem.a.data(), problem.a.size());
    mlcp_->b = copy_of(problem.b.data(), problem.b.size());
  }
  MixedLinearComplementarityProblem* mlcp_ = nullptr;
  std::vector<double> w_;
};

class Friction final : public SiconosProblem {
 public:
  Friction(const ContactProblem& problem, SiconosStorage storage) : u_(problem.q.size()) {
    answer.resize(problem.q.size());
    NumericsMatrix* W = nullptr;
    switch (storage) {
      case SiconosStorage::Dense: W = dense_matrix(Eigen::MatrixXd(scalar_matrix(problem.W))); break;
      case SiconosStorage::Block: W = block_matrix(problem.W); break;
      case SiconosStorage::Sparse: W = sparse_matrix(scalar_matrix(problem.W)); break;
    }
    friction_ = frictionContactProblem_new_with_data(problem.dimension(), problem.contacts(), W,
                                                     copy_of(problem.q.data(), problem.q.size()),
                                                     copy_of(problem.mu.data(), problem.mu.size()));
  }
  int solve(SolverOptions* options) override {
    set_zero(answer);
    if (!start.empty()) answer = start;
    set_zero(u_);
    return friction_->dimension == 2 ? fc2d_driver(friction_, answer.data(), u_.data(), options)
                                     : fc3d_driver(friction_, answer.data(), u_.data(), options);
  }

 private:
  FrictionContactProblem* friction_ = nullptr;
  std::vector<double> u_;
};

class GlobalFriction final : public SiconosProblem {
 public:
  GlobalFriction(const GlobalContactProblem& problem, SiconosStorage storage)
      : rows_(problem.w.size()), r_(rows_), u_(rows_), v_(problem.f.size()) {
    answer.resize(rows_ + v_.size());
    global_ = globalFrictionContactProblem_new();
    global_->dimension = problem.dimension;
    global_->numberOfContacts = problem.contacts();
    global_->M = matrix_of(problem.M, storage);
    global_->H = matrix_of(problem.H, storage);
    global_->q = copy_of(problem.f.data(), problem.f.size());
    global_->b = copy_of(problem.w.data(), problem.w.size());
    global_->norm_q = problem.f.norm();
    global_->norm_b = problem.w.norm();
    global_->mu = copy_of(problem.mu.data(), problem.mu.size());
  }
  int solve(SolverOptions* options) override {
    set_zero(r_);
    set_zero(u_);
    set_zero(v_);
    const int info = gfc3d_driver(global_, r_.data(), u_.data(), v_.data(), options);
    std::copy(r_.begin(), r_.end(), answer.begin());
    std::copy(v_.begin(), v_.end(), answer.begin() + static_cast<std::ptrdiff_t>(rows_));
    return info;
  }

 private:
  std::size_t rows_;
  std::vector<double> r_, u_, v_;
  GlobalFrictionContactProblem* global_ = nullptr;
};

}  // namespace

std::unique_ptr<SiconosProblem> make_siconos_lcp(const AffineProblem& problem, SiconosStorage storage) {
  return std::make_unique<Lcp>(problem, storage);
}
std::unique_ptr<SiconosProblem> make_siconos_relay(const AffineProblem& problem) {
  return std::make_unique<Relay>(problem);
}
std::unique_ptr<SiconosProblem> make_siconos_mlcp(const MixedLcp& problem) {
  return std::make_unique<Mlcp>(problem);
}
std::unique_ptr<SiconosProblem> make_siconos_friction(const ContactProblem& problem, SiconosStorage storage) {
  return std::make_unique<Friction>(problem, storage);
}
std::unique_ptr<SiconosProblem> make_siconos_global(const GlobalContactProblem& problem, SiconosStorage storage) {
  return std::make_unique<GlobalFriction>(problem, storage);
}

}  // namespace stickslip::bench
