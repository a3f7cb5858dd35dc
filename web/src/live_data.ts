// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What a live session sends (apps/stickslip/live_messages.cpp writes it), and the way back.
import type { Pose, Quantity, Setting, Shape, Snapshot } from "./data";
import { element } from "./dom";

export interface LiveParameter extends Quantity {
  low: number;
  high: number;
  usual: number; // in the scene
  choices: number[]; // the only possible values; empty: any
  group: string;
  derived: boolean; // follows from others
}

export interface LiveSetting extends Setting {
  number: number;
  notice: string;
  refused: string; // the parameter whose new value was not possible
  version: string;
  parameters: LiveParameter[];
  method: { stepper: string; friction: string; directions: number; step: number; text: string; steppers: string[] };
}

export interface LiveFrame {
  setting: number;
  time: number;
  playing: boolean;
  speed: number;
  rate: number;
  steps: number;
  residual: number | null;
  worst: number | null;
  at_worst: number; // steps above the certificate
  poses: number[]; // x y z qw qx qy qz angle of each body
  velocities: number[]; // linear and angular, of each body
  contacts: number[][]; // a b mode friction, point, normal, force, gap
  observables: (number | null)[];
  energy: (number | null)[]; // kinetic, potential
  ending: string; // go-on, stop, loop
  kept: boolean; // the run can go on from here later
  hand?: { body: number; from: number[]; to: number[]; force: number[] };
}

export function snapshotOf(frame: LiveFrame): Snapshot {
  const poses: Pose[] = [];
  for (let k = 0; k + 7 < frame.poses.length; k += 8) {
    const p = frame.poses.slice(k, k + 8);
    poses.push({ position: [p[0], p[1], p[2]], orientation: [p[3], p[4], p[5], p[6]], angle: p[7] });
  }
  const contacts = frame.contacts.map((c) => ({
    a: c[0], b: c[1], mode: c[2], friction: c[3], point: c.slice(4, 7), normal: c.slice(7, 10), force: c.slice(10, 13), gap: c[13],
  }));
  return { time: frame.time, poses, contacts };
}

// Distance of a shape's farthest point from its body's origin; not a number for what has no bounds.
function reach(shape: Shape): number {
  const far = (points: number[][] = []) => Math.max(0, ...points.map((p) => Math.hypot(...p)));
  const own =
    shape.kind === "half-space" ? NaN
    : shape.kind === "polygon" ? Math.max(0, ...(shape.loops ?? []).map(far))
    : shape.kind === "superellipse" || shape.kind === "superellipsoid" ? Math.hypot(shape.a ?? 0, shape.b ?? 0, shape.c ?? 0)
    : shape.kind === "capsule" || shape.kind === "cylinder" ? (shape.radius ?? 0) + (shape.half_length ?? 0)
    : Math.max(shape.radius ?? 0, far(shape.points), far(shape.vertices));
  return own + Math.hypot(...shape.position);
}

// The box around all bounded bodies and some points; of particles alone, around the places of all bodies.
export function boxAround(setting: Setting, poses: Pose[], points: number[][] = []): number[][] {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  const add = (pose: Pose, radius: number) =>
    pose.position.forEach((x, k) => {
      low[k] = Math.min(low[k], x - radius);
      high[k] = Math.max(high[k], x + radius);
    });
  setting.bodies.forEach((body, b) => {
    const radius = Math.max(0, ...body.shapes.map(reach));
    if (Number.isFinite(radius)) add(poses[b], radius);
  });
  for (const p of points) p.forEach((x, k) => { low[k] = Math.min(low[k], x); high[k] = Math.max(high[k], x); });
  const flat = () => !(Math.max(...high.map((x, k) => x - low[k])) > 0);
  if (flat()) poses.forEach((pose) => add(pose, 0));
  if (flat()) poses.forEach((pose) => add(pose, 0.5));
  return [low, high];
}

// A simulation that runs elsewhere: behind a server, or in a worker of this page (browser_simulation.ts).
export interface Listener {
  setting(setting: LiveSetting): void;
  frame(frame: LiveFrame): void;
  connected(): void;
  lost(why: string): void; // nothing runs any more
}
export interface Simulation {
  listen(listener: Listener): void;
  send(command: Record<string, unknown>): Promise<void>;
  saves(): HTMLElement[]; // what can be saved: links and buttons
}

// stickslip live. The token that opened the page opens everything else.
export class Remote implements Simulation {
  private readonly token = new URLSearchParams(location.search).get("token") ?? "";
  constructor(private readonly failed: (text: string) => void) {}

  listen(listener: Listener): void {
    const source = new EventSource(this.address("/events"));
    source.addEventListener("setting", (event) => listener.setting(JSON.parse(event.data)));
    source.addEventListener("message", (event) => listener.frame(JSON.parse(event.data)));
    source.addEventListener("open", () => listener.connected());
    source.addEventListener("error", () => listener.lost("No connection to the simulation: has stickslip live ended?"));
  }

  saves(): HTMLElement[] {
    return [
      element("a", { href: this.address("/scene"), download: "scene.toml", class: "button" }, "save as scene"),
      element("a", { href: this.address("/recording"), download: "recording.h5", class: "button" }, "export recording"),
    ];
  }

  address(path: string): string {
    return `${path}?token=${encodeURIComponent(this.token)}`;
  }

  async send(command: Record<string, unknown>): Promise<void> {
    try {
      const answer = await fetch(this.address("/control"), { method: "POST", body: JSON.stringify(command) });
      if (!answer.ok) this.failed(await answer.text());
    } catch {
      this.failed("The simulation does not answer: has stickslip live ended?");
    }
  }
}
