// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The stretch of time that bands, curves and the slider show, and what hands do to it: drag over a stretch to see it
// alone, wheel to zoom, wheel with shift to move, double click for the whole run; a click goes to its time.

const CLICK = 4; // pixels that a click may move
const DEEPEST = 1e-6; // of the whole run
const REST = 400; // ms without scrolling after which the wheel is meant for a chart

export class TimeWindow {
  begin: number;
  end: number;
  private readonly listeners: (() => void)[] = [];

  constructor(public first: number, public last: number) {
    [this.begin, this.end] = [first, last];
  }

  // Another run, or one that goes on: all of it is shown.
  cover(first: number, last: number): void {
    [this.first, this.last] = [first, last];
    this.reset();
  }

  get whole(): boolean {
    return this.begin <= this.first && this.end >= this.last;
  }

  listen(changed: () => void): void {
    this.listeners.push(changed);
  }

  set(begin: number, end: number): void {
    const least = DEEPEST * (this.last - this.first);
    const span = Math.min(this.last - this.first, Math.max(end - begin, least));
    const from = Math.min(Math.max((begin + end - span) / 2, this.first), this.last - span);
    if (!Number.isFinite(from)) return;
    [this.begin, this.end] = [from, from + span];
    for (const changed of this.listeners) changed();
  }

  zoom(about: number, ratio: number): void {
    this.set(about + (this.begin - about) * ratio, about + (this.end - about) * ratio);
  }

  move(by: number): void {
    const room = Math.min(Math.max(by, this.first - this.begin), this.last - this.end);
    this.set(this.begin + room, this.end + room);
  }

  reset(): void {
    this.set(this.first, this.last);
  }

  // So that a time is to be seen.
  show(time: number): void {
    const span = this.end - this.begin;
    if (time < this.begin) this.set(time - 0.1 * span, time + 0.9 * span);
    else if (time > this.end) this.set(time - 0.1 * span, time + 0.9 * span);
  }
}

export interface Gestures {
  node: HTMLElement; // that is touched
  place: HTMLElement; // in which the chosen stretch is drawn; positioned
  time(clientX: number): number;
  left(time: number): number; // pixels in `place`
  eager: boolean; // the wheel always zooms; else only when the page is not being scrolled
}

let scrolled = -Infinity; // when the page was last scrolled by the wheel
window.addEventListener("scroll", () => (scrolled = performance.now()), { passive: true });

export function listenTime(gestures: Gestures, window_: TimeWindow, seek: (time: number) => void, hover: (time: number | undefined) => void): void {
  const { node, place } = gestures;
  const stretch = document.createElement("div");
  stretch.className = "stretch";
  stretch.hidden = true;
  place.append(stretch);
  let pressed: number | undefined;
  let entered = 0;
  node.addEventListener("pointerenter", () => (entered = performance.now()));
  node.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    pressed = event.clientX;
    node.setPointerCapture(event.pointerId);
  });
  node.addEventListener("pointermove", (event) => {
    hover(gestures.time(event.clientX));
    if (pressed === undefined) return;
    stretch.hidden = Math.abs(event.clientX - pressed) <= CLICK;
    const [from, to] = [pressed, event.clientX].map((x) => gestures.left(gestures.time(x)));
    stretch.style.left = `${Math.min(from, to)}px`;
    stretch.style.width = `${Math.abs(to - from)}px`;
  });
  const lift = (event: PointerEvent) => {
    if (pressed === undefined) return;
    const [from, to] = [gestures.time(pressed), gestures.time(event.clientX)];
    const dragged = Math.abs(event.clientX - pressed) > CLICK;
    pressed = undefined;
    stretch.hidden = true;
    if (event.type === "pointercancel") return;
    if (dragged) window_.set(Math.min(from, to), Math.max(from, to));
    else seek(to);
  };
  node.addEventListener("pointerup", lift);
  node.addEventListener("pointercancel", lift);
  node.addEventListener("pointerleave", () => hover(undefined));
  node.addEventListener("dblclick", () => window_.reset());
  node.addEventListener("wheel", (event) => {
    const now = performance.now();
    if (!gestures.eager && now - Math.max(scrolled, entered) < REST) return;
    event.preventDefault();
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
      window_.move(((event.deltaX || event.deltaY) / 800) * (window_.end - window_.begin));
    else window_.zoom(gestures.time(event.clientX), Math.exp(0.0015 * event.deltaY));
  }, { passive: false });
}
