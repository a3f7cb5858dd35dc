// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// stickslip plot FILE...: figures from recordings, CSV files, studies and scenes.
#include "common_options.h"
#include "figures.h"
#include "output_name.h"
#include "outputs.h"
#include "plot_figure.h"
#include "verbs.h"

#include "stickslip/files/output_file.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

namespace stickslip::app {
namespace {

constexpr const char* kExamples =
    "FILE is a recording (run), a CSV file, the store of a study, or a scene, which is run first. LABEL=FILE names "
    "its\n"
    "curves. Everything drawn is an expression, as in scenes: observables and parameters by their names, the time t,\n"
    "ball.x, normal_force(ball, floor), hypot(ball.vx, ball.vy); of CSV files and studies, their columns.\n"
    "  -y EXPR          a panel; \"A, B\": two curves in it; \"speed: hypot(ball.vx, ball.vy)\" gives a curve a name\n"
    "  -x EXPR          instead of the time; two lengths are drawn to the same scale, the start as a ring\n"
    "  --vary mu=0.1,0.2,0.5    scenes: a run for each value; expressions know it (method.step as step)\n"
    "\n"
    "Examples:\n"
    "  stickslip plot ball.h5 -y x -o x.svg                                one observable over time\n"
    "  stickslip plot ball.h5 -x x -y y -o path.pdf                        a path\n"
    "  stickslip plot examples/plate-2d/scene.toml -x r_avg -y v_avg --window 1:10 --theory \"-0.5859*x - "
    "7.29e-4*x^3\" -o v.png\n"
    "  stickslip plot slow=a.h5 fast=b.h5 -y \"fingers, offset\" --modes --still 0.2 -o sticks.png\n"
    "  stickslip plot examples/ball/scene.toml --vary method.step=0.02,0.01,0.005,0.00125 --against \"step = 0.00125\" "
    "\\\n"
    "      -x step -y \"x, y\" --reduce max --log xy --slope -o order.svg       error over the step, with its slope\n"
    "  stickslip plot grid.db --field \"x0, y0, vx, vy\" -o field.svg         arrows over the starts of a study\n"
    "  stickslip plot grasp.db --heat \"x, y, success\" --style print -o map.pdf\n"
    "\n"
    "Exit codes: 0 done, 1 a file could not be written or a run failed, 2 bad input.";

// FILE of LABEL=FILE.
std::string file_of(const std::string& argument) {
  const std::size_t equals = argument.rfind('=');
  return equals == std::string::npos || std::filesystem::exists(argument) ? argument : argument.substr(equals + 1);
}

int plot(const PlotOptions& options) {
  const auto refuse = [](const std::string& text, int code) {
    fmt::print(stderr, "stickslip: {}\n", text);
    return code;
  };
  std::vector<std::string> outputs = options.outputs;
  if (outputs.empty()) outputs.push_back(name_after(file_of(options.files.front()), "scene") + ".svg");
  try {
    std::vector<std::string> inputs;
    for (const std::string& file : options.files) inputs.push_back(file_of(file));
    Outputs claims(inputs, options.force);
    for (const std::string& output : outputs) claims.claim(output, figure_kind(output));
    if (!options.data.empty()) claims.claim(options.data, OutputKind::Csv);
  } catch (const std::exception& error) {
    return refuse(error.what(), kBadInput);
  }
  try {
    PlotSources sources(options);
    const PlotResult result = make_plot(options, sources);
    for (const std::string& note : result.notes) fmt::print(stderr, "stickslip: note: {}\n", note);
    for (const std::string& output : outputs) write_figure(output, result.figure, options.pixels);
    if (!options.data.empty()) files::write_file(options.data, figure_csv(result.figure));
    for (const std::string& slope : result.slopes) fmt::print("{}\n", slope);
    std::size_t curves = 0, points = 0;
    for (const report::FigurePanel& panel : result.figure.panels) {
      for (const report::FigureCurve& curve : panel.curves)
        if (!curve.faint) ++curves, points += curve.points.size();
      points += panel.arrows.size() + (panel.cells ? panel.cells->values.size() : 0);
    }
    for (const std::string& output : outputs)
      fmt::print("figure: {} ({} panel{}, {} curve{}, {} points)\n", output, result.figure.panels.size(),
                 result.figure.panels.size() == 1 ? "" : "s", curves, curves == 1 ? "" : "s", points);
    if (!options.data.empty()) fmt::print("data: {}\n", options.data);
    return kDone;
  } catch (const report::SeriesError& error) {
    return refuse(error.what(), kBadInput);
  } catch (const std::invalid_argument& error) {
    return refuse(error.what(), kBadInput);
  } catch (const scene::SceneError& error) {
    return refuse(error.what(), kBadInput);
  } catch (const std::runtime_error& error) {
    return refuse(error.what(), kFailed);
  }
}

void add_look(CLI::App& verb, PlotOptions& options) {
  verb.add_option("--title", options.title, "Above the figure");
  verb.add_option("--x-label", options.x_label, "Instead of the expression and its unit");
  verb.add_option("--y-label", options.y_labels, "Likewise; one per panel, in their order")->take_all()->expected(1);
  verb.add_option("--x-range", options.x_range, "FROM:TO of the x axis; either may be left out");
  verb.add_option("--y-range", options.y_range, "FROM:TO of the y axis");
  verb.add_option("--log", options.log, "Logarithmic axes")->check(CLI::IsMember({"x", "y", "xy"}));
  CLI::Option* equal = verb.add_flag("--equal", options.equal, "The same scale on both axes");
  verb.add_flag("--no-equal", options.not_equal, "Another scale on each axis, even for paths")->excludes(equal);
  verb.add_flag("--points", options.points, "A mark at every point; lines only between few of them");
  verb.add_flag("!--no-legend", options.legend, "Do not name the curves");
  verb.add_flag("!--no-start", options.mark_start, "Do not mark where paths begin");
  CLI::Option* modes =
      verb.add_flag("--modes", options.modes, "Contact modes of pairs of bodies, as bands below the last panel");
  verb.add_flag("--contact-modes", options.contact_modes, "The same for each contact: corner 2 of the peg, side 1 ...")
      ->excludes(modes);
  verb.add_option("--still", options.stills,
                  "A picture of the first run's scene at this time; with --split a row for each run; may be repeated")
      ->take_all()
      ->expected(1);
  verb.add_option("--inset", options.insets,
                  "TIME[@CORNER[,PANEL]]: the same inside a panel; top-right of the first, or bottom-left ...");
  verb.add_option(
          "--label", options.labels,
          "TEXT@X,Y (in space X,Y,Z), expressions: a name in the pictures; with a second point, a measuring line")
      ->take_all()
      ->expected(1);
  verb.add_option("--view", options.view,
                  "Scenes in space from oblique, top, front, side, or AZIMUTH,ELEVATION[,ZOOM] in degrees");
  verb.add_option("--columns", options.columns, "Panels side by side")->check(CLI::Range(1, 6))->capture_default_str();
  verb.add_option("--size", options.size, "WIDTHxHEIGHT in cm: of the figure, and of a panel's chart");
  verb.add_option("--style", options.style, "colour (safe for the colour-blind), or print: black and greys")
      ->check(CLI::IsMember({"colour", "print"}))
      ->capture_default_str();
}

}  // namespace

void add_plot(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<PlotOptions>();
  CLI::App* verb = app.add_subcommand("plot", "Draw figures from recordings, CSV files, studies and scenes");
  verb->footer(kExamples);
  verb->add_option("FILE", options->files, "Recordings, CSV files, stores of studies, scenes; or LABEL=FILE")
      ->required();
  verb->add_option("-y", options->y, "What to draw: each a panel (default: all observables)")->take_all()->expected(1);
  verb->add_option("-x", options->x, "Along the x axis (default: the time)");
  verb->add_option("--window", options->window, "FROM:TO: only these times");
  verb->add_option("--theory", options->theory, "A formula of t (of x where -x is given), or \"FX, FY\" of t: a path")
      ->take_all()
      ->expected(1);
  verb->add_option("--overlay", options->overlay, "\"LABEL=FILE: X, Y\": points of another file, under its own names")
      ->take_all()
      ->expected(1);
  verb->add_option("--against", options->against,
                   "A label or a file: draw the distance of each run from this one, at the same time");
  verb->add_option("--reduce", options->reduce, "Make each run one point: its end, or the largest, least or mean value")
      ->check(CLI::IsMember({"end", "max", "min", "mean"}));
  verb->add_flag("--split", options->split, "A panel for each FILE");
  verb->add_flag("--slope", options->slope, "With --log xy: fit and print slopes");
  CLI::Option* field =
      verb->add_option("--field", options->field, "\"X, Y, U, V\": an arrow (U, V) at (X, Y) for every row");
  verb->add_option("--arrow-unit", options->arrow_unit, "With --field: the unit of U and V");
  verb->add_option("--heat", options->heat, "\"X, Y, VALUE\": coloured cells; means where rows share a cell")
      ->excludes(field);
  add_set_option(*verb, options->set, "Scenes: name=value, as in run");
  verb->add_option("--vary", options->vary, "Scenes: name=value,value,...: a run for each; several: all combinations")
      ->take_all()
      ->expected(1);
  verb->add_option("-o,--output", options->outputs,
                   "Figure: .svg, .png or .pdf (default: after the first file); may be repeated")
      ->take_all()
      ->expected(1);
  verb->add_option("--pixels", options->pixels, "Width of a PNG file (default: by --size, 180 per inch)")
      ->check(CLI::Range(50, 20000));
  add_force_option(*verb, options->force);
  verb->add_option("--data", options->data, "Write the numbers of the figure as CSV");
  add_look(*verb, *options);
  verb->callback([options, &exit_code] { exit_code = plot(*options); });
}

}  // namespace stickslip::app
