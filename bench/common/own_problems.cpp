// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The benchmark's own problems: a few of each family that the generators make, at sizes between those of the open
// corpus.
#include "bench/common/problem_set.h"
#include "tests/problems/affine_generators.h"
#include "tests/problems/contact_generators.h"

#include <fmt/format.h>

#include <utility>

namespace stickslip::bench {
namespace {

using namespace complementarity;

class Collector {
 public:
  std::vector<CorpusProblem> problems;

  void lcp(std::string name, AffineProblem problem) { add(std::move(name), CorpusKind::Lcp, std::move(problem)); }

  // A contact step in both of its affine forms.
  void step(const std::string& name, const ContactStep& step) {
    lcp(name + "_lcp", contact_lcp(step));
    add(name + "_mlcp", CorpusKind::Mlcp, contact_mixed_lcp(step));
  }

  void contact(std::string name, ContactProblem problem) {
    const CorpusKind kind = problem.dimension() == 2 ? CorpusKind::Fc2d : CorpusKind::Fc3d;
    add(std::move(name), kind, std::move(problem));
  }

 private:
  template <class Problem>
  void add(std::string name, CorpusKind kind, Problem problem) {
    CorpusProblem& entry = problems.emplace_back();
    entry.name = kOwnPrefix + std::move(name);
    entry.kind = kind;
    entry.source = "generated";
    entry.data = std::move(problem);
  }
};

void add_matrices(Collector& to) {
  for (const int n : {6, 14}) to.lcp(fmt::format("murty_n{}", n), murty(n));
  to.lcp("murty_up_n10", murty_upper(10));
  to.lcp("murty_lemke_n10", murty_lemke(10));
  for (const int n : {12, 48}) to.lcp(fmt::format("fathi_n{}", n), fathi(n));
  to.lcp("fathi_lemke_n10", fathi_lemke(10));
  for (const int n : {6, 20, 60, 150}) {
    to.lcp(fmt::format("hp_n{}", n), harker_pang(n, 1));
    to.lcp(fmt::format("pmat_n{}", n), p_matrix(n, 2));
    to.lcp(fmt::format("psd_n{}", n), semidefinite(n, 3).problem);
    to.lcp(fmt::format("mono_n{}", n), monotone(n, 4).problem);
  }
  for (const int n : {40, 300, 2000}) to.lcp(fmt::format("mmat_n{}", n), m_matrix(n, 5));
  for (const int k : {12, 40}) to.lcp(fmt::format("obstacle_k{}", k), obstacle(k));
}

void add_contact_steps(Collector& to) {
  for (const int contacts : {3, 4, 6})
    for (const int directions : {4, 8, 20, 40}) {
      SlideOptions options;
      options.contacts = contacts;
      options.directions = directions;
      options.vx = -0.4;
      options.vy = 0.7;
      options.spin = 1.5;
      to.step(fmt::format("slide_nc{}_d{}", contacts, directions), slide(options));
    }
  SlideOptions impact;
  impact.vz = -0.5;
  to.step("slide_impact_nc3_d8", slide(impact));
  for (const int boxes : {3, 8, 15, 40}) to.step(fmt::format("stack{}", boxes), stack(boxes));
  to.step("stack12_push", stack(12, 0.4, 0.25));
  for (const double mu : {0.3, 1.2, 4.0}) to.step(fmt::format("painleve_mu{}", mu), painleve(mu));
}

void add_friction(Collector& to) {
  for (const int dimension : {2, 3}) {
    to.contact(fmt::format("block_slides_{}d", dimension), block_on_table(dimension, 0.3, 1.0));
    to.contact(fmt::format("block_sticks_{}d", dimension), block_on_table(dimension, 0.8, 1e-3));
    for (const int boxes : {3, 10, 25})
      to.contact(fmt::format("boxes{}_{}d", boxes, dimension), box_stack(dimension, boxes, 0.5, 0.1));
    for (const int base : {3, 6})
      to.contact(fmt::format("pile{}_{}d", base, dimension), sphere_pile(dimension, base, 0.5));
  }
  for (const int base : {15, 20}) to.contact(fmt::format("pile{}_2d", base), sphere_pile(2, base, 0.4));
  // Siconos knows neither supports nor bilateral rows: the random ones that have them stay out.
  int taken = 0;
  for (std::uint64_t seed = 1; taken < 24; ++seed) {
    RandomContactProblem random = random_contact_problem(seed);
    if (random.variant == ContactVariant::SpecialRows) continue;
    ++taken;
    to.contact(fmt::format("random{}_{}", seed, to_string(random.family)), std::move(random.problem));
  }
}

}  // namespace

std::vector<CorpusProblem> make_own_problems() {
  Collector collector;
  add_matrices(collector);
  add_contact_steps(collector);
  add_friction(collector);
  return std::move(collector.problems);
}

}  // namespace stickslip::bench
