// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The page of a scene that runs: the simulation sends its newest state, the page sends commands.
import { legend } from "./bands";
import { playButton, showPlaying, showSwitches, speedChoice, timeDisplay } from "./controls";
import type { Snapshot } from "./data";
import { button, details, element } from "./dom";
import { boxAround, Remote, snapshotOf, type LiveFrame, type LiveSetting } from "./live_data";
import { ParameterPanel } from "./live_parameters";
import { LivePlot } from "./live_plot";
import { numberText } from "./plots";
import { makeView, shapeOf } from "./run_page";
import { traced, type Show, type Trace, type View } from "./view";

const PLOT_INTERVAL = 200; // ms between redraws of the curves
const TRACE = 4000;

export class LivePage {
  readonly element = element("div", { class: "run live" });
  frame: LiveFrame | undefined;
  setting: LiveSetting | undefined;
  drawn = 0; // frames, for those who measure
  private readonly remote = new Remote((text) => this.say(text));
  private readonly title = element("h1", {}, "stickslip live");
  private readonly badge = element("span", { class: "badge unknown" }, "live");
  private readonly notice = element("p", { class: "notice", role: "status" });
  private readonly play = playButton(() => this.remote.send({ do: this.frame?.playing ? "pause" : "play" }));
  private readonly clock = element("output", { class: "clock", "aria-label": "time" });
  private readonly pace = element("span", { class: "pace" });
  private readonly charts = element("section", { class: "charts", "aria-label": "Parameters and curves" });
  private readonly stage = element("section", { class: "stage", "aria-label": "Scene" });
  private readonly parameters = new ParameterPanel((name, value) => this.remote.send({ do: "set", name, value }));
  private readonly show: Show = { contacts: true, forces: true, cones: false, traces: true, names: true, guides: false };
  private view: View | undefined;
  private speed: HTMLSelectElement | undefined;
  private bounds: number[][] | undefined;
  private plots: LivePlot[] = [];
  private traces: Trace[] = [];
  private largest = 0;
  private dirty = false;
  private plotted = 0;

  constructor() {
    this.element.append(this.stage, this.charts);
    new ResizeObserver(() => this.resize()).observe(this.element);
    const source = new EventSource(this.remote.address("/events"));
    source.addEventListener("setting", (event) => this.load(JSON.parse(event.data)));
    source.addEventListener("message", (event) => this.receive(JSON.parse(event.data)));
    source.addEventListener("open", () => this.say(this.setting?.notice ?? ""));
    source.addEventListener("error", () => this.say("No connection to the simulation: has stickslip live ended?"));
    document.addEventListener("keydown", (event) => {
      if (event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement) return;
      if (event.key === "ArrowRight") this.remote.send({ do: "step" });
      else if (event.key === " " && !(event.target instanceof HTMLButtonElement)) this.remote.send({ do: this.frame?.playing ? "pause" : "play" });
      else return;
      event.preventDefault();
    });
    const tick = (now: number) => {
      if (this.dirty) this.draw(now);
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  header(): HTMLElement {
    return element("header", {}, this.title, this.badge, this.notice);
  }

  // Where the middle of a body is drawn, in pixels of the picture.
  screenOf(name: string): [number, number] | undefined {
    const pose = this.snapshot()?.poses[this.setting?.bodies.findIndex((body) => body.name === name) ?? -1];
    return pose && this.view?.screen(pose.position);
  }

  snapshot(): Snapshot | undefined {
    return this.frame && snapshotOf(this.frame);
  }

  private say(text: string): void {
    this.notice.textContent = text;
  }

  private load(setting: LiveSetting): void {
    const first = this.setting === undefined;
    const sameBodies = setting.bodies.length === this.setting?.bodies.length;
    this.setting = setting;
    this.say(setting.notice);
    if (first) this.build(setting);
    if (!sameBodies) this.restart();
    this.parameters.load(setting.parameters, setting.method, setting.units.time, setting.notice !== "");
    this.place();
    this.dirty = true;
  }

  private build(setting: LiveSetting): void {
    this.title.textContent = setting.title || "stickslip live";
    document.title = `${setting.title} – stickslip live`;
    const { units } = setting;
    this.view = makeView(setting.dimension, () => (this.dirty = true));
    this.speed = speedChoice(1, units.time, (value) => this.remote.send({ do: "speed", value }));
    const controls = element("div", { class: "controls" }, this.play,
      button("One step", "▸", () => this.remote.send({ do: "step" })),
      button("Reset", "|◂", () => this.remote.send({ do: "reset" })),
      this.speed,
      timeDisplay(this.clock, units.time), this.pace);
    const switches = showSwitches(this.show, false, () => (this.dirty = true), () => this.refit());
    const links = element("div", { class: "controls" },
      element("a", { href: this.remote.address("/scene"), download: "scene.toml", class: "button" }, "save as scene"),
      element("a", { href: this.remote.address("/recording"), download: "recording.h5", class: "button" }, "export recording"));
    this.stage.append(this.view.element, controls, switches, legend(), links);
    this.plots = setting.observables.map((quantity) => new LivePlot(quantity, units.time));
    this.charts.append(element("h2", {}, "Parameters"), this.parameters.element,
      element("h2", {}, "Curves"), ...this.plots.map((plot) => plot.element));
    if (this.plots.length === 0) this.charts.append(element("p", { class: "note" }, "This scene has no observables."));
    this.stage.append(details("About", false, element("p", {}, setting.description), element("p", {}, `stickslip ${setting.version}`)));
    this.resize();
  }

  // Curves and traces begin anew.
  private restart(): void {
    for (const plot of this.plots) plot.clear();
    const bodies = this.setting?.bodies ?? [];
    this.traces = traced(bodies).map((body) => ({ body, points: new Float32Array(3 * TRACE), count: 0 }));
  }

  private receive(frame: LiveFrame): void {
    if (!this.setting || frame.setting !== this.setting.number) return;
    if (this.frame && frame.time < this.frame.time) this.restart();
    const moved = frame.time !== this.frame?.time;
    this.frame = frame;
    if (moved) {
      this.plots.forEach((plot, k) => plot.add(frame.time, frame.observables[k]));
      this.extend(frame);
    }
    for (const c of frame.contacts) this.largest = Math.max(0.999 * this.largest, Math.hypot(c[10], c[11], c[12]));
    this.grow();
    this.dirty = true;
  }

  private extend(frame: LiveFrame): void {
    for (const trace of this.traces) {
      if (trace.count === TRACE) {
        for (let k = 0; k < TRACE / 2; ++k) trace.points.copyWithin(3 * k, 6 * k, 6 * k + 3);
        trace.count = TRACE / 2;
      }
      trace.points.set(frame.poses.slice(8 * trace.body, 8 * trace.body + 3), 3 * trace.count++);
    }
  }

  // What is to be seen grows with the bodies' way.
  private grow(): void {
    const snapshot = this.snapshot();
    if (!this.setting || !snapshot) return;
    const box = boxAround(this.setting, snapshot.poses);
    const known = this.bounds;
    const inside = known && box[0].every((x, k) => x >= known[0][k]) && box[1].every((x, k) => x <= known[1][k]);
    if (inside) return;
    const size = Math.hypot(...box[1].map((x, k) => x - box[0][k]));
    const air = known ? 0.1 * size : 0.02 * size;
    this.bounds = [
      box[0].map((x, k) => Math.min(known?.[0][k] ?? Infinity, x - air)),
      box[1].map((x, k) => Math.max(known?.[1][k] ?? -Infinity, x + air)),
    ];
    this.place();
  }

  private refit(): void {
    this.bounds = undefined;
    this.grow();
    this.view?.fit();
  }

  private place(): void {
    if (!this.setting || !this.view) return;
    if (this.setting.dimension === 2 && this.bounds) this.view.element.style.setProperty("--shape", String(shapeOf(this.bounds)));
    this.view.load({
      setting: this.setting,
      bounds: this.bounds ?? [[-1, -1, -1], [1, 1, 1]],
      largestForce: this.largest || 1,
      lengthUnit: this.setting.units.length,
    });
  }

  private resize(): void {
    this.view?.resize();
    for (const plot of this.plots) plot.resize();
    this.dirty = true;
  }

  // A step that is not certified stops the run; this says how good the others were.
  private certify(frame: LiveFrame): void {
    const tolerance = this.setting?.tolerance ?? 0;
    const good = frame.worst !== null && frame.steps > 0 && frame.worst <= tolerance;
    this.badge.className = good ? "badge good" : "badge unknown";
    this.badge.textContent = good ? `live ✓ ${frame.steps} steps certified` : "live";
    this.badge.title = good ? `worst residual ${frame.worst!.toExponential(2)}, tolerance ${tolerance.toExponential(0)}` : "";
  }

  private draw(now: number): void {
    const { frame } = this;
    const snapshot = this.snapshot();
    if (!frame || !snapshot || !this.view || snapshot.poses.length !== this.setting?.bodies.length) return;
    this.dirty = false;
    ++this.drawn;
    this.view.setLargestForce(this.largest || 1);
    this.view.draw(snapshot, this.traces, this.show);
    this.clock.value = `t = ${frame.time.toFixed(3)}`;
    showPlaying(this.play, frame.playing);
    if (this.speed && document.activeElement !== this.speed) this.speed.value = String(frame.speed);
    const slow = frame.playing && frame.rate > 0 && frame.rate < 0.9 * frame.speed;
    this.pace.textContent = !frame.playing ? "paused" : slow ? `slower than asked: ${numberText(Number(frame.rate.toPrecision(2)))}×` : "keeps pace";
    this.pace.classList.toggle("slow", slow);
    if (now - this.plotted < PLOT_INTERVAL && frame.playing) return;
    this.plotted = now;
    this.certify(frame);
    for (const plot of this.plots) plot.draw();
  }
}

export function inspectLive(page: LivePage) {
  return {
    time: () => page.frame?.time ?? NaN,
    screen: (name: string) => page.screenOf(name),
    playing: () => page.frame?.playing ?? false,
    steps: () => page.frame?.steps ?? 0,
    drawn: () => page.drawn,
    rate: () => page.frame?.rate ?? 0,
    parameter: (name: string) => page.setting?.parameters.find((p) => p.name === name)?.value,
    method: () => page.setting?.method,
    bodies: () => page.setting?.bodies,
    observable: (name: string) => page.frame?.observables[page.setting?.observables.findIndex((o) => o.name === name) ?? -1],
    pose: (name: string) => page.snapshot()?.poses[page.setting?.bodies.findIndex((b) => b.name === name) ?? -1],
  };
}
