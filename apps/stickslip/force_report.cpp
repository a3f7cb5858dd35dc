// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "force_report.h"

#include "stickslip/contact/step_forces.h"
#include "stickslip/report/json_number.h"
#include "stickslip/stepping/method_force_law.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

namespace stickslip::app {
namespace {

using contact::Interval;
using contact::StepForces;
using contact::TouchingForce;
using OrderedJson = nlohmann::ordered_json;

constexpr auto number = report::number<OrderedJson>;

constexpr std::size_t kMostLines = 60;

StepForces forces_of(const simulation::Simulation& run) {
  return {run.model(), run.state(), run.contacts(), stepping::force_law(run.method())};
}

const std::string& name_of(const simulation::Simulation& run, int body) {
  return run.model().bodies[static_cast<std::size_t>(body)].name;
}

// Rounding of a large force is no number of its own.
std::string number_text(double x, double scale) {
  if (std::isinf(x)) return x > 0 ? "no end" : "-no end";
  return fmt::format("{:.6g}", std::fabs(x) <= 1e-12 * scale ? 0.0 : x);
}

std::string range_text(const Interval& range, bool unique, double scale) {
  if (std::isinf(range.open)) return "not known";
  if (unique) return "unique";
  return fmt::format("{} to {}", number_text(range.least, scale), number_text(range.most, scale));
}

bool is_noise(const Interval& range, double scale) {
  return range.most - range.least <= contact::ForceRange::kNoise * scale;
}

std::string friction_text(const TouchingForce& force, int d, double scale) {
  return fmt::format("{} ({})", number_text(force.tangent[d], scale),
                     range_text(force.tangent_range[d], is_noise(force.tangent_range[d], scale), scale));
}

std::string balance_text(const simulation::Simulation& run, const simulation::StepBalance::Worst& worst) {
  if (worst.judged == 0) return "none judged";
  return fmt::format("{:.1e} of the forces on {} at t = {:.6g}", worst.defect, name_of(run, worst.body), worst.time);
}

void print_table(const std::vector<std::array<std::string, 6>>& rows) {
  std::array<std::size_t, 6> width{};
  for (const auto& row : rows)
    for (std::size_t k = 0; k < row.size(); ++k) width[k] = std::max(width[k], row[k].size());
  for (const auto& row : rows) {
    std::string line = " ";
    for (std::size_t k = 0; k < row.size(); ++k) line += fmt::format(" {:<{}} ", row[k], width[k]);
    line.erase(line.find_last_not_of(' ') + 1);
    fmt::print("{}\n", line);
  }
}

// null: no end.
OrderedJson range_json(const Interval& range) {
  return OrderedJson::array({number(range.least), number(range.most)});
}

OrderedJson balance_json(const simulation::Simulation& run, const simulation::StepBalance::Worst& worst) {
  OrderedJson out;
  out["judged"] = worst.judged;
  if (worst.judged == 0) return out;
  out["worst_defect"] = number(worst.defect);
  out["time"] = worst.time;
  out["body"] = name_of(run, worst.body);
  return out;
}

OrderedJson contact_json(const simulation::Simulation& run, const TouchingForce& force) {
  const contact::ContactResult& result = run.contacts()[static_cast<std::size_t>(force.contact)];
  const bool known = !std::isinf(force.normal_range.open);
  OrderedJson out;
  out["bodies"] = {name_of(run, result.contact.id.body_a), name_of(run, result.contact.id.body_b)};
  out["mode"] = to_string(result.mode);
  out["point"] = report::vector_json<OrderedJson>(0.5 * (result.contact.point_a + result.contact.point_b));
  out["normal"] = report::vector_json<OrderedJson>(result.contact.normal);
  out["force"] = report::vector_json<OrderedJson>(result.force);
  out["canonical"] = force.canonical;
  out["unique"] = known ? OrderedJson(force.unique) : OrderedJson(nullptr);
  out["normal_force"] = force.normal;
  if (known) out["normal_range"] = range_json(force.normal_range);
  out["tangents"] = OrderedJson::array();
  for (int d = 0; d < run.model().dimension - 1; ++d) {
    OrderedJson tangent;
    tangent["direction"] = report::vector_json<OrderedJson>(force.tangent_direction[d]);
    tangent["force"] = force.tangent[d];
    if (known) tangent["range"] = range_json(force.tangent_range[d]);
    out["tangents"].push_back(std::move(tangent));
  }
  return out;
}

}  // namespace

void print_forces(const simulation::Simulation& run, const simulation::StepBalance& balance) {
  StepForces forces = forces_of(run);
  fmt::print("\ncontact forces at t = {:.9g}, with the range of all forces that give the same motion\n", run.time());
  std::vector<std::array<std::string, 6>> rows;
  rows.push_back({"bodies", "at", "mode", "normal", "range", "along the surface (range)"});
  double scale = 0;
  for (const int c : forces.touching())
    scale = std::max(scale, run.contacts()[static_cast<std::size_t>(c)].force.norm());
  std::size_t as_solved = 0, not_known = 0;
  for (std::size_t k = 0; k < std::min(forces.touching().size(), kMostLines); ++k) {
    const TouchingForce force = forces.force(k);
    if (!force.canonical) ++as_solved;
    if (std::isinf(force.normal_range.open)) ++not_known;
    const contact::ContactResult& result = run.contacts()[static_cast<std::size_t>(force.contact)];
    const Vec3 point = 0.5 * (result.contact.point_a + result.contact.point_b);
    const bool planar = run.model().dimension == 2;
    rows.push_back(
        {fmt::format("{} / {}", name_of(run, result.contact.id.body_a), name_of(run, result.contact.id.body_b)),
         planar ? fmt::format("{:.4g}, {:.4g}", point.x(), point.y())
                : fmt::format("{:.4g}, {:.4g}, {:.4g}", point.x(), point.y(), point.z()),
         to_string(result.mode), number_text(force.normal, scale),
         range_text(force.normal_range, is_noise(force.normal_range, scale), scale),
         planar ? friction_text(force, 0, scale)
                : fmt::format("{}, {}", friction_text(force, 0, scale), friction_text(force, 1, scale))});
  }
  print_table(rows);
  if (forces.touching().size() > kMostLines)
    fmt::print("  and {} more contacts (--json lists all)\n", forces.touching().size() - kMostLines);
  if (as_solved > 0)
    fmt::print("  share of the load: as the solver left it at {} of these contacts; canonical at the others\n",
               as_solved);
  else
    fmt::print("  share of the load: canonical\n");
  if (not_known > 0)
    fmt::print("  ranges: looked at in islands of at most {} contacts\n",
               run.model().dimension == 2 ? StepForces::kMostPlanar : StepForces::kMostSpatial);
  fmt::print("  balance at rest: {}\n", balance_text(run, balance.resting()));
  fmt::print("  balance in motion: {}\n", balance_text(run, balance.moving()));
}

OrderedJson forces_json(const simulation::Simulation& run, const simulation::StepBalance& balance) {
  StepForces forces = forces_of(run);
  OrderedJson out;
  out["contacts"] = OrderedJson::array();
  std::set<std::pair<int, int>> pairs;
  for (std::size_t k = 0; k < forces.touching().size(); ++k) {
    const TouchingForce force = forces.force(k);
    const collision::ContactId& id = run.contacts()[static_cast<std::size_t>(force.contact)].contact.id;
    out["contacts"].push_back(contact_json(run, force));
    pairs.emplace(id.body_a, id.body_b);
  }
  out["pairs"] = OrderedJson::array();
  for (const auto& [a, b] : pairs) {
    double sum = 0;
    for (const contact::ContactResult& one : run.contacts())
      if (one.contact.id.body_a == a && one.contact.id.body_b == b) sum += one.force.dot(one.contact.normal);
    const Interval range = forces.normal_force(a, b);
    OrderedJson pair{{"bodies", {name_of(run, a), name_of(run, b)}}, {"normal_force", sum}};
    if (!std::isinf(range.open)) pair["normal_range"] = range_json(range);
    out["pairs"].push_back(std::move(pair));
  }
  out["balance"] = {{"at_rest", balance_json(run, balance.resting())},
                    {"in_motion", balance_json(run, balance.moving())}};
  return out;
}

}  // namespace stickslip::app
