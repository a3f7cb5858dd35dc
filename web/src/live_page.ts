// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The page of a scene that runs: the simulation sends its newest state, the page sends commands.
import { Switches, cameraBar, fullScreen, layerKeys, playButton, showPlaying, speedChoice, timeDisplay } from "./controls";
import type { Snapshot } from "./data";
import { button, details, element } from "./dom";
import { Inspector } from "./inspector";
import { listenKeys } from "./keys";
import { LiveBands } from "./live_bands";
import { Between } from "./live_between";
import { boxAround, snapshotOf, type LiveFrame, type LiveSetting, type Simulation } from "./live_data";
import { ParameterPanel } from "./live_parameters";
import { LiveTimeline } from "./live_timeline";
import { Touch } from "./live_touch";
import { LivePlot } from "./live_plot";
import { numberText, overTime } from "./plots";
import { makeView, shapeOf } from "./run_page";
import { whenThemeChanges } from "./palette";
import { savePng } from "./save";
import { traced, usualShow, type Hit, type Show, type Trace, type View } from "./view";

const PLOT_INTERVAL = 200; // ms between redraws of the curves
const BAND_INTERVAL = 600; // the same for the mode timeline
const TRACE = 4000;

export class LivePage {
  readonly element = element("div", { class: "run live" });
  frame: LiveFrame | undefined;
  setting: LiveSetting | undefined;
  // For those who measure: pictures, and states that came.
  drawn = 0;
  received = 0;
  shown: LiveFrame | undefined; // in the picture
  private readonly remote: Simulation;
  private readonly title = element("h1", {}, "stickslip live");
  private readonly badge = element("span", { class: "badge unknown" }, "live");
  private readonly notice = element("p", { class: "notice", role: "status" });
  private readonly play = playButton(() => this.toggle());
  private readonly clock = element("output", { class: "clock", "aria-label": "time" });
  private readonly pace = element("span", { class: "pace" });
  private readonly charts = element("section", { class: "charts", "aria-label": "Parameters and curves" });
  private readonly stage = element("section", { class: "stage", "aria-label": "Scene" });
  private readonly parameters = new ParameterPanel(
    (name, value) => this.remote.send({ do: "set", name, value }),
    (name) => this.remote.send({ do: "default", name }));
  private readonly timeline = new LiveTimeline(() => this.look(), (time) => {
    this.timeline.leave();
    this.remote.send({ do: "rewind", value: time });
  });
  private readonly ending = element("select", { "aria-label": "After the scene's duration" });
  private readonly inspector = new Inspector(() => this.setting, (hit) => this.choose(hit));
  private touch: Touch | undefined;
  private bands: LiveBands | undefined;
  private readonly between = new Between();
  private chosen: Hit | undefined;
  private connected = false;
  private readonly show: Show = usualShow(0);
  private view: View | undefined;
  private speed: HTMLSelectElement | undefined;
  private bounds: number[][] | undefined;
  private plots: LivePlot[] = [];
  private energy: LivePlot | undefined;
  private traces: Trace[] = [];
  private largest = 0;
  private dirty = false;
  private plotted = 0;
  private banded = 0;

  // `connect` makes the simulation; it tells why a command could not be given.
  constructor(connect: (failed: (text: string) => void) => Simulation) {
    this.remote = connect((text) => this.say(text));
    this.element.append(this.stage, this.charts);
    new ResizeObserver(() => this.resize()).observe(this.element);
    this.remote.listen({
      setting: (setting) => this.load(setting),
      frame: (frame) => this.receive(frame),
      connected: () => {
        this.connected = true;
        this.element.classList.remove("lost");
        this.say(this.setting?.notice ?? "");
        this.dirty = true;
      },
      lost: (why) => this.lose(why),
    });
    whenThemeChanges(() => this.place());
    const tick = (now: number) => {
      if (this.dirty || this.between.wants(now)) this.draw(now);
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  header(): HTMLElement {
    return element("header", {}, this.title, this.badge, this.notice);
  }

  // Where the middle of a body is drawn, in pixels of the picture.
  // Where the points of all traces are drawn.
  traceOnScreen(): [number, number][] {
    return this.traces.flatMap(({ points, count }) => Array.from({ length: count }, (_, k) => this.view!.screen(Array.from(points.slice(3 * k, 3 * k + 3)))));
  }

  screenOf(name: string): [number, number] | undefined {
    const pose = this.snapshot()?.poses[this.setting?.bodies.findIndex((body) => body.name === name) ?? -1];
    return pose && this.view?.screen(pose.position);
  }

  snapshot(): Snapshot | undefined {
    return this.frame && snapshotOf(this.frame);
  }

  // What is on the page is what was, and no step is being certified.
  private lose(why: string): void {
    this.connected = false;
    this.element.classList.add("lost");
    this.badge.className = "badge failed";
    this.badge.textContent = "✗ not connected";
    this.pace.textContent = "stopped: no connection";
    showPlaying(this.play, false);
    this.say(why);
  }

  private toggle(): void {
    this.timeline.leave();
    this.remote.send({ do: this.frame?.playing ? "pause" : "play" });
  }

  // At a moment of the last minute.
  private look(): void {
    if (this.timeline.shown && this.frame?.playing) this.remote.send({ do: "pause" });
    this.dirty = true;
  }

  choose(hit: Hit | undefined): void {
    this.chosen = hit;
    this.touch?.choose(hit && "body" in hit ? hit.body : -1);
    this.plotted = 0;
    this.dirty = true;
  }

  times(): number[] {
    return this.timeline.times();
  }

  get picked(): Hit | undefined {
    return this.chosen;
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
    this.parameters.load(setting.parameters, setting.method, setting.units.time, setting.refused);
    this.place();
    this.dirty = true;
  }

  private build(setting: LiveSetting): void {
    Object.assign(this.show, usualShow(setting.bodies.length), { guides: false });
    this.title.textContent = setting.title || "stickslip live";
    document.title = `${setting.title} – stickslip live`;
    const { units } = setting;
    this.view = makeView(setting.dimension, () => (this.dirty = true));
    this.speed = speedChoice(1, units.time, (value) => this.remote.send({ do: "speed", value }));
    for (const [value, text] of [["go-on", "then go on"], ["stop", "then stop"], ["loop", "then start again"]])
      this.ending.append(new Option(`${setting.duration === null ? "" : `until ${numberText(setting.duration)} ${units.time}, `}${text}`, value));
    this.ending.addEventListener("change", () => this.remote.send({ do: "ending", value: this.ending.value }));
    const touch = (this.touch = new Touch(this.remote, () => this.setting, setting.dimension));
    this.view.hands = { ...touch.hands(), picked: (hit) => this.choose(hit) };
    const controls = element("div", { class: "controls" }, this.play,
      button("One step", "▸", () => this.remote.send({ do: "step" })),
      button("Reset", "|◂", () => this.remote.send({ do: "reset" })),
      this.speed, this.ending,
      timeDisplay(this.clock, units.time), this.pace);
    const redraw = () => (this.dirty = true);
    const switches = new Switches(this.show, false, redraw, () => this.refit());
    const links = element("div", { class: "tools" }, cameraBar(this.view, setting.bodies, redraw),
      ...this.remote.saves(),
      button("Save the picture as PNG", "PNG", () => this.view && savePng("live", this.view.picture())),
      button("Full screen", "full screen", () => fullScreen(this.stage)));
    this.stage.append(this.view.element, controls, this.timeline.element, touch.element, switches.element, this.inspector.element, links);
    this.bands = new LiveBands(units.time);
    this.plots = setting.observables.map((quantity) => new LivePlot(quantity.name, quantity.unit, quantity.description));
    this.energy = new LivePlot("energy", "", "of all free bodies; potential: of gravity, relative to the origin", ["kinetic", "potential", "total"]);
    this.charts.append(element("h2", {}, "Parameters"), this.parameters.element,
      element("h2", {}, "Contact modes"), this.bands.element,
      element("h2", {}, overTime("Curves", units.time)), ...this.plots.map((plot) => plot.element), this.energy.element);
    this.stage.append(details("About", false, element("p", {}, setting.description), element("p", {}, `stickslip ${setting.version}`)));
    listenKeys([
      { key: " ", label: "space", text: "play and pause", press: () => this.toggle() },
      { key: "ArrowRight", label: "→", text: "one step", press: () => this.remote.send({ do: "step" }) },
      { key: "r", text: "reset", press: () => this.remote.send({ do: "reset" }) },
      { key: "v", text: "fit the view", press: () => this.refit() },
      { key: "x", text: "full screen", press: () => fullScreen(this.stage) },
      { key: "Escape", label: "Esc", text: "clear the selection", press: () => this.choose(undefined) },
      ...layerKeys(switches),
    ]);
    this.resize();
  }

  // Curves and traces begin anew.
  private restart(): void {
    for (const plot of this.allPlots()) plot.clear();
    this.bands?.clear();
    const bodies = this.setting?.bodies ?? [];
    this.traces = traced(bodies).map((body) => ({ body, points: new Float32Array(3 * TRACE), count: 0 }));
  }

  private allPlots(): LivePlot[] {
    return this.energy ? [...this.plots, this.energy] : this.plots;
  }

  private receive(frame: LiveFrame): void {
    if (!this.setting || frame.setting !== this.setting.number) return;
    if (this.frame && frame.time < this.frame.time) this.restart();
    this.timeline.add(frame);
    this.between.add(frame, performance.now());
    ++this.received;
    const moved = frame.time !== this.frame?.time;
    const stepped = frame.setting === this.frame?.setting; // a new model has no contacts before its first step
    this.frame = frame;
    if (moved) {
      this.plots.forEach((plot, k) => plot.add(frame.time, [frame.observables[k]]));
      const [kinetic, potential] = frame.energy;
      this.energy?.add(frame.time, [kinetic, potential, kinetic === null || potential === null ? null : kinetic + potential]);
      if (stepped) this.bands?.add(frame);
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
    const box = boxAround(this.setting, snapshot.poses, this.bounds || !this.show.traces ? [] : this.traced());
    const known = this.bounds;
    const inside = known && box[0].every((x, k) => x >= known[0][k]) && box[1].every((x, k) => x <= known[1][k]);
    if (inside) return;
    const size = Math.hypot(...box[1].map((x, k) => x - box[0][k]));
    const air = known ? 0.1 * size : 0.02 * size;
    // Air only where they went: sides that nobody reaches stay.
    this.bounds = [
      box[0].map((x, k) => (known && x >= known[0][k] ? known[0][k] : x - air)),
      box[1].map((x, k) => (known && x <= known[1][k] ? known[1][k] : x + air)),
    ];
    this.touch?.suggest(Math.hypot(...this.bounds[1].map((x, k) => x - this.bounds![0][k])));
    this.place();
  }

  // Corners of what the traces cover.
  private traced(): number[][] {
    const points: number[][] = [];
    for (const { points: list, count } of this.traces)
      for (let k = 0; k < count; k += 1 + Math.floor(count / 200)) points.push(Array.from(list.subarray(3 * k, 3 * k + 3)));
    return points;
  }

  private refit(): void {
    this.bounds = undefined;
    this.grow();
    this.view?.fit();
    this.dirty = true;
  }

  private place(): void {
    if (!this.setting || !this.view) return;
    if (this.setting.dimension === 2 && this.bounds) this.view.element.style.setProperty("--shape", String(shapeOf(this.bounds)));
    this.view.load({
      setting: this.setting,
      bounds: this.bounds ?? [[-1, -1, -1], [1, 1, 1]],
      largestForce: this.largest || 1,
      lengthUnit: this.setting.units.length,
      forceUnit: this.setting.units.force,
    });
  }

  private resize(): void {
    this.view?.resize();
    for (const plot of this.allPlots()) plot.resize();
    this.dirty = true;
  }

  // A step that is not certified stops the run; this says how good the others were.
  private certify(frame: LiveFrame): void {
    if (!this.connected) return;
    const tolerance = this.setting?.tolerance ?? 0;
    const good = frame.worst !== null && frame.steps > 0 && frame.worst <= tolerance;
    this.badge.className = good ? "badge good" : "badge unknown";
    const above = frame.at_worst > 0 ? `live ~ ${frame.at_worst} of ${frame.steps} steps at worst` : "live";
    this.badge.textContent = good ? `live ✓ ${frame.steps} steps certified` : above;
    this.badge.title = good ? `worst residual ${frame.worst!.toExponential(2)}, tolerance ${tolerance.toExponential(0)}` : "";
  }

  private draw(now: number): void {
    const between = this.timeline.shown || !this.connected ? undefined : this.between.at(now);
    const frame = this.timeline.shown ?? between ?? this.frame;
    if (!frame || !this.frame || !this.setting || !this.view) return;
    const snapshot = snapshotOf(frame);
    if (snapshot.poses.length !== this.setting.bodies.length) return;
    this.dirty = false;
    ++this.drawn;
    this.shown = frame;
    this.view.setLargestForce(this.largest || 1);
    const { hand } = frame;
    const unit = this.setting.units.force;
    const spring = hand && { from: hand.from, to: hand.to, text: `${numberText(Number(Math.hypot(...hand.force).toPrecision(3)))}${unit ? ` ${unit}` : ""}` };
    // The newest point of a trace is of the newest state.
    const traces = between ? this.traces.map((trace) => ({ ...trace, count: Math.max(0, trace.count - 1) })) : this.traces;
    this.view.draw(snapshot, traces, this.show, { chosen: this.chosen, spring });
    this.clock.value = `t = ${frame.time.toFixed(3)}`;
    if (!this.connected) return;
    this.tellPace(this.frame);
    if (now - this.plotted < PLOT_INTERVAL && this.frame.playing) return;
    this.plotted = now;
    this.certify(this.frame);
    const told = this.timeline.shown ?? this.frame;
    const velocity = (body: number) => {
      const v = told.velocities.slice(6 * body, 6 * body + 6);
      return this.setting!.dimension === 2 ? { linear: v.slice(0, 2), angular: v.slice(5), mean: false } : { linear: v.slice(0, 3), angular: v.slice(3), mean: false };
    };
    this.inspector.show(snapshotOf(told), this.chosen, velocity);
    if (now - this.banded > BAND_INTERVAL || !this.frame.playing) {
      this.banded = now;
      this.bands?.draw(this.setting.bodies, this.setting.units);
    }
    for (const plot of this.allPlots()) plot.draw();
  }

  private tellPace(frame: LiveFrame): void {
    showPlaying(this.play, frame.playing);
    if (this.speed && document.activeElement !== this.speed) this.speed.value = String(frame.speed);
    if (document.activeElement !== this.ending) this.ending.value = frame.ending;
    const slow = frame.playing && frame.rate > 0 && frame.rate < 0.9 * frame.speed;
    const why = this.setting?.notice ? `: ${this.setting.notice}` : "";
    const rare = this.between.active ? "; pictures between the states are interpolated" : "";
    this.pace.textContent = !frame.playing ? `paused${why}` : `${slow ? `slower than asked: ${numberText(Number(frame.rate.toPrecision(2)))}×` : "keeps pace"}${rare}`;
    this.pace.classList.toggle("slow", slow || (!frame.playing && why !== ""));
  }
}

export function inspectLive(page: LivePage) {
  return {
    time: () => page.frame?.time ?? NaN,
    screen: (name: string) => page.screenOf(name),
    playing: () => page.frame?.playing ?? false,
    steps: () => page.frame?.steps ?? 0,
    drawn: () => page.drawn,
    received: () => page.received,
    shown: () => page.shown && { time: page.shown.time, poses: page.shown.poses, contacts: page.shown.contacts },
    newest: () => page.frame && { time: page.frame.time, poses: page.frame.poses },
    rate: () => page.frame?.rate ?? 0,
    parameter: (name: string) => page.setting?.parameters.find((p) => p.name === name)?.value,
    method: () => page.setting?.method,
    bodies: () => page.setting?.bodies,
    observable: (name: string) => page.frame?.observables[page.setting?.observables.findIndex((o) => o.name === name) ?? -1],
    connected: () => !document.querySelector(".live.lost"),
    energy: () => page.frame?.energy,
    hand: () => page.frame?.hand,
    velocity: (name: string) => {
      const body = page.setting?.bodies.findIndex((b) => b.name === name) ?? -1;
      return page.frame?.velocities.slice(6 * body, 6 * body + 6);
    },
    times: () => page.times(),
    trace: () => page.traceOnScreen(),
    chosen: () => page.picked,
    pose: (name: string) => page.snapshot()?.poses[page.setting?.bodies.findIndex((b) => b.name === name) ?? -1],
  };
}
