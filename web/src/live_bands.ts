// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The mode timeline of a live run, put together from the frames that came.
import { Bands } from "./bands";
import type { Body, Pair } from "./data";
import type { LiveFrame } from "./live_data";
import { TimeWindow } from "./time_window";

const MOST = 2000; // bands of a pair
const MOST_PAIRS = 12;

interface Row {
  a: number;
  b: number;
  begin: number[];
  mode: number[];
}

export class LiveBands {
  private rows = new Map<string, Row>();
  private readonly window = new TimeWindow(0, 1);
  private readonly bands: Bands;
  private begin = 0;
  private end = 0;

  constructor(timeUnit: string) {
    this.bands = new Bands(this.window, () => {}, () => {}, timeUnit, "None yet: bands appear when bodies touch.");
    this.bands.load({ bodies: [], pairs: [], units: { time: timeUnit, length: "", force: "" } });
  }

  get element(): HTMLElement {
    return this.bands.element;
  }

  clear(): void {
    this.rows.clear();
    this.begin = this.end;
  }

  add(frame: LiveFrame): void {
    if (this.rows.size === 0 || frame.time < this.begin) this.begin = frame.time;
    this.end = frame.time;
    const now = new Map<string, number>();
    for (const [a, b, mode] of frame.contacts) {
      const key = `${a} ${b}`;
      now.set(key, Math.max(now.get(key) ?? 0, mode));
      if (!this.rows.has(key) && this.rows.size < MOST_PAIRS) this.rows.set(key, { a, b, begin: [], mode: [] });
    }
    for (const [key, row] of this.rows) {
      const mode = now.get(key) ?? 0;
      if (row.mode.at(-1) === mode) continue;
      if (row.mode.length === 0 && mode === 0) continue;
      row.begin.push(frame.time);
      row.mode.push(mode);
      if (row.mode.length > MOST) [row.begin, row.mode] = [row.begin.slice(MOST / 2), row.mode.slice(MOST / 2)];
    }
  }

  draw(bodies: Body[], units: { time: string; length: string; force: string }): void {
    if (!(this.end > this.begin)) return;
    const pairs: Pair[] = [...this.rows.values()].map(({ a, b, begin, mode }) => ({
      a, b, friction: 0, carrier: a, changes: mode.length, touch: new Float64Array(),
      begin: Float64Array.from([...begin, this.end]), mode: Uint8Array.from(mode),
    }));
    this.bands.load({ bodies, pairs, units });
    this.window.cover(this.begin, this.end); // draws
    this.bands.show(this.end);
  }
}
