// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/report/figure_text.h"

#include "stickslip/files/xml_text.h"

#include <fmt/format.h>

namespace stickslip::report {
namespace {

std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += fmt::format("{}\"{}\"", out.empty() ? "" : ", ", name);
  return out;
}

std::string axis_text(const FigureAxis& axis) {
  return fmt::format("\"{}\"{}", axis.label, axis.logarithmic ? " (logarithmic)" : "");
}

std::string panel_text(const FigurePanel& panel) {
  std::string out;
  if (panel.cells)
    out = fmt::format("\"{}\" as colours over {} and {}", panel.cells->label, axis_text(panel.x), axis_text(panel.y));
  else if (!panel.arrows.empty())
    out = fmt::format("{} arrows over {} and {}", panel.arrows.size(), axis_text(panel.x), axis_text(panel.y));
  else
    out = (panel.y.label.empty() ? "curves" : axis_text(panel.y)) +
          (panel.x.label.empty() ? "" : " over " + axis_text(panel.x));
  std::vector<std::string> curves;
  for (const FigureCurve& curve : panel.curves)
    if (!curve.label.empty()) curves.push_back(curve.label);
  if (!curves.empty()) out += "; curves: " + listed(curves);
  if (!panel.band_names.empty()) out += "; contact modes: " + listed(panel.band_names);
  return out;
}

}  // namespace

std::string describe(const Figure& figure) {
  std::string out;
  for (std::size_t k = 0; k < figure.panels.size(); ++k) {
    const std::string& title = figure.panels[k].title;
    out += fmt::format("panel {}{}{}: {}\n", k + 1, title.empty() ? "" : ", ", title, panel_text(figure.panels[k]));
  }
  if (!figure.stills.empty()) {
    std::string times;
    for (const FigureStill& still : figure.stills) {
      const std::string& unit = still.data->units.time;
      times +=
          fmt::format("{}{}{}t = {:.6g}{}{}", times.empty() ? "" : ", ", still.title, still.title.empty() ? "" : ", ",
                      still.data->recording.time()[still.frame], unit.empty() ? "" : " ", unit);
    }
    out += fmt::format("pictures: {}\n", times);
  }
  if (!figure.note.empty()) out += figure.note + "\n";
  return out;
}

std::string with_description(std::string svg, const Figure& figure) {
  const std::size_t end = svg.find('>', svg.find("<svg"));  // of the opening tag
  if (end == std::string::npos) return svg;
  std::string words;
  if (!figure.title.empty()) words += fmt::format("\n<title>{}</title>", files::xml_text(figure.title));
  words += fmt::format("\n<desc>{}</desc>", files::xml_text(describe(figure)));
  return svg.insert(end + 1, words);
}

}  // namespace stickslip::report
