// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What both views, plane and space, have in common.
import type { Body, Pose, Setting, Snapshot } from "./data";
import type { Guides } from "./plan_data";

export interface Show {
  contacts: boolean;
  forces: boolean;
  parts: boolean; // normal force and friction apart
  cones: boolean;
  traces: boolean;
  names: boolean;
  guides: boolean;
}

export interface Trace {
  body: number;
  points: Float32Array; // x, y, z of the centre of mass
  count: number; // points up to now
}

// A body, or the contacts between two.
export type Hit = { body: number } | { a: number; b: number };

export interface Stage {
  setting: Setting;
  bounds: number[][]; // low and high corner of what is to be seen
  largestForce: number; // gets an arrow of a fixed part of the view
  lengthUnit: string;
  forceUnit: string;
  guides?: Guides; // of a plan
  others?: Body[]; // of another run, drawn as ghosts
}

// What is drawn at one instant, besides the state of the run.
export interface Extras {
  chosen?: Hit;
  ghosts?: Pose[]; // of the stage's others
  spring?: { from: number[]; to: number[]; text: string }; // that pulls at a body
}

// What somebody does to the picture.
export interface Hands {
  picked?(hit: Hit | undefined): void;
  grabs?(body: number): boolean; // whether a drag that begins on this body pulls it
  pull?(body: number, from: number[], to: number[]): void; // points of the world, the first on the body
  release?(): void;
}

// From where one looks: kept from one run to the next.
export type Camera =
  | { kind: "plane"; centre: [number, number]; scale: number }
  | { kind: "space"; position: number[]; target: number[]; zoom: number; orthographic: boolean };

export interface View {
  readonly element: HTMLElement;
  hands: Hands;
  forceScale: number; // length of arrows, times the usual one
  following: number; // body that stays where it is in the picture; -1: none
  readonly presets: string[]; // directions to look from
  load(stage: Stage): void;
  draw(snapshot: Snapshot, traces: Trace[], show: Show, extras?: Extras): void;
  fit(preset?: string): void;
  setOrthographic?(on: boolean): void;
  camera(): Camera | undefined; // undefined: fitted
  setCamera(camera: Camera): void;
  setLargestForce(force: number): void;
  resize(): void;
  screen(point: number[]): [number, number]; // in pixels of the element
  perLength(): number; // pixels, at the middle of the picture
  picture(): HTMLCanvasElement; // what is seen now, to be saved
  close?(): void; // gives back what the page does not
}

const MOST_NAMES = 8, MOST_ARROWS = 16; // bodies: names, and arrows and traces, of more hide them

// What is shown at first of a scene of so many bodies.
export function usualShow(bodies: number): Show {
  const clear = bodies <= MOST_ARROWS;
  return { contacts: true, forces: clear, parts: false, cones: false, traces: clear, names: bodies <= MOST_NAMES, guides: true };
}

// Free bodies that are not spread over the whole scene have a trace; with very many, none has.
export function traced(bodies: Body[]): number[] {
  const free = bodies.map((body, index) => ({ body, index })).filter(({ body }) => body.mass > 0);
  return free.length > 24 ? [] : free.map(({ index }) => index);
}

// Forces above this percentile are drawn no longer: one impact must not make all other arrows invisible.
export function largestForce(forces: Float32Array): number {
  const sizes: number[] = [];
  const stride = Math.max(1, Math.floor(forces.length / 3 / 5000));
  for (let k = 0; 3 * k + 2 < forces.length; k += stride) {
    const size = Math.hypot(forces[3 * k], forces[3 * k + 1], forces[3 * k + 2]);
    if (size > 0) sizes.push(size);
  }
  sizes.sort((x, y) => x - y);
  return sizes.length > 0 ? sizes[Math.floor(0.95 * (sizes.length - 1))] : 1;
}

// A step of 1, 2 or 5 times a power of ten that divides a length into about `parts`.
export function niceStep(length: number, parts: number): number {
  const raw = length / Math.max(1, parts);
  const power = 10 ** Math.floor(Math.log10(raw));
  const mantissa = raw / power;
  return power * (mantissa <= 1 ? 1 : mantissa <= 2 ? 2 : mantissa <= 5 ? 5 : 10);
}

// Digits after the point that a step of ticks needs: 1 for 0.5, 2 for 0.25.
export function digitsOf(step: number): number {
  let digits = 0;
  while (digits < 9 && Math.abs(step * 10 ** digits - Math.round(step * 10 ** digits)) > 1e-6 * step * 10 ** digits) ++digits;
  return digits;
}

export function tickText(value: number, step: number): string {
  if (Math.abs(value) < 1e-9 * step) return "0";
  const digits = digitsOf(step);
  return Math.abs(value) >= 1e5 || digits > 5 ? value.toExponential(1) : value.toFixed(digits);
}

// Names of a scene may be longer than a picture is wide.
export function shortName(name: string): string {
  return name.length > 24 ? `${name.slice(0, 22)}…` : name;
}

// "1 N", "20 N", "0.5 N": a force whose arrow has a handy length, between a half and all of `force`.
export function niceForce(force: number): number {
  const power = 10 ** Math.floor(Math.log10(force));
  const mantissa = force / power;
  return power * (mantissa >= 5 ? 5 : mantissa >= 2 ? 2 : 1);
}

// Force along the normal, and what is left of it: friction.
export function parts(force: number[], normal: number[]): { normal: number[]; friction: number[]; along: number } {
  const along = force.reduce((sum, x, k) => sum + x * (normal[k] ?? 0), 0);
  const part = normal.map((n) => along * n);
  return { normal: part, friction: force.map((x, k) => x - part[k]), along };
}

export function sameHit(hit: Hit | undefined, contact: { a: number; b: number }): boolean {
  if (!hit) return false;
  return "body" in hit ? hit.body === contact.a || hit.body === contact.b : hit.a === contact.a && hit.b === contact.b;
}
