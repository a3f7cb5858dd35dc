// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Pictures between the states of a live run that come too rarely for a smooth motion, because a step takes long. The
// picture then stays behind the newest state by about one interval between states, and shows what lies between two of
// them: poses, points and forces straight between, modes of the nearer one. Only the picture does; curves, bands and
// numbers are of states that were computed.
//
//     tau    time of the run that is shown; goes from where it is to the newest state's time within T
//     T      wall time between states, smoothed
import type { LiveFrame } from "./live_data";

const RARE = 30; // ms: states that come more often are shown as they are
const LONGEST = 300; // ms: further behind the present a picture is of no use to a hand
const NEW = 0.3; // weight of the newest interval
const KEPT = 4;
const PICTURES = 36; // per second between states: more would take time from the steps

export class Between {
  private frames: LiveFrame[] = [];
  private interval = 0;
  private arrived = 0;
  private from = 0; // tau when the newest state came
  private seen = 0; // tau of the last picture
  private due = 0; // when the next one is

  add(frame: LiveFrame, now: number): void {
    const last = this.frames.at(-1);
    const goesOn = last !== undefined && frame.playing && last.playing && frame.setting === last.setting && frame.time > last.time;
    if (!goesOn) {
      this.frames = [frame];
      this.interval = 0;
      this.arrived = now;
      return;
    }
    const gap = Math.min(now - this.arrived, 2 * LONGEST);
    const shown = this.tau(now);
    this.interval = this.interval > 0 ? (1 - NEW) * this.interval + NEW * gap : gap;
    this.arrived = now;
    this.from = shown;
    this.frames = [...this.frames, frame].slice(-KEPT);
  }

  get active(): boolean {
    return this.frames.length > 1 && this.interval > RARE && this.interval < LONGEST;
  }

  // Is there another picture to be drawn, without a new state?
  wants(now: number): boolean {
    return this.active && now >= this.due && this.seen < this.frames[this.frames.length - 1].time;
  }

  // What is to be seen now; undefined: the newest state.
  at(now: number): LiveFrame | undefined {
    if (!this.active) return undefined;
    const time = this.tau(now);
    this.seen = time;
    this.due = Math.max(this.due, now - 1000 / PICTURES) + 1000 / PICTURES;
    const next = this.frames.findIndex((frame) => frame.time >= time);
    if (next < 0) return undefined;
    if (next === 0) return this.frames[0];
    const [before, after] = [this.frames[next - 1], this.frames[next]];
    return mixed(before, after, (time - before.time) / (after.time - before.time));
  }

  private tau(now: number): number {
    const newest = this.frames[this.frames.length - 1].time;
    if (!this.active) return newest;
    return this.from + (newest - this.from) * Math.min(1, Math.max(0, (now - this.arrived) / this.interval));
  }
}

export function mixed(before: LiveFrame, after: LiveFrame, s: number): LiveFrame {
  const nearer = s < 0.5 ? before : after;
  const mix = (a: number, b: number) => a + s * (b - a);
  const list = (a: number[], b: number[]) => a.map((x, k) => mix(x, b[k]));
  const poses = list(before.poses, after.poses);
  for (let at = 3; at + 4 < poses.length; at += 8) setTurn(poses, at, before.poses, after.poses, s);
  const hand = before.hand && after.hand && before.hand.body === after.hand.body
    ? { body: after.hand.body, from: list(before.hand.from, after.hand.from), to: list(before.hand.to, after.hand.to), force: list(before.hand.force, after.hand.force) }
    : nearer.hand;
  return {
    ...nearer, time: mix(before.time, after.time), poses, velocities: list(before.velocities, after.velocities),
    contacts: contactsBetween(before, after, s, poses), hand,
  };
}

// Quaternions w x y z, straight and made of length one again.
function setTurn(out: number[], at: number, a: number[], b: number[], s: number): void {
  let dot = 0;
  for (let k = at; k < at + 4; ++k) dot += a[k] * b[k];
  const sign = dot < 0 ? -1 : 1;
  for (let k = at; k < at + 4; ++k) out[k] = (1 - s) * a[k] + sign * s * b[k];
  const length = Math.hypot(out[at], out[at + 1], out[at + 2], out[at + 3]) || 1;
  for (let k = at; k < at + 4; ++k) out[k] /= length;
}

// Two bodies with as many contacts before as after have the same ones. Others are shown in their half of the time, and go
// with the body that moves more, so that marks stay where bodies touch.
function contactsBetween(before: LiveFrame, after: LiveFrame, s: number, poses: number[]): number[][] {
  const POINT = 4;
  const [ones, others] = [byPair(before), byPair(after)];
  const out: number[][] = [];
  const carried = (row: number[], frame: LiveFrame) => {
    const [a, b] = [row[0], row[1]].map((body) => [0, 1, 2].map((c) => poses[8 * body + c] - frame.poses[8 * body + c]));
    const by = Math.hypot(...a) > Math.hypot(...b) ? a : b;
    out.push(row.map((x, k) => (k >= POINT && k < POINT + 3 ? x + by[k - POINT] : x)));
  };
  for (const [pair, rows] of ones) {
    const matches = others.get(pair);
    if (matches?.length === rows.length)
      rows.forEach((row, k) => out.push(row.map((x, i) => (i >= POINT ? x + s * (matches[k][i] - x) : s < 0.5 ? x : matches[k][i]))));
    else if (s < 0.5) for (const row of rows) carried(row, before);
  }
  if (s >= 0.5)
    for (const [pair, rows] of others) if (ones.get(pair)?.length !== rows.length) for (const row of rows) carried(row, after);
  return out;
}

function byPair(frame: LiveFrame): Map<string, number[][]> {
  const map = new Map<string, number[][]>();
  for (const row of frame.contacts) {
    const key = `${row[0]} ${row[1]}`;
    const rows = map.get(key);
    if (rows) rows.push(row);
    else map.set(key, [row]);
  }
  return map;
}
