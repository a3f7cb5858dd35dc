// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Parallel coordinates: an axis per parameter and result, a line per trial. Drag along an axis to keep only the trials
// that pass there (double click: all of them again); click a line to choose its trial.
import { element } from "./dom";
import { FAILURE, SUCCESS, scaleColor, theme } from "./palette";
import { numberText } from "./plots";
import { varies } from "./study_charts";
import { labelOf, type Study } from "./study_data";

const HEIGHT = 320;
const MARGIN = { left: 50, right: 50, top: 44, bottom: 26 };
const AXIS_ROOM = 84; // pixels between two axes at least; beyond, the chart scrolls
const GRAB = 22; // pixels beside an axis that belong to it
const NEAR = 12; // pixels from a click to the line that it means

interface Axis {
  name: string;
  values: Float32Array;
  low: number;
  high: number;
  kept: [number, number] | undefined;
}

function axisOf(name: string, values: Float32Array): Axis | undefined {
  const known = values.filter(Number.isFinite);
  const low = known.reduce((x, y) => Math.min(x, y), Infinity);
  const high = known.reduce((x, y) => Math.max(x, y), -Infinity);
  return varies(known) ? { name, values, low, high, kept: undefined } : undefined;
}

export class ParallelChart {
  readonly element = element("div", { class: "parallel" });
  readonly axes: Axis[];
  private readonly canvas = element("canvas", { "aria-label": "All trials as lines over parameters and results" });
  private readonly scroller = element("div", { class: "scroller" }, this.canvas);
  private readonly counted = element("p", { class: "note" });
  private readonly cost: Axis | undefined; // colours the lines where no success does
  private width = 1;
  private dragged: { axis: Axis; from: number } | undefined;
  private selected = -1;

  // `changed`: other rows pass.
  constructor(private readonly study: Study, private readonly choose: (row: number) => void, private readonly changed: (rows: number[]) => void) {
    const { rows } = study;
    const objective = axisOf("objective", rows.objective);
    const list = [
      ...study.parameters.map((name, k) => axisOf(labelOf(study, name), rows.parameters[k])),
      ...study.observables.map((name, k) => axisOf(labelOf(study, name), rows.observables[k])),
      objective,
    ];
    this.axes = list.filter((axis): axis is Axis => axis !== undefined);
    this.cost = objective ?? this.axes.at(-1);
    this.element.append(this.scroller, this.counted);
    this.listen();
  }

  // The rows that pass through all kept stretches.
  kept(): number[] {
    const inside = (row: number) =>
      this.axes.every(({ kept, values }) => !kept || (values[row] >= kept[0] && values[row] <= kept[1]));
    return Array.from(this.study.rows.trial, (_, row) => row).filter(inside);
  }

  // Keeps stretches of some axes, by their names, and all of the others.
  keep(stretches: Map<string, [number, number]>): void {
    for (const axis of this.axes) axis.kept = stretches.get(axis.name);
    this.draw();
    this.changed(this.kept());
  }

  // Where a value lies in the canvas, for those who click there.
  place(name: string, value: number): [number, number] {
    const k = this.axes.findIndex((axis) => axis.name === name);
    return [this.x(k), this.y(this.axes[k], value)];
  }

  select(row: number): void {
    this.selected = row;
    this.draw();
  }

  resize(): void {
    const ratio = window.devicePixelRatio || 1;
    this.width = Math.max(this.scroller.clientWidth, MARGIN.left + MARGIN.right + AXIS_ROOM * (this.axes.length - 1));
    this.canvas.style.width = `${this.width}px`;
    this.canvas.style.height = `${HEIGHT}px`;
    this.canvas.width = Math.round(this.width * ratio);
    this.canvas.height = Math.round(HEIGHT * ratio);
    this.canvas.getContext("2d")?.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.draw();
  }

  private x(axis: number): number {
    const between = (this.width - MARGIN.left - MARGIN.right) / Math.max(1, this.axes.length - 1);
    return MARGIN.left + axis * between;
  }

  private y(axis: Axis, value: number): number {
    return HEIGHT - MARGIN.bottom - ((value - axis.low) / (axis.high - axis.low)) * (HEIGHT - MARGIN.top - MARGIN.bottom);
  }

  private valueAt(axis: Axis, y: number): number {
    const share = (HEIGHT - MARGIN.bottom - y) / (HEIGHT - MARGIN.top - MARGIN.bottom);
    return axis.low + Math.min(1, Math.max(0, share)) * (axis.high - axis.low);
  }

  private color(row: number): string {
    const success = this.study.rows.success[row];
    if (!Number.isNaN(success)) return success > 0 ? SUCCESS : FAILURE;
    const cost = this.cost;
    return cost ? scaleColor(0.9 * (cost.values[row] - cost.low) / (cost.high - cost.low)) : SUCCESS;
  }

  // The points of a row's line; a value that is not a number interrupts it.
  private trace(c: CanvasRenderingContext2D, row: number): void {
    c.beginPath();
    let down = false;
    this.axes.forEach((axis, k) => {
      const value = axis.values[row];
      if (!Number.isFinite(value)) down = false;
      else if (down) c.lineTo(this.x(k), this.y(axis, value));
      else {
        c.moveTo(this.x(k), this.y(axis, value));
        down = true;
      }
    });
    c.stroke();
  }

  private draw(): void {
    const c = this.canvas.getContext("2d");
    if (!c) return;
    c.clearRect(0, 0, this.width, HEIGHT);
    const kept = this.kept();
    c.lineWidth = 1;
    c.globalAlpha = Math.min(0.6, Math.max(0.06, 60 / Math.max(1, kept.length)));
    for (const row of kept) {
      c.strokeStyle = this.color(row);
      this.trace(c, row);
    }
    c.globalAlpha = 1;
    if (this.selected >= 0) {
      c.strokeStyle = theme.ink;
      c.lineWidth = 2.5;
      this.trace(c, this.selected);
    }
    this.axes.forEach((axis, k) => this.drawAxis(c, axis, this.x(k), k));
    const shown = this.study.rows.trial.length;
    const thinned = shown < this.study.done ? ` (${shown} of ${this.study.done} trials are drawn, evenly chosen; all other charts count every trial)` : "";
    this.counted.textContent = `${kept.length} of ${shown} trials pass${thinned}. Drag along an axis to keep a stretch of it, double click to keep all; click a line to choose its trial.`;
  }

  private drawAxis(c: CanvasRenderingContext2D, axis: Axis, x: number, place: number): void {
    const [top, bottom] = [MARGIN.top, HEIGHT - MARGIN.bottom];
    c.strokeStyle = theme.ink;
    c.lineWidth = 1;
    c.beginPath();
    c.moveTo(x, top);
    c.lineTo(x, bottom);
    c.stroke();
    if (axis.kept) {
      const [low, high] = [this.y(axis, axis.kept[0]), this.y(axis, axis.kept[1])];
      c.fillStyle = theme.chosen;
      c.fillRect(x - 6, high, 12, Math.max(2, low - high));
    }
    c.textAlign = "center";
    c.font = "11px system-ui, sans-serif";
    c.fillStyle = theme.soft;
    c.fillText(numberText(axis.high), x, top - 5);
    c.fillText(numberText(axis.low), x, bottom + 14);
    c.font = "600 12px system-ui, sans-serif";
    c.fillStyle = theme.ink;
    // Neighbours' names take turns between two lines, so that long ones fit.
    c.fillText(axis.name, x, place % 2 === 0 ? 12 : 26, AXIS_ROOM * 1.8);
  }

  private listen(): void {
    const at = (event: PointerEvent | MouseEvent): [number, number] => {
      const box = this.canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    const axisAt = (x: number) => this.axes.find((_, k) => Math.abs(this.x(k) - x) < GRAB);
    let begin: [number, number] = [0, 0];
    this.canvas.addEventListener("pointerdown", (event) => {
      begin = at(event);
      const axis = axisAt(begin[0]);
      if (axis) this.dragged = { axis, from: this.valueAt(axis, begin[1]) };
      if (axis) this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      const [x, y] = at(event);
      this.canvas.style.cursor = axisAt(x) ? "ns-resize" : "pointer";
      if (!this.dragged || Math.abs(y - begin[1]) < 4) return;
      const { axis, from } = this.dragged;
      const to = this.valueAt(axis, y);
      axis.kept = [Math.min(from, to), Math.max(from, to)];
      this.draw();
      this.changed(this.kept());
    });
    this.canvas.addEventListener("pointerup", (event) => {
      const [x, y] = at(event);
      this.dragged = undefined;
      if (Math.hypot(x - begin[0], y - begin[1]) < 4) this.pick(x, y);
    });
    this.canvas.addEventListener("dblclick", (event) => {
      const axis = axisAt(at(event)[0]);
      if (axis) axis.kept = undefined;
      this.draw();
      this.changed(this.kept());
    });
  }

  // The kept line nearest to a point, if one is near.
  private pick(x: number, y: number): void {
    const between = this.x(1) - this.x(0) || 1;
    const k = Math.min(this.axes.length - 2, Math.max(0, Math.floor((x - MARGIN.left) / between)));
    if (this.axes.length < 2) return;
    const share = (x - this.x(k)) / between;
    let nearest = -1;
    let least = NEAR;
    for (const row of this.kept()) {
      const [from, to] = [this.axes[k], this.axes[k + 1]].map((axis) => this.y(axis, axis.values[row]));
      const off = Math.abs(from + share * (to - from) - y);
      if (off < least) [nearest, least] = [row, off];
    }
    if (nearest < 0) return;
    this.select(nearest);
    this.choose(nearest);
  }
}
