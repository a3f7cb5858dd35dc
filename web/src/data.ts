// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What the command puts into the page (src/stickslip/report/page_data.cpp writes it), and what the views draw.

import { type Frames, decodeFrames } from "./frames";
import type { Plan } from "./plan_data";

export interface Shape {
  kind: string;
  position: number[];
  orientation: number[]; // w, x, y, z
  points?: number[][];
  normal?: number[];
  offset?: number;
  radius?: number;
  half_length?: number;
  loops?: number[][][];
  a?: number;
  b?: number;
  c?: number;
  exponent?: number;
  exponent_xy?: number;
  exponent_z?: number;
  vertices?: number[][];
  triangles?: number[][];
}

export interface Body {
  name: string;
  kind: string;
  mass: number;
  shapes: Shape[];
  supports?: number[][]; // where a body of dimension 2.5 stands on the plane
}

export interface Quantity {
  name: string;
  unit: string;
  description: string;
  value: number | null;
}

// What does not change while a run goes on.
export interface Setting {
  title: string;
  description: string;
  dimension: number;
  gravity: number[];
  units: { time: string; length: string; force: string }; // "" where nothing tells
  duration: number | null;
  tolerance: number | null;
  parameters: Quantity[];
  observables: Quantity[];
  bodies: Body[];
}

export interface Pair {
  a: number;
  b: number;
  friction: number;
  name?: string; // on the timeline, where it is not that of the bodies
  carrier: number; // the body that contacts are drawn relative to
  touch: Float64Array; // when the bodies met
  changes: number;
  begin: Float64Array; // of each band, and the end of the last
  mode: Uint8Array;
}

export interface Curve {
  name: string;
  values: Float32Array;
  last: number | null;
}

export interface Plot {
  title: string;
  unit: string;
  description: string;
  logarithmic: boolean;
  time: Float64Array;
  curves: Curve[];
}

export interface Run extends Setting {
  name: string;
  version: string;
  method: string;
  scene: string;
  end: string; // "finished", "stopped: ...", "failed at t = ...: ..."; "": unknown
  audit: string; // what the audit found; "": unknown
  has_shapes: boolean;
  radius: number[];
  bounds: number[][];
  worst_residual: number | null;
  worst_time: number | null;
  frames_at_worst: number; // recorded frames whose step is above the certificate
  pairs: Pair[];
  plots: Plot[];
  frames: Frames;
  plan?: Plan; // whose replay this is
}

// Position and unit quaternion (w, x, y, z) of each body; `angle` for planar bodies, not wrapped.
export interface Pose {
  position: [number, number, number];
  orientation: [number, number, number, number];
  angle: number;
}

export interface ContactMark {
  a: number;
  b: number;
  mode: number;
  friction: number;
  point: number[];
  normal: number[];
  force: number[]; // on the body that is free to move; on a where both are
  gap?: number; // where it is known
}

export interface Snapshot {
  time: number;
  poses: Pose[];
  contacts: ContactMark[];
}

type Reference = [string, number, number];

async function unpack(block: string): Promise<ArrayBuffer> {
  const bytes = Uint8Array.from(atob(block), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

function isReference(value: unknown): value is Reference {
  return (
    Array.isArray(value) && value.length === 3 && typeof value[1] === "number" && /^(f64|f32|i32|u8)$/.test(value[0])
  );
}

// Numbers of an array are written byte by byte: all first bytes, then all second ones.
function unshuffle(buffer: ArrayBuffer, offset: number, count: number, width: number): ArrayBuffer {
  const from = new Uint8Array(buffer, offset, count * width);
  const to = new Uint8Array(count * width);
  for (let byte = 0; byte < width; ++byte) for (let k = 0; k < count; ++k) to[k * width + byte] = from[byte * count + k];
  return to.buffer;
}

// Replaces every [type, offset, count] by the array that it stands for.
function resolve(value: unknown, buffer: ArrayBuffer): unknown {
  if (isReference(value)) {
    const [type, offset, count] = value;
    if (type === "f64") return new Float64Array(unshuffle(buffer, offset, count, 8));
    if (type === "f32") return new Float32Array(unshuffle(buffer, offset, count, 4));
    if (type === "i32") return new Int32Array(unshuffle(buffer, offset, count, 4));
    return new Uint8Array(buffer, offset, count);
  }
  if (Array.isArray(value)) return value.map((item) => resolve(item, buffer));
  if (value !== null && typeof value === "object")
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolve(item, buffer)]));
  return value;
}

// Data of a page with the arrays of its block in place.
export async function withArrays<Page>(page: { block: string }): Promise<Page> {
  return resolve(page, await unpack(page.block)) as Page;
}

// The same, with the frames of its runs.
export async function decode<Page extends { runs: Run[] }>(page: { block: string }): Promise<Page> {
  const decoded = await withArrays<Page>(page);
  for (const run of decoded.runs) run.frames = decodeFrames(run.frames as never, run.bodies.length, run.dimension);
  return decoded;
}


// The last index whose value is not above x; 0 when all are.
export function indexAt(values: ArrayLike<number>, x: number): number {
  let low = 0;
  let high = values.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (values[middle] <= x) low = middle;
    else high = middle;
  }
  return low;
}
