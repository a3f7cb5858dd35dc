// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What both views, plane and space, have in common.
import type { Body, Setting, Snapshot } from "./data";
import type { Guides } from "./plan_data";

export interface Show {
  contacts: boolean;
  forces: boolean;
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

export interface Stage {
  setting: Setting;
  bounds: number[][]; // low and high corner of what is to be seen
  largestForce: number; // gets an arrow of a fixed part of the view
  lengthUnit: string;
  guides?: Guides; // of a plan
}

export interface View {
  readonly element: HTMLElement;
  load(stage: Stage): void;
  draw(snapshot: Snapshot, traces: Trace[], show: Show): void;
  fit(): void;
  setLargestForce(force: number): void;
  resize(): void;
  screen(point: number[]): [number, number]; // in pixels of the element
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
