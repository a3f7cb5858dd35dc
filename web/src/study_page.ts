// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The page of a study: estimates, maps, histograms, all trials, and those worth looking at.
import { details, element, button, table } from "./dom";
import { HeatMapFigure } from "./heat_map";
import { histogramFigure } from "./histogram";
import { FAILURE, SUCCESS, whenThemeChanges } from "./palette";
import { ParallelChart } from "./parallel";
import { numberText } from "./plots";
import { inspect } from "./run_page";
import { ScatterMatrix, parameterColumns, rankingTable, resultColumns, successFigure, varies } from "./study_charts";
import { Replays } from "./replays";
import { labelOf, replayCommand, replayName, type Estimate, type Study, type Trial } from "./study_data";

export class StudyPage {
  readonly element = element("div", { class: "study" });
  readonly parallel: ParallelChart;
  readonly scatter: ScatterMatrix;
  readonly replays: Replays;
  private map: HeatMapFigure | undefined;
  private readonly histogramPlace = element("div", { class: "histogram-list" });
  private readonly successPlace = element("div", { class: "histogram-list" });
  private readonly keptNote = element("p", { class: "note", "aria-live": "polite" });
  private readonly chosen = element("div", { class: "chosen", "aria-live": "polite" });

  constructor(readonly study: Study) {
    this.parallel = new ParallelChart(study, (row) => this.show(row), (rows) => this.keep(rows));
    this.replays = new Replays(study.runs);
    this.scatter = new ScatterMatrix(study, (kept) => this.parallel.keep(kept));
    const section = (name: string, title: string, ...content: (Node | string)[]) =>
      this.element.append(element("section", { class: name, "aria-label": title }, element("h2", {}, title), ...content));
    section("estimates", "Estimates", ...this.estimates());
    if (study.maps.length > 0) section("map-section", "Map", ...this.maps());
    else if (study.without_maps) section("map-section", "Map", element("p", { class: "note" }, `No map: ${study.without_maps}.`));
    if (study.done > 0) {
      if (study.histograms.length > 0) section("histograms", "Distribution of results", this.legend("whiskers: 95 % intervals; outlined: the trials kept below"), this.histogramPlace);
      if (this.parallel.axes.length > 0) section("trials", "All trials", this.legend(""), this.parallel.element, this.chosen);
      else {  // one trial, or all of them the same
        section("trials", study.done === 1 ? "The trial" : "All trials agree", this.chosen);
        this.show(0);
      }
      if (this.scatter.useful)
        section("scatters", "Pairs of parameters and results", this.legend("drag a rectangle to keep what is inside, click to keep all"), this.scatter.element);
      this.importance(section);
      section("extremes", "Best and worst trials", ...this.extremes());
      const note = (text: string) => element("p", { class: "note" }, text);
      if (study.runs.length > 0) section("replay-section", "Replays", ...(study.without_replays ? [note(`Not replayed: ${study.without_replays}.`)] : []), this.replays.element);
      else if (study.without_replays) section("replay-section", "Replays", note(`None: ${study.without_replays}.`));
      if (study.runs.length > 0) this.replays.show(study.runs[0].name);
    }
    if (study.failures.length > 0) section("failures", "Failures by cause", this.failures());
    section("about", "About this study", ...this.texts());
    this.keep(this.parallel.kept());
    new ResizeObserver(() => this.parallel.resize()).observe(this.element);
    whenThemeChanges(() => {
      this.parallel.resize();
      this.scatter.draw();
    });
  }

  // What single parameters do to the results.
  private importance(section: (name: string, title: string, ...content: (Node | string)[]) => void): void {
    const parameters = parameterColumns(this.study);
    const results = resultColumns(this.study);
    if (parameters.length === 0 || results.length === 0) return;
    const rows = Array.from(this.study.rows.trial, (_, row) => row);
    section("importance", "Which parameters matter",
      element("p", { class: "note" }, "Share of each result's variance that a parameter explains by itself (first-order index, from the trials in bins of equal numbers; meaningful where parameters were drawn independently). What is missing to 100 % is joint effects and chance."),
      rankingTable(parameters, results, rows),
      ...(this.study.success ? [element("h3", {}, "Rate of success over each parameter, with 95 % intervals"), this.keptNote, this.successPlace] : []));
  }

  // All charts of single trials show what the reader keeps.
  private keep(rows: number[]): void {
    const { study } = this;
    const all = rows.length === study.rows.trial.length;
    if (this.scatter.useful) this.scatter.show(rows);
    this.map?.keep(all ? undefined : rows);
    if (study.success) this.successPlace.replaceChildren(...parameterColumns(study).map((column) => successFigure(study, column, rows)));
    this.keptNote.textContent = all ? "" : `of the ${rows.length} trials that are kept`;
    const values = (name: string): ArrayLike<number> | undefined => {
      const k = study.observables.indexOf(name);
      return k >= 0 ? study.rows.observables[k] : name === "objective" ? study.rows.objective : undefined;
    };
    const spread = study.histograms.filter(({ name }) => varies(values(name) ?? [])), still = study.histograms.filter((one) => !spread.includes(one));
    this.histogramPlace.replaceChildren(...spread.map((histogram) => {
      const list = all ? undefined : values(histogram.name);
      return histogramFigure(study, histogram, list && rows.map((row) => list[row]));
    }));
    if (still.length > 0) this.histogramPlace.append(element("p", { class: "note" }, `The same in all trials, up to rounding: ${still.map(({ name }) => labelOf(study, name)).join(", ")}.`));
  }

  header(): HTMLElement {
    const { study } = this;
    const whole = study.done === study.total;
    const badge = element("span", { class: whole ? "badge good" : "badge unknown" }, `${study.done} of ${counted(study.total)}`);
    const node = element("header", {}, element("h1", {}, study.title || study.store), badge);
    if (!whole) node.append(element("p", {}, "The study is not complete, or its stop rule ended it: estimates are of the trials so far."));
    return node;
  }

  private estimates(): HTMLElement[] {
    const { study } = this;
    const list: HTMLElement[] = [];
    if (study.success) list.push(estimateFigure("rate of success", study.success, [0, 1]));
    if (study.objective) list.push(estimateFigure("mean of the objective", study.objective));
    const ended = Object.entries(study.status).filter(([, count]) => count > 0).map(([name, count]) => [name, String(count)]);
    if (study.done === 0) list.push(element("p", { class: "note" }, "No trial is finished yet."));
    else list.push(table(["how trials ended", "trials"], ended));
    if (study.stages.length > 0)
      list.push(table(["stage", "designs", "passed", "seconds of work"], study.stages.map((s) => [s.name, String(s.designs), String(s.passed), numberText(s.seconds)])));
    return list;
  }

  private maps(): HTMLElement[] {
    const { study } = this;
    const place = element("div");
    const put = (k: number) => {
      this.map = new HeatMapFigure(study, study.maps[k]);
      place.replaceChildren(this.map.element);
    };
    const select = element("select", { "aria-label": "Value of the map" });
    study.maps.forEach((map, k) => select.append(new Option(map.value, String(k))));
    select.addEventListener("change", () => put(Number(select.value)));
    put(0);
    return [element("label", {}, "value ", select), place];
  }

  private legend(note: string): HTMLElement {
    if (!this.study.success) return element("p", { class: "note" }, note);
    const mark = (color: string, text: string) => {
      const square = element("span", { class: "mark" });
      square.style.setProperty("--color", color);
      return element("li", {}, square, text);
    };
    return element("ul", { class: "legend" }, mark(SUCCESS, "success"), mark(FAILURE, "no success"), element("li", {}, note));
  }

  private extremes(): HTMLElement[] {
    const { study } = this;
    const measure = study.objective ? "objective" : "success";
    const list: HTMLElement[] = [];
    for (const [title, trials] of [["Best", study.best], ["Worst", study.worst]] as const) {
      const heading = measure === "success" ? (title === "Best" ? "Successes" : "Failures") : `${title}, by ${measure}`;
      const wanted = measure === "success" ? trials.filter((t) => t.success === (title === "Best" ? 1 : 0)) : trials;
      list.push(element("h3", {}, heading));
      list.push(wanted.length > 0 ? this.trialTable(wanted) : element("p", { class: "note" }, "There is none."));
    }
    return list;
  }

  private trialTable(trials: Trial[]): HTMLElement {
    const { study } = this;
    const head = ["trial", ...study.parameters.map((name) => labelOf(study, name)), ...(study.objective ? ["objective"] : []), "outcome", "replay"];
    const rows = trials.map((t) => [String(t.trial), ...t.parameters.map(numberText), ...(study.objective ? [numberText(t.objective)] : []),
      outcomeText(t), this.replay(t.trial)]);
    return element("div", { class: "scroller" }, table(head, rows));
  }

  // The command, to be copied by one press.
  private replay(trial: number): HTMLElement {
    const command = replayCommand(this.study, trial);
    const node = element("span", { class: "replay" }, element("code", {}, command));
    const copy = button(`Copy the command for trial ${trial}`, "copy", () => {
      void navigator.clipboard?.writeText(command).then(() => (copy.textContent = "copied"));
    });
    if (navigator.clipboard) node.prepend(copy);
    if (this.replays.has(replayName(trial)))
      node.prepend(button(`Replay trial ${trial} on this page`, "play", () => {
        this.replays.show(replayName(trial));
        this.replays.page?.player.toggle();
        this.replays.element.scrollIntoView({ behavior: "smooth", block: "start" });
      }));
    return node;
  }

  private show(row: number): void {
    const { study } = this;
    const { rows } = study;
    const values = [
      ...study.parameters.map((name, k) => [labelOf(study, name), numberText(rows.parameters[k][row])]),
      ...study.observables.map((name, k) => [labelOf(study, name), numberText(rows.observables[k][row])]),
    ];
    if (study.objective) values.push(["objective", numberText(rows.objective[row])]);
    this.chosen.replaceChildren(element("h3", {}, `Trial ${rows.trial[row]}`), this.replay(rows.trial[row]),
      element("dl", {}, ...values.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value)))));
  }

  private failures(): HTMLElement {
    const rows = this.study.failures.map((f) => [String(f.count), f.status, f.cause, f.trials.join(", ")]);
    return element("div", { class: "scroller" }, table(["trials", "ended as", "cause", "for example"], rows));
  }

  private texts(): HTMLElement[] {
    const { study } = this;
    const facts = [
      ["store", study.store],
      ["certificate", certificateText(study)],
      ["work", `${numberText(study.seconds)} s, ${study.steps} steps`],
      ["version", `stickslip ${study.version}`],
    ];
    return [table(["", ""], facts), details("Study file", false, element("pre", {}, study.study_text)), details("Scene file", false, element("pre", {}, study.scene_text))];
  }
}

function counted(trials: number): string {
  return trials === 1 ? "1 trial" : `${trials} trials`;
}

function certificateText(study: Study): string {
  const uncertified = study.status.uncertified ?? 0;
  const worst = study.worst_residual === null ? "no step was taken" : `worst residual of the certified steps ${study.worst_residual.toExponential(2)}`;
  return `${worst}; ${uncertified} ${uncertified === 1 ? "trial" : "trials"} not certified`;
}

function outcomeText(trial: Trial): string {
  const ended = trial.cause ? `${trial.status}: ${trial.cause}` : trial.status;
  return trial.success === null ? ended : trial.success > 0 ? "success" : ended;
}

// A number, and a bar on which its interval is marked.
function estimateFigure(title: string, estimate: Estimate, scale?: [number, number]): HTMLElement {
  const { value, low, high, count } = estimate;
  const node = element("div", { class: "estimate" }, element("span", { class: "estimate-name" }, title), element("strong", {}, numberText(value)));
  if (low === null || high === null || value === null) return node;
  node.append(element("span", { class: "note" }, `95 % interval ${numberText(low)} to ${numberText(high)}, ${counted(count)}`));
  const [from, to] = scale ?? [low - 0.5 * (high - low), high + 0.5 * (high - low)];
  const percent = (x: number) => `${(100 * (x - from)) / (to - from || 1)}%`;
  const range = element("span", { class: "range" });
  range.style.left = percent(low);
  range.style.right = `calc(100% - ${percent(high)})`;
  const point = element("span", { class: "point" });
  point.style.left = percent(value);
  node.append(element("div", { class: "interval", role: "presentation" }, range, point));
  return node;
}

// What tests and other scripts on the page can ask.
export function inspectStudy(page: StudyPage) {
  const ready = performance.now(); // ms after the page was asked for
  return {
    study: () => page.study,
    kept: () => page.parallel.kept().map((row) => page.study.rows.trial[row]),
    place: (axis: string, value: number) => page.parallel.place(axis, value),
    scatterPlace: (i: number, j: number) => page.scatter.place(i, j),
    readyAfter: () => ready,
    replay: inspect(() => page.replays.page!),
  };
}
