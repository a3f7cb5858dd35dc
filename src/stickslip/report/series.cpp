// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/report/series.h"

#include "stickslip/collision/overlaps.h"
#include "stickslip/expression/expression.h"
#include "stickslip/expression/tracker.h"
#include "stickslip/files/regular_file.h"
#include "stickslip/report/table.h"
#include "stickslip/study/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <optional>

namespace stickslip::report {
namespace {

std::string quoted(const std::string& expression, const expression::ExpressionError& error) {
  std::string text = fmt::format("\"{}\", column {}: {}", expression, error.column() + 1, error.what());
  return error.hint().empty() ? text : text + "; " + error.hint();
}

expression::Expression compile(const std::string& source, const std::string& expression,
                               const expression::Scope& scope) {
  try {
    return expression::Expression(expression, scope);
  } catch (const expression::ExpressionError& error) {
    throw SeriesError(fmt::format("{}: {}", source, quoted(expression, error)));
  }
}

std::vector<double> evaluate_formula(const std::string& source, const std::string& expression,
                                     const std::string& variable, const std::vector<double>& at,
                                     expression::Scope scope) {
  scope.reach = expression::Reach::Time;
  scope.constants.erase(variable);
  scope.columns = {{variable, 0}};
  const expression::Expression compiled = compile(source, expression, scope);
  std::vector<double> values;
  for (const double x : at) {
    expression::EvaluationContext context;
    context.time = x;
    context.columns = {&x, 1};
    values.push_back(compiled.evaluate(context));
  }
  return values;
}

class RecordingSource : public SeriesSource {
 public:
  RecordingSource(const std::string& file, const std::string& name)
      : SeriesSource(name), recording_(file), data_(prepare(recording_)) {
    if (recording_.frames() == 0) throw SeriesError(fmt::format("{}: the recording has no frames", name));
  }

  std::vector<std::vector<double>> evaluate(const std::vector<std::string>& expressions) const override {
    const std::vector<std::string>& observables = recording_.info().observables;
    std::vector<expression::Tracker> trackers;
    expression::Scope scope = constants();
    scope.reach = expression::Reach::Run;
    scope.trackers = &trackers;
    const auto& bodies = data_.description.model.bodies;
    for (std::size_t b = 0; b < bodies.size(); ++b) scope.bodies[bodies[b].name] = static_cast<int>(b);
    scope.planar = data_.description.model.dimension == 2;
    for (std::size_t k = 0; k < observables.size(); ++k) scope.columns[observables[k]] = static_cast<int>(k);
    std::vector<expression::Expression> compiled;
    for (const std::string& expression : expressions) compiled.push_back(compile(name_, expression, scope));
    return walk(compiled, trackers, observables);
  }

  std::vector<double> formula(const std::string& expression, const std::string& variable,
                              const std::vector<double>& at) const override {
    return evaluate_formula(name_, expression, variable, at, constants());
  }

  std::string unit_of(const std::string& expression) const override {
    for (const auto* list : {&data_.description.observables, &data_.description.parameters})
      for (const recording::Quantity& quantity : *list)
        if (quantity.name == expression) return quantity.unit;
    const Units& units = data_.units;
    if (expression == "t") return units.time;
    if (expression.find(')') + 1 == expression.size()) {  // one call
      const std::string function = expression.substr(0, expression.find('('));
      if (function.find("_force") != std::string::npos || function.starts_with("force_")) return units.force;
      if (function == "gap" || function == "distance") return units.length;
      if (function == "slip_speed" && !units.length.empty() && !units.time.empty())
        return units.length + "/" + units.time;
    }
    const std::size_t dot = expression.find('.');
    if (dot == std::string::npos || units.length.empty()) return {};
    const std::string variable = expression.substr(dot + 1);
    const auto is_one_of = [&](std::initializer_list<const char*> names) {
      return std::any_of(names.begin(), names.end(), [&](const char* name) { return variable == name; });
    };
    if (is_one_of({"x", "y", "z"})) return units.length;
    if (is_one_of({"angle", "yaw", "pitch", "roll"})) return "rad";
    if (units.time.empty()) return {};
    if (is_one_of({"vx", "vy", "vz", "speed"})) return units.length + "/" + units.time;
    if (is_one_of({"wx", "wy", "wz"})) return "rad/" + units.time;
    return {};
  }

  std::string title() const override { return data_.description.title; }
  std::string scene() const override { return recording_.info().scene; }
  const RunData* run() const override { return &data_; }
  bool has_time() const override { return true; }

 private:
  [[nodiscard]] expression::Scope constants() const {
    expression::Scope scope;
    for (const recording::Quantity& p : data_.description.parameters) scope.constants[p.name] = p.value;
    for (const auto& [name, value] : known) scope.constants[name] = value;
    return scope;
  }

  [[nodiscard]] std::vector<std::vector<double>> walk(const std::vector<expression::Expression>& compiled,
                                                      std::vector<expression::Tracker>& trackers,
                                                      const std::vector<std::string>& observables) const {
    std::vector<std::vector<double>> columns;
    for (const std::string& name : observables) columns.push_back(recording_.observable(name));
    const auto looks = [](const expression::Expression& e) { return e.depends_on_contacts(); };
    const bool contacts =
        std::ranges::any_of(compiled, looks) ||
        std::ranges::any_of(trackers, [&](const expression::Tracker& t) { return looks(t.argument); });
    const auto asks = [](const expression::Expression& e) { return e.asks_for_penetration(); };
    std::optional<collision::Overlaps> overlaps;
    if (std::ranges::any_of(compiled, asks) ||
        std::ranges::any_of(trackers, [&](const expression::Tracker& t) { return asks(t.argument); }))
      overlaps.emplace(model_with_laws());
    // Which degrees of freedom are free is not part of a recording.
    const auto ranges = [](const expression::Expression& e) { return e.asks_for_force_ranges(); };
    if (std::ranges::any_of(compiled, ranges) ||
        std::ranges::any_of(trackers, [&](const expression::Tracker& t) { return ranges(t.argument); }))
      throw SeriesError(
          fmt::format("{}: a recording does not hold the ranges of forces; make them observables of the scene", name_));
    std::vector<std::vector<double>> values(compiled.size());
    std::vector<double> row(columns.size());
    for (std::size_t frame = 0; frame < recording_.frames(); ++frame) {
      const model::State state = recording_.state(frame);
      const auto touching = contacts ? recording_.contacts(frame) : std::vector<contact::ContactResult>();
      for (std::size_t k = 0; k < columns.size(); ++k) row[k] = columns[k][frame];
      expression::EvaluationContext context;
      context.time = recording_.time()[frame];
      context.model = &data_.description.model;
      context.state = &state;
      context.contacts = touching;
      context.trackers = trackers;
      context.columns = row;
      context.overlaps = overlaps ? &*overlaps : nullptr;
      for (expression::Tracker& tracker : trackers) (void)tracker.update(context);
      for (std::size_t k = 0; k < compiled.size(); ++k) values[k].push_back(compiled[k].evaluate(context));
    }
    return values;
  }

  [[nodiscard]] const model::Model& model_with_laws() const {
    const model::Model& model = data_.description.model;
    if (model.laws.bodies() != model.bodies.size())
      throw SeriesError(fmt::format("{}: the recording does not say which bodies may touch", name_));
    return model;
  }

  recording::Recording recording_;
  RunData data_;
};

class TableSource : public SeriesSource {
 public:
  TableSource(const std::string& name, Table table) : SeriesSource(name), table_(std::move(table)) {}

  std::vector<std::vector<double>> evaluate(const std::vector<std::string>& expressions) const override {
    expression::Scope scope;
    scope.reach = expression::Reach::Constant;
    for (const auto& [name, value] : known) scope.constants[name] = value;
    for (std::size_t k = 0; k < table_.names.size(); ++k) scope.columns[table_.names[k]] = static_cast<int>(k);
    if (const int time = time_column(); time >= 0) scope.columns["t"] = time;
    std::vector<std::vector<double>> values;
    std::vector<double> row(table_.names.size());
    for (const std::string& expression : expressions) {
      const expression::Expression compiled = compile(name_, expression, scope);
      values.emplace_back();
      for (std::size_t r = 0; r < table_.rows(); ++r) {
        for (std::size_t k = 0; k < row.size(); ++k) row[k] = table_.columns[k][r];
        expression::EvaluationContext context;
        context.columns = row;
        values.back().push_back(compiled.evaluate(context));
      }
    }
    return values;
  }

  std::vector<double> formula(const std::string& expression, const std::string& variable,
                              const std::vector<double>& at) const override {
    expression::Scope scope;
    for (const auto& [name, value] : known) scope.constants[name] = value;
    return evaluate_formula(name_, expression, variable, at, scope);
  }
  std::string unit_of(const std::string& expression) const override {
    const auto found = table_.units.find(expression);
    return found == table_.units.end() ? std::string() : found->second;
  }
  std::string title() const override { return table_.title; }
  std::string scene() const override { return {}; }
  const RunData* run() const override { return nullptr; }
  bool has_time() const override { return time_column() >= 0; }

 private:
  [[nodiscard]] int time_column() const {
    for (const char* name : {"t", "time"})
      for (std::size_t k = 0; k < table_.names.size(); ++k)
        if (table_.names[k] == name) return static_cast<int>(k);
    return -1;
  }
  Table table_;
};

Table table_of_store(const std::string& file) {
  const std::unique_ptr<study::Store> store = study::Store::open(file);
  const study::StoreHeader& header = store->header();
  Table table;
  table.names = {"trial", "group", "repeat"};
  for (const std::string& name : header.parameters) {
    const bool clash = std::ranges::find(header.observables, name) != header.observables.end();
    table.names.push_back(clash ? "parameter." + name : name);
  }
  for (const std::string& name : header.observables) table.names.push_back(name);
  for (const char* name : {"success", "objective", "end_time", "residual", "steps", "seconds"})
    table.names.emplace_back(name);
  table.columns.resize(table.names.size());
  store->read([&](const study::TrialPoint& trial, const study::TrialResult& result) {
    std::vector<double> row = {static_cast<double>(trial.index), static_cast<double>(trial.group),
                               static_cast<double>(trial.repeat)};
    row.insert(row.end(), trial.values.begin(), trial.values.end());
    row.insert(row.end(), result.observables.begin(), result.observables.end());
    row.insert(row.end(), {result.success, result.objective, result.end_time, result.residual,
                           static_cast<double>(result.steps), result.seconds});
    row.resize(table.names.size(), std::nan(""));
    for (std::size_t k = 0; k < row.size(); ++k) table.columns[k].push_back(row[k]);
  });
  return table;
}

}  // namespace

std::unique_ptr<SeriesSource> open_series(const std::string& file, const std::string& given) {
  const std::string& name = given.empty() ? file : given;
  try {
    files::require_regular_file(file);  // a pipe would wait for a writer
  } catch (const files::FileError& error) {
    throw SeriesError(fmt::format("cannot read {}: it {}", file, error.what()));
  }
  std::ifstream stream(file, std::ios::binary);
  std::string head(16, '\0');
  stream.read(head.data(), static_cast<std::streamsize>(head.size()));
  try {
    if (head.starts_with("\x89HDF") || head.starts_with("stickslip recor"))
      return std::make_unique<RecordingSource>(file, name);
    if (head.starts_with("SQLite format 3")) return std::make_unique<TableSource>(name, table_of_store(file));
    return std::make_unique<TableSource>(name, read_csv(file));
  } catch (const SeriesError&) {
    throw;
  } catch (const std::exception& error) {  // of recordings and stores; most name their file
    const std::string what = error.what();
    throw SeriesError(what.find(file) != std::string::npos ? what : fmt::format("{}: {}", file, what));
  }
}

}  // namespace stickslip::report
