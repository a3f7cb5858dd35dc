// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What the command puts into the page of optimise (apps/stickslip/search_page.cpp writes it).
import type { Run } from "./data";

export interface Variable {
  name: string;
  unit: string;
  description: string;
  low: number | null;
  high: number | null;
  first: number | null;
  best: number | null;
}

export interface Search {
  title: string;
  version: string;
  study_text: string;
  objective: string;
  method: string; // of the search
  stepping: string;
  ending: string;
  artefact: boolean;
  first: number | null;
  first_cause: string; // why it has no value
  best: number | null;
  evaluations: number;
  runs_made: number;
  gradients: number;
  implicit_gradients: number;
  seconds: number;
  variables: Variable[];
  points: { round: Int32Array; start: Int32Array; value: Float64Array; designs: Float64Array[] };
  varied: string[];
  trials: { trial: number; values: (number | null)[]; before: number | null; after: number | null }[];
  checks: string[];
  warnings: string[];
  without_replays: string;
  runs: Run[];
}
