// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The page of one recorded run.
import { Bands } from "./bands";
import { comparison, union } from "./compare";
import { Switches, cameraBar, fullScreen, layerKeys, playButton, showPlaying, speedChoice, timeDisplay } from "./controls";
import { indexAt, type Run, type Snapshot } from "./data";
import { button, checkbox, element } from "./dom";
import { eventTimes, nextEvent } from "./events";
import { poseAt, snapshotAt, velocityAt } from "./frames";
import { Inspector } from "./inspector";
import type { Key } from "./keys";
import { whenThemeChanges } from "./palette";
import { PlotPanel, constant, constantsTable, hasValues, overTime } from "./plots";
import { NoView } from "./no_view";
import { guidesOf } from "./plan_data";
import { planPanel } from "./plan_panel";
import { Player } from "./player";
import { framesText, runTexts } from "./run_texts";
import { saveCsv, savePng, saveVideo, type video } from "./save";
import { TimeWindow } from "./time_window";
import { largestForce, traced, usualShow, type Camera, type Extras, type Hit, type Show, type Stage, type Trace, type View } from "./view";
import { View2D } from "./view2d";
import { View3D } from "./view3d";

const INSPECTED = 150; // ms between two updates of the numbers while the run plays

// What a reader has set, and keeps from one run to the next.
export interface Memory {
  time?: number;
  camera?: Camera;
  show?: Show;
  speed?: number;
  forceScale?: number;
}

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
  readonly window: TimeWindow;
  chosen: Hit | undefined;
  readonly keys: Key[];
  readonly events: Float64Array;
  private readonly bands: Bands;
  private readonly plots: PlotPanel[];
  private readonly traces: Trace[];
  private readonly show: Show;
  private readonly switches: Switches;
  private readonly playButton: HTMLButtonElement;
  private readonly slider: HTMLInputElement;
  private readonly wholeRun = button("Show the whole run", "whole run", () => this.window.reset());
  private readonly clock = element("output", { class: "clock", "aria-label": "time" });
  private readonly inspector: Inspector;
  private readonly framesFact = element("span");
  private readonly observer: ResizeObserver;
  private readonly endTheme: () => void;
  private readonly stage: Stage;
  private beside: View | undefined; // of the second run
  private dirty = true;
  private stopped = false;
  private inspected = 0;

  // `others`: the solutions of the same plan, this one among them. `second`: a run to compare with; its bodies are
  // ghosts in the picture, or have a picture beside it.
  constructor(readonly run: Run, others: Run[] = [], choose: (run: Run) => void = () => {}, memory: Memory = {}, readonly second?: Run) {
    const { units } = run;
    this.show = memory.show ?? usualShow(run.bodies.length);
    this.player = new Player(second ? union(run.frames.time, second.frames.time) : run.frames.time, () => this.changed());
    this.window = new TimeWindow(this.player.begin, this.player.end);
    this.events = eventTimes(run);
    this.view = makeView(run.dimension, () => this.changed());
    this.stage = {
      setting: run,
      bounds: run.bounds,
      largestForce: largestForce(run.frames.force),
      lengthUnit: units.length,
      forceUnit: units.force,
      guides: run.plan && guidesOf(run, run.plan),
      others: second?.bodies.map((body, k) => (differs(run, second, k) ? body : { ...body, shapes: [] })),
    };
    this.view.load(this.stage);
    this.view.hands = { picked: (hit) => this.choose(hit) };
    if (run.dimension === 2) this.view.element.style.setProperty("--shape", String(shapeOf(run.bounds)));
    this.traces = traced(run.bodies).map((body) => ({ body, points: path(run, body), count: 0 }));
    this.inspector = new Inspector(() => run, (hit) => this.choose(hit));
    this.inspector.element.addEventListener("opened", () => { this.inspected = 0; this.changed(); });
    const seek = (time: number) => this.seek(time);
    const hover = (time: number | undefined) => this.hover(time);
    this.bands = new Bands(this.window, seek, hover, units.time);
    this.bands.load(run);
    const wanted = (name: string) => run.plan?.conditions.find((c) => c.left === name)?.wanted ?? undefined;
    const still = run.plots.filter((plot) => (constant(plot) || (second && !hasValues(plot))) && wanted(plot.title) === undefined);
    this.plots = run.plots.filter((plot) => !still.includes(plot)).map((plot) => new PlotPanel(plot, this.window, seek, hover, wanted(plot.title)));
    this.playButton = playButton(() => this.player.toggle());
    this.slider = this.timeSlider();
    this.window.listen(() => this.changed());
    this.switches = new Switches(this.show, run.plan !== undefined, () => this.changed(), () => this.view.fit());
    this.keys = this.keyList();
    this.recall(memory);
    this.element.append(
      element("section", { class: "stage", "aria-label": "Animation" }, ...this.pictures(), this.controls(units.time),
        this.switches.element, this.tools(), this.inspector.element),
      element("section", { class: "charts", "aria-label": "Charts" },
        ...(second ? [element("h2", {}, "What differs"), element("div", { class: "scroller" }, comparison(run, second))] : []),
        ...(run.plan ? [element("h2", {}, "Plan"), planPanel(run, run.plan, others, choose, seek)] : []),
        element("h2", {}, "Contact modes"), this.bands.element,
        element("h2", {}, overTime("Curves", units.time)), ...this.plots.map((plot) => plot.element),
        ...(still.length > 0 ? [element("h2", {}, "What does not change"), constantsTable(still)] : [])),
      element("section", { class: "texts", "aria-label": "Run" }, ...runTexts(run, this.framesFact)),
    );
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.element);
    this.endTheme = whenThemeChanges(() => {
      this.view.load(this.stage);
      this.bands.resize();
      for (const plot of this.plots) plot.repaint();
      this.changed();
    });
    const frame = (now: number) => {
      if (this.stopped) return;
      this.player.advance(now);
      if (this.player.playing) this.window.show(this.player.time);
      if (this.dirty) this.draw();
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  // Ends the page's activity when another run is chosen.
  close(): void {
    this.stopped = true;
    this.observer.disconnect();
    this.endTheme();
    this.view.close?.();
    this.beside?.close?.();
    this.element.remove();
  }

  memory(): Memory {
    return { time: this.player.time, camera: this.view.camera(), show: this.show, speed: this.player.speed, forceScale: this.view.forceScale };
  }

  private recall({ time, camera, speed, forceScale }: Memory): void {
    if (camera) this.view.setCamera(camera);
    if (speed) this.player.speed = speed;
    if (forceScale) this.view.forceScale = forceScale;
    if (time !== undefined) this.player.seek(time);
  }

  seek(time: number): void {
    this.player.playing = false;
    this.player.seek(time);
    this.window.show(this.player.time);
  }

  // To the next or previous change of a contact.
  toEvent(direction: 1 | -1): void {
    const time = nextEvent(this.events, this.player.time, direction);
    if (time !== undefined) this.seek(time);
  }

  choose(hit: Hit | undefined): void {
    this.chosen = hit;
    this.inspected = 0;
    this.changed();
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
    const snapshot = this.snapshot();
    this.view.draw(snapshot, this.traces, this.show, this.extras());
    if (this.second && this.beside) this.beside.draw(snapshotAt(this.second, time), [], this.show);
    this.bands.show(time);
    for (const plot of this.plots) plot.show(time);
    const span = this.window.end - this.window.begin || 1;
    this.slider.value = String(Math.round((10000 * (time - this.window.begin)) / span));
    const digits = Math.max(0, Math.min(9, 4 - Math.floor(Math.log10(span))));
    this.clock.value = `t = ${span < 1e-4 * Math.abs(time) ? time.toPrecision(9) : span < 1e-4 ? time.toExponential(3) : time.toFixed(digits)}`;
    this.wholeRun.hidden = this.window.whole;
    showPlaying(this.playButton, this.player.playing);
    this.inspect(snapshot);
  }

  private extras(): Extras {
    const { chosen, second } = this;
    if (!second || this.beside) return { chosen };
    const time = Math.min(this.player.time, second.frames.time[second.frames.time.length - 1]);
    return { chosen, ghosts: second.bodies.map((_, body) => poseAt(second, body, time)) };
  }

  // One, or with a second run one with its ghosts, which can be parted into two.
  private pictures(): HTMLElement[] {
    const { second } = this;
    if (!second) return [this.view.element];
    const place = element("div", { class: "pictures" }, this.view.element);
    const part = (on: boolean) => {
      this.beside?.close?.();
      this.beside?.element.remove();
      this.beside = on ? makeView(second.dimension, () => this.changed()) : undefined;
      place.classList.toggle("parted", on);
      if (this.beside) {
        this.beside.load({ ...this.stage, setting: second, guides: undefined, others: undefined });
        place.append(this.beside.element);
        this.beside.element.style.setProperty("--shape", String(shapeOf(this.run.bounds)));
      }
      this.resize();
    };
    const names = element("p", { class: "note two" }, element("span", {}, this.run.name), " – ",
      element("span", { class: "ghost" }, second.name), " (dashed or red) ", checkbox("side by side", false, part));
    return [names, place];
  }

  // Numbers that change with every frame cannot be read.
  private inspect(snapshot: Snapshot): void {
    const now = performance.now();
    if (this.player.playing && now - this.inspected < INSPECTED) return;
    this.inspected = now;
    this.inspector.show(snapshot, this.chosen, (body) => velocityAt(this.run, body, this.player.time));
    this.framesFact.textContent = framesText(this.run, this.view.perLength());
  }

  private hover(time: number | undefined): void {
    this.bands.hover(time);
    for (const plot of this.plots) plot.hover(time);
    if (time === undefined) this.changed();
  }

  private changed(): void {
    this.dirty = true;
  }

  private resize(): void {
    this.view.resize();
    this.beside?.resize();
    this.bands.resize();
    for (const plot of this.plots) plot.resize();
    this.draw();
  }

  // Along the stretch of time that the charts show.
  private timeSlider(): HTMLInputElement {
    const slider = element("input", { type: "range", min: "0", max: "10000", value: "0", step: "1", "aria-label": "Time", title: "wheel: zoom" });
    const { window } = this;
    slider.addEventListener("input", () => {
      this.player.playing = false;
      this.player.seek(window.begin + (Number(slider.value) / 10000) * (window.end - window.begin));
    });
    slider.addEventListener("wheel", (event) => {
      event.preventDefault();
      window.zoom(this.player.time, Math.exp(0.0015 * event.deltaY));
    }, { passive: false });
    slider.addEventListener("dblclick", () => window.reset());
    return slider;
  }

  private controls(timeUnit: string): HTMLElement {
    return element("div", { class: "controls" },
      button("To the start", "|◂", () => this.seek(this.player.begin)),
      button("To the previous event", "◂◂", () => this.toEvent(-1)),
      button("Previous frame", "◂", () => this.player.step(-1)),
      this.playButton,
      button("Next frame", "▸", () => this.player.step(1)),
      button("To the next event", "▸▸", () => this.toEvent(1)),
      this.slider, timeDisplay(this.clock, timeUnit), this.wholeRun,
      speedChoice(this.player.speed, timeUnit, (speed) => (this.player.speed = speed)));
  }

  // What is done to the picture rather than to the run.
  private tools(): HTMLElement {
    const name = this.run.name || "run";
    const film = button("Save the motion as WebM", "WebM", () => void this.saveFilm(name, film));
    return element("div", { class: "tools" }, cameraBar(this.view, this.run.bodies, () => this.changed()),
      element("span", { class: "saves" },
        button("Save the picture as PNG", "PNG", () => savePng(name, this.view.picture())), film,
        button("Save the curves as CSV", "CSV", () => saveCsv(name, this.run))),
      button("Full screen", "full screen", () => fullScreen(this.element.querySelector(".stage")!)));
  }

  // `seconds`: how long the video lasts; 0: as the page plays.
  film(seconds = 0, told: (share: number) => void = () => {}): Parameters<typeof video>[0] {
    const { begin, end, speed } = this.player;
    const show = (share: number) => {
      this.player.seek(begin + share * (end - begin));
      this.draw();
      told(share);
    };
    return { picture: () => this.view.picture(), seconds: seconds || (end - begin) / speed, show };
  }

  private async saveFilm(name: string, node: HTMLButtonElement): Promise<void> {
    node.disabled = true;
    try {
      await saveVideo(name, this.film(0, (share) => (node.textContent = `${Math.round(100 * share)} %`)));
    } catch (error) {
      this.framesFact.textContent = String(error);
    }
    node.disabled = false;
    node.textContent = "WebM";
  }

  private keyList(): Key[] {
    const { player } = this;
    return [
      { key: " ", label: "space", text: "play and pause", press: () => player.toggle() },
      { key: "ArrowRight", label: "→", text: "next frame", press: () => player.step(1) },
      { key: "ArrowLeft", label: "←", text: "previous frame", press: () => player.step(-1) },
      { key: ".", text: "next event", press: () => this.toEvent(1) },
      { key: ",", text: "previous event", press: () => this.toEvent(-1) },
      { key: "Home", text: "to the start", press: () => this.seek(player.begin) },
      { key: "End", text: "to the end", press: () => this.seek(player.end) },
      { key: "w", text: "whole run in the charts", press: () => this.window.reset() },
      { key: "v", text: "fit the view", press: () => { this.view.fit(); this.changed(); } },
      { key: "x", text: "full screen", press: () => fullScreen(this.element.querySelector(".stage")!) },
      { key: "Escape", label: "Esc", text: "clear the selection", press: () => this.choose(undefined) },
      ...layerKeys(this.switches),
    ];
  }
}

// Width over height of what is to be seen: a long thin scene needs no high picture.
export function shapeOf([low, high]: number[][]): number {
  return (high[0] - low[0]) / Math.max(high[1] - low[1], 1e-12);
}

// Is a body of the second run ever elsewhere than in the first one? What is not would only hide it.
function differs(run: Run, second: Run, body: number): boolean {
  const own = run.bodies.findIndex(({ name }) => name === second.bodies[body].name);
  if (own < 0 || JSON.stringify(run.bodies[own].shapes) !== JSON.stringify(second.bodies[body].shapes)) return true;
  const places = Array.from({ length: 41 }, (_, k) => second.frames.time[Math.floor((k / 40) * (second.frames.time.length - 1))]);
  const limit = 1e-5 * Math.hypot(...run.bounds[1].map((x, k) => x - run.bounds[0][k]));
  return places.some((time) => {
    const [p, q] = [poseAt(run, own, time), poseAt(second, body, time)];
    return Math.hypot(...p.position.map((x, k) => x - q.position[k])) > limit || Math.abs(p.orientation.reduce((sum, x, k) => sum + x * q.orientation[k], 0)) < 1 - 1e-9;
  });
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

// What tests and other scripts on the page can ask.
export function inspect(page: () => RunPage) {
  const ready = performance.now(); // ms after the page was asked for
  return {
    time: () => page().player.time,
    begin: () => page().player.begin,
    end: () => page().player.end,
    playing: () => page().player.playing,
    seek: (time: number) => {
      page().seek(time);
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
    pairs: () => page().run.pairs.map(({ a, b, begin, mode, touch }) => ({
      a: page().run.bodies[a].name, b: page().run.bodies[b].name, begin: Array.from(begin), mode: Array.from(mode), touch: Array.from(touch),
    })),
    bodies: () => page().run.bodies,
    bounds: () => page().run.bounds,
    bands: () => page().run.pairs.map(({ a, b, name }) => name ?? `${page().run.bodies[a].name} – ${page().run.bodies[b].name}`),
    tolerance: () => page().run.frames.tolerance,
    window: () => [page().window.begin, page().window.end],
    events: () => Array.from(page().events),
    chosen: () => page().chosen,
    plots: () => page().run.plots.map(({ title, time, curves }) => ({ title, time: Array.from(time), curves: curves.map(({ name, values }) => ({ name, values: Array.from(values) })) })),
    camera: () => page().view.camera(),
    frames: () => Array.from(page().run.frames.time),
    plan: () => page().run.plan,
    screen: (point: number[]) => page().view.screen(point),
    readyAfter: () => ready,
  };
}
