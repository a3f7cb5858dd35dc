// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "bench/common/report.h"

#include "bench/common/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace stickslip::bench {
namespace {

std::string ratio_text(double ratio) {
  return std::isfinite(ratio) ? fmt::format("{:.3g}", ratio) : "-";
}

std::string peers_text(const ProblemRuns& runs) {
  std::string text;
  for (const Run& run : runs.peers)
    text +=
        fmt::format("{}{} {}", text.empty() ? "" : ", ", run.solver, run.solved ? time_text(run.seconds) : run.note);
  return text;
}

void print_solver(const SolverStatistics& s) {
  fmt::print("  {:<16} {:>5} {:>6}  {:>9} {:>9}  {:>6} {:>8}   {:>5.2f} {:>5.2f} {:>5.2f} {:>5.2f}\n", s.solver,
             s.tried, s.solved, time_text(s.geometric_mean), time_text(s.median_time), s.common, ratio_text(s.ratio),
             s.rho(1), s.rho(2), s.rho(10), s.rho(100));
}

struct FormTitle {
  const char* form;
  const char* title;
};
constexpr FormTitle kForms[] = {
    {"lcp", "LCP"},
    {"mlcp", "mixed LCP"},
    {"boxlcp", "box LCP (relay)"},
    {"fc3d", "spatial friction, exact cone"},
    {"fc2d", "planar friction"},
    {"gfc3d", "spatial friction, global form"},
};

constexpr double kLargestTau = 1000;

Curve profile_curve(const SolverStatistics& solver, std::string label) {
  std::vector<double> ratios = solver.time_over_best;
  std::sort(ratios.begin(), ratios.end());
  Curve curve;
  curve.label = std::move(label);
  curve.steps = true;
  const double all = static_cast<double>(ratios.size());
  curve.x.push_back(1);
  curve.y.push_back(solver.rho(1));
  for (std::size_t i = 0; i < ratios.size() && ratios[i] <= kLargestTau; ++i)
    if (ratios[i] > 1) {
      curve.x.push_back(ratios[i]);
      curve.y.push_back(static_cast<double>(i + 1) / all);
    }
  curve.x.push_back(kLargestTau);
  curve.y.push_back(solver.rho(kLargestTau));
  return curve;
}

// The peers worth a curve: those whose profiles lie highest.
std::vector<SolverStatistics> leading_peers(const ClassStatistics& statistics, std::size_t count) {
  const auto height = [](const SolverStatistics& s) { return s.rho(1) + s.rho(2) + s.rho(10) + s.rho(100); };
  std::vector<SolverStatistics> peers = statistics.peers;
  std::erase_if(peers, [](const SolverStatistics& peer) { return peer.solved == 0; });
  std::stable_sort(peers.begin(), peers.end(),
                   [&](const SolverStatistics& a, const SolverStatistics& b) { return height(a) > height(b); });
  if (peers.size() > count) peers.resize(count);
  return peers;
}

Panel profile_panel(const std::string& title, const ClassStatistics& statistics) {
  constexpr std::size_t kMostPeers = 7;  // with ours, as many as there are colours
  Panel panel;
  panel.title = fmt::format("{} ({} problems)", title, statistics.problems);
  panel.x = decades("time / fastest time on the problem", 1, kLargestTau);
  panel.y.label = "share of problems solved within";
  panel.y.ticks = {0, 0.2, 0.4, 0.6, 0.8, 1};
  panel.curves.push_back(profile_curve(statistics.ours, "stickslip auto"));
  panel.curves.back().strong = true;
  for (const SolverStatistics& peer : leading_peers(statistics, kMostPeers))
    panel.curves.push_back(profile_curve(peer, peer.solver));
  return panel;
}

}  // namespace

std::string time_text(double seconds) {
  if (!std::isfinite(seconds)) return "-";
  struct Unit {
    double size;
    const char* name;
  };
  for (const Unit unit : {Unit{1e-9, "ns"}, Unit{1e-6, "us"}, Unit{1e-3, "ms"}}) {
    const double value = seconds / unit.size;
    if (value < 999.5)
      return fmt::format("{:.{}f} {}", value,
                         unit.size < 1e-8 || value >= 99.95 ? 0
                         : value >= 9.995                   ? 1
                                                            : 2,
                         unit.name);
  }
  return fmt::format("{:.2f} s", seconds);
}

void print_problem(const ProblemRuns& runs) {
  const Run* best = runs.best_peer();
  const std::string ours = runs.ours.solved  ? time_text(runs.ours.seconds)
                           : runs.infeasible ? "no solution"
                                             : "NOT SOLVED";
  fmt::print("{:<42} {:>5}  {:>11} {:<22} {:>8.1e} | {:>8} {:<14} {:>8}\n", runs.name, runs.size, ours, runs.ours.note,
             runs.ours.error, best != nullptr ? time_text(best->seconds) : "none", best != nullptr ? best->solver : "",
             best != nullptr && runs.ours.solved ? ratio_text(best->seconds / runs.ours.seconds) + "x" : "");
  if (!runs.peers.empty()) fmt::print("    {}\n", peers_text(runs));
}

void print_class(const std::string& name, const ClassStatistics& s) {
  fmt::print("\n{}: {} problems with a solution", name, s.problems);
  if (s.infeasible > 0) fmt::print(", {} shown to have none", s.infeasible);
  if (s.unsolved > 0) fmt::print(", {} solved by no solver", s.unsolved);
  fmt::print("\n  {:<16} {:>5} {:>6}  {:>9} {:>9}  {:>6} {:>8}   {:>5} {:>5} {:>5} {:>5}\n", "solver", "tried",
             "solved", "geomean", "median", "common", "/ours", "rho1", "rho2", "rho10", "r100");
  print_solver(s.ours);
  if (!s.peers.empty()) print_solver(s.virtual_best);
  for (const SolverStatistics& peer : s.peers) print_solver(peer);
}

void print_overview(std::span<const NamedClass> classes, std::span<const NamedClass> totals) {
  fmt::print("\n{:<36} {:>4} {:>6} {:>9}   {:>6} {:>13} {:<14} {:>9} {:>9}\n", "class", "n", "ours", "geomean",
             "Siconos", "rival/ours", "(closest)", "best/ours", "within 2x");
  const auto line = [](const std::string& name, const ClassStatistics& s, bool single_rival) {
    const SolverStatistics* rival = single_rival ? s.closest_rival() : nullptr;
    fmt::print("{:<36} {:>4} {:>6} {:>9}   {:>6} {:>13} {:<14} {:>9} {:>5}/{}\n", name, s.problems, s.ours.solved,
               time_text(s.ours.geometric_mean), s.virtual_best.solved,
               rival != nullptr ? ratio_text(rival->ratio) : "-", rival != nullptr ? rival->solver : "",
               ratio_text(s.virtual_best.ratio), s.ours_within_two, s.problems);
  };
  for (const NamedClass& each : classes) line(each.name, each.statistics, true);
  // Solvers of different forms are no single rival: only the best of each problem makes sense over all.
  for (const NamedClass& each : totals) line(each.name, each.statistics, false);
}

std::string profile_svg(std::span<const ProblemRuns> runs) {
  std::vector<Panel> panels;
  for (const FormTitle& form : kForms) {
    std::vector<ProblemRuns> of_form;
    std::copy_if(runs.begin(), runs.end(), std::back_inserter(of_form),
                 [&](const ProblemRuns& problem) { return problem.form == form.form; });
    if (!of_form.empty()) panels.push_back(profile_panel(form.title, summarise(of_form)));
  }
  return svg_plot("Performance profiles: stickslip and Siconos 4.4, higher is better", panels, 2);
}

std::string csv_table(std::span<const ProblemRuns> runs) {
  std::string text = "problem,class,form,size,solver,solved,seconds,error,note\n";
  const auto add = [&](const ProblemRuns& problem, const Run& run) {
    text += fmt::format("{},\"{}\",{},{},{},{},{},{},{}\n", problem.name, problem.problem_class, problem.form,
                        problem.size, run.solver, run.solved ? 1 : 0, run.seconds, run.error, run.note);
  };
  for (const ProblemRuns& problem : runs) {
    add(problem, problem.ours);
    for (const Run& run : problem.peers) add(problem, run);
  }
  return text;
}

}  // namespace stickslip::bench
