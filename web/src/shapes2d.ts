// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Bodies, marks and names on the canvas of a planar scene.
import type { Body, Pose, Shape } from "./data";
import { MODE_COLORS, theme } from "./palette";

const MARK = 5; // pixels
const MOST_SUPPORTS = 60; // more are an area

// What they are drawn on.
export interface Sheet {
  readonly context: CanvasRenderingContext2D;
  readonly scale: number; // pixels per length
  readonly reach: number; // a length that reaches beyond the picture
  screen(point: number[]): [number, number];
}

export function drawBody(sheet: Sheet, body: Body, pose: Pose, fill: string): void {
  const c = sheet.context;
  c.strokeStyle = theme.outline;
  c.lineWidth = 1.25;
  c.lineJoin = "round";
  c.fillStyle = fill;
  for (const shape of body.shapes) drawShape(sheet, shape, pose);
  if (body.supports && body.supports.length <= MOST_SUPPORTS) {
    const [ca, sa] = [Math.cos(pose.angle), Math.sin(pose.angle)];
    c.beginPath();
    for (const [u, v] of body.supports) {
      const [x, y] = sheet.screen([pose.position[0] + ca * u - sa * v, pose.position[1] + sa * u + ca * v]);
      c.moveTo(x - 3, y - 3);
      c.lineTo(x + 3, y + 3);
      c.moveTo(x - 3, y + 3);
      c.lineTo(x + 3, y - 3);
    }
    c.stroke();
  }
  if (body.shapes.length === 0 || (body.mass > 0 && body.shapes.every((s) => s.kind !== "points"))) {
    // Centre of mass.
    const [x, y] = sheet.screen(pose.position);
    c.fillStyle = theme.outline;
    c.beginPath();
    c.arc(x, y, 2, 0, 2 * Math.PI);
    c.fill();
  }
}

// Whether a point of the picture lies on the body.
export function onBody(sheet: Sheet, body: Body, pose: Pose, [x, y]: [number, number]): boolean {
  const c = sheet.context;
  const ratio = window.devicePixelRatio || 1; // the path is in pixels of the picture, the point in those of the screen
  c.save();
  c.lineWidth = 8;
  const hit = body.shapes.some((shape) => {
    c.beginPath();
    if (shape.kind === "half-space") return false;
    trace(sheet, shape, pose);
    if (shape.kind !== "chain" && c.isPointInPath(ratio * x, ratio * y, "evenodd")) return true;
    return (shape.kind === "chain" || shape.kind === "points") && c.isPointInStroke(ratio * x, ratio * y);
  });
  c.restore();
  const [px, py] = sheet.screen(pose.position);
  return hit || (body.shapes.length === 0 && Math.hypot(px - x, py - y) < 8);
}

// The lines alone, in the present style.
export function outlineBody(sheet: Sheet, body: Body, pose: Pose): void {
  const c = sheet.context;
  for (const shape of body.shapes) {
    if (shape.kind === "half-space") continue;
    c.beginPath();
    trace(sheet, shape, pose);
    c.stroke();
  }
}

// Shape frame -> screen.
function place(sheet: Sheet, shape: Shape, pose: Pose): (x: number, y: number) => [number, number] {
  const own = 2 * Math.atan2(shape.orientation[3], shape.orientation[0]);
  const [ca, sa] = [Math.cos(own), Math.sin(own)];
  const [cb, sb] = [Math.cos(pose.angle), Math.sin(pose.angle)];
  return (x, y) => {
    const u = shape.position[0] + ca * x - sa * y;
    const v = shape.position[1] + sa * x + ca * y;
    return sheet.screen([pose.position[0] + cb * u - sb * v, pose.position[1] + sb * u + cb * v]);
  };
}

// The shape as a path; nothing of a half plane.
function trace(sheet: Sheet, shape: Shape, pose: Pose): void {
  const c = sheet.context;
  const at = place(sheet, shape, pose);
  const path = (points: number[][], closed: boolean) => {
    points.forEach(([x, y], k) => (k === 0 ? c.moveTo(...at(x, y)) : c.lineTo(...at(x, y))));
    if (closed) c.closePath();
  };
  if (shape.kind === "disc") c.arc(...at(0, 0), Math.max((shape.radius ?? 0) * sheet.scale, 1), 0, 2 * Math.PI);
  else if (shape.kind === "polygon") for (const loop of shape.loops ?? []) path(loop, true);
  else if (shape.kind === "superellipse") path(superellipse(shape.a ?? 1, shape.b ?? 1, shape.exponent ?? 2), true);
  else if (shape.kind === "chain") path(shape.points ?? [], false);
  else if (shape.kind === "points")
    for (const [x, y] of shape.points ?? []) {
      const [px, py] = at(x, y);
      c.moveTo(px + 4, py);
      c.arc(px, py, 4, 0, 2 * Math.PI);
    }
}

function drawShape(sheet: Sheet, shape: Shape, pose: Pose): void {
  const c = sheet.context;
  const at = place(sheet, shape, pose);
  c.beginPath();
  trace(sheet, shape, pose);
  if (shape.kind === "half-space") halfPlane(sheet, shape, at);
  else if (shape.kind === "points") {
    c.fillStyle = theme.outline;
    c.fill();
  } else if (shape.kind === "chain") {
    c.lineWidth = 2;
    c.stroke();
    c.lineWidth = 1.25;
  } else {
    c.fill("evenodd");
    c.stroke();
  }
  if (shape.kind !== "disc") return;
  c.beginPath(); // shows how it turns
  c.moveTo(...at(0, 0));
  c.lineTo(...at(shape.radius ?? 0, 0));
  c.stroke();
}

function halfPlane(sheet: Sheet, shape: Shape, at: (x: number, y: number) => [number, number]): void {
  const c = sheet.context;
  const n = shape.normal ?? [0, 1];
  const length = Math.hypot(n[0], n[1]) || 1;
  const [nx, ny] = [n[0] / length, n[1] / length];
  const d = (shape.offset ?? 0) / length;
  const { reach } = sheet;
  const corner = (along: number, deep: number) => at(d * nx - along * ny - deep * nx, d * ny + along * nx - deep * ny);
  c.moveTo(...corner(-reach, 0));
  c.lineTo(...corner(reach, 0));
  c.lineTo(...corner(reach, reach));
  c.lineTo(...corner(-reach, reach));
  c.closePath();
  c.fill();
  c.beginPath();
  c.moveTo(...corner(-reach, 0));
  c.lineTo(...corner(reach, 0));
  c.stroke();
}

// A form for each mode: square sticks, circle rolls, diamond slides, ring is apart.
export function drawMark(c: CanvasRenderingContext2D, [x, y]: [number, number], mode: number): void {
  c.beginPath();
  if (mode === 1) c.rect(x - MARK, y - MARK, 2 * MARK, 2 * MARK);
  else if (mode === 3) {
    const r = 1.35 * MARK;
    c.moveTo(x, y - r);
    c.lineTo(x + r, y);
    c.lineTo(x, y + r);
    c.lineTo(x - r, y);
    c.closePath();
  } else c.arc(x, y, MARK, 0, 2 * Math.PI);
  if (mode === 0) {
    c.strokeStyle = MODE_COLORS[0];
    c.lineWidth = 1.5;
    c.stroke();
    return;
  }
  c.fillStyle = MODE_COLORS[mode];
  c.fill();
  c.strokeStyle = theme.back;
  c.lineWidth = 1;
  c.stroke();
}

// Text that can be read on anything.
export function label(c: CanvasRenderingContext2D, text: string, x: number, y: number, color = theme.ink): void {
  c.font = "12px system-ui, sans-serif";
  c.textAlign = "center";
  c.textBaseline = "bottom";
  c.lineWidth = 3;
  c.strokeStyle = theme.halo;
  c.strokeText(text, x, y);
  c.fillStyle = color;
  c.fillText(text, x, y);
}

export function superellipse(a: number, b: number, exponent: number): number[][] {
  const power = (x: number) => Math.sign(x) * Math.abs(x) ** (2 / exponent);
  return Array.from({ length: 96 }, (_, k) => {
    const angle = (2 * Math.PI * k) / 96;
    return [a * power(Math.cos(angle)), b * power(Math.sin(angle))];
  });
}
