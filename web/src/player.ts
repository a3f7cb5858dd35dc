// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The present time of a recorded run: play, pause, seek, step, speed.

export const SPEEDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];
const COMFORTABLE = 12; // seconds for a run

export class Player {
  time: number;
  speed: number;
  playing = false;
  private before = 0;

  constructor(
    private readonly frames: ArrayLike<number>,
    private readonly changed: () => void,
  ) {
    this.time = frames[0];
    const duration = this.end - this.begin;
    // Real time where that is neither too quick to see nor too long to wait for.
    this.speed = SPEEDS.reduce((best, speed) => {
      const off = (s: number) => Math.abs(Math.log(duration / s / COMFORTABLE));
      return off(speed) < off(best) ? speed : best;
    });
    if (duration > 2 && duration < 30) this.speed = 1;
  }

  get begin(): number {
    return this.frames[0];
  }
  get end(): number {
    return this.frames[this.frames.length - 1];
  }

  seek(time: number): void {
    this.time = Math.min(this.end, Math.max(this.begin, time));
    this.changed();
  }

  // To the next or previous frame that the page has.
  step(direction: 1 | -1): void {
    this.playing = false;
    let k = 0;
    if (direction > 0) while (k < this.frames.length - 1 && this.frames[k] <= this.time) ++k;
    else {
      k = this.frames.length - 1;
      while (k > 0 && this.frames[k] >= this.time) --k;
    }
    this.seek(this.frames[k]);
  }

  toggle(): void {
    this.playing = !this.playing;
    if (this.playing && this.time >= this.end) this.time = this.begin;
    this.before = performance.now();
    this.changed();
  }

  // Once per drawn frame.
  advance(now: number): void {
    if (!this.playing) return;
    const elapsed = Math.max(0, (now - this.before) / 1000);
    this.before = now;
    const time = this.time + elapsed * this.speed;
    if (time >= this.end) this.playing = false;
    this.seek(time);
  }
}
