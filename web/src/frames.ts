// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The kept frames of a run (src/stickslip/report/page_frames.cpp writes them), and the state at any time between them:
// poses are interpolated, and so are contacts that both neighbours have. A contact lies relative to the middle of one of
// its bodies, so that its mark stays on that body; one that only one neighbour has is shown in its half of the time.
import { indexAt, type ContactMark, type Pose, type Run, type Snapshot } from "./data";

export interface Frames {
  time: Float64Array;
  pose: Float32Array; // frame by frame: x y angle, or x y z qw qx qy qz, of each body
  velocity: Float32Array; // vx vy w, or vx vy vz wx wy wz; empty with very many bodies
  contact_frame: Int32Array; // frames that have contacts
  first: Int32Array; // row of each of them, and the number of all rows
  pair: Int32Array;
  next: Int32Array; // how many rows on the same contact is in the next of these frames; 0: it is not
  previous: Int32Array; // the same, back
  mode: Uint8Array;
  point: Float32Array; // from the middle of the pair's carrier
  normal: Float32Array;
  force: Float32Array;
  gap: Float32Array;
  tolerance: number; // no point is drawn farther than this from where it was recorded
  recorded: number;
}

interface Written extends Omit<Frames, "pose" | "point" | "normal" | "previous"> {
  units: Float64Array;
  pose: Int32Array;
  point_unit: number;
  point: Int32Array;
  normal_unit: number;
  normal: Int32Array;
}

// Differences become numbers again.
export function decodeFrames(written: Written, bodies: number, dimension: number): Frames {
  const stride = bodies * (dimension === 2 ? 3 : 7);
  const count = written.time.length;
  const pose = new Float32Array(stride * count);
  for (let c = 0; c < stride; ++c) {
    let sum = 0;
    for (let k = 0; k < count; ++k) pose[k * stride + c] = (sum += written.pose[c * count + k]) * written.units[c];
  }
  const rows = written.mode.length;
  const previous = new Int32Array(rows);
  for (let row = 0; row < rows; ++row) if (written.next[row]) previous[row + written.next[row]] = written.next[row];
  const whole = (differences: Int32Array, unit: number) => {
    const sums = new Int32Array(differences);
    const values = new Float32Array(differences.length);
    for (let row = 0; row < rows; ++row)
      for (let k = 3 * row; k < 3 * row + 3; ++k) {
        if (previous[row]) sums[k] += sums[k - 3 * previous[row]];
        values[k] = sums[k] * unit;
      }
    return values;
  };
  return { ...written, pose, previous, point: whole(written.point, written.point_unit), normal: whole(written.normal, written.normal_unit) };
}

function planarPose(x: number, y: number, angle: number): Pose {
  return { position: [x, y, 0], orientation: [Math.cos(angle / 2), 0, 0, Math.sin(angle / 2)], angle };
}

// The two frames around a time, and how far it is from the first to the second.
function around(time: number, at: (k: number) => number, k: number, last: number): [number, number, number] {
  const next = Math.min(k + 1, last);
  const span = at(next) - at(k);
  return [k, next, span > 0 ? Math.min(1, Math.max(0, (time - at(k)) / span)) : 0];
}

export function poseAt(run: Run, body: number, time: number): Pose {
  const { frames } = run;
  const [k, next, s] = around(time, (frame) => frames.time[frame], indexAt(frames.time, time), frames.time.length - 1);
  const planar = run.dimension === 2;
  const stride = planar ? 3 : 7;
  const i = (k * run.bodies.length + body) * stride;
  const j = (next * run.bodies.length + body) * stride;
  const mix = (c: number) => frames.pose[i + c] + s * (frames.pose[j + c] - frames.pose[i + c]);
  if (planar) return planarPose(mix(0), mix(1), mix(2));
  let dot = 0;
  for (let c = 3; c < 7; ++c) dot += frames.pose[i + c] * frames.pose[j + c];
  const sign = dot < 0 ? -1 : 1;
  const q = [3, 4, 5, 6].map((c) => (1 - s) * frames.pose[i + c] + s * sign * frames.pose[j + c]);
  const length = Math.hypot(...q) || 1;
  return { position: [mix(0), mix(1), mix(2)], orientation: q.map((c) => c / length) as Pose["orientation"], angle: 0 };
}

export function snapshotAt(run: Run, time: number): Snapshot {
  const poses = run.bodies.map((_, body) => poseAt(run, body, time));
  return { time, poses, contacts: contactsAt(run, time, poses) };
}

function contactsAt(run: Run, time: number, poses: Pose[]): ContactMark[] {
  const { frames } = run;
  const at = (k: number) => frames.time[frames.contact_frame[k]];
  const last = frames.contact_frame.length - 1;
  if (last < 0) return [];
  let low = 0;
  for (let high = last + 1; high - low > 1; ) {
    const middle = (low + high) >> 1;
    if (at(middle) <= time) low = middle;
    else high = middle;
  }
  const [k, next, s] = around(time, at, low, last);
  const list: ContactMark[] = [];
  const add = (row: number, other: number, share: number) => {
    const pair = run.pairs[frames.pair[row]];
    const middle = poses[pair.carrier].position;
    const mix = (values: Float32Array, c: number) => (1 - share) * values[3 * row + c] + share * values[3 * other + c];
    const three = (values: Float32Array) => [mix(values, 0), mix(values, 1), mix(values, 2)];
    const gap = (1 - share) * frames.gap[row] + share * frames.gap[other];
    const mode = frames.mode[share < 0.5 ? row : other];
    list.push({
      a: pair.a, b: pair.b, mode, friction: pair.friction, gap,
      point: three(frames.point).map((x, c) => x + middle[c]), normal: three(frames.normal), force: three(frames.force),
    });
  };
  for (let row = frames.first[k]; row < frames.first[k + 1]; ++row)
    if (frames.next[row] && next !== k) add(row, row + frames.next[row], s);
    else if (s < 0.5 || next === k) add(row, row, 0);
  if (next !== k && s >= 0.5)
    for (let row = frames.first[next]; row < frames.first[next + 1]; ++row) if (!frames.previous[row]) add(row, row, 0);
  return list;
}

// Linear and angular velocity of a body; undefined where the page has none.
export function velocityAt(run: Run, body: number, time: number): { linear: number[]; angular: number[]; mean: boolean } {
  const { frames } = run;
  const [k, next, s] = around(time, (frame) => frames.time[frame], indexAt(frames.time, time), frames.time.length - 1);
  const planar = run.dimension === 2;
  if (frames.velocity.length > 0) {
    const stride = planar ? 3 : 6;
    const value = (c: number) => {
      const [i, j] = [k, next].map((frame) => (frame * run.bodies.length + body) * stride + c);
      return (1 - s) * frames.velocity[i] + s * frames.velocity[j];
    };
    return planar
      ? { linear: [value(0), value(1)], angular: [value(2)], mean: false }
      : { linear: [value(0), value(1), value(2)], angular: [value(3), value(4), value(5)], mean: false };
  }
  const [from, to] = [Math.max(0, next === k ? k - 1 : k), next];
  const span = frames.time[to] - frames.time[from] || 1;
  const [p, q] = [poseAt(run, body, frames.time[from]), poseAt(run, body, frames.time[to])];
  const linear = q.position.map((x, c) => (x - p.position[c]) / span).slice(0, run.dimension);
  return { linear, angular: planar ? [(q.angle - p.angle) / span] : [], mean: true };
}
