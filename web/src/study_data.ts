// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What the command puts into the page of a study (src/stickslip/report/study_json.cpp writes it).
import type { Run } from "./data";

export interface Estimate {
  value: number | null;
  low: number | null;
  high: number | null;
  count: number;
}

export interface Histogram {
  name: string;
  low: number;
  high: number;
  counts: number[];
  successes: number[];
  share_low: number[];
  share_high: number[];
  undefined: number;
}

export interface HeatMapCell {
  x: number;
  y: number;
  others: number[];
  estimate: Estimate;
}

export interface HeatMap {
  value: string;
  x_name: string;
  y_name: string;
  other_names: string[];
  xs: number[];
  ys: number[];
  panels: number[][];
  cells: HeatMapCell[];
}

export interface Trial {
  trial: number;
  status: string;
  cause: string;
  success: number | null;
  objective: number | null;
  end_time: number | null;
  parameters: (number | null)[];
  observables: (number | null)[];
}

export interface Rows {
  trial: Int32Array;
  success: Float32Array; // NaN: the study does not ask
  objective: Float32Array;
  parameters: Float32Array[];
  observables: Float32Array[];
}

export interface Study {
  store: string;
  title: string;
  version: string;
  study_text: string;
  scene_text: string;
  parameters: string[];
  observables: string[];
  parameter_units: string[];
  observable_units: string[];
  total: number;
  done: number;
  status: Record<string, number>;
  success: Estimate | null;
  objective: Estimate | null;
  worst_residual: number | null;
  seconds: number;
  steps: number;
  stages: { name: string; designs: number; passed: number; seconds: number }[];
  failures: { cause: string; status: string; count: number; trials: number[] }[];
  histograms: Histogram[];
  maps: HeatMap[];
  without_maps: string;
  best: Trial[];
  worst: Trial[];
  rows: Rows;
  runs: Run[]; // trials to replay, named as replayName() says
  without_replays: string; // why there are none
}

// As src/stickslip/report/page.cpp names it.
export function replayName(trial: number): string {
  return `trial ${trial}`;
}

// "mu", "x (m)"; for parameters and observables.
export function labelOf(study: Study, name: string): string {
  const parameter = study.parameters.indexOf(name);
  const observable = study.observables.indexOf(name);
  const unit = parameter >= 0 ? study.parameter_units[parameter] : observable >= 0 ? study.observable_units[observable] : "";
  return unit ? `${name} (${unit})` : name;
}

// What to type to see a trial again.
export function replayCommand(study: Study, trial: number): string {
  const store = /^[\w./-]+$/.test(study.store) ? study.store : `'${study.store.replaceAll("'", "'\\''")}'`;
  const recording = `trial-${trial}.h5`;
  return `stickslip study show ${store} ${trial} -o ${recording} && stickslip report ${recording}`;
}
