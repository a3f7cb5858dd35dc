// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Writing and reading again must give the same numbers to the last bit: all comparisons are exact.
#include "stickslip/complementarity/corpus/writer.h"

#include "stickslip/complementarity/corpus/gzip.h"
#include "stickslip/complementarity/corpus/reader.h"
#include "tests/problem_files.h"
#include "tests/support/paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <random>
#include <string>

namespace stickslip::complementarity {
namespace {

CorpusProblem again(const CorpusProblem& problem) {
  return read_corpus_bytes(corpus_text(problem), "again");
}

// Any finite bit pattern: every exponent, denormals, both zeros.
double any_double(std::mt19937_64& random) {
  for (;;) {
    const double value = std::bit_cast<double>(random());
    if (std::isfinite(value)) return value;
  }
}

TEST(CorpusWriter, EveryDoubleComesBackBitForBit) {
  std::mt19937_64 random(1);
  CorpusProblem problem;
  problem.kind = CorpusKind::Lcp;
  Eigen::VectorXd q(10000);
  for (double& value : q) value = any_double(random);
  constexpr double kLimits[] = {
      0.0, -0.0, 5e-324, std::numeric_limits<double>::max(), 1e15, 1e16, 123456789012345678.0, -1.0, 0.1};
  for (std::size_t k = 0; k < std::size(kLimits); ++k) q[static_cast<Eigen::Index>(k)] = kLimits[k];
  problem.data = make_lcp(Eigen::SparseMatrix<double>(10000, 10000), q);
  const CorpusProblem read = again(problem);
  const Eigen::VectorXd& back = std::get<AffineProblem>(read.data).q;
  ASSERT_EQ(back.size(), q.size());
  for (Eigen::Index i = 0; i < q.size(); ++i)
    ASSERT_EQ(std::bit_cast<std::uint64_t>(back[i]), std::bit_cast<std::uint64_t>(q[i]))
        << "number " << i << ": " << q[i];
}

TEST(CorpusWriter, SmallEntriesOfADenseMatrixAreKept) {
  Eigen::MatrixXd M(2, 2);
  M << 1, 1e-300, 0, -1e-17;
  CorpusProblem problem;
  problem.kind = CorpusKind::Lcp;
  problem.data = make_lcp(M, Eigen::Vector2d(1, 2));
  const CorpusProblem read = again(problem);
  const auto& back = std::get<AffineProblem>(read.data);
  EXPECT_EQ(back.is_dense ? back.dense : Eigen::MatrixXd(back.sparse), M);
}

TEST(CorpusWriter, TextWithQuotesAndLinesComesBack) {
  CorpusProblem problem;
  problem.kind = CorpusKind::Lcp;
  problem.name = "a \"b\"\\ \n\t\x01 \xc3\xbc";
  problem.notes = "notes";
  problem.source = "somewhere";
  problem.known_solution = {0.25};
  problem.data = make_lcp(Eigen::MatrixXd(Eigen::MatrixXd::Identity(1, 1)), Eigen::VectorXd::Constant(1, -0.25));
  const CorpusProblem read = again(problem);
  EXPECT_EQ(read.name, problem.name);
  EXPECT_EQ(read.notes, problem.notes);
  EXPECT_EQ(read.source, problem.source);
  EXPECT_EQ(read.known_solution, problem.known_solution);
}

TEST(CorpusWriter, SupportsJointsAndComplianceComeBack) {
  for (const char* name : {"fc3d_support.json", "gfc2d_compliant.json"}) {
    const auto file = std::filesystem::path(tests::kSourceFolder) / "tests/fuzz/seeds/corpus" / name;
    const CorpusProblem problem = read_corpus_file(file);
    const CorpusProblem read = again(problem);
    if (const auto* local = std::get_if<ContactProblem>(&problem.data)) {
      EXPECT_EQ(std::get<ContactProblem>(read.data).kind, local->kind);
      EXPECT_EQ(std::get<ContactProblem>(read.data).normal_impulse, local->normal_impulse);
      EXPECT_EQ(local->kind.size(), 2U);
    } else {
      const auto& global = std::get<GlobalContactProblem>(problem.data);
      EXPECT_EQ(std::get<GlobalContactProblem>(read.data).compliance, global.compliance);
      EXPECT_EQ(global.compliance.size(), 4U);
    }
  }
}

TEST(CorpusWriter, TheNameDecidesAboutCompression) {
  const auto folder = std::filesystem::temp_directory_path() / ("stickslip_writer_test_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  CorpusProblem problem;
  problem.kind = CorpusKind::Lcp;
  problem.data =
      make_lcp(Eigen::MatrixXd(Eigen::MatrixXd::Identity(50, 50)), Eigen::VectorXd(-Eigen::VectorXd::Ones(50)));
  write_corpus_file(problem, folder / "a.json");
  write_corpus_file(problem, folder / "a.json.gz");
  EXPECT_LT(file_size(folder / "a.json.gz"), file_size(folder / "a.json") / 2);
  EXPECT_EQ(corpus_text(read_corpus_file(folder / "a.json.gz")), corpus_text(read_corpus_file(folder / "a.json")));
  std::filesystem::remove_all(folder);
}

TEST(CorpusWriter, RefusesWhatTheFormatCannotHold) {
  CorpusProblem problem;
  problem.kind = CorpusKind::Fc3d;
  problem.data = make_lcp(Eigen::MatrixXd(Eigen::MatrixXd::Identity(1, 1)), Eigen::VectorXd::Zero(1));
  EXPECT_THROW((void)corpus_text(problem), CorpusError);  // an affine problem is no contact problem
  problem.kind = CorpusKind::Lcp;
  std::get<AffineProblem>(problem.data).q[0] = std::nan("");
  EXPECT_THROW((void)corpus_text(problem), CorpusError);
  std::get<AffineProblem>(problem.data).q[0] = 0;
  std::get<AffineProblem>(problem.data).upper[0] = 1;
  EXPECT_THROW((void)corpus_text(problem), CorpusError);  // bounded above: not an lcp
  problem.kind = CorpusKind::BoxLcp;
  EXPECT_NO_THROW((void)corpus_text(problem));
  EXPECT_THROW(write_corpus_file(problem, "/nonexistent/folder/file.json"), CorpusError);
}

// A second trip through text must not change a byte. The first one may drop stored zeros.
TEST(CorpusWriter, SharedProblemsAreAFixedPoint) {
  const auto files = tests::problem_files();
  if (files.empty()) GTEST_SKIP() << "no problem files at " << tests::problems_folder();
  for (const auto& file : files) {
    const std::string text = corpus_text(read_corpus_file(file));
    EXPECT_TRUE(corpus_text(read_corpus_bytes(text, "again")) == text) << file;
  }
}

}  // namespace
}  // namespace stickslip::complementarity
