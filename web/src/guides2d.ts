// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What a plan adds to the picture: where bodies start, where they should end, and where on their way contacts change.
import type { Body, Pose } from "./data";
import { theme } from "./palette";
import type { EventMark, Guides, Target } from "./plan_data";
import { drawMark, label, outlineBody, type Sheet } from "./shapes2d";
import { numberText } from "./plots";

const CROSS = 9; // pixels
const MOST_LABELS = 8;

export function drawGuides(sheet: Sheet, bodies: Body[], guides: Guides): void {
  for (const body of guides.bodies) outline(sheet, bodies[body], guides.start[body], theme.start, "start", 40);
  for (const target of guides.targets) drawTarget(sheet, bodies[target.body], target);
  guides.events.forEach((event) => drawEvent(sheet, event, guides.events.length <= MOST_LABELS));
}

function outline(sheet: Sheet, body: Body, pose: Pose, color: string, text: string, below: number): void {
  const c = sheet.context;
  c.save();
  c.strokeStyle = color;
  c.lineWidth = 1.5;
  c.setLineDash([5, 4]);
  outlineBody(sheet, body, pose);
  c.restore();
  const [x, y] = sheet.screen(pose.position);
  label(c, text, x, y + below, color);
}

// A cross where the place is known, a line where only one coordinate is.
function drawTarget(sheet: Sheet, body: Body, target: Target): void {
  const c = sheet.context;
  const [x, y] = sheet.screen(target.pose.position);
  outline(sheet, body, target.pose, theme.target, "target", 26);
  const [along, up] = target.fixed;
  const far = sheet.reach * sheet.scale;
  c.save();
  c.strokeStyle = theme.target;
  c.lineWidth = along && up ? 2 : 1;
  c.beginPath();
  const [dx, dy] = along && up ? [CROSS, CROSS] : [along ? 0 : up ? far : 0, up ? 0 : along ? far : 0];
  c.moveTo(x - dx, y);
  c.lineTo(x + dx, y);
  c.moveTo(x, y - dy);
  c.lineTo(x, y + dy);
  if (!(along && up)) c.setLineDash([6, 5]);
  c.stroke();
  c.restore();
}

function drawEvent(sheet: Sheet, event: EventMark, named: boolean): void {
  const c = sheet.context;
  for (const point of event.points) {
    const [x, y] = sheet.screen(point);
    if (event.impact) {
      c.strokeStyle = theme.ink;
      c.lineWidth = 2;
      c.beginPath();
      for (const turn of [0, 1, 2]) {
        const [dx, dy] = [6 * Math.cos((turn * Math.PI) / 3), 6 * Math.sin((turn * Math.PI) / 3)];
        c.moveTo(x - dx, y - dy);
        c.lineTo(x + dx, y + dy);
      }
      c.stroke();
    } else drawMark(c, [x, y], event.mode);
    if (named) label(c, numberText(Number(event.time.toPrecision(3))), x, y - 8, theme.soft);
  }
}
