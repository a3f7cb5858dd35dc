// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "plot_sources.h"

#include "output_name.h"
#include "run_session.h"

#include "stickslip/expression/nearest_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

namespace stickslip::app {
namespace {

namespace fs = std::filesystem;

// "mu=0.2,0.5" -> name and values.
struct Varied {
  std::string name;
  std::vector<std::string> values;
};

Varied varied(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw std::invalid_argument(fmt::format("--vary {}: write NAME=VALUE,VALUE,...", text));
  return {text.substr(0, equals), split_list(text.substr(equals + 1))};
}

// method.step -> step: the name that expressions know it by.
std::string short_name(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string::npos ? name : name.substr(dot + 1);
}

std::optional<double> constant_value(const std::string& text) {
  try {
    return expression::Expression(text, expression::Scope{}).evaluate(0);
  } catch (const expression::ExpressionError&) {
    return std::nullopt;  // a word, as the name of a stepper
  }
}

}  // namespace

PlotSources::PlotSources(const PlotOptions& options) : options_(options) {
  for (const std::string& argument : options.files) open(argument);
}

void PlotSources::open(const std::string& argument) {
  std::string label, file = argument;
  if (const std::size_t equals = argument.rfind('='); equals != std::string::npos && !fs::exists(argument)) {
    label = argument.substr(0, equals);
    file = argument.substr(equals + 1);
  }
  if (fs::path(file).extension() == ".toml") return run_scene(label, file);
  const std::string name = label.empty() ? fs::path(file).stem().string() : label;
  sources_.push_back({name, name, report::open_series(file)});
}

void PlotSources::run_scene(const std::string& label, const std::string& file) {
  if (!folder_) folder_.emplace();
  std::vector<Varied> axes;
  for (const std::string& text : options_.vary) axes.push_back(varied(text));
  std::vector<std::size_t> at(axes.size(), 0);
  for (bool more = true; more;) {
    RunOptions run;
    run.scene = file;
    run.set = options_.set;
    std::string name = options_.split ? "" : label;
    report::NamedValues known;
    for (std::size_t k = 0; k < axes.size(); ++k) {
      const std::string& value = axes[k].values[at[k]];
      run.set.push_back(axes[k].name + "=" + value);
      name += (name.empty() ? "" : ", ") + short_name(axes[k].name) + " = " + value;
      if (const auto number = constant_value(value)) known.emplace_back(short_name(axes[k].name), *number);
    }
    run.output = (folder_->path() / fmt::format("{}.h5", runs_++)).string();
    RunSession session(run);
    if (session.run() == RunEnd::Uncertified)
      throw std::runtime_error(fmt::format("{}{}: a step could not be certified; the run ended at t = {:.6g}", file,
                                           name.empty() ? "" : " with " + name, session.simulation().time()));
    const std::string group = label.empty() ? name_after(file, "scene") : label;
    std::unique_ptr<report::SeriesSource> series = report::open_series(run.output, file);
    series->known = known;
    if (axes.size() == 1 && !known.empty() && axes.front().name == short_name(axes.front().name))
      if (const std::string unit = series->unit_of(axes.front().name); !unit.empty()) name += " " + unit;
    sources_.push_back({name.empty() ? group : name, group, std::move(series)});
    more = false;
    for (std::size_t k = axes.size(); k-- > 0 && !more;) {
      more = ++at[k] < axes[k].values.size();
      if (!more) at[k] = 0;
    }
  }
}

const PlotSource& PlotSources::named(const std::string& name) {
  std::vector<std::string> labels;
  for (const PlotSource& source : sources_) {
    if (source.label == name) return source;
    labels.push_back(source.label);
  }
  if (!fs::exists(name)) {
    const std::string hint = expression::did_you_mean(name, labels);
    throw report::SeriesError(
        fmt::format("--against {}: neither the label of a run nor a file{}{}", name, hint.empty() ? "" : "; ", hint));
  }
  reference_ = std::make_unique<PlotSource>(PlotSource{fs::path(name).stem().string(), {}, report::open_series(name)});
  return *reference_;
}

}  // namespace stickslip::app
