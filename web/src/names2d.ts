// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Names of bodies in a planar picture: above the centre of mass, else where no mark, arrow or other name lies.
import type { Body, ContactMark, Pose } from "./data";
import { label, type Sheet } from "./shapes2d";
import { shortName, type Show } from "./view";

// Where a name may be: half its width to the side, and its lower edge, in pixels from the centre.
const PLACES = [[0, -8], [0, 24], [1, 6], [-1, 6], [0, -24], [0, 40]];
const HALF_LETTER = 3.4, TALL = 14, AIR = 4; // pixels
const ALONG = 8, LONGEST = 250; // pixels between the points of an arrow that are looked at
const NAME = 100; // a name is worse to lie on than so many points

type Box = [number, number, number, number]; // left, right, top, bottom

// Points that marks and arrows cover. `perForce`: pixels.
export function covered(sheet: Sheet, contacts: ContactMark[], show: Show, perForce: number): [number, number][] {
  const points: [number, number][] = [];
  for (const { point, force, mode } of contacts) {
    const at = sheet.screen(point);
    if (show.contacts) points.push(at);
    const size = Math.hypot(force[0], force[1]);
    const reach = show.forces && mode !== 0 ? Math.min(LONGEST, size * perForce) : 0;
    for (let s = ALONG; s < reach; s += ALONG) points.push([at[0] + (s * force[0]) / size, at[1] - (s * force[1]) / size]);
  }
  return points;
}

export function drawNames(sheet: Sheet, bodies: Body[], poses: Pose[], points: [number, number][]): void {
  const taken: Box[] = [];
  bodies.forEach((body, b) => {
    if (body.shapes.some((shape) => shape.kind === "half-space")) return;
    const text = shortName(body.name);
    const half = HALF_LETTER * text.length;
    const [x, y] = sheet.screen(poses[b].position);
    const boxes = PLACES.map(([side, down]): Box => {
      const middle = x + side * (half + 12);
      return [middle - half, middle + half, y + down - TALL, y + down];
    });
    const costs = boxes.map((box) => cost(box, taken, points));
    const place = costs.indexOf(Math.min(...costs));
    taken.push(boxes[place]);
    label(sheet.context, text, boxes[place][0] + half, boxes[place][3]);
  });
}

function cost([left, right, top, bottom]: Box, taken: Box[], points: [number, number][]): number {
  const names = taken.filter((one) => left < one[1] && right > one[0] && top < one[3] && bottom > one[2]).length;
  return NAME * names + points.filter(([x, y]) => x > left - AIR && x < right + AIR && y > top - AIR && y < bottom + AIR).length;
}
