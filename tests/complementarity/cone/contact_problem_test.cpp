// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/cone/contact_problem.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace stickslip::complementarity {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

Eigen::SparseMatrix<double> sparse(const Eigen::MatrixXd& dense) {
  return dense.sparseView();
}

ContactProblem two_planar_contacts() {
  Eigen::MatrixXd W = Eigen::MatrixXd::Identity(4, 4);
  W(0, 3) = 0.25;  // a block above the diagonal only: the pattern must still come out symmetric
  ContactProblem problem;
  problem.W = make_block_matrix(sparse(W), 2);
  problem.q = {-1, 0, -1, 0};
  problem.mu = {0.5, 0.5};
  return problem;
}

TEST(BlockMatrix, KeepsValuesAndCompletesThePattern) {
  const ContactProblem problem = two_planar_contacts();
  EXPECT_THAT(validate(problem), IsEmpty());
  ASSERT_EQ(problem.W.column.size(), 4u) << "two diagonal blocks, one stored block and its empty mirror image";
  EXPECT_EQ(problem.W.value[4 + 1], 0.25) << "entry (0, 3) is entry (0, 1) of block (0, 1)";
  EXPECT_EQ(problem.W.value[8 + 2], 0.0);
}

TEST(BlockMatrix, AddsMissingDiagonalBlocks) {
  const BlockMatrix W = make_block_matrix(Eigen::SparseMatrix<double>(6, 6), 3);
  EXPECT_EQ(W.rows(), 2);
  EXPECT_EQ(W.value, std::vector<double>(18, 0.0));
}

TEST(ContactProblem, ComplianceGoesToTheDiagonalBlocks) {
  ContactProblem problem = two_planar_contacts();
  add_compliance(problem, {1, 0, 0, 2, 3, 0, 0, 4});
  EXPECT_EQ(problem.W.value[0], 2.0);
  EXPECT_EQ(problem.W.value[3], 3.0);
  EXPECT_EQ(problem.W.value[12], 4.0);
  EXPECT_EQ(problem.W.value[15], 5.0);
}

TEST(ContactProblem, MalformedOnesAreNamed) {
  const auto text_after = [](auto&& spoil) {
    ContactProblem problem = two_planar_contacts();
    spoil(problem);
    return validate(problem);
  };
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  EXPECT_THAT(text_after([](auto& p) { p.q.pop_back(); }), HasSubstr("q has 3"));
  EXPECT_THAT(text_after([&](auto& p) { p.q[1] = nan; }), HasSubstr("q: entry 1"));
  EXPECT_THAT(text_after([&](auto& p) { p.W.value[2] = infinity; }), HasSubstr("W: entry 2"));
  EXPECT_THAT(text_after([](auto& p) { p.mu[1] = -0.1; }), HasSubstr("mu: contact 1"));
  EXPECT_THAT(text_after([&](auto& p) { p.mu[0] = nan; }), HasSubstr("mu: contact 0"));
  EXPECT_THAT(text_after([](auto& p) { p.mu.pop_back(); }), HasSubstr("mu has 1"));
  EXPECT_THAT(text_after([](auto& p) { p.W.block_size = 4; }), HasSubstr("block size 4"));
  EXPECT_THAT(text_after([](auto& p) { p.W.column[1] = 7; }), HasSubstr("column 7"));
  EXPECT_THAT(text_after([](auto& p) { std::swap(p.W.column[0], p.W.column[1]); }), HasSubstr("ascend"));
  EXPECT_THAT(text_after([](auto& p) { p.W.diagonal[1] = 0; }), HasSubstr("diagonal"));
  EXPECT_THAT(text_after([](auto& p) { p.W.row_start[1] = 9; }), HasSubstr("row starts"));
  EXPECT_THAT(text_after([](auto& p) { p.kind.assign(1, ContactKind::Support); }), HasSubstr("kind has 1"));
  EXPECT_THAT(text_after([](auto& p) { p.kind.assign(2, ContactKind::Support); }),
              HasSubstr("without a normal_impulse"));
  EXPECT_THAT(text_after([](auto& p) { p.kind.assign(2, ContactKind::Support), p.normal_impulse = {1, -1}; }),
              HasSubstr("support 1"));
}

TEST(ContactProblem, AnAsymmetricPatternIsRefused) {
  ContactProblem problem = two_planar_contacts();
  problem.W.column.pop_back(), problem.W.value.resize(12);  // drop block (1, 1), keep (1, 0) as if it were the diagonal
  problem.W.column[2] = 1, problem.W.diagonal[1] = 2, problem.W.row_start = {0, 2, 3};
  EXPECT_THAT(validate(problem), HasSubstr("not symmetric"));
}

TEST(GlobalContactProblem, MalformedOnesAreNamed) {
  GlobalContactProblem problem;
  problem.dimension = 2;
  problem.M = sparse(Eigen::MatrixXd::Identity(3, 3));
  problem.H = sparse(Eigen::MatrixXd::Ones(3, 2));
  problem.f = Eigen::VectorXd::Zero(3);
  problem.w = Eigen::VectorXd::Zero(2);
  problem.mu = {0.3};
  EXPECT_THAT(validate(problem), IsEmpty());
  const auto text_after = [&](auto&& spoil) {
    GlobalContactProblem spoilt = problem;
    spoil(spoilt);
    return validate(spoilt);
  };
  EXPECT_THAT(text_after([](auto& p) { p.dimension = 1; }), HasSubstr("dimension is 1"));
  EXPECT_THAT(text_after([](auto& p) { p.f.resize(2); }), HasSubstr("f has 2"));
  EXPECT_THAT(text_after([](auto& p) { p.w.resize(3); }), HasSubstr("w has 3"));
  EXPECT_THAT(text_after([](auto& p) { p.mu = {-1}; }), HasSubstr("mu: contact 0"));
  EXPECT_THAT(text_after([](auto& p) { p.compliance = {1}; }), HasSubstr("compliance has 1"));
  EXPECT_THAT(text_after([](auto& p) { p.f[1] = std::numeric_limits<double>::quiet_NaN(); }), HasSubstr("f: entry 1"));
}

}  // namespace
}  // namespace stickslip::complementarity
