// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Curves over time: one uPlot per plot, the present time and the time under the pointer as lines through all of them.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { indexAt, type Plot } from "./data";
import { table } from "./dom";
import { curveColor, theme } from "./palette";
import { GUTTER } from "./bands";
import { listenTime, type TimeWindow } from "./time_window";
import { digitsOf } from "./view";

const HEIGHT = 132;
const SMALLEST_RESIDUAL = 1e-17;

export function numberText(x: number | null | undefined): string {
  if (x === null || x === undefined || !Number.isFinite(x)) return "–";
  if (x === 0) return "0";
  const size = Math.abs(x);
  return size >= 1e5 || size < 1e-4 ? x.toExponential(3) : String(Number(x.toPrecision(5)));
}

// "Curves over time (s)": the name of the axis that all plots have.
export function overTime(title: string, unit: string): string {
  return `${title} over time${unit ? ` (${unit})` : ""}`;
}

// Has each curve one value as long as it lasts? Of two runs that are compared one may end earlier.
export function constant({ curves, logarithmic }: Plot): boolean {
  const same = (values: Float32Array) => {
    const end = values.findIndex((x) => x !== values[0]); // not a number differs from itself
    return Number.isFinite(values[0]) && (end < 0 || values.subarray(end).every((x) => Number.isNaN(x)));
  };
  return !logarithmic && curves.every(({ values }) => values.length > 0 && same(values));
}

export function hasValues({ curves }: Plot): boolean {
  return curves.some(({ values }) => values.some((x) => Number.isFinite(x)));
}

export function constantsTable(plots: Plot[]): HTMLTableElement {
  const value = ({ curves, unit, ...plot }: Plot) =>
    !hasValues({ curves, unit, ...plot }) ? "no value"
    : curves.every(({ values }) => values[0] === curves[0].values[0])
      ? `${numberText(curves[0].values[0])} ${unit}`
      : curves.map(({ name, values }) => `${name} ${numberText(values[0])} ${unit}`).join(", ");
  const list = table(["", "at all times", ""], plots.map((plot) => [plot.title, value(plot), plot.description]));
  list.classList.add("constants");
  return list;
}

export class PlotPanel {
  readonly element = document.createElement("figure");
  private chart: uPlot | undefined;
  private readonly line = document.createElement("div");
  private readonly cursor = document.createElement("div");
  private readonly values: HTMLElement[] = [];
  private readonly empty: boolean;
  private readonly place = document.createElement("div");

  constructor(
    readonly plot: Plot,
    private readonly window: TimeWindow,
    private readonly seek: (time: number) => void,
    private readonly hovered: (time: number | undefined) => void,
    private readonly wanted?: number, // by a plan, at the end
  ) {
    this.element.className = "plot";
    this.line.className = "now";
    this.cursor.className = "cursor";
    this.cursor.hidden = true;
    window.listen(() => this.rescale());
    this.element.append(this.caption(), this.place);
    this.empty = !hasValues(plot);
    if (this.empty) {
      const note = document.createElement("p");
      note.className = "note";
      note.textContent = "No value during this run.";
      this.place.append(note);
    }
  }

  private caption(): HTMLElement {
    const caption = document.createElement("figcaption");
    const title = document.createElement("strong");
    title.textContent = this.plot.unit ? `${this.plot.title} (${this.plot.unit})` : this.plot.title;
    caption.append(title);
    this.plot.curves.forEach((curve, k) => {
      const value = document.createElement("span");
      value.className = "value";
      value.style.setProperty("--color", curveColor(k));
      value.dataset.name = this.plot.curves.length > 1 ? curve.name : "";
      this.values.push(value);
      caption.append(value);
    });
    if (this.wanted !== undefined) {
      const value = document.createElement("span");
      value.className = "value";
      value.style.setProperty("--color", theme.target);
      value.textContent = `wanted ${numberText(this.wanted)}`;
      caption.append(value);
    }
    if (this.plot.description) {
      const text = document.createElement("small");
      text.textContent = this.plot.description;
      caption.append(text);
    }
    return caption;
  }

  // In the present colours.
  repaint(): void {
    this.chart?.redraw(false, true);
  }

  resize(): void {
    if (this.empty) return;
    const width = Math.max(120, this.element.clientWidth);
    if (!this.chart) this.make(width);
    else if (this.chart.width !== width) this.chart.setSize({ width, height: HEIGHT });
  }

  show(time: number): void {
    if (this.cursor.hidden) this.tell(time);
    this.put(this.line, time);
  }

  // The values under the pointer, here and in all other plots.
  hover(time: number | undefined): void {
    this.cursor.hidden = time === undefined;
    this.element.classList.toggle("hovered", time !== undefined);
    if (time === undefined) return;
    this.tell(time);
    this.put(this.cursor, time);
  }

  private tell(time: number): void {
    const { plot } = this;
    const k = indexAt(plot.time, time);
    plot.curves.forEach((curve, index) => {
      const span = this.values[index];
      const name = span.dataset.name;
      span.textContent = `${name ? `${name} ` : ""}${numberText(curve.values[k])}`;
    });
  }

  private put(line: HTMLElement, time: number): void {
    if (!this.chart) return;
    line.style.transform = `translateX(${this.chart.valToPos(time, "x")}px)`;
    line.style.visibility = time < this.window.begin || time > this.window.end ? "hidden" : "";
  }

  private rescale(): void {
    this.chart?.setScale("x", { min: this.window.begin, max: this.window.end });
  }

  private make(width: number): void {
    const { plot } = this;
    const usable = (x: number) => (Number.isFinite(x) ? x : null);
    const positive = (x: number) => (Number.isFinite(x) ? Math.max(x, SMALLEST_RESIDUAL) : null);
    const curves = plot.curves.map((c) => Array.from(c.values, plot.logarithmic ? positive : usable));
    const options = plotOptions(plot, width);
    if (this.wanted !== undefined) {
      options.series.push({ label: "wanted", stroke: () => theme.target, width: 1.5, dash: [2, 4], points: { show: false } });
      curves.push(Array.from(plot.time, () => this.wanted!));
    }
    this.chart = new uPlot(options, [Array.from(plot.time), ...curves] as uPlot.AlignedData, this.place);
    const { over } = this.chart;
    over.append(this.line, this.cursor);
    const time = (clientX: number) => {
      const box = over.getBoundingClientRect();
      const s = Math.min(1, Math.max(0, (clientX - box.left) / box.width));
      return this.window.begin + s * (this.window.end - this.window.begin);
    };
    listenTime({ node: over, place: over, time, left: (t) => this.chart!.valToPos(t, "x"), eager: false }, this.window, this.seek, this.hovered);
    this.rescale();
  }
}

interface Look {
  logarithmic: boolean;
  curves: { name: string; values?: Float32Array }[];
}

// A few values among many make no line that one sees: they are shown as points.
export function scarce(values: ArrayLike<number | null>): boolean {
  return Array.prototype.filter.call(values, Number.isFinite).length < Math.max(3, 0.01 * values.length);
}

// Dashes of a curve that turns more often than this would fall between its turns.
const MOST_TURNS = 150;

function dense(values: Float32Array): boolean {
  let turns = 0;
  for (let k = 2; k < values.length; ++k) if ((values[k] - values[k - 1]) * (values[k - 1] - values[k - 2]) < 0) ++turns;
  return turns > MOST_TURNS;
}

export function plotOptions(plot: Look, width: number): uPlot.Options {
  const grid = { stroke: () => theme.grid, width: 1 };
  const axis = { stroke: () => theme.soft, font: "11px system-ui, sans-serif", grid, ticks: { stroke: () => theme.line, width: 1, size: 4 } };
  return {
    width,
    height: HEIGHT,
    padding: [8, GUTTER.right, 0, 0],
    legend: { show: false },
    cursor: { x: false, y: false, drag: { x: false, y: false }, points: { size: 6 } },
    scales: { x: { time: false }, y: plot.logarithmic ? { distr: 3 } : { range: (_, low, high) => padded(low, high) } },
    axes: [
      { ...axis, size: 26, values: (_, ticks) => ticks.map((x) => axisText(x, ticks, false)) },
      { ...axis, size: GUTTER.left, space: 20, ...(plot.logarithmic ? { splits: decades } : {}), values: (_, ticks) => ticks.map((x) => axisText(x, ticks, plot.logarithmic)) },
    ],
    series: [
      {},
      ...plot.curves.map((curve, k) => ({
        label: curve.name,
        stroke: () => theme.curves[k % theme.curves.length],
        width: 1.5,
        dash: curve.values && dense(curve.values) ? undefined : k % 3 === 1 ? [6, 3] : k % 3 === 2 ? [2, 2] : undefined,
        pxAlign: 0, // whole pixels would make steps of a flat slope
        points: { show: curve.values !== undefined && scarce(curve.values), size: 7 },
      })),
    ],
  };
}

// Powers of ten, at most six of them.
function decades(chart: uPlot): number[] {
  const { min, max } = chart.scales.y;
  if (min == null || max == null || !(min > 0)) return [];
  const [low, high] = [Math.ceil(Math.log10(min) - 1e-9), Math.floor(Math.log10(max) + 1e-9)];
  const step = Math.max(1, Math.ceil((high - low) / 5));
  const list: number[] = [];
  for (let power = low; power <= high; power += step) list.push(10 ** power);
  return list;
}

const ROUNDING = 1e-12; // what is smaller is nothing that anybody measures

// A constant curve gets a range, and rounding errors around zero do not fill the plot.
function padded(low: number | null, high: number | null): [number, number] {
  if (low === null || high === null) return [0, 1];
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (size > 0 && size < ROUNDING) return [-ROUNDING, ROUNDING];
  if (high - low <= 1e-9 * size || size === 0) return size === 0 ? [-1, 1] : [low - 0.1 * size, high + 0.1 * size];
  const air = 0.08 * (high - low);
  return [low - air, high + air];
}

function axisText(x: number | null, ticks: (number | null)[], logarithmic: boolean): string {
  if (x === null) return "";
  if (logarithmic) {
    const power = Math.log10(x);
    return Math.abs(power - Math.round(power)) < 1e-9 ? `1e${Math.round(power)}` : "";
  }
  if (x === 0) return "0";
  const known = ticks.filter((tick): tick is number => tick !== null);
  const step = known.length > 1 ? Math.abs(known[1] - known[0]) : Math.abs(x);
  const size = Math.max(...known.map(Math.abs));
  if (size >= 1e5 || size < 1e-3) return x.toExponential(Math.max(0, Math.min(3, Math.ceil(Math.log10(size / step) - 1e-9))));
  return x.toFixed(digitsOf(step));
}
