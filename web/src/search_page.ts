// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The page of optimise: how the objective fell, where the designs went, and trials before and after.
import { details, element, table } from "./dom";
import { named } from "./model_data";
import { curveColor } from "./palette";
import { numberText } from "./plots";
import { Replays } from "./replays";
import type { Search, Variable } from "./search_data";
import { xyChart, type XyCurve } from "./xy_chart";

const MOST_POINTS = 1500; // of a drawing; the best so far keeps every step

export class SearchPage {
  readonly element = element("div", { class: "study" });
  readonly replays: Replays;

  constructor(private readonly data: Search) {
    this.replays = new Replays(data.runs);
    const section = (name: string, title: string, ...content: (Node | string)[]) =>
      this.element.append(element("section", { class: name, "aria-label": title }, element("h2", {}, title), ...content));
    section("history", "History", element("p", { class: "note" }, "Every evaluated design (points) and the best so far (line)."), this.history());
    section("designs", "Designs", this.designs(), element("h3", {}, "Each parameter over the evaluations"),
      element("div", { class: "histogram-list" }, ...data.variables.map((v, k) => this.course(v, k))));
    if (data.trials.length > 0) section("outcome", "Before and after", this.outcome());
    if (data.runs.length > 0) section("replay-section", "Replay", element("p", { class: "note" }, "The trial whose objective changed most, and the one that is worst with the best design; each with the first and with the best design."), this.replays.element);
    if (data.without_replays) section("replay-section", "Not replayed", element("p", { class: "note" }, data.without_replays));
    section("checks", "Does it hold?", ...[...data.checks.map((text) => element("p", {}, `objective ${text}`)), ...data.warnings.map((text) => element("p", { class: "notice" }, text))]);
    section("about", "About this search", ...this.texts());
    const after = data.runs.find(({ name }) => name.endsWith("after"));
    if (after) this.replays.show(after.name, after.name.replace("after", "before"));
    else if (data.runs[0]) this.replays.show(data.runs[0].name);
  }

  header(): HTMLElement {
    const { data } = this;
    const from = data.first === null ? "undefined" : numberText(data.first);
    const badge = data.artefact
      ? element("span", { class: "badge bad" }, "✗ the best design is an artefact of the steps")
      : element("span", { class: "badge good" }, `✓ objective ${from} → ${numberText(data.best)}`);
    const node = element("header", {}, element("h1", {}, data.title), badge);
    node.append(element("p", {}, `minimises ${data.objective || "the sum of the residuals"} by ${data.method}: ${data.evaluations} evaluations, ${data.runs_made} runs`));
    return node;
  }

  private history(): SVGElement {
    const { value, round } = this.data.points;
    const points = Array.from(value, (y, k) => ({ x: k + 1, y, title: `evaluation ${k + 1}: ${numberText(y)}` }));
    const best: { x: number; y: number }[] = [];
    points.forEach(({ x, y }, k) => {
      const before = k > 0 && round[k] !== round[k - 1] ? undefined : best.at(-1); // another step: another objective
      if (Number.isFinite(y) && !(before && before.y <= y)) {
        if (before) best.push({ x, y: before.y });
        best.push({ x, y });
      }
    });
    if (best.length > 0) best.push({ x: points.length, y: best.at(-1)!.y });
    const seen = points.map(({ y }) => y).filter(Number.isFinite);
    const [low, high] = [Math.min(...seen), Math.max(...seen)];
    const stride = Math.ceil(points.length / MOST_POINTS);
    const curves: XyCurve[] = [
      { points: points.filter((_, k) => k % stride === 0), color: curveColor(4), marks: 2.5 },
      { points: best, color: curveColor(0), line: true },
    ];
    return xyChart("objective over the evaluations", { name: "evaluation" }, { name: "objective", logarithmic: low > 0 && high > 30 * low }, curves, 300, Math.min(1450, Math.max(320, window.innerWidth - 60))); // letters keep their size
  }

  private designs(): HTMLElement {
    const rows = this.data.variables.map((v) => [named(v), range(v), numberText(v.first), numberText(v.best), numberText(v.low), numberText(v.high), v.description]);
    return element("div", { class: "scroller" }, table(["parameter", "first ○ → best ●", "first", "best", "lower bound", "upper bound", ""], rows));
  }

  private course(variable: Variable, k: number): HTMLElement {
    const column = this.data.points.designs[k];
    const stride = Math.ceil(column.length / MOST_POINTS);
    const points = Array.from(column, (y, n) => ({ x: n + 1, y, title: `evaluation ${n + 1}: ${numberText(y)}` })).filter((_, n) => n % stride === 0);
    return element("figure", { class: "histogram" }, xyChart(`${variable.name} over the evaluations`, { name: "evaluation" }, { name: named(variable) }, [{ points, color: curveColor(0), marks: 2 }], 190));
  }

  private outcome(): HTMLElement {
    const { trials, varied } = this.data;
    const rows = trials.slice(0, 200).map((t) => [String(t.trial), ...t.values.map(numberText), numberText(t.before), numberText(t.after)]);
    const node = element("div", { class: "scroller" }, table(["trial", ...varied, "objective before", "objective after"], rows));
    if (trials.length > rows.length) node.append(element("p", { class: "note" }, `The first ${rows.length} of ${trials.length} trials.`));
    return node;
  }

  private texts(): HTMLElement[] {
    const { data } = this;
    const gradients = data.gradients > 0 ? `; ${data.gradients} gradients, ${data.implicit_gradients} by implicit differentiation` : "";
    const facts = [
      ["search", `${data.method}, ${data.evaluations} evaluations, ${data.runs_made} runs in ${numberText(data.seconds)} s${gradients}`],
      ["ended", data.ending],
      ["first design", data.first === null ? `undefined: ${data.first_cause}` : numberText(data.first)],
      ["stepping", data.stepping],
      ["version", `stickslip ${data.version}`],
    ];
    return [table(["", ""], facts), details("Study file", false, element("pre", {}, data.study_text))];
  }
}

// Where a parameter started and ended between its bounds.
function range({ low, high, first, best }: Variable): HTMLElement {
  const node = element("span", { class: "course" });
  if (low === null || high === null || !(high > low)) return node;
  const put = (value: number | null, kind: string) => {
    if (value === null) return;
    const mark = element("span", { class: kind });
    mark.style.left = `${(100 * (value - low)) / (high - low)}%`;
    node.append(mark);
  };
  put(first, "first");
  put(best, "best");
  return node;
}
