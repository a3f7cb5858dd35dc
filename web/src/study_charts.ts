// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Charts of single trials: success against each parameter, the ranking of parameters, and a matrix of scatter plots.
import { element, shape, table } from "./dom";
import { FAILURE, SUCCESS, scaleColor, theme } from "./palette";
import { numberText } from "./plots";
import { labelOf, type Study } from "./study_data";
import { binned, explained, wilson } from "./study_statistics";

const BINS = 10;
const PANEL = { width: 300, height: 170, left: 44, right: 10, top: 8, bottom: 38 };
const CELL = 132; // pixels of a scatter plot
const EDGE = 60;
const MOST_COLUMNS = 7;

export interface Column {
  name: string;
  values: ArrayLike<number>;
}

export function parameterColumns(study: Study): Column[] {
  return study.parameters.map((name, k) => ({ name: labelOf(study, name), values: study.rows.parameters[k] })).filter(({ values }) => varies(values));
}

export function resultColumns(study: Study): Column[] {
  const list: Column[] = [];
  if (study.success) list.push({ name: "success", values: study.rows.success });
  if (study.objective) list.push({ name: "objective", values: study.rows.objective });
  study.observables.forEach((name, k) => {
    // An objective that is one of the observables is shown once.
    if (!study.objective || !same(study.rows.objective, study.rows.observables[k])) list.push({ name: labelOf(study, name), values: study.rows.observables[k] });
  });
  return list.filter(({ values }) => varies(values));
}

function rangeOf(values: ArrayLike<number>): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (let k = 0; k < values.length; ++k) if (Number.isFinite(values[k])) [low, high] = [Math.min(low, values[k]), Math.max(high, values[k])];
  return [low, high];
}

// More than rounding errors do.
export function varies(values: ArrayLike<number>): boolean {
  const [low, high] = rangeOf(values);
  return high - low > 1e-12 && high - low > 1e-7 * Math.max(Math.abs(low), Math.abs(high));
}

function same(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  return Array.from(a).every((x, k) => x === b[k] || (Number.isNaN(x) && Number.isNaN(b[k])));
}

// The rate of success over a parameter, with the 95 % interval of each stretch.
export function successFigure(study: Study, column: Column, rows: number[]): HTMLElement {
  const { width, height, left, right, top, bottom } = PANEL;
  const [low, high] = rangeOf(column.values);
  const x = (value: number) => left + ((value - low) / (high - low)) * (width - left - right);
  const y = (rate: number) => top + (1 - rate) * (height - top - bottom);
  const picture = shape("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `success over ${column.name}`, class: "chart" });
  for (const rate of [0, 0.5, 1])
    picture.append(shape("line", { x1: left, x2: width - right, y1: y(rate), y2: y(rate), stroke: "var(--grid)" }),
      shape("text", { x: left - 5, y: y(rate) + 4, "text-anchor": "end" }, String(rate)));
  let line = "";
  for (const bin of binned(column.values, rows, BINS)) {
    const good = bin.filter((row) => study.rows.success[row] > 0).length;
    const { value, low: from, high: to } = wilson(good, bin.length);
    const [a, b] = [column.values[bin[0]], column.values[bin.at(-1)!]];
    const middle = x((a + b) / 2);
    line += `${line ? "L" : "M"}${middle.toFixed(1)} ${y(value).toFixed(1)}`;
    picture.append(shape("g", {}, shape("title", {}, `${numberText(a)} to ${numberText(b)}: ${good} of ${bin.length}, 95 % interval ${numberText(from)} to ${numberText(to)}`),
      shape("path", { d: `M${middle} ${y(from)}V${y(to)}M${x(a)} ${y(value)}H${x(b)}`, stroke: SUCCESS, "stroke-width": "1.5", fill: "none" }),
      shape("circle", { cx: middle, cy: y(value), r: 3.5, fill: SUCCESS })));
  }
  picture.append(shape("path", { d: line, stroke: SUCCESS, "stroke-opacity": "0.35", fill: "none" }),
    shape("text", { x: left, y: height - bottom + 15, "text-anchor": "start" }, numberText(low)),
    shape("text", { x: width - right, y: height - bottom + 15, "text-anchor": "end" }, numberText(high)),
    shape("text", { x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle", class: "axis-name" }, column.name));
  return element("figure", { class: "histogram" }, picture);
}

// Share of the variance of each result that each parameter explains by itself, the largest first.
export function rankingTable(parameters: Column[], results: Column[], rows: number[]): HTMLElement {
  const ranked = parameters.map((p) => ({ p, shares: results.map((r) => explained(p.values, r.values, rows)) }));
  // By what any result owes to it.
  ranked.sort((a, b) => Math.max(...b.shares.map((x) => x || 0)) - Math.max(...a.shares.map((x) => x || 0)));
  const cell = (share: number) => {
    if (!Number.isFinite(share)) return "–";
    const fill = element("span", { class: "filled" });
    fill.style.width = `${100 * Math.min(1, share)}%`;
    return element("span", { class: "share" }, element("span", { class: "share-bar" }, fill), `${Math.round(100 * share)} %`);
  };
  return element("div", { class: "scroller" }, table(["parameter", ...results.map(({ name }) => name)], ranked.map(({ p, shares }) => [p.name, ...shares.map(cell)])));
}

// Every pair of columns as a scatter plot. Drag a rectangle to keep what is inside.
export class ScatterMatrix {
  readonly element = element("div", { class: "scatter scroller" });
  private readonly canvas = element("canvas", { "aria-label": "Scatter plots of parameters and results" });
  private readonly columns: Column[];
  private rows: number[];
  private box: { i: number; j: number; from: [number, number]; to: [number, number] } | undefined;

  constructor(private readonly study: Study, private readonly brush: (kept: Map<string, [number, number]>) => void) {
    this.columns = [...parameterColumns(study), ...resultColumns(study).filter(({ name }) => name !== "success")].slice(0, MOST_COLUMNS);
    this.rows = Array.from(study.rows.trial, (_, row) => row);
    this.element.append(this.canvas);
    this.listen();
  }

  get useful(): boolean {
    return this.columns.length >= 2;
  }

  show(rows: number[]): void {
    this.rows = rows;
    this.draw();
  }

  // The middle of a plot, and its size, for those who drag there.
  place(i: number, j: number): { left: number; top: number; size: number } {
    return { left: EDGE + i * CELL, top: j * CELL, size: CELL };
  }

  draw(): void {
    const n = this.columns.length;
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [EDGE + n * CELL + 4, n * CELL + EDGE];
    Object.assign(this.canvas.style, { width: `${width}px`, height: `${height}px` });
    [this.canvas.width, this.canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    const c = this.canvas.getContext("2d");
    if (!c) return;
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.font = "11px system-ui, sans-serif";
    const kept = new Set(this.rows);
    this.columns.forEach((x, i) => this.columns.forEach((y, j) => (i === j ? this.name(c, x.name, i) : this.plot(c, x, y, i, j, kept))));
    this.columns.forEach((column, k) => this.ends(c, column, k));
    if (!this.box) return;
    const { from, to } = this.box;
    c.fillStyle = theme.chosen;
    c.globalAlpha = 0.3;
    c.fillRect(Math.min(from[0], to[0]), Math.min(from[1], to[1]), Math.abs(to[0] - from[0]), Math.abs(to[1] - from[1]));
    c.globalAlpha = 1;
  }

  private at(column: Column, value: number): number {
    const [low, high] = rangeOf(column.values);
    return 6 + ((value - low) / (high - low)) * (CELL - 12);
  }

  private plot(c: CanvasRenderingContext2D, x: Column, y: Column, i: number, j: number, kept: Set<number>): void {
    const { left, top } = this.place(i, j);
    c.strokeStyle = theme.line;
    c.strokeRect(left + 0.5, top + 0.5, CELL - 4, CELL - 4);
    const { success, objective } = this.study.rows;
    const [least, most] = rangeOf(objective);
    const radius = this.study.rows.trial.length > 1500 ? 1 : 1.8;
    for (let row = 0; row < this.study.rows.trial.length; ++row) {
      if (!Number.isFinite(x.values[row]) || !Number.isFinite(y.values[row])) continue;
      const inside = kept.has(row);
      c.fillStyle = !inside ? theme.grid : !Number.isNaN(success[row]) ? (success[row] > 0 ? SUCCESS : FAILURE) : most > least ? scaleColor((0.9 * (objective[row] - least)) / (most - least)) : SUCCESS;
      c.globalAlpha = inside ? 0.7 : 1;
      const [px, py] = [left + this.at(x, x.values[row]) - 2, top + CELL - this.at(y, y.values[row]) - 2];
      c.fillRect(px - radius, py - radius, 2 * radius, 2 * radius);
    }
    c.globalAlpha = 1;
  }

  private name(c: CanvasRenderingContext2D, text: string, k: number): void {
    const { left, top } = this.place(k, k);
    c.fillStyle = theme.ink;
    c.textAlign = "center";
    c.fillText(text, left + CELL / 2, top + CELL / 2, CELL - 8);
  }

  private ends(c: CanvasRenderingContext2D, column: Column, k: number): void {
    const [low, high] = rangeOf(column.values);
    const { left, top } = this.place(k, k);
    const bottom = this.columns.length * CELL;
    c.fillStyle = theme.soft;
    c.textAlign = "left";
    c.fillText(numberText(Number(low.toPrecision(3))), left, bottom + 10);
    c.textAlign = "right";
    c.fillText(numberText(Number(high.toPrecision(3))), left + CELL - 6, bottom + 10);
    c.fillText(numberText(Number(high.toPrecision(3))), EDGE - 3, top + 10);
    c.fillText(numberText(Number(low.toPrecision(3))), EDGE - 3, top + CELL - 6);
  }

  private listen(): void {
    const at = (event: PointerEvent): [number, number] => {
      const box = this.canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    this.canvas.addEventListener("pointerdown", (event) => {
      const from = at(event);
      const [i, j] = [Math.floor((from[0] - EDGE) / CELL), Math.floor(from[1] / CELL)];
      if (i === j || !this.columns[i] || !this.columns[j]) return;
      this.canvas.setPointerCapture(event.pointerId);
      this.box = { i, j, from, to: from };
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (!this.box || !event.buttons) return;
      this.box.to = at(event);
      this.draw();
    });
    this.canvas.addEventListener("pointerup", () => {
      const { box } = this;
      this.box = undefined;
      if (!box) return;
      const { left, top } = this.place(box.i, box.j);
      const value = (column: Column, pixels: number) => {
        const [low, high] = rangeOf(column.values);
        return low + ((pixels - 6) / (CELL - 12)) * (high - low);
      };
      const span = (column: Column, a: number, b: number): [number, number] => [Math.min(value(column, a), value(column, b)), Math.max(value(column, a), value(column, b))];
      const kept = new Map<string, [number, number]>();
      if (Math.hypot(box.to[0] - box.from[0], box.to[1] - box.from[1]) > 4) {
        kept.set(this.columns[box.i].name, span(this.columns[box.i], box.from[0] - left + 2, box.to[0] - left + 2));
        kept.set(this.columns[box.j].name, span(this.columns[box.j], top + CELL - 2 - box.from[1], top + CELL - 2 - box.to[1]));
      }
      this.brush(kept);
    });
  }
}
