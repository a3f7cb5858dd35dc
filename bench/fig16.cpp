// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// script/bench fig16: the time of one contact step of a sliding block against the number d of friction directions.
//
// Figure 16 of the first paper: with a friction pyramid the step is an LCP of nc (2 + d) unknowns (mixed form: 6 more),
// whose cost grows with d; with the exact cone it is one problem of 3 nc unknowns, whatever accuracy is wanted. Here,
// for each d, the same random steps (Stewart-Trinkle, velocities uniform, mu = 0.5) are solved
//
//     LCP      pyramid, matrix formed beforehand, cold       mixed    pyramid with the velocities kept, cold
//     warm     LCP, started from the basis of a step whose velocities differ by up to 2 %
//     cone     exact cone, cold and warm
//     LEMKE    the LCP by Siconos; its median is over the instances that it solves
//
// Times: smallest of repeats per instance, median over instances; ours include the certificate.
#include "bench/common/plot.h"
#include "bench/common/report.h"
#include "bench/common/solver_statistics.h"
#include "bench/common/stopwatch.h"
#include "stickslip/complementarity/affine/affine_residual.h"
#include "stickslip/complementarity/affine/affine_solver.h"
#include "stickslip/complementarity/cone/contact_residual.h"
#include "stickslip/complementarity/cone/contact_solver.h"
#include "tests/problems/affine_generators.h"
#include "tests/problems/portable_random.h"
#ifdef STICKSLIP_HAVE_SICONOS
#include "bench/siconos_driver.h"
#endif

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <Eigen/Cholesky>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace stickslip::bench {
namespace {

using namespace complementarity;

constexpr int kDirections[] = {4, 8, 16, 32, 64};
constexpr double kLargestShareOfLemke[] = {1, 0.4, 0.2, 0.1, 0.04};  // what we promise at three contacts
constexpr RepeatPolicy kRepeats{.budget = 2e-3, .max_measurements = 100};

struct Arguments {
  int instances = 100;
  std::string output = "build/bench";
};

struct Column {
  std::vector<double> times;  // one per solved instance
  int tried = 0;

  void add(bool solved, double seconds) {
    ++tried;
    if (solved) times.push_back(seconds);
  }
  [[nodiscard]] double time() const { return median(times); }
  [[nodiscard]] std::string text() const {
    return fmt::format("{:>8} {:>3}/{}", time_text(time()), times.size(), tried);
  }
};

struct Row {
  int contacts = 0, directions = 0;
  Column lcp, mixed, warm, cone, cone_warm, lemke;
  std::vector<double> share_of_lemke;  // ours / LEMKE on the instances that both solve

  [[nodiscard]] double share() const { return lcp.time() / lemke.time(); }
};

struct Instance {
  SlideOptions now, before;
};

Instance random_instance(int contacts, int directions, PortableRandom& random) {
  Instance instance;
  SlideOptions& now = instance.now;
  now.contacts = contacts;
  now.directions = directions;
  now.vx = random.uniform(-1, 1);
  now.vy = random.uniform(-1, 1);
  now.spin = random.uniform(-3, 3);
  instance.before = now;
  for (double* velocity : {&instance.before.vx, &instance.before.vy, &instance.before.spin})
    *velocity *= 1 + random.uniform(-0.02, 0.02);
  return instance;
}

// The same step with the exact cone. Directions 0 and d/4 of the pyramid are at right angles: they span the plane.
ContactProblem exact_cone(const ContactStep& step) {
  const int contacts = step.contacts(), d = step.directions();
  Eigen::MatrixXd H(step.mass.rows(), 3 * contacts);
  for (int c = 0; c < contacts; ++c) {
    H.col(3 * c) = step.normal.col(c);
    H.col(3 * c + 1) = step.friction.col(c * d);
    H.col(3 * c + 2) = step.friction.col(c * d + d / 4);
  }
  const auto mass = step.mass.llt();
  const Eigen::VectorXd free_velocity = step.velocity + step.step * mass.solve(step.force);
  Eigen::VectorXd q = H.transpose() * free_velocity;
  for (int c = 0; c < contacts; ++c) q[3 * c] += step.gap[c] / step.step;
  ContactProblem problem;
  problem.W = make_block_matrix((H.transpose() * mass.solve(H)).sparseView(), 3);
  problem.q.assign(q.begin(), q.end());
  problem.mu.assign(step.mu.begin(), step.mu.end());
  return problem;
}

class Comparison {
 public:
  void measure(const Instance& instance, Row& row) {
    const ContactStep step = slide(instance.now), before = slide(instance.before);
    const AffineProblem lcp = contact_lcp(step);
    const double ours = measure_affine(lcp, row.lcp);
    measure_affine(make_mixed_lcp(contact_mixed_lcp(step)).problem, row.mixed);
    measure_warm(contact_lcp(before), lcp, row.warm);
    measure_cone(exact_cone(before), exact_cone(step), row);
    measure_lemke(lcp, ours, row);
  }

 private:
  double measure_affine(const AffineProblem& problem, Column& column) {
    const double seconds = best_seconds([&] { (void)affine_.solve(problem, z_); }, kRepeats);
    const bool solved = affine_residual(problem, z_).error <= kOurTolerance;
    column.add(solved, seconds);
    return solved ? seconds : std::nan("");
  }

  void measure_warm(const AffineProblem& before, const AffineProblem& now, Column& column) {
    (void)affine_.solve(before, z_);
    const Basis start = affine_.basis();
    const double seconds = best_seconds(
        [&] {
          affine_.warm_start(start);
          (void)affine_.solve(now, z_);
        },
        kRepeats);
    column.add(affine_residual(now, z_).error <= kOurTolerance, seconds);
  }

  void measure_cone(const ContactProblem& before, const ContactProblem& now, Row& row) {
    const double cold = best_seconds(
        [&] {
          r_.clear();
          (void)contact_.solve(now, r_);
        },
        kRepeats);
    row.cone.add(contact_residual(now, r_).error <= kOurTolerance, cold);
    std::vector<double> start;
    (void)contact_.solve(before, start);
    const double warm = best_seconds(
        [&] {
          r_ = start;
          (void)contact_.solve(now, r_);
        },
        kRepeats);
    row.cone_warm.add(contact_residual(now, r_).error <= kOurTolerance, warm);
  }

  static void measure_lemke(const AffineProblem& problem, double ours, Row& row) {
#ifdef STICKSLIP_HAVE_SICONOS
    for (const SiconosSolver& solver : siconos_solvers(SiconosForm::Lcp)) {
      if (std::strcmp(solver.name, "LEMKE") != 0) continue;
      const SiconosRun run = run_siconos(solver, problem);
      bool solved = run.answered;
      if (solved) {
        const Eigen::VectorXd z = Eigen::Map<const Eigen::VectorXd>(run.answer.data(), problem.size());
        solved = affine_residual(problem, z).natural <= kPeerTolerance;
      }
      row.lemke.add(solved, run.seconds);
      if (solved && std::isfinite(ours)) row.share_of_lemke.push_back(ours / run.seconds);
    }
#else
    (void)problem, (void)ours, (void)row;
#endif
  }

  AffineSolver affine_;
  ContactSolver contact_;
  Eigen::VectorXd z_;
  std::vector<double> r_;
};

void print_header() {
  fmt::print("\n{:>2} {:>3} {:>5} | {:<16} {:<16} {:<16} | {:<16} {:<16} | {:<16} {:>9} {:>7} {:>8}\n", "nc", "d", "n",
             "LCP", "mixed", "LCP warm", "cone", "cone warm", "Siconos LEMKE", "LCP/LEMKE", "(same)", "at most");
}

void print_row(const Row& row, std::size_t index) {
  fmt::print("{:>2} {:>3} {:>5} | {} {} {} | {} {} | {} {:>9.3f} {:>7.3f} {:>8}\n", row.contacts, row.directions,
             row.contacts * (2 + row.directions), row.lcp.text(), row.mixed.text(), row.warm.text(), row.cone.text(),
             row.cone_warm.text(), row.lemke.text(), row.share(), median(row.share_of_lemke),
             row.contacts == 3 ? fmt::format("{}", kLargestShareOfLemke[index]) : "");
  std::fflush(stdout);
}

// Exponent of time ~ d^p by least squares over the rows.
double growth(const std::vector<Row>& rows) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  const double n = static_cast<double>(rows.size());
  for (const Row& row : rows) {
    const double x = std::log(row.directions), y = std::log(row.lcp.time());
    sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

void print_finding(const std::vector<Row>& rows) {
  std::vector<double> cone_times;
  for (const Row& row : rows) cone_times.push_back(row.cone.time());
  const double cone = median(cone_times);
  const Row *first = &rows.front(), *last = &rows.back();
  const auto cheaper = [&](const Row& row) { return row.lcp.time() < cone; };
  const auto crossing = std::find_if_not(rows.begin(), rows.end(), cheaper);
  fmt::print(
      "Finding, {} contacts: the pyramid's step grows from {} at d = {} to {} at d = {} (about d^{:.2f}); the exact "
      "cone takes {}, ",
      first->contacts, time_text(first->lcp.time()), first->directions, time_text(last->lcp.time()), last->directions,
      growth(rows), time_text(cone));
  if (crossing == rows.end())
    fmt::print("more than every pyramid here.\n");
  else if (crossing == rows.begin())
    fmt::print("{:.2f} of the coarsest pyramid's time (d = {}).\n", cone / first->lcp.time(), first->directions);
  else
    fmt::print("less than the pyramid from d = {} on.\n", crossing->directions);
}

Panel panel_of(const std::vector<Row>& rows, bool with_lemke) {
  Panel panel;
  panel.title = fmt::format("{} contacts", rows.front().contacts);
  panel.x.label = "friction directions d per contact";
  panel.x.logarithmic = true;
  panel.x.from = 3.5;
  panel.x.to = 72;
  panel.y = decades("time of one step, microseconds", 0.5, 5000);
  struct Named {
    const char* label;
    Column Row::* column;
    bool strong;
  };
  for (const Named& named : {Named{"exact cone", &Row::cone, true}, Named{"pyramid LCP", &Row::lcp, true},
                             Named{"pyramid mixed", &Row::mixed, false}, Named{"LCP, warm", &Row::warm, false},
                             Named{"cone, warm", &Row::cone_warm, false}, Named{"Siconos LEMKE", &Row::lemke, false}}) {
    if (named.column == &Row::lemke && !with_lemke) continue;
    Curve curve;
    curve.label = named.label;
    curve.strong = named.strong;
    for (const Row& row : rows) {
      curve.x.push_back(row.directions);
      curve.y.push_back(1e6 * (row.*named.column).time());
    }
    panel.curves.push_back(std::move(curve));
  }
  for (const Row& row : rows) panel.x.ticks.push_back(row.directions);
  return panel;
}

int run(const Arguments& arguments) {
  Comparison comparison;
  std::vector<Panel> panels;
  std::vector<std::vector<Row>> tables;
  fmt::print("One step of a sliding block, {} random instances per row: median time, solved/tried.\n",
             arguments.instances);
  print_header();
  for (const int contacts : {3, 4}) {
    std::vector<Row>& rows = tables.emplace_back();
    PortableRandom random(static_cast<std::uint64_t>(contacts));
    for (std::size_t i = 0; i < std::size(kDirections); ++i) {
      Row& row = rows.emplace_back();
      row.contacts = contacts;
      row.directions = kDirections[i];
      for (int k = 0; k < arguments.instances; ++k)
        comparison.measure(random_instance(contacts, row.directions, random), row);
      print_row(row, i);
    }
    panels.push_back(panel_of(rows, rows.front().lemke.tried > 0));
  }
  fmt::print(
      "LCP/LEMKE: ratio of the two medians; (same): median of the ratio on instances that LEMKE solves too.\n\n");
  for (const auto& rows : tables) print_finding(rows);
  const std::filesystem::path file = std::filesystem::path(arguments.output) / "fig16.svg";
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << svg_plot("One contact step of a sliding block: pyramid and exact cone", panels, 2);
  fmt::print("wrote {}\n", file.string());
  return 0;
}

}  // namespace
}  // namespace stickslip::bench

int main(int argc, char** argv) {
  stickslip::bench::Arguments arguments;
  CLI::App app{"Time of one contact step against the number of friction directions"};
  app.add_option("--instances", arguments.instances, "Random instances per row")->capture_default_str();
  app.add_option("--output", arguments.output, "Folder for the plot")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  return stickslip::bench::run(arguments);
}
