// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The last minute of a live run: frames from which it can go on. Drag to look at one, press to go on from there.
import { button, element } from "./dom";
import type { LiveFrame } from "./live_data";
import { numberText } from "./plots";

const MOST = 600;
const MOST_NUMBERS = 4_000_000; // of all frames

export class LiveTimeline {
  readonly element: HTMLElement;
  shown: LiveFrame | undefined; // that is looked at instead of the present one
  private frames: LiveFrame[] = [];
  private readonly slider = element("input", { type: "range", min: "0", max: "1", value: "1", step: "1", disabled: "", "aria-label": "Last minute" });
  private readonly text = element("span", { class: "pace" });
  private readonly resume = button("Go on from this moment", "go on from here", () => this.shown && this.rewind(this.shown.time));

  constructor(look: () => void, private readonly rewind: (time: number) => void) {
    this.element = element("div", { class: "controls timeline" }, "last minute", this.slider, this.text, this.resume);
    this.resume.disabled = true;
    this.slider.addEventListener("input", () => {
      const k = Number(this.slider.value);
      this.shown = k >= this.frames.length - 1 ? undefined : this.frames[k];
      this.tell();
      look();
    });
  }

  add(frame: LiveFrame): void {
    // Going back in time ends what was later.
    if (this.frames.length > 0 && frame.time < this.frames[this.frames.length - 1].time)
      this.frames = this.frames.filter(({ time }) => time < frame.time);
    if (!frame.kept) return;
    this.frames.push(frame);
    const most = Math.min(MOST, MOST_NUMBERS / (frame.poses.length + frame.velocities.length + 14 * frame.contacts.length + 1));
    if (this.frames.length > most) this.frames.shift();
    this.slider.max = String(Math.max(1, this.frames.length - 1)); // the present is at the right end
    this.slider.disabled = this.frames.length < 2;
    if (!this.shown) this.slider.value = this.slider.max;
    this.tell();
  }

  // The present again.
  leave(): void {
    this.shown = undefined;
    this.slider.value = this.slider.max;
    this.tell();
  }

  clear(): void {
    this.frames = [];
    this.leave();
  }

  times(): number[] {
    return this.frames.map(({ time }) => time);
  }

  private tell(): void {
    this.resume.disabled = !this.shown;
    this.text.textContent = this.shown ? `at t = ${numberText(Number(this.shown.time.toPrecision(5)))}` : "now";
  }
}
