// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Planar scenes on a canvas: what hands do on it is in pointer2d.ts.
import { drawArrow, drawCone, drawForce, drawForceScale } from "./arrows2d";
import type { Body, Pose, Snapshot } from "./data";
import { drawGuides } from "./guides2d";
import { covered, drawNames } from "./names2d";
import { bodyFill, theme } from "./palette";
import { listen, type Plane } from "./pointer2d";
import { drawBody, drawMark, label, onBody, outlineBody, type Sheet } from "./shapes2d";
import { niceStep, sameHit, tickText, type Camera, type Extras, type Hands, type Hit, type Show, type Stage, type Trace, type View } from "./view";

const MARGIN = { left: 46, right: 12, top: 12, bottom: 30 };
const ARROW_PART = 0.14; // of the mean of the view's sides, for the largest force
const MARK_REACH = 9; // pixels around a mark that count as it

export class View2D implements View, Sheet, Plane {
  readonly element: HTMLCanvasElement;
  readonly context: CanvasRenderingContext2D;
  readonly presets: string[] = [];
  hands: Hands = {};
  forceScale = 1;
  following = -1;
  scale = 1; // pixels per length
  private stage: Stage | undefined;
  private centre: [number, number] = [0, 0];
  private width = 1;
  private height = 1;
  private fitted = true;
  private last: Snapshot | undefined; // that was drawn
  private followed: [number, number] | undefined; // where the body was that is followed

  constructor(readonly redraw: () => void) {
    this.element = document.createElement("canvas");
    this.element.className = "canvas2d";
    const context = this.element.getContext("2d");
    if (!context) throw new Error("this browser cannot draw on a canvas");
    this.context = context;
    listen(this);
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

  refit(): void {
    this.followed = undefined;
    this.fit();
  }

  camera(): Camera | undefined {
    return this.fitted ? undefined : { kind: "plane", centre: [...this.centre], scale: this.scale };
  }

  setCamera(camera: Camera): void {
    if (camera.kind !== "plane") return;
    [this.centre, this.scale, this.fitted] = [[...camera.centre], camera.scale, false];
  }

  screen(point: number[]): [number, number] {
    const x = (MARGIN.left + this.width - MARGIN.right) / 2 + (point[0] - this.centre[0]) * this.scale;
    const y = (MARGIN.top + this.height - MARGIN.bottom) / 2 - (point[1] - this.centre[1]) * this.scale;
    return [x, y];
  }

  world([x, y]: [number, number]): number[] {
    const [mx, my] = this.screen(this.centre);
    return [this.centre[0] + (x - mx) / this.scale, this.centre[1] - (y - my) / this.scale, 0];
  }

  perLength(): number {
    return this.scale;
  }

  picture(): HTMLCanvasElement {
    return this.element;
  }

  // A length that reaches beyond the picture from any place in it.
  get reach(): number {
    return (4 * (this.width + this.height)) / this.scale + Math.hypot(...this.centre);
  }

  // Marks lie over bodies, and bodies over those before them.
  hit(at: [number, number]): Hit | undefined {
    if (!this.stage || !this.last) return undefined;
    const off = (point: number[]) => Math.hypot(...this.screen(point).map((x, k) => x - at[k]));
    const near = this.last.contacts.filter((c) => off(c.point) < MARK_REACH).sort((c, d) => off(c.point) - off(d.point))[0];
    if (near) return { a: near.a, b: near.b };
    const { bodies } = this.stage.setting;
    for (let b = bodies.length - 1; b >= 0; --b) if (this.last.poses[b] && onBody(this, bodies[b], this.last.poses[b], at)) return { body: b };
    return undefined;
  }

  move(dx: number, dy: number): void {
    this.centre = [this.centre[0] - dx / this.scale, this.centre[1] + dy / this.scale];
    this.fitted = false;
  }

  zoom(about: [number, number], ratio: number): void {
    if (!Number.isFinite(ratio) || ratio <= 0) return;
    const middle = this.screen([this.centre[0], this.centre[1]]);
    const move = (1 - 1 / ratio) / this.scale;
    this.centre[0] += (about[0] - middle[0]) * move;
    this.centre[1] -= (about[1] - middle[1]) * move;
    this.scale *= ratio;
    this.fitted = false;
  }

  private follow(poses: Pose[]): void {
    const position = poses[this.following]?.position;
    if (position && this.followed) {
      this.centre = [this.centre[0] + position[0] - this.followed[0], this.centre[1] + position[1] - this.followed[1]];
      this.fitted = false;
    }
    this.followed = position && [position[0], position[1]];
  }

  draw(snapshot: Snapshot, traces: Trace[], show: Show, extras: Extras = {}): void {
    if (!this.stage) return;
    this.last = snapshot;
    this.follow(snapshot.poses);
    const c = this.context;
    c.fillStyle = theme.back;
    c.fillRect(0, 0, this.width + 1, this.height + 1); // a width may end within a pixel
    this.grid();
    c.save();
    c.beginPath();
    c.rect(MARGIN.left, MARGIN.top, this.width - MARGIN.left - MARGIN.right, this.height - MARGIN.top - MARGIN.bottom);
    c.clip();
    const { bodies } = this.stage.setting;
    bodies.forEach((body, b) => drawBody(this, body, snapshot.poses[b], bodyFill(b, body.mass)));
    this.ghosts(extras.ghosts ?? []);
    this.choice(bodies, snapshot.poses, extras.chosen);
    if (show.traces) for (const trace of traces) this.trace(trace);
    if (show.guides && this.stage.guides) drawGuides(this, bodies, this.stage.guides);
    const length = this.arrowLength();
    const largest = this.stage.largestForce || 1;
    const { contacts } = snapshot;
    if (show.names) drawNames(this, bodies, snapshot.poses, covered(this, contacts, show, length / largest));
    if (show.cones) for (const contact of contacts) drawCone(this, contact, length);
    if (show.forces) for (const contact of contacts) drawForce(this, contact, largest, length, show.parts);
    for (const contact of contacts) {
      if (sameHit(extras.chosen, contact)) this.ring(contact.point);
      if (show.contacts) drawMark(c, this.screen(contact.point), contact.mode);
    }
    if (extras.spring) this.spring(extras.spring);
    if (show.forces && contacts.length > 0)
      drawForceScale(c, this.width - MARGIN.right - 12, MARGIN.top + 24, largest, length, this.stage.forceUnit, show.parts);
    c.restore();
    this.axes();
  }

  private ghosts(poses: Pose[]): void {
    const c = this.context;
    c.save();
    c.strokeStyle = theme.target;
    c.lineWidth = 1.5;
    c.setLineDash([5, 3]);
    this.stage?.others?.forEach((body, b) => poses[b] && outlineBody(this, body, poses[b]));
    c.restore();
  }

  private choice(bodies: Body[], poses: Pose[], chosen: Hit | undefined): void {
    if (!chosen) return;
    const c = this.context;
    c.save();
    c.strokeStyle = theme.chosen;
    c.lineWidth = 3;
    for (const b of "body" in chosen ? [chosen.body] : []) if (bodies[b]) outlineBody(this, bodies[b], poses[b]);
    c.restore();
  }

  private ring(point: number[]): void {
    const c = this.context;
    c.beginPath();
    c.arc(...this.screen(point), 10, 0, 2 * Math.PI);
    c.strokeStyle = theme.chosen;
    c.lineWidth = 3;
    c.stroke();
  }

  private spring({ from, to, text }: { from: number[]; to: number[]; text: string }): void {
    const c = this.context;
    const [a, b] = [this.screen(from), this.screen(to)];
    drawArrow(c, a, [b[0] - a[0], b[1] - a[1]], theme.chosen);
    label(c, text, b[0], b[1] - 8);
  }

  private grid(): void {
    const c = this.context;
    c.strokeStyle = theme.grid;
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
    c.fillStyle = theme.soft;
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
    c.strokeStyle = theme.line;
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
    c.strokeStyle = theme.trace;
    c.lineWidth = 1;
    c.setLineDash([4, 3]);
    c.stroke();
    c.setLineDash([]);
  }

  // Of the largest force, in pixels.
  private arrowLength(): number {
    return this.forceScale * ARROW_PART * Math.sqrt(this.width * this.height);
  }
}
