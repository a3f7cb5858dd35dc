// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The page of compare: one scene under several models, with a verdict on every observable.
import { Bands } from "./bands";
import type { Body, Pair } from "./data";
import { details, element, table } from "./dom";
import { named, type Comparison, type Method } from "./model_data";
import { numberText, overTime } from "./plots";
import { Replays } from "./replays";
import { SeriesPanels } from "./series_panels";
import { TimeWindow } from "./time_window";

const MOST_ROWS = 24; // of the timeline

export class ComparisonPage {
  readonly element = element("div", { class: "study" });
  readonly replays: Replays;
  private readonly window: TimeWindow;
  private readonly series: SeriesPanels;
  private readonly bands: Bands;
  private time = 0;

  constructor(private readonly data: Comparison) {
    const ran = data.methods.filter(({ series }) => series.time.length > 1);
    this.window = new TimeWindow(0, Math.max(1e-12, ...ran.map(({ series }) => series.time[series.time.length - 1])));
    this.replays = new Replays(data.runs);
    const seek = (time: number) => this.seek(time);
    this.bands = new Bands(this.window, seek, (time) => this.hover(time), data.time_unit);
    this.series = new SeriesPanels(data.observables, ran, this.window, seek, (time) => this.bands.hover(time));
    const section = (name: string, title: string, ...content: (Node | string)[]) =>
      this.element.append(element("section", { class: name, "aria-label": title }, element("h2", {}, title), ...content));
    section("verdicts", "What depends on the model", ...this.verdicts());
    section("methods", "At the end", element("p", { class: "note" }, "Each method with half its step; ± is what halving the step changed."), this.table());
    section("curves", overTime("Curves of all methods", data.time_unit), this.series.element);
    section("modes", "Contact modes", this.bands.element);
    if (data.runs.length > 0) section("replay-section", "Replay", this.replays.element);
    else if (data.without_replays) section("replay-section", "Replay", element("p", { class: "note" }, `No replay: ${data.without_replays}.`));
    section("about", "About this comparison", table(["", ""], [["version", `stickslip ${data.version}`], ["replays", data.without_replays || "of every method that finished, at most eight"]]),
      details("Scene file", false, element("pre", {}, data.scene)));
    this.loadModes(ran);
    new ResizeObserver(() => {
      this.bands.resize();
      this.bands.show(this.time);
    }).observe(this.bands.element);
    if (data.runs.length > 0) this.replays.show(data.runs[0].name, data.runs[1]?.name);
  }

  header(): HTMLElement {
    const { data } = this;
    const failed = data.methods.filter(({ finished, asked }) => asked && !finished).length;
    const count = data.methods.length;
    const badge = failed > 0
      ? element("span", { class: "badge bad failed" }, `! ${failed} of ${count} methods failed`)
      : element("span", { class: "badge good" }, `✓ ${data.methods.filter(({ finished }) => finished).length} methods, every step certified`);
    const node = element("header", {}, element("h1", {}, `${data.title}: models compared`), badge);
    if (data.description) node.append(element("p", {}, data.description));
    return node;
  }

  private seek(time: number): void {
    this.time = time;
    this.series.show(time);
    this.bands.show(time);
    this.replays.page?.seek(time);
  }

  private hover(time: number | undefined): void {
    this.series.hover(time);
    this.bands.hover(time);
  }

  private verdicts(): HTMLElement[] {
    const items = this.data.observables.map((o) => {
      const said = o.text.startsWith(`${o.name}: `) ? o.text.slice(o.name.length + 2) : o.text;
      const kind = o.depends ? "bad" : /^(not known|nothing)/.test(said) ? "unknown" : "good";
      const badge = element("span", { class: `badge ${kind}` }, kind === "bad" ? "depends" : kind === "good" ? "does not depend" : "not known");
      return element("li", {}, element("strong", {}, named(o)), badge, element("span", {}, said.replace(/^(DEPENDS|does not depend) on the model:? ?/, "")));
    });
    const warned = this.data.methods.filter(({ warning }) => warning !== "");
    return [element("ul", { class: "verdict-list" }, ...items),
      ...warned.map(({ name, warning }) => element("p", { class: "notice" }, `${name}: ${warning}`))];
  }

  private table(): HTMLElement {
    const { observables, methods } = this.data;
    const head = ["method", "step", ...observables.map(named), "steps", "solves", "seconds", "worst residual"];
    const rows = methods.map((m) => {
      const values = m.finished ? observables.map((_, k) => valueText(m.values[k], m.bars[k])) : observables.map((_, k) => (k === 0 ? element("em", {}, m.failure) : ""));
      return [m.name, numberText(m.step), ...values, String(m.steps), String(m.solves), numberText(m.seconds), m.worst_residual === null ? "–" : m.worst_residual.toExponential(1)];
    });
    return element("div", { class: "scroller" }, table(head, rows));
  }

  // A row per pair and method: those of one pair follow each other.
  private loadModes(ran: Method[]): void {
    const { bodies, time_unit } = this.data;
    const keys = new Map<string, [number, number]>();
    for (const { modes } of ran) for (const { a, b } of modes) keys.set(`${a} ${b}`, [a, b]);
    const all = [...keys.values()].sort((p, q) => p[0] - q[0] || p[1] - q[1]);
    const pairs: Pair[] = [];
    for (const [a, b] of all.slice(0, Math.max(1, Math.floor(MOST_ROWS / Math.max(1, ran.length)))))
      for (const { name, modes, series } of ran) {
        const own = modes.filter((m) => m.a === a && m.b === b).sort((x, y) => x.begin - y.begin);
        const bands = filled(own, series.time[series.time.length - 1]);
        pairs.push({ a, b, name: `${bodies[a]} – ${bodies[b]}: ${name}`, friction: 0, carrier: a, touch: new Float64Array(), changes: MOST_ROWS,
          begin: Float64Array.from(bands.begin), mode: Uint8Array.from(bands.mode) });
      }
    this.bands.load({ bodies: bodies.map((name) => ({ name }) as Body), pairs, units: { time: time_unit, length: "", force: "" } });
    if (pairs.length < all.length * ran.length)
      this.bands.element.append(element("p", { class: "note" }, `The first ${pairs.length / Math.max(1, ran.length)} of ${all.length} pairs of bodies.`));
    this.time = this.window.last;
  }
}

// Bands without gaps: apart where nothing is said.
function filled(own: { mode: number; begin: number; end: number }[], end: number): { begin: number[]; mode: number[] } {
  const bands: { begin: number[]; mode: number[] } = { begin: [], mode: [] };
  let at = 0;
  for (const m of own) {
    if (m.begin > at) {
      bands.begin.push(at);
      bands.mode.push(0);
    }
    bands.begin.push(m.begin);
    bands.mode.push(m.mode);
    at = m.end;
  }
  if (at < end) {
    bands.begin.push(at);
    bands.mode.push(0);
  }
  bands.begin.push(Math.max(at, end));
  return bands;
}

// As many digits as the error bar leaves meaning.
function valueText(value: number | null, bar: number | null): string {
  if (value === null) return "–";
  if (bar === null) return numberText(value);
  const digits = bar > 0 && value !== 0 ? Math.min(9, Math.max(2, Math.ceil(Math.log10(Math.abs(value) / bar)) + 2)) : 6;
  return `${Number(value.toPrecision(digits))} ± ${Number(bar.toPrecision(2))}`;
}
