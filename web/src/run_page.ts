// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The page of one recorded run.
import { Bands } from "./bands";
import { playButton, showPlaying, showSwitches, speedChoice, timeDisplay } from "./controls";
import { indexAt, snapshotAt, type Run, type Snapshot } from "./data";
import { button, details, element, table } from "./dom";
import { whenThemeChanges } from "./palette";
import { PlotPanel, numberText } from "./plots";
import { NoView } from "./no_view";
import { guidesOf } from "./plan_data";
import { planFacts, planPanel } from "./plan_panel";
import { Player } from "./player";
import { largestForce, traced, type Show, type Trace, type View } from "./view";
import { View2D } from "./view2d";
import { View3D } from "./view3d";

export function makeView(dimension: number, redraw: () => void): View {
  if (dimension === 2) return new View2D(redraw);
  try {
    return new View3D(redraw);
  } catch {
    return new NoView();
  }
}

export class RunPage {
  readonly element = element("div", { class: "run" });
  readonly player: Player;
  readonly view: View;
  private readonly bands: Bands;
  private readonly plots: PlotPanel[];
  private readonly traces: Trace[];
  private readonly show: Show;
  private readonly playButton: HTMLButtonElement;
  private readonly slider: HTMLInputElement;
  private readonly clock = element("output", { class: "clock", "aria-label": "time" });
  private readonly observer: ResizeObserver;
  private dirty = true;
  private stopped = false;

  // `others`: the solutions of the same plan, this one among them.
  constructor(readonly run: Run, others: Run[] = [], choose: (run: Run) => void = () => {}) {
    const { units } = run;
    this.show = { contacts: true, forces: true, cones: false, traces: true, names: run.bodies.length <= 8, guides: true };
    this.player = new Player(run.frames.time, () => this.changed());
    this.view = makeView(run.dimension, () => this.changed());
    this.view.load({
      setting: run,
      bounds: run.bounds,
      largestForce: largestForce(run.frames.force),
      lengthUnit: units.length,
      guides: run.plan && guidesOf(run, run.plan),
    });
    if (run.dimension === 2) this.view.element.style.setProperty("--shape", String(shapeOf(run.bounds)));
    this.traces = traced(run.bodies).map((body) => ({ body, points: path(run, body), count: 0 }));
    const seek = (time: number) => {
      this.player.playing = false;
      this.player.seek(time);
    };
    this.bands = new Bands(seek, units.time);
    this.bands.load(run);
    const wanted = (name: string) => run.plan?.conditions.find((c) => c.left === name)?.wanted ?? undefined;
    this.plots = run.plots.map((plot) => new PlotPanel(plot, units.time, seek, wanted(plot.title)));
    this.playButton = playButton(() => this.player.toggle());
    this.slider = element("input", { type: "range", min: "0", max: "10000", value: "0", step: "1", "aria-label": "Time" });
    this.slider.addEventListener("input", () => {
      const s = Number(this.slider.value) / 10000;
      seek(this.player.begin + s * (this.player.end - this.player.begin));
    });
    this.element.append(
      element("section", { class: "stage", "aria-label": "Animation" }, this.view.element, this.controls(units.time),
        showSwitches(this.show, run.plan !== undefined, () => this.changed(), () => this.view.fit())),
      element("section", { class: "charts", "aria-label": "Charts" },
        ...(run.plan ? [element("h2", {}, "Plan"), planPanel(run, run.plan, others, choose, seek)] : []),
        element("h2", {}, "Contact modes"), this.bands.element,
        element("h2", {}, "Curves"), ...this.plots.map((plot) => plot.element)),
      element("section", { class: "texts", "aria-label": "Run" }, ...this.texts(units.time)),
    );
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.element);
    whenThemeChanges(() => {
      this.bands.resize();
      for (const plot of this.plots) plot.repaint();
    });
    const frame = (now: number) => {
      if (this.stopped) return;
      this.player.advance(now);
      if (this.dirty) this.draw();
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  // Ends the page's activity when another run is chosen.
  close(): void {
    this.stopped = true;
    this.observer.disconnect();
    this.element.remove();
  }

  snapshot(): Snapshot {
    return snapshotAt(this.run, this.player.time);
  }

  // Draws at once, for those who read the picture.
  draw(): void {
    this.dirty = false;
    const { time } = this.player;
    const whole = this.run.plan && this.show.guides; // a plan is the whole way
    const kept = whole ? this.run.frames.time.length : indexAt(this.run.frames.time, time) + 1;
    for (const trace of this.traces) trace.count = kept;
    this.view.draw(this.snapshot(), this.traces, this.show);
    this.bands.show(time);
    for (const plot of this.plots) plot.show(time);
    const span = this.player.end - this.player.begin || 1;
    this.slider.value = String(Math.round((10000 * (time - this.player.begin)) / span));
    const digits = Math.max(0, Math.min(9, 4 - Math.floor(Math.log10(span))));
    this.clock.value = `t = ${span < 1e-4 ? time.toExponential(3) : time.toFixed(digits)}`;
    showPlaying(this.playButton, this.player.playing);
  }

  private changed(): void {
    this.dirty = true;
  }

  private resize(): void {
    this.view.resize();
    this.bands.resize();
    for (const plot of this.plots) plot.resize();
    this.draw();
  }

  private controls(timeUnit: string): HTMLElement {
    return element("div", { class: "controls" },
      button("To the start", "|◂", () => { this.player.playing = false; this.player.seek(this.player.begin); }),
      button("One frame back", "◂", () => this.player.step(-1)),
      this.playButton,
      button("One frame on", "▸", () => this.player.step(1)),
      this.slider, timeDisplay(this.clock, timeUnit),
      speedChoice(this.player.speed, timeUnit, (speed) => (this.player.speed = speed)));
  }

  private texts(timeUnit: string): HTMLElement[] {
    const { run } = this;
    const facts: string[][] = [
      ...(run.plan ? planFacts(run.plan) : []),
      ["method", run.method],
      ["certificate", certificateText(run, timeUnit)],
      ["audit", run.audit || "unknown: the run had none, was killed, or an older version recorded it"],
      ["end", run.end || "unknown: the run was killed or still going on, or an older version recorded it"],
      ["frames", framesText(run)],
      ["version", `stickslip ${run.version}`],
    ];
    const list: HTMLElement[] = [details("About this run", true, table(["", ""], facts))];
    if (!run.has_shapes)
      list.unshift(element("p", { class: "note" }, "This recording was made by an older version and has no shapes: bodies are drawn as points."));
    if (run.parameters.length > 0) {
      const rows = run.parameters.map((p) => [p.name, `${numberText(p.value)} ${p.unit}`, p.description]);
      list.push(details("Parameters", false, table(["name", "value", ""], rows)));
    }
    const ends = run.plots.filter((plot) => run.observables.some((o) => o.name === plot.title));
    if (ends.length > 0) {
      const rows = ends.map((plot) => [plot.title, `${numberText(plot.curves[0].last)} ${plot.unit}`, plot.description]);
      list.push(details("Observables at the end", false, table(["name", "value", ""], rows)));
    }
    if (run.plan) list.push(details("Plan file", false, element("pre", {}, run.plan.text)));
    list.push(details("Scene file", false, element("pre", {}, run.scene)));
    return list;
  }
}

// Width over height of what is to be seen: a long thin scene needs no high picture.
export function shapeOf([low, high]: number[][]): number {
  return (high[0] - low[0]) / Math.max(high[1] - low[1], 1e-12);
}

function path(run: Run, body: number): Float32Array {
  const { time, pose } = run.frames;
  const stride = run.dimension === 2 ? 3 : 7;
  const points = new Float32Array(3 * time.length);
  for (let k = 0; k < time.length; ++k) {
    const at = (k * run.bodies.length + body) * stride;
    points.set([pose[at], pose[at + 1], run.dimension === 2 ? 0 : pose[at + 2]], 3 * k);
  }
  return points;
}

export function certificateText(run: Run, timeUnit: string): string {
  if (run.worst_residual === null) return "no step was recorded";
  const tolerance = run.tolerance ? `, tolerance ${run.tolerance.toExponential(0)}` : "; its tolerance was not recorded";
  const unit = timeUnit ? ` ${timeUnit}` : "";
  return `worst residual ${run.worst_residual ? run.worst_residual.toExponential(2) : "0"} at t = ${numberText(run.worst_time)}${unit}${tolerance}`;
}

function framesText(run: Run): string {
  const { frames } = run;
  const unit = run.units.length ? ` ${run.units.length}` : "";
  const count = `${frames.time.length} of ${frames.recorded} recorded frames`;
  if (frames.tolerance === null) return `${count}, at equal distances; curves and modes are of all frames`;
  if (frames.tolerance === 0) return count;
  return `${count}; between them no point is drawn farther than ${numberText(frames.tolerance)}${unit} from where it was; curves and modes are of all frames`;
}

// What tests and other scripts on the page can ask.
export function inspect(page: () => RunPage) {
  const ready = performance.now(); // ms after the page was asked for
  return {
    time: () => page().player.time,
    begin: () => page().player.begin,
    end: () => page().player.end,
    playing: () => page().player.playing,
    seek: (time: number) => {
      page().player.playing = false;
      page().player.seek(time);
      page().draw();
    },
    pose: (name: string) => {
      const index = page().run.bodies.findIndex((body) => body.name === name);
      return page().snapshot().poses[index];
    },
    contacts: () =>
      page().snapshot().contacts.map((c) => ({
        ...c, a: page().run.bodies[c.a].name, b: page().run.bodies[c.b].name, screen: page().view.screen(c.point),
      })),
    frames: () => Array.from(page().run.frames.time),
    plan: () => page().run.plan,
    screen: (point: number[]) => page().view.screen(point),
    readyAfter: () => ready,
  };
}
