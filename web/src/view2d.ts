// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Planar scenes on a canvas: drag to move, wheel or pinch to zoom, double click to fit.
import type { Body, ContactMark, Pose, Snapshot } from "./data";
import { drawGuides } from "./guides2d";
import { FORCE, bodyFill } from "./palette";
import { drawBody, drawMark, label, type Sheet } from "./shapes2d";
import { niceStep, shortName, tickText, type Show, type Stage, type Trace, type View } from "./view";

const MARGIN = { left: 46, right: 12, top: 12, bottom: 30 };
const ARROW_PART = 0.14; // of the mean of the view's sides, for the largest force

export class View2D implements View, Sheet {
  readonly element: HTMLCanvasElement;
  readonly context: CanvasRenderingContext2D;
  private stage: Stage | undefined;
  scale = 1; // pixels per length
  private centre: [number, number] = [0, 0];
  private width = 1;
  private height = 1;
  private fitted = true;

  constructor(private readonly redraw: () => void) {
    this.element = document.createElement("canvas");
    this.element.className = "canvas2d";
    const context = this.element.getContext("2d");
    if (!context) throw new Error("this browser cannot draw on a canvas");
    this.context = context;
    this.listen();
  }

  load(stage: Stage): void {
    this.stage = stage;
    if (this.fitted) this.fit();
  }

  resize(): void {
    const box = this.element.getBoundingClientRect();
    const ratio = window.devicePixelRatio || 1;
    this.width = Math.max(1, box.width);
    this.height = Math.max(1, box.height);
    this.element.width = Math.round(this.width * ratio);
    this.element.height = Math.round(this.height * ratio);
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    if (this.fitted) this.fit();
  }

  setLargestForce(force: number): void {
    if (this.stage) this.stage.largestForce = force;
  }

  fit(): void {
    if (!this.stage) return;
    const [low, high] = this.stage.bounds;
    const size = Math.max(high[0] - low[0], high[1] - low[1], 1e-12);
    // Thin scenes keep some air above and below.
    const wide = Math.max(high[0] - low[0], 0.05 * size) * 1.1;
    const tall = Math.max(high[1] - low[1], 0.05 * size) * 1.2;
    const inner = [this.width - MARGIN.left - MARGIN.right, this.height - MARGIN.top - MARGIN.bottom];
    this.scale = Math.max(1e-9, Math.min(inner[0] / wide, inner[1] / tall));
    this.centre = [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2];
    this.fitted = true;
  }

  screen(point: number[]): [number, number] {
    const x = (MARGIN.left + this.width - MARGIN.right) / 2 + (point[0] - this.centre[0]) * this.scale;
    const y = (MARGIN.top + this.height - MARGIN.bottom) / 2 - (point[1] - this.centre[1]) * this.scale;
    return [x, y];
  }

  // A length that reaches beyond the picture from any place in it.
  get reach(): number {
    return (4 * (this.width + this.height)) / this.scale + Math.hypot(...this.centre);
  }

  draw(snapshot: Snapshot, traces: Trace[], show: Show): void {
    if (!this.stage) return;
    const c = this.context;
    c.clearRect(0, 0, this.width, this.height);
    c.fillStyle = "#ffffff";
    c.fillRect(0, 0, this.width, this.height);
    this.grid();
    c.save();
    c.beginPath();
    c.rect(MARGIN.left, MARGIN.top, this.width - MARGIN.left - MARGIN.right, this.height - MARGIN.top - MARGIN.bottom);
    c.clip();
    const bodies = this.stage.setting.bodies;
    bodies.forEach((body, b) => drawBody(this, body, snapshot.poses[b], bodyFill(b, body.mass)));
    if (show.traces) for (const trace of traces) this.trace(trace);
    if (show.guides && this.stage.guides) drawGuides(this, bodies, this.stage.guides);
    if (show.cones) for (const contact of snapshot.contacts) this.cone(contact);
    if (show.forces) for (const contact of snapshot.contacts) this.force(contact);
    if (show.contacts) for (const contact of snapshot.contacts) drawMark(c, this.screen(contact.point), contact.mode);
    if (show.names) this.names(bodies, snapshot.poses);
    c.restore();
    this.axes();
  }

  private grid(): void {
    const c = this.context;
    c.strokeStyle = "#eceff1";
    c.lineWidth = 1;
    c.beginPath();
    for (const [, x] of this.ticks(0)) {
      c.moveTo(Math.round(x) + 0.5, MARGIN.top);
      c.lineTo(Math.round(x) + 0.5, this.height - MARGIN.bottom);
    }
    for (const [, y] of this.ticks(1)) {
      c.moveTo(MARGIN.left, Math.round(y) + 0.5);
      c.lineTo(this.width - MARGIN.right, Math.round(y) + 0.5);
    }
    c.stroke();
  }

  // Value and pixel of each tick along an axis.
  private ticks(axis: 0 | 1): [number, number][] {
    const pixels =
      axis === 0 ? this.width - MARGIN.left - MARGIN.right : this.height - MARGIN.top - MARGIN.bottom;
    const length = pixels / this.scale;
    const step = this.step(axis);
    const list: [number, number][] = [];
    const low = this.centre[axis] - length / 2;
    for (let k = Math.ceil(low / step); k * step <= low + length; ++k)
      list.push([k * step, this.screen(axis === 0 ? [k * step, 0] : [0, k * step])[axis]]);
    return list;
  }

  private step(axis: 0 | 1): number {
    const pixels = axis === 0 ? this.width : this.height;
    return niceStep(pixels / this.scale, pixels / (axis === 0 ? 90 : 60));
  }

  private axes(): void {
    const c = this.context;
    const unit = this.stage?.lengthUnit ? ` (${this.stage.lengthUnit})` : "";
    c.fillStyle = "#55606a";
    c.font = "11px system-ui, sans-serif";
    c.textAlign = "center";
    c.textBaseline = "top";
    for (const [value, x] of this.ticks(0)) c.fillText(tickText(value, this.step(0)), x, this.height - MARGIN.bottom + 4);
    c.textAlign = "right";
    c.textBaseline = "middle";
    for (const [value, y] of this.ticks(1))
      if (y > MARGIN.top + 16) c.fillText(tickText(value, this.step(1)), MARGIN.left - 5, y);
    c.fillText(`x${unit}`, this.width - MARGIN.right, this.height - 8);
    c.textAlign = "left";
    c.fillText(`y${unit}`, 4, MARGIN.top + 2);
    c.strokeStyle = "#aab4bb";
    c.lineWidth = 1;
    c.strokeRect(
      MARGIN.left + 0.5,
      MARGIN.top + 0.5,
      this.width - MARGIN.left - MARGIN.right,
      this.height - MARGIN.top - MARGIN.bottom,
    );
  }

  private trace(trace: Trace): void {
    const c = this.context;
    c.beginPath();
    for (let k = 0; k < trace.count; ++k) {
      const [x, y] = this.screen([trace.points[3 * k], trace.points[3 * k + 1]]);
      if (k === 0) c.moveTo(x, y);
      else c.lineTo(x, y);
    }
    c.strokeStyle = "#56708a";
    c.lineWidth = 1;
    c.setLineDash([4, 3]);
    c.stroke();
    c.setLineDash([]);
  }

  private arrow(from: [number, number], by: [number, number]): void {
    const c = this.context;
    const size = Math.hypot(...by);
    if (size < 1.5) return;
    const [ux, uy] = [by[0] / size, by[1] / size];
    const head = Math.min(9, 0.6 * size);
    const tip: [number, number] = [from[0] + by[0], from[1] + by[1]];
    c.strokeStyle = FORCE;
    c.fillStyle = FORCE;
    c.lineWidth = 2;
    c.beginPath();
    c.moveTo(...from);
    c.lineTo(tip[0] - head * ux, tip[1] - head * uy);
    c.stroke();
    c.beginPath();
    c.moveTo(...tip);
    c.lineTo(tip[0] - head * ux + 0.45 * head * uy, tip[1] - head * uy - 0.45 * head * ux);
    c.lineTo(tip[0] - head * ux - 0.45 * head * uy, tip[1] - head * uy + 0.45 * head * ux);
    c.closePath();
    c.fill();
  }

  // Of the largest force, in pixels.
  private arrowLength(): number {
    return ARROW_PART * Math.sqrt(this.width * this.height);
  }

  private arrowScale(): number {
    return this.arrowLength() / (this.stage?.largestForce || 1);
  }

  private force(contact: ContactMark): void {
    const k = this.arrowScale();
    const size = Math.hypot(contact.force[0], contact.force[1]) * k;
    const limit = 2.5 * this.arrowLength();
    const s = size > limit ? (k * limit) / size : k;
    this.arrow(this.screen(contact.point), [s * contact.force[0], -s * contact.force[1]]);
  }

  private cone(contact: ContactMark): void {
    if (contact.mode === 0 || contact.friction <= 0) return;
    const c = this.context;
    const [x, y] = this.screen(contact.point);
    const size = 1.1 * this.arrowLength();
    const middle = Math.atan2(-contact.normal[1], contact.normal[0]);
    const half = Math.atan(contact.friction);
    c.beginPath();
    c.moveTo(x, y);
    c.arc(x, y, size, middle - half, middle + half);
    c.closePath();
    c.fillStyle = "rgba(123, 45, 139, 0.12)";
    c.fill();
    c.strokeStyle = "rgba(123, 45, 139, 0.5)";
    c.lineWidth = 1;
    c.stroke();
  }

  // One below the other where they would lie on each other.
  private names(bodies: Body[], poses: Pose[]): void {
    const taken: [number, number, number][] = []; // left, right, bottom
    bodies.forEach((body, b) => {
      if (body.shapes.some((shape) => shape.kind === "half-space")) return;
      const [x, middle] = this.screen(poses[b].position);
      const text = shortName(body.name);
      const half = 3.4 * text.length;
      let y = middle - 8;
      for (const [left, right, bottom] of taken)
        if (x - half < right && x + half > left && Math.abs(y - bottom) < 14) y = bottom + 15;
      taken.push([x - half, x + half, y]);
      label(this.context, text, x, y);
    });
  }

  private listen(): void {
    const fingers = new Map<number, [number, number]>();
    const at = (event: MouseEvent): [number, number] => {
      const box = this.element.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    this.element.addEventListener("pointerdown", (event) => {
      fingers.set(event.pointerId, at(event));
      this.element.setPointerCapture(event.pointerId);
    });
    const lift = (event: PointerEvent) => fingers.delete(event.pointerId);
    this.element.addEventListener("pointerup", lift);
    this.element.addEventListener("pointercancel", lift);
    this.element.addEventListener("pointermove", (event) => {
      const before = fingers.get(event.pointerId);
      if (!before) return;
      const now = at(event);
      const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
      if (other) {
        const ratio = Math.hypot(now[0] - other[0], now[1] - other[1]) / Math.hypot(before[0] - other[0], before[1] - other[1]);
        this.zoom(other, ratio);
      } else {
        this.centre[0] -= (now[0] - before[0]) / this.scale;
        this.centre[1] += (now[1] - before[1]) / this.scale;
      }
      fingers.set(event.pointerId, now);
      this.fitted = false;
      this.redraw();
    });
    this.element.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        this.zoom(at(event), Math.exp(-0.0015 * event.deltaY));
        this.redraw();
      },
      { passive: false },
    );
    this.element.addEventListener("dblclick", () => {
      this.fit();
      this.redraw();
    });
  }

  private zoom(about: [number, number], ratio: number): void {
    if (!Number.isFinite(ratio) || ratio <= 0) return;
    const middle = this.screen([this.centre[0], this.centre[1]]);
    const move = (1 - 1 / ratio) / this.scale;
    this.centre[0] += (about[0] - middle[0]) * move;
    this.centre[1] -= (about[1] - middle[1]) * move;
    this.scale *= ratio;
    this.fitted = false;
  }
}
