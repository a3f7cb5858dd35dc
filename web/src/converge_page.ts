// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The page of converge: how far each run is from the next finer one, with the slope of that, and the curves of all steps.
import { details, element, table } from "./dom";
import { named, type Refined, type Refinement, type Sweep } from "./model_data";
import { curveColor } from "./palette";
import { numberText, overTime } from "./plots";
import { SeriesPanels } from "./series_panels";
import { TimeWindow } from "./time_window";
import { xyChart, type XyCurve } from "./xy_chart";

export class RefinementPage {
  readonly element = element("div", { class: "study" });

  constructor(private readonly data: Refinement) {
    const section = (name: string, title: string, ...content: (Node | string)[]) =>
      this.element.append(element("section", { class: name, "aria-label": title }, element("h2", {}, title), ...content));
    for (const sweep of data.sweeps) {
      const by = sweep.name === "step" ? "Refined steps" : "More friction directions";
      section("orders", by, element("p", { class: "note" }, "Difference between each run and the next finer one; dashed: the fitted slope, where there is an order."),
        element("div", { class: "histogram-list" }, ...sweep.observables.map((o) => panel(sweep, o))), verdicts(sweep),
        details("Values", sweep.observables.length <= 6, values(sweep)));
    }
    const runs = data.sweeps[0].runs.filter(({ series }) => series.time.length > 1);
    const window = new TimeWindow(0, Math.max(1e-12, ...runs.map(({ series }) => series.time[series.time.length - 1])));
    const panels = new SeriesPanels(data.sweeps[0].observables, runs, window, (time) => panels.show(time));
    section("curves", overTime("Curves of all steps", data.time_unit), panels.element);
    section("about", "About these runs", table(["", ""], [["stepper", data.stepper], ["claimed order", String(data.order)], ["motion", data.motion], ["version", `stickslip ${data.version}`]]),
      details("Scene file", false, element("pre", {}, data.scene)));
  }

  header(): HTMLElement {
    const { data } = this;
    const all = data.sweeps[0].observables;
    const known = all.filter((o) => o.order !== null || o.exact).length;
    const badge = data.warning
      ? element("span", { class: "badge bad" }, "✗ the runs contradict the stepper's order")
      : element("span", { class: known === all.length ? "badge good" : "badge unknown" }, `${known} of ${all.length} observables have an order or agree`);
    const node = element("header", {}, element("h1", {}, `${data.title}: convergence`), badge, element("p", {}, `${data.motion}, ${data.stepper}`));
    if (data.warning) node.append(element("p", { class: "notice" }, data.warning));
    return node;
  }
}

// What the verdict says, in a word.
function orderText(o: Refined): string {
  return o.exact ? "all runs agree" : o.order !== null ? `order ${o.order.toFixed(2)}` : `no order: ${o.why_not}`;
}

function panel(sweep: Sweep, o: Refined): HTMLElement {
  const points = o.changes.flatMap((y, k) => (y !== null && y > 0 ? [{ x: sweep.runs[k].resolution, y, title: `${sweep.runs[k].name}: ${numberText(y)}` }] : []));
  const curves: XyCurve[] = [];
  const { slope, at_one } = o;
  if (slope !== null && at_one !== null && points.length > 1)
    curves.push({ points: points.map(({ x }) => ({ x, y: at_one * x ** slope })), color: "var(--soft)", line: true, dash: "6 4" });
  curves.push({ points, color: curveColor(0), line: true, marks: 3.5 });
  const caption = element("figcaption", {}, element("strong", {}, named(o)), element("span", { class: "value" }, slope !== null ? `fitted slope ${slope.toFixed(2)}` : orderText(o)));
  if (o.description) caption.append(element("small", {}, o.description));
  const label = `distance to the next run over the ${sweep.name}: ${o.name}`;
  const chart = points.length > 0 && !o.exact
    ? xyChart(label, { name: sweep.name, logarithmic: true }, { name: "difference from the next run", logarithmic: true }, curves)
    : element("p", { class: "note" }, points.length > 0 ? `All runs agree to rounding: differences are at most ${numberText(Math.max(...points.map(({ y }) => y)))}.` : "All runs agree: there is no difference.");
  return element("figure", { class: "histogram order" }, caption, chart);
}

function verdicts(sweep: Sweep): HTMLElement {
  const finest = sweep.runs.length - 1;
  const rows = sweep.observables.map((o) => [named(o), numberFull(o.values[finest]), numberText(o.error_bar), numberFull(o.limit), orderText(o)]);
  return element("div", { class: "scroller" }, table(["observable", "finest value", "error bar", "limit", `order in ${sweep.name}`], rows));
}

function values(sweep: Sweep): HTMLElement {
  const rows = sweep.runs.map((run, i) => [numberText(run.resolution), ...sweep.observables.map((o) => numberFull(o.values[i])), String(run.steps), numberText(run.seconds)]);
  return element("div", { class: "scroller" }, table([sweep.name, ...sweep.observables.map(named), "steps", "seconds"], rows));
}

function numberFull(x: number | null): string {
  return x === null ? "–" : String(Number(x.toPrecision(12)));
}
