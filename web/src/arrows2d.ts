// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Forces and friction cones on the canvas of a planar scene, and the arrow that tells their scale.
import type { ContactMark } from "./data";
import { theme } from "./palette";
import { numberText } from "./plots";
import { label, type Sheet } from "./shapes2d";
import { niceForce, parts } from "./view";

const LONGEST = 2.5; // times the length of the largest force: one impact must not fill the picture

export function drawArrow(c: CanvasRenderingContext2D, from: [number, number], by: [number, number], color: string): void {
  const size = Math.hypot(...by);
  if (size < 1.5) return;
  const [ux, uy] = [by[0] / size, by[1] / size];
  const head = Math.min(9, 0.6 * size);
  const tip: [number, number] = [from[0] + by[0], from[1] + by[1]];
  c.strokeStyle = color;
  c.fillStyle = color;
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

// `largest`: the force whose arrow has `length` pixels.
export function drawForce(sheet: Sheet, contact: ContactMark, largest: number, length: number, apart: boolean): void {
  const draw = (force: number[], color: string) => {
    const size = (Math.hypot(force[0], force[1]) * length) / largest;
    const s = (length / largest) * (size > LONGEST * length ? (LONGEST * length) / size : 1);
    drawArrow(sheet.context, sheet.screen(contact.point), [s * force[0], -s * force[1]], color);
  };
  if (!apart) return draw(contact.force, theme.force);
  const { normal, friction } = parts(contact.force, contact.normal);
  draw(normal, theme.force);
  draw(friction, theme.friction);
}

export function drawCone(sheet: Sheet, contact: ContactMark, length: number): void {
  if (contact.mode === 0 || contact.friction <= 0) return;
  const c = sheet.context;
  const [x, y] = sheet.screen(contact.point);
  const middle = Math.atan2(-contact.normal[1], contact.normal[0]);
  const half = Math.atan(contact.friction);
  c.save();
  c.beginPath();
  c.moveTo(x, y);
  c.arc(x, y, 1.1 * length, middle - half, middle + half);
  c.closePath();
  c.fillStyle = c.strokeStyle = theme.force;
  c.globalAlpha = 0.12;
  c.fill();
  c.globalAlpha = 0.5;
  c.lineWidth = 1;
  c.stroke();
  c.restore();
}

// An arrow of a round force in the corner: how long is a newton.
export function drawForceScale(c: CanvasRenderingContext2D, right: number, top: number, largest: number, length: number, unit: string, apart: boolean): void {
  const force = niceForce(largest);
  const pixels = (force / largest) * length;
  const text = `${numberText(force)}${unit ? ` ${unit}` : ""}`;
  drawArrow(c, [right - pixels, top], [pixels, 0], theme.force);
  label(c, text, right - pixels / 2, top - 4, theme.soft);
  if (!apart) return;
  label(c, "normal", right - pixels / 2, top + 18, theme.force);
  label(c, "friction", right - pixels / 2, top + 32, theme.friction);
}
