// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Curves. Each -y is a panel; within it, every expression of every run is a curve. With --against REF the expressions
// of a panel are the coordinates of a point, and the curve is the distance between the run's point and the reference's
// at the same time (between frames the reference is interpolated linearly). With --reduce a run becomes one point.
#include "plot_figure.h"

#include "plot_grid.h"
#include "plot_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace stickslip::app {
namespace {

using report::Figure;
using report::FigureCurve;
using report::FigurePanel;
using report::SeriesError;

constexpr std::size_t kFormulaPoints = 600;

struct SourceRows {  // of one source, inside the window
  std::vector<double> time, x;
  std::vector<std::vector<double>> y;
};

class PlotBuilder {
 public:
  PlotBuilder(const PlotOptions& options, PlotSources& sources) : options_(options), sources_(sources) {}

  PlotResult build() {
    if (!options_.window.empty()) window_ = interval_of(options_.window, "--window");
    if (!options_.x_range.empty()) x_range_ = interval_of(options_.x_range, "--x-range");
    if (!options_.y_range.empty()) y_range_ = interval_of(options_.y_range, "--y-range");
    x_ = labelled(options_.x.empty() ? "t" : options_.x);
    set_page();
    if (!options_.field.empty() || !options_.heat.empty()) {
      result_.figure.panels =
          options_.field.empty() ? heat_panels(options_, sources_.all()) : field_panels(options_, sources_.all());
      for (FigurePanel& panel : result_.figure.panels) finish_axes(panel);
      return std::move(result_);
    }
    warn_of_other_scenes();
    // Pictures alone are a figure too.
    std::vector<std::string> panels = !options_.y.empty() || !options_.stills.empty() ? options_.y : all_observables();
    for (std::size_t k = 0; k < panels.size(); ++k) add_panels(panels[k], k);
    if (options_.modes || options_.contact_modes) {
      if (panels.empty()) throw std::invalid_argument("--modes: bands go below a panel; add -y");
      if (!over_time()) throw std::invalid_argument("--modes: bands of modes need the time along the x axis");
      for (std::string& note : add_modes(options_, all(), result_.figure.panels.back()))
        result_.notes.push_back(std::move(note));
    }
    if (!options_.stills.empty()) add_stills(options_, all(), result_.figure);
    add_insets(options_, all(), result_.figure);
    return std::move(result_);
  }

 private:
  [[nodiscard]] const std::vector<PlotSource>& all() const { return sources_.all(); }
  [[nodiscard]] bool over_time() const { return x_.expression == "t"; }

  void set_page() {
    Figure& figure = result_.figure;
    figure.title = options_.title;
    figure.columns = options_.columns;
    figure.print = options_.style == "print";
    figure.view = report::view_of(options_.view);
    if (options_.columns > 1) figure.width = 250.0 * options_.columns + 40;
    if (!options_.size.empty()) std::tie(figure.width, figure.height) = page_size(options_.size);
  }

  [[nodiscard]] std::vector<std::string> all_observables() const {
    std::vector<std::string> names;
    if (const report::RunData* run = all().front().series->run()) names = run->recording.info().observables;
    if (names.empty())
      throw std::invalid_argument(fmt::format("{}: say what to draw with -y", all().front().series->name()));
    return names;
  }

  void warn_of_other_scenes() {
    std::set<std::string> scenes;
    for (const PlotSource& source : all())
      if (const std::string text = source.series->scene(); !text.empty()) scenes.insert(text);
    if (scenes.size() < 2 || options_.split) return;
    result_.notes.push_back(
        fmt::format("the runs are of {} different scenes: the same name may mean something else", scenes.size()));
    result_.figure.note = fmt::format("Runs of {} different scenes.", scenes.size());
  }

  // Expressions of a source inside the window; the time comes along where there is one.
  [[nodiscard]] SourceRows rows_of(const PlotSource& source, const std::vector<std::string>& expressions,
                                   const std::string& x) const {
    const report::SeriesSource& series = *source.series;
    if (!series.has_time() && (over_time() || !options_.window.empty()))
      throw std::invalid_argument(
          fmt::format("{}: has no column t or time{}", series.name(),
                      over_time() ? ": say with -x what to draw along the x axis" : ": --window needs one"));
    std::vector<std::string> wanted = {series.has_time() ? "t" : "0", x};
    wanted.insert(wanted.end(), expressions.begin(), expressions.end());
    std::vector<std::vector<double>> values = series.evaluate(wanted);
    SourceRows rows;
    rows.y.resize(expressions.size());
    for (std::size_t r = 0; r < values[0].size(); ++r) {
      const double t = values[0][r];
      if (t < window_.low || t > window_.high) continue;
      rows.time.push_back(t);
      rows.x.push_back(values[1][r]);
      for (std::size_t k = 0; k < expressions.size(); ++k) rows.y[k].push_back(values[k + 2][r]);
    }
    if (rows.time.empty())
      throw std::invalid_argument(
          values[0].empty() ? fmt::format("{}: has no rows", series.name())
                            : fmt::format("--window {}: nothing of {} lies in it; it goes from {:.6g} to {:.6g}",
                                          options_.window, series.name(), values[0].front(), values[0].back()));
    return rows;
  }

  // One panel with all runs, or one for each file.
  void add_panels(const std::string& text, std::size_t number) {
    shown_.clear();
    for (const PlotSource& source : all()) {
      if (options_.split && !shown_.empty() && shown_.back()->group != source.group) {
        add_panel(text, number);
        shown_.clear();
      }
      shown_.push_back(&source);
    }
    add_panel(text, number);
  }

  void add_panel(const std::string& text, std::size_t number) {
    std::vector<Labelled> list;
    std::vector<std::string> expressions;
    for (const std::string& part : split_list(text)) list.push_back(labelled(part));
    for (const Labelled& item : list) expressions.push_back(item.expression);
    FigurePanel panel;
    if (options_.split) panel.title = shown_.front()->group;
    if (options_.against.empty())
      add_curves(panel, list, expressions);
    else
      add_distances(panel, list, expressions);
    if (!options_.reduce.empty()) reduce(panel);
    label_axes(panel, list, number);
    finish_axes(panel);
    add_formulas(panel, number);
    for (std::size_t k = 0; k < options_.overlay.size(); ++k)
      if (goes_to(k, options_.overlay.size(), number)) add_overlay(panel, options_.overlay[k]);
    if (options_.slope) add_slopes(panel);
    decide_equal(panel, list);
    if (!options_.legend)
      for (FigureCurve& curve : panel.curves) curve.label.clear();
    result_.figure.panels.push_back(std::move(panel));
  }

  void add_curves(FigurePanel& panel, const std::vector<Labelled>& list, const std::vector<std::string>& expressions) {
    for (const PlotSource* source : shown_) {
      const SourceRows rows = rows_of(*source, expressions, x_.expression);
      for (std::size_t k = 0; k < list.size(); ++k) {
        FigureCurve curve;
        // Alone it needs no name, but beside formulas and other data.
        const bool beside = !options_.overlay.empty() || !options_.theory.empty();
        if (shown_.size() > 1)
          curve.label = list.size() == 1 ? source->label : fmt::format("{}, {}", list[k].label, source->label);
        else if (list.size() > 1 || list[k].named)
          curve.label = list[k].label;
        else if (beside)
          curve.label = with_unit(list[k], *source->series);
        curve.marks = options_.points;
        curve.line = !options_.points || rows.x.size() < 60;
        curve.mark_start = !over_time() && options_.mark_start && options_.reduce.empty() && source->series->has_time();
        for (std::size_t r = 0; r < rows.x.size(); ++r) curve.points.emplace_back(rows.x[r], rows.y[k][r]);
        panel.curves.push_back(std::move(curve));
      }
    }
  }

  // Values of `rows` at a time, by linear interpolation; nan outside.
  static std::vector<double> at_time(const SourceRows& rows, double t) {
    std::vector<double> values(rows.y.size(), std::nan(""));
    const double slack = 1e-9 * (rows.time.back() - rows.time.front());
    if (t < rows.time.front() - slack || t > rows.time.back() + slack) return values;
    const auto after = std::lower_bound(rows.time.begin(), rows.time.end(), t - slack);
    const auto k = static_cast<std::size_t>(after - rows.time.begin());
    for (std::size_t c = 0; c < values.size(); ++c) {
      if (k == 0 || std::fabs(rows.time[k] - t) <= slack) {
        values[c] = rows.y[c][k];
        continue;
      }
      const double w = (t - rows.time[k - 1]) / (rows.time[k] - rows.time[k - 1]);
      values[c] = (1 - w) * rows.y[c][k - 1] + w * rows.y[c][k];
    }
    return values;
  }

  void add_distances(FigurePanel& panel, const std::vector<Labelled>& list,
                     const std::vector<std::string>& expressions) {
    const PlotSource& reference = sources_.named(options_.against);
    if (!reference.series->has_time())
      throw std::invalid_argument(fmt::format("--against {}: has no time", options_.against));
    const SourceRows truth = rows_of(reference, expressions, "t");
    for (const PlotSource* source : shown_) {
      if (source == &reference) continue;
      const SourceRows rows = rows_of(*source, expressions, x_.expression);
      FigureCurve curve;
      curve.label = source->label;
      curve.marks = options_.points;
      for (std::size_t r = 0; r < rows.time.size(); ++r) {
        const std::vector<double> there = at_time(truth, rows.time[r]);
        double square = 0;
        for (std::size_t k = 0; k < there.size(); ++k) square += std::pow(rows.y[k][r] - there[k], 2);
        curve.points.emplace_back(rows.x[r], std::sqrt(square));
      }
      panel.curves.push_back(std::move(curve));
    }
    if (panel.curves.empty()) throw std::invalid_argument("--against: no run is left to compare with the reference");
    std::string names;
    for (const Labelled& item : list) names += (names.empty() ? "" : ", ") + item.label;
    panel.y.label = fmt::format("distance of {}{}{} from {}", list.size() > 1 ? "(" : "", names,
                                list.size() > 1 ? ")" : "", reference.label);
    const std::string unit = all().front().series->unit_of(expressions.front());
    if (!unit.empty()) panel.y.label += fmt::format(" ({})", unit);
  }

  // Each curve becomes a point; the points of the same expression one curve.
  void reduce(FigurePanel& panel) const {
    const std::size_t per_source = options_.against.empty() ? panel.curves.size() / shown_.size() : 1;
    std::vector<FigureCurve> reduced(per_source);
    for (std::size_t k = 0; k < panel.curves.size(); ++k) {
      const FigureCurve& curve = panel.curves[k];
      FigureCurve& into = reduced[k % per_source];
      Vec2 point = curve.points.back();
      report::Range range;
      double sum = 0, count = 0;
      for (const Vec2& p : curve.points)
        if (std::isfinite(p.y())) range.add(p.y()), sum += p.y(), ++count;
      if (options_.reduce == "max") point.y() = range.high;
      if (options_.reduce == "min") point.y() = range.low;
      if (options_.reduce == "mean") point.y() = sum / count;
      into.points.push_back(point);
      into.marks = true;
      if (per_source > 1) into.label = curve.label.substr(0, curve.label.find(", "));
    }
    for (FigureCurve& curve : reduced) std::ranges::stable_sort(curve.points, {}, [](const Vec2& p) { return p.x(); });
    panel.curves = std::move(reduced);
  }

  [[nodiscard]] static std::string with_unit(const Labelled& item, const report::SeriesSource& series) {
    const std::string unit = series.unit_of(item.expression);
    const std::string name = item.expression == "t" && !item.named ? "time" : item.label;
    return unit.empty() ? name : fmt::format("{} ({})", name, unit);
  }

  void label_axes(FigurePanel& panel, const std::vector<Labelled>& list, std::size_t number) {
    const report::SeriesSource& series = *all().front().series;
    panel.x.label = with_unit(x_, series);
    if (panel.y.label.empty()) {
      std::set<std::string> units;
      for (const Labelled& item : list) units.insert(series.unit_of(item.expression));
      if (list.size() == 1)
        panel.y.label = with_unit(list.front(), series);
      else if (units.size() == 1 && !units.begin()->empty())
        panel.y.label = *units.begin();
    }
    if (!options_.reduce.empty() && options_.reduce != "end") panel.y.label = options_.reduce + " of " + panel.y.label;
    if (!options_.x_label.empty()) panel.x.label = options_.x_label;
    if (!options_.y_labels.empty()) panel.y.label = y_label(options_, number, panel.y.label);
  }

  void finish_axes(FigurePanel& panel) const {
    panel.x.logarithmic = options_.log.find('x') != std::string::npos;
    panel.y.logarithmic = options_.log.find('y') != std::string::npos;
    const auto limit = [](const AxisLimits& from, report::FigureAxis& to, const char* option) {
      if (std::isfinite(from.low)) to.low = from.low;
      if (std::isfinite(from.high)) to.high = from.high;
      if (to.logarithmic && to.low <= 0)
        throw std::invalid_argument(fmt::format("{}: a logarithmic axis begins above zero", option));
    };
    limit(x_range_, panel.x, "--x-range");
    limit(y_range_, panel.y, "--y-range");
    if (!options_.x_label.empty()) panel.x.label = options_.x_label;
    for (const auto* axis : {&panel.x, &panel.y}) {
      if (!axis->logarithmic) continue;
      const bool is_x = axis == &panel.x;
      const bool any = std::ranges::any_of(panel.curves, [&](const FigureCurve& curve) {
        return std::ranges::any_of(curve.points, [&](const Vec2& p) { return (is_x ? p.x() : p.y()) > 0; });
      });
      if (!any) throw std::invalid_argument(fmt::format("--log {}: no value is positive", options_.log));
    }
  }

  // One formula or overlay goes to every panel; several go to the panels in their order, the rest to the last.
  [[nodiscard]] bool goes_to(std::size_t k, std::size_t count, std::size_t panel) const {
    const std::size_t last = std::max<std::size_t>(options_.y.size(), 1) - 1;
    return count == 1 || last == 0 || std::min(k, last) == panel;
  }

  // Curves given as formulas, of t or of x; "fx, fy" is a path over the time.
  void add_formulas(FigurePanel& panel, std::size_t number) {
    const report::SeriesSource& series = *all().front().series;
    for (std::size_t k = 0; k < options_.theory.size(); ++k) {
      if (!goes_to(k, options_.theory.size(), number)) continue;
      const Labelled item = labelled(options_.theory[k]);
      const std::vector<std::string> parts = split_list(item.expression);
      if (parts.size() > 2)
        throw std::invalid_argument(fmt::format("--theory \"{}\": one or two formulas", item.label));
      report::Range range;
      for (const FigureCurve& curve : panel.curves)
        for (const Vec2& p : curve.points)
          if (!panel.x.logarithmic || p.x() > 0) range.add(p.x());
      if (parts.size() == 2) {
        range = {};
        for (const double t : rows_of(all().front(), {}, "t").time) range.add(t);
      }
      const report::Scale scale{range.low, range.high, panel.x.logarithmic && parts.size() == 1};
      std::vector<double> at;
      for (std::size_t i = 0; i <= kFormulaPoints; ++i)
        at.push_back(scale.value_at(static_cast<double>(i) / kFormulaPoints));
      const std::string variable = parts.size() == 2 || over_time() ? "t" : "x";
      FigureCurve curve;
      curve.label = item.label;
      curve.theory = true;
      std::vector<std::vector<double>> values;
      for (const std::string& part : parts) values.push_back(series.formula(part, variable, at));
      for (std::size_t i = 0; i < at.size(); ++i)
        curve.points.emplace_back(parts.size() == 2 ? values[0][i] : at[i], values.back()[i]);
      panel.curves.push_back(std::move(curve));
    }
  }

  // "LABEL=FILE: X, Y": points of another file under names of its own.
  static void add_overlay(FigurePanel& panel, const std::string& text) {
    const std::size_t colon = text.rfind(':'), equals = text.substr(0, colon).rfind('=');
    const std::vector<std::string> parts =
        colon == std::string::npos ? std::vector<std::string>{} : split_list(text.substr(colon + 1));
    if (parts.size() != 2)
      throw std::invalid_argument(fmt::format("--overlay {}: write FILE: X, Y or LABEL=FILE: X, Y", text));
    const bool named = equals != std::string::npos && equals < colon;
    const std::string file = text.substr(named ? equals + 1 : 0, colon - (named ? equals + 1 : 0));
    const std::unique_ptr<report::SeriesSource> series = report::open_series(file);
    const std::vector<std::vector<double>> values = series->evaluate(parts);
    FigureCurve curve;
    curve.label = named ? text.substr(0, equals) : std::filesystem::path(file).stem().string();
    curve.marks = true;
    curve.line = false;
    curve.theory = true;  // black, over the others
    for (std::size_t r = 0; r < values[0].size(); ++r) curve.points.emplace_back(values[0][r], values[1][r]);
    panel.curves.push_back(std::move(curve));
  }

  void add_slopes(FigurePanel& panel) {
    if (!panel.x.logarithmic || !panel.y.logarithmic)
      throw std::invalid_argument("--slope goes with --log xy: it is the power of x by which y grows");
    std::vector<FigureCurve> lines;
    for (FigureCurve& curve : panel.curves) {
      if (curve.theory) continue;
      const LogFit fit = fit_logarithms(curve.points);
      const std::string name = curve.label.empty() ? panel.y.label : curve.label;
      std::string line = fmt::format("{}: slope {:.3f}; between neighbours", name, fit.slope);
      for (std::size_t k = 0; k + 1 < curve.points.size(); ++k)
        line += fmt::format(" {:.2f}", fit_logarithms({curve.points[k], curve.points[k + 1]}).slope);
      result_.slopes.push_back(line);
      // Panels whose curves have the same names share one legend: of several panels, each says of what its slope is.
      if (curve.label.empty() && (options_.y.size() > 1 || options_.split))
        curve.label = panel.title.empty() ? panel.y.label : panel.title;
      curve.label = fmt::format("{}{}slope {:.2f}", curve.label, curve.label.empty() ? "" : ", ", fit.slope);
      FigureCurve straight;
      straight.faint = true;
      for (const Vec2& p : curve.points)
        if (p.x() > 0) straight.points.emplace_back(p.x(), fit.at_one * std::pow(p.x(), fit.slope));
      lines.push_back(std::move(straight));
    }
    panel.curves.insert(panel.curves.end(), lines.begin(), lines.end());
  }

  // Two lengths: a path, which must not be squeezed.
  void decide_equal(FigurePanel& panel, const std::vector<Labelled>& list) const {
    const report::SeriesSource& series = *all().front().series;
    const std::string unit = series.unit_of(x_.expression);
    const bool lengths =
        !unit.empty() && unit.find('/') == std::string::npos && !over_time() &&
        std::ranges::all_of(list, [&](const Labelled& y) { return series.unit_of(y.expression) == unit; });
    const bool path = lengths && options_.against.empty() && options_.reduce.empty() && options_.log.empty() &&
                      options_.x_range.empty() && options_.y_range.empty();
    panel.equal = options_.equal || (path && !options_.not_equal);
    if (options_.equal && !options_.log.empty())
      throw std::invalid_argument("--equal: logarithmic axes have no common scale");
  }

  const PlotOptions& options_;
  PlotSources& sources_;
  Labelled x_;
  AxisLimits window_, x_range_, y_range_;
  std::vector<const PlotSource*> shown_;  // in the panel being made
  PlotResult result_;
};

}  // namespace

LogFit fit_logarithms(const std::vector<Vec2>& points) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (const Vec2& p : points) {
    if (!(p.x() > 0) || !(p.y() > 0) || !std::isfinite(p.x()) || !std::isfinite(p.y())) continue;
    const double x = std::log(p.x()), y = std::log(p.y());
    ++n, sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  const double spread = n * sxx - sx * sx;
  if (n < 2 || !(spread > 0)) return {std::nan(""), std::nan("")};
  const double slope = (n * sxy - sx * sy) / spread;
  return {slope, std::exp((sy - slope * sx) / n)};
}

PlotResult make_plot(const PlotOptions& options, PlotSources& sources) {
  return PlotBuilder(options, sources).build();
}

std::string figure_csv(const Figure& figure) {
  std::string out = "panel,curve,x,y,u,v\n";
  const auto text = [](const std::string& s) {
    std::string quoted;
    for (const char c : s) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return "\"" + quoted + "\"";
  };
  for (const FigurePanel& panel : figure.panels) {
    const std::string name = text(panel.title.empty() ? panel.y.label : panel.title);
    for (const FigureCurve& curve : panel.curves)
      if (!curve.faint)
        for (const Vec2& p : curve.points)
          out += fmt::format("{},{},{},{},,\n", name, text(curve.label.empty() ? panel.y.label : curve.label), p.x(),
                             p.y());
    out += grid_csv(panel, name);
    for (std::size_t k = 0; k < panel.bands.size(); ++k)
      for (const report::Band& band : panel.bands[k])
        out += fmt::format("\"modes\",{},{},{},{},\n", text(panel.band_names[k]), band.begin, band.end,
                           contact::to_string(band.mode));
  }
  return out;
}

}  // namespace stickslip::app
