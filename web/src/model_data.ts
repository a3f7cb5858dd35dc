// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What the command puts into the pages of compare and converge (apps/stickslip/comparison_page.cpp writes it).
import type { Run } from "./data";

export interface Series {
  time: Float64Array;
  values: Float32Array[]; // of each observable
}

export interface Observed {
  name: string;
  unit: string;
  description: string;
}

interface ModelPage {
  title: string;
  description: string;
  scene: string;
  version: string;
  time_unit: string;
  runs: Run[];
}

export interface Method {
  name: string;
  step: number;
  finished: boolean;
  asked: boolean; // given, or of the scene's own motion model; others are tried
  failure: string;
  steps: number;
  solves: number;
  seconds: number;
  worst_residual: number | null;
  values: (number | null)[]; // empty where a run did not finish
  bars: (number | null)[];
  warning: string;
  modes: { a: number; b: number; mode: number; begin: number; end: number }[];
  series: Series;
}

export interface Comparison extends ModelPage {
  bodies: string[];
  observables: (Observed & { depends: boolean; text: string; spread: number | null; largest_bar: number | null })[];
  methods: Method[];
  without_replays: string;
}

export interface Refined extends Observed {
  values: (number | null)[];
  changes: (number | null)[]; // from each run to the next finer one
  order: number | null; // null: none is stated
  slope: number | null; // of the line through the changes, and its value where the resolution is one
  at_one: number | null;
  error_bar: number | null;
  limit: number | null;
  exact: boolean;
  why_not: string;
}

export interface Sweep {
  name: string; // "step", "directions"
  runs: { name: string; resolution: number; steps: number; seconds: number; series: Series }[];
  observables: Refined[];
}

export interface Refinement extends ModelPage {
  stepper: string;
  motion: string;
  order: number; // that the stepper claims
  warning: string;
  sweeps: Sweep[];
}

// "x (m)"
export function named({ name, unit }: { name: string; unit: string }): string {
  return unit ? `${name} (${unit})` : name;
}
