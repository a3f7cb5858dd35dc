// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Random numbers, point sequences and intervals against published values.
#include "stickslip/study/random.h"
#include "stickslip/study/sobol.h"
#include "stickslip/study/statistics.h"

#include <gtest/gtest.h>
#include <boost/random/sobol.hpp>

#include <array>
#include <cmath>
#include <set>
#include <vector>

namespace stickslip::study {
namespace {

// Known answers that the authors of Philox publish with their code.
TEST(Philox, GivesThePublishedAnswers) {
  using Counter = std::array<std::uint32_t, 4>;
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Counter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr std::uint32_t kOnes = 0xffffffff;
  EXPECT_EQ(philox({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}),
            (Counter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Counter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, UniformNumbersHaveTheirMoments) {
  constexpr int kCount = 100000;
  double sum = 0, squares = 0;
  for (int i = 0; i < kCount; ++i) {
    const double x = random_uniform(7, 3, static_cast<std::uint64_t>(i));
    EXPECT_GT(x, 0);
    EXPECT_LT(x, 1);
    sum += x;
    squares += x * x;
  }
  // Five standard deviations of the means.
  EXPECT_NEAR(sum / kCount, 0.5, 5 * std::sqrt(1.0 / 12 / kCount));
  EXPECT_NEAR(squares / kCount, 1.0 / 3, 5 * std::sqrt(4.0 / 45 / kCount));
}

TEST(Random, StreamsSeedsAndDrawsDiffer) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed = 0; seed < 4; ++seed)
    for (std::uint32_t stream = 0; stream < 4; ++stream)
      for (std::uint64_t index = 0; index < 4; ++index)
        for (std::uint32_t draw = 0; draw < 4; ++draw) seen.insert(random_bits(seed, stream, index, draw));
  EXPECT_EQ(seen.size(), 256U);
}

TEST(Random, PermutationHitsEveryPlaceOnce) {
  for (const std::uint64_t n : {1U, 2U, 3U, 17U, 64U, 1000U}) {
    std::set<std::uint64_t> hit;
    bool moved = false;
    for (std::uint64_t i = 0; i < n; ++i) {
      const std::uint64_t to = random_permutation(5, 9, i, n);
      EXPECT_LT(to, n);
      hit.insert(to);
      moved |= to != i;
    }
    EXPECT_EQ(hit.size(), n);
    EXPECT_TRUE(moved || n < 4);
  }
}

// Values of standard tables, 9 digits.
TEST(Quantiles, NormalAndStudent) {
  EXPECT_NEAR(normal_quantile(0.975), 1.959963985, 1e-9);
  EXPECT_NEAR(normal_quantile(1e-10), -6.361340902, 1e-9);
  EXPECT_NEAR(normal_quantile(0.3), -0.524400513, 1e-9);
  EXPECT_NEAR(normal_quantile(0.5), 0, 1e-15);
  EXPECT_NEAR(student_quantile(0.975, 1), 12.706204736, 1e-8);
  EXPECT_NEAR(student_quantile(0.975, 2), 4.302652730, 1e-8);
  EXPECT_NEAR(student_quantile(0.975, 10), 2.228138852, 1e-8);
  EXPECT_NEAR(student_quantile(0.025, 100), -1.983971519, 1e-8);
}

// Dimension by dimension the numbers of another implementation with the same direction numbers.
TEST(Sobol, AgreesWithAnIndependentImplementation) {
  constexpr std::array<std::uint32_t, 21> kPoint11{
      1879048192U, 2415919104U, 805306368U,  2952790016U, 3489660928U, 268435456U,  2952790016U,
      2952790016U, 2952790016U, 268435456U,  4026531840U, 1342177280U, 805306368U,  805306368U,
      2415919104U, 805306368U,  2415919104U, 268435456U,  2952790016U, 2415919104U, 4026531840U};
  constexpr std::array<std::uint32_t, 21> kPoint12345{
      2752774144U, 3493593088U, 688652288U,  2262564864U, 3816030208U, 252968960U,  546570240U,
      486801408U,  3443785728U, 1845231616U, 319029248U,  2571894784U, 3998482432U, 4045144064U,
      148111360U,  2752249856U, 268697600U,  218890240U,  1371799552U, 1475084288U, 855900160U};
  for (int d = 0; d < 21; ++d) {
    EXPECT_EQ(sobol_bits(11, d), kPoint11[static_cast<std::size_t>(d)]) << "dimension " << d;
    EXPECT_EQ(sobol_bits(12345, d), kPoint12345[static_cast<std::size_t>(d)]) << "dimension " << d;
  }
}

// Point by point and in all dimensions the sequence of Boost's engine, which leaves out point 0.
TEST(Sobol, AgreesWithBoostInEveryDimension) {
  boost::random::sobol_engine<std::uint32_t, 32> engine(kMostSobolDimensions);
  for (std::uint64_t index = 1; index <= 20; ++index)
    for (int d = 0; d < kMostSobolDimensions; ++d) ASSERT_EQ(sobol_bits(index, d), engine()) << index << ' ' << d;
}

// Each of 2^k equal intervals of each axis holds exactly one of the first 2^k points, whatever the seed.
TEST(Sobol, EverySliceHoldsOnePointForEverySeed) {
  for (const std::uint64_t seed : {1U, 2U})
    for (int d = 0; d < 200; ++d) {
      std::set<int> slices;
      for (std::uint64_t i = 0; i < 64; ++i) slices.insert(static_cast<int>(64 * sobol_point(seed, i, d)));
      EXPECT_EQ(slices.size(), 64U) << "dimension " << d;
    }
  EXPECT_NE(sobol_point(1, 5, 2), sobol_point(2, 5, 2));
}

// Wilson's interval solves (p - k/n)^2 = z^2 p (1 - p) / n at both ends.
TEST(Intervals, WilsonSolvesItsEquation) {
  const double z = 1.959963984540054;
  for (const auto& [k, n] : {std::pair(8, 10), std::pair(1, 50), std::pair(500, 1000)}) {
    const Estimate estimate = wilson_interval(k, n);
    for (const double p : {estimate.low, estimate.high}) {
      const double x = p - static_cast<double>(k) / n;
      EXPECT_NEAR(x * x, z * z * p * (1 - p) / n, 1e-12);
    }
    EXPECT_LT(estimate.low, estimate.value);
    EXPECT_GT(estimate.high, estimate.value);
  }
  EXPECT_EQ(wilson_interval(0, 20).low, 0);
  EXPECT_EQ(wilson_interval(20, 20).high, 1);
  EXPECT_NEAR(wilson_interval(0, 20).high, z * z / (20 + z * z), 1e-14);
}

TEST(Intervals, MeanOfFiveValues) {
  MeanEstimator mean;
  for (const double x : {2.0, 4.0, 4.0, 5.0, 10.0}) mean.add(x);
  // m = 5, s^2 = 36 / 4 = 9, t(0.975, 4) = 2.776445105
  const Estimate estimate = mean.estimate();
  EXPECT_DOUBLE_EQ(estimate.value, 5);
  EXPECT_NEAR(estimate.high - 5, 2.776445105 * 3 / std::sqrt(5.0), 1e-8);
  EXPECT_EQ(mean.least(), 2);
  EXPECT_EQ(mean.most(), 10);
}

// Of intervals at 95 %, about 95 % contain the truth.
TEST(Intervals, CoverTheTruthAsOftenAsTheySay) {
  constexpr int kStudies = 2000, kTrials = 40;
  int rates = 0, means = 0;
  for (int s = 0; s < kStudies; ++s) {
    RateEstimator rate;
    MeanEstimator mean;
    for (int i = 0; i < kTrials; ++i) {
      const double x = random_uniform(11, static_cast<std::uint32_t>(s), static_cast<std::uint64_t>(i));
      rate.add(x < 0.3);
      mean.add(normal_quantile(x));
    }
    const Estimate r = rate.estimate(), m = mean.estimate();
    rates += r.low <= 0.3 && 0.3 <= r.high ? 1 : 0;
    means += m.low <= 0 && 0 <= m.high ? 1 : 0;
  }
  // Five standard deviations of a count of 2000 at 0.95; Wilson's coverage itself wavers by about 0.01 at n = 40.
  EXPECT_NEAR(means / static_cast<double>(kStudies), 0.95, 0.025);
  EXPECT_NEAR(rates / static_cast<double>(kStudies), 0.95, 0.035);
}

TEST(Risk, MeanOfLargestCountsThePartOfTheLast) {
  const std::vector<double> values{1, 5, 3, 2};
  EXPECT_DOUBLE_EQ(mean_of_largest(values, 0.25), 5);
  EXPECT_DOUBLE_EQ(mean_of_largest(values, 0.5), 4);
  EXPECT_DOUBLE_EQ(mean_of_largest(values, 0.375), (5 + 0.5 * 3) / 1.5);
  EXPECT_DOUBLE_EQ(mean_of_largest(values, 1), 11.0 / 4);
}

}  // namespace
}  // namespace stickslip::study
