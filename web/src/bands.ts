// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The mode timeline: a row per pair of bodies, a band per mode, a tick where bodies meet, the present time as a line.
import { indexAt, type Pair, type Run } from "./data";
import { MODE_COLORS, MODE_LABELS, theme } from "./palette";
import { listenTime, type TimeWindow } from "./time_window";
import { niceStep, tickText } from "./view";

const ROW = { text: 19, band: 14, gap: 7 };
const AXIS = 32;
const MOST_ROWS = 24;
const MOST_TICKS = 20;
export const GUTTER = { left: 62, right: 20 };

export class Bands {
  readonly element = document.createElement("div");
  private readonly canvas = document.createElement("canvas");
  private readonly line = document.createElement("div");
  private run: Pick<Run, "bodies" | "pairs" | "units" | "plan"> | undefined;
  private rows: number[] = [];
  private width = 1;
  private readonly cursor = document.createElement("div");

  constructor(
    private readonly window: TimeWindow,
    seek: (time: number) => void,
    hover: (time: number | undefined) => void,
    private readonly timeUnit: string,
    private readonly nothing = "No bodies touched, or only within a step.", // where no pair has a band
  ) {
    this.element.className = "bands";
    this.line.className = "now";
    this.cursor.className = "cursor";
    this.cursor.hidden = true;
    const place = document.createElement("div");
    place.className = "bands-place";
    place.append(this.canvas, this.line, this.cursor);
    this.element.append(legend(true), place);
    const time = (clientX: number) => {
      const x = clientX - this.canvas.getBoundingClientRect().left - GUTTER.left;
      const s = Math.min(1, Math.max(0, x / (this.width - GUTTER.left - GUTTER.right)));
      return this.window.begin + s * (this.window.end - this.window.begin);
    };
    listenTime({ node: this.canvas, place, time, left: (t) => this.x(t), eager: true }, window, seek, hover);
    window.listen(() => this.resize());
  }

  load(run: Pick<Run, "bodies" | "pairs" | "units" | "plan">): void {
    this.run = run;
    const order = run.pairs.map((_, k) => k);
    // With too many pairs those with the most changes are shown.
    order.sort((x, y) => run.pairs[y].changes - run.pairs[x].changes || x - y);
    this.rows = order.slice(0, MOST_ROWS).sort((x, y) => x - y);
    this.element.querySelectorAll(".note").forEach((note) => note.remove());
    const say = (text: string) => {
      const note = document.createElement("p");
      note.className = "note";
      note.textContent = text;
      this.element.append(note);
    };
    const touches = run.plan?.touches.length ?? 0;
    if (run.pairs.length === 0) say(touches > 0 ? "Bodies met and separated within one step: see the changes of contact." : this.nothing);
    if (run.pairs.length > MOST_ROWS)
      say(`${MOST_ROWS} of ${run.pairs.length} pairs: those whose mode changed most often.`);
    this.element.classList.toggle("empty", run.pairs.length === 0);
  }

  resize(): void {
    if (!this.run) return;
    const ratio = window.devicePixelRatio || 1;
    this.width = Math.max(120, this.element.clientWidth);
    const height = this.rows.length * (ROW.text + ROW.band + ROW.gap) + AXIS;
    this.canvas.style.height = `${height}px`;
    this.canvas.style.width = `${this.width}px`;
    this.canvas.width = Math.round(this.width * ratio);
    this.canvas.height = Math.round(height * ratio);
    const context = this.canvas.getContext("2d");
    if (!context) return;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.draw(context, height);
  }

  show(time: number): void {
    this.put(this.line, time);
  }

  hover(time: number | undefined): void {
    this.cursor.hidden = time === undefined;
    if (time !== undefined) this.put(this.cursor, time);
  }

  private put(line: HTMLElement, time: number): void {
    line.style.transform = `translateX(${this.x(time)}px)`;
    line.style.visibility = time < this.window.begin || time > this.window.end ? "hidden" : "";
  }

  private x(time: number): number {
    const span = this.window.end - this.window.begin || 1;
    return GUTTER.left + ((time - this.window.begin) / span) * (this.width - GUTTER.left - GUTTER.right);
  }

  private draw(c: CanvasRenderingContext2D, height: number): void {
    const run = this.run!;
    c.clearRect(0, 0, this.width, height);
    c.font = "12px system-ui, sans-serif";
    this.rows.forEach((index, row) => {
      const pair = run.pairs[index];
      const top = row * (ROW.text + ROW.band + ROW.gap);
      c.fillStyle = theme.ink;
      c.textAlign = "left";
      c.textBaseline = "top";
      c.fillText(pair.name ?? `${run.bodies[pair.a].name} – ${run.bodies[pair.b].name}`, GUTTER.left + 4, top + 1); // beside the line of the present time
      const y = top + ROW.text;
      c.fillStyle = theme.empty;
      c.fillRect(GUTTER.left, y, this.width - GUTTER.left - GUTTER.right, ROW.band);
      const [left, right] = [GUTTER.left, this.width - GUTTER.right];
      c.save();
      c.beginPath();
      c.rect(left, top, right - left, ROW.text + ROW.band);
      c.clip();
      const from = indexAt(pair.begin, this.window.begin);
      const to = Math.min(pair.mode.length, indexAt(pair.begin, this.window.end) + 1);
      if (to - from > right - left) this.shares(c, pair, y);
      else
        for (let k = from; k < to; ++k) {
          // A band may reach far beyond the window: hatches are drawn for what is seen of it.
          const begin = Math.max(left - 20, this.x(pair.begin[k]));
          const width = Math.max(0.75, Math.min(right + 20, this.x(pair.begin[k + 1])) - begin);
          this.band(c, pair.mode[k], begin, y, width);
        }
      this.ticks(c, pair, y);
      c.restore();
    });
    this.axis(c, height);
  }

  // More bands than pixels: each column is parted by how long the modes in it last, sticking at the foot.
  private shares(c: CanvasRenderingContext2D, pair: Pair, y: number): void {
    const columns = Math.floor(this.width - GUTTER.left - GUTTER.right);
    const lasts = Array.from({ length: columns }, () => [0, 0, 0, 0]);
    for (let k = 0; k < pair.mode.length; ++k) {
      const [from, to] = [this.x(pair.begin[k]) - GUTTER.left, this.x(pair.begin[k + 1]) - GUTTER.left];
      for (let column = Math.max(0, Math.floor(from)); column < Math.min(columns, to); ++column)
        lasts[column][pair.mode[k]] += Math.min(to, column + 1) - Math.max(from, column);
    }
    lasts.forEach((times, column) => {
      const sum = times[0] + times[1] + times[2] + times[3];
      let foot = y + ROW.band;
      for (const mode of [1, 2, 3]) {
        const height = sum > 0 ? (times[mode] / sum) * ROW.band : 0;
        c.fillStyle = MODE_COLORS[mode];
        c.fillRect(GUTTER.left + column, foot - height, 1, height);
        foot -= height;
      }
    });
  }

  // Where bodies meet.
  private ticks(c: CanvasRenderingContext2D, pair: Pair, y: number): void {
    const seen = pair.touch.filter((time) => time >= this.window.begin && time <= this.window.end);
    if (seen.length > MOST_TICKS) return; // they would hide the bands; zoomed in there are fewer
    c.fillStyle = theme.ink;
    for (const time of seen) {
      const x = this.x(time);
      c.beginPath();
      c.moveTo(x, y + 1);
      c.lineTo(x - 3, y - 4);
      c.lineTo(x + 3, y - 4);
      c.fill();
      c.fillRect(x - 0.5, y, 1, ROW.band);
    }
  }

  // Sliding is hatched, rolling dotted: readable in grey too.
  private band(c: CanvasRenderingContext2D, mode: number, x: number, y: number, width: number): void {
    if (mode === 0) {
      c.fillStyle = theme.line;
      c.fillRect(x, y + ROW.band / 2 - 1, width, 2);
      return;
    }
    c.fillStyle = MODE_COLORS[mode];
    c.fillRect(x, y, width, ROW.band);
    if (mode === 1 || width < 6) return;
    c.save();
    c.beginPath();
    c.rect(x, y, width, ROW.band);
    c.clip();
    c.strokeStyle = c.fillStyle = "rgba(255, 255, 255, 0.45)";
    c.lineWidth = 1.5;
    c.beginPath();
    const first = Math.floor(x / 8) * 8;
    for (let at = first - 16; at < x + width; at += 8) {
      if (mode === 3) {
        c.moveTo(at, y + ROW.band);
        c.lineTo(at + ROW.band, y);
      } else c.rect(at + 3, y + ROW.band / 2 - 1, 2, 2);
    }
    if (mode === 3) c.stroke();
    else c.fill();
    c.restore();
  }

  private axis(c: CanvasRenderingContext2D, height: number): void {
    const { begin, end } = this.window;
    const step = niceStep(end - begin || 1, (this.width - GUTTER.left - GUTTER.right) / 80);
    const y = height - AXIS + 2;
    c.fillStyle = theme.soft;
    c.strokeStyle = theme.line;
    c.font = "11px system-ui, sans-serif";
    c.textAlign = "center";
    c.beginPath();
    c.moveTo(GUTTER.left, y - 0.5);
    c.lineTo(this.width - GUTTER.right, y - 0.5);
    for (let k = Math.ceil(begin / step - 1e-9); k * step <= end + 1e-9 * step; ++k) {
      const x = Math.round(this.x(k * step)) + 0.5;
      c.moveTo(x, y);
      c.lineTo(x, y + 4);
      c.fillText(tickText(k * step, step), x, y + 6);
    }
    c.stroke();
    const unit = this.timeUnit ? ` (${this.timeUnit})` : "";
    c.fillText(`time${unit}`, (GUTTER.left + this.width - GUTTER.right) / 2, y + 18);
  }
}

// `meets`: of a timeline, which has ticks where bodies meet.
export function legend(meets = false): HTMLElement {
  const list = document.createElement("ul");
  list.className = "legend";
  for (const mode of [1, 2, 3, 0]) {
    const item = document.createElement("li");
    const mark = document.createElement("span");
    mark.className = `mark mode-${MODE_LABELS[mode]}`;
    mark.style.setProperty("--color", MODE_COLORS[mode]);
    item.append(mark, MODE_LABELS[mode]);
    list.append(item);
  }
  if (meets) {
    const item = document.createElement("li");
    item.append("▾ meet");
    list.append(item);
  }
  return list;
}
