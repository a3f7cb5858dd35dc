// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What the command puts into the page (src/stickslip/report/page_data.cpp writes it), and what the views draw.

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
  units: { time: string; length: string }; // "" where nothing tells
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

export interface Frames {
  time: Float64Array;
  pose: Float32Array;
  first: Int32Array;
  pair: Int32Array;
  mode: Uint8Array;
  point: Float32Array;
  normal: Float32Array;
  force: Float32Array;
  tolerance: number | null;
  recorded: number;
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

// Replaces every [type, offset, count] by the array that it stands for.
function resolve(value: unknown, buffer: ArrayBuffer): unknown {
  if (isReference(value)) {
    const [type, offset, count] = value;
    if (type === "f64") return new Float64Array(buffer, offset, count);
    if (type === "f32") return new Float32Array(buffer, offset, count);
    if (type === "i32") return new Int32Array(buffer, offset, count);
    return new Uint8Array(buffer, offset, count);
  }
  if (Array.isArray(value)) return value.map((item) => resolve(item, buffer));
  if (value !== null && typeof value === "object")
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolve(item, buffer)]));
  return value;
}

// The data of a page with all its arrays in place.
export async function decode<Page>(page: { block: string }): Promise<Page> {
  return resolve(page, await unpack(page.block)) as Page;
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

function planarPose(x: number, y: number, angle: number): Pose {
  return { position: [x, y, 0], orientation: [Math.cos(angle / 2), 0, 0, Math.sin(angle / 2)], angle };
}

// Poses between two kept frames are interpolated; contacts are those of the nearer one.
export function snapshotAt(run: Run, time: number): Snapshot {
  const { frames } = run;
  const last = frames.time.length - 1;
  const k = Math.min(indexAt(frames.time, time), last);
  const next = Math.min(k + 1, last);
  const span = frames.time[next] - frames.time[k];
  const s = span > 0 ? Math.min(1, Math.max(0, (time - frames.time[k]) / span)) : 0;
  const planar = run.dimension === 2;
  const stride = planar ? 3 : 7;
  const poses: Pose[] = run.bodies.map((_, b) => {
    const i = (k * run.bodies.length + b) * stride;
    const j = (next * run.bodies.length + b) * stride;
    const mix = (c: number) => frames.pose[i + c] + s * (frames.pose[j + c] - frames.pose[i + c]);
    if (planar) return planarPose(mix(0), mix(1), mix(2));
    let dot = 0;
    for (let c = 3; c < 7; ++c) dot += frames.pose[i + c] * frames.pose[j + c];
    const sign = dot < 0 ? -1 : 1;
    const q = [3, 4, 5, 6].map((c) => (1 - s) * frames.pose[i + c] + s * sign * frames.pose[j + c]);
    const length = Math.hypot(...q) || 1;
    return {
      position: [mix(0), mix(1), mix(2)],
      orientation: q.map((c) => c / length) as Pose["orientation"],
      angle: 0,
    };
  });
  return { time, poses, contacts: contactsOf(run, s < 0.5 ? k : next) };
}

function contactsOf(run: Run, frame: number): ContactMark[] {
  const { frames } = run;
  const list: ContactMark[] = [];
  for (let row = frames.first[frame]; row < frames.first[frame + 1]; ++row) {
    const pair = run.pairs[frames.pair[row]];
    const three = (values: Float32Array) => Array.from(values.subarray(3 * row, 3 * row + 3));
    list.push({
      a: pair.a,
      b: pair.b,
      mode: frames.mode[row],
      friction: pair.friction,
      point: three(frames.point),
      normal: three(frames.normal),
      force: three(frames.force),
    });
  }
  return list;
}
