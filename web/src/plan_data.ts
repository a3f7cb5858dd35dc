// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What a plan's replay carries besides the run (apps/stickslip/plan_record.cpp writes it into the recording), and what
// the views draw of it: where bodies start and should end, and where on their way contacts change.
import type { Body, Pose, Run } from "./data";
import { snapshotAt } from "./frames";
import { MODE_LABELS } from "./palette";

export interface PlanUnknown {
  name: string;
  start: string; // "ball.vx": a coordinate at the start; "": a parameter of the scene
  unit: string;
  value: number;
  guess: number;
  low: number | null; // null: no bound
  high: number | null;
}

export interface PlanCondition {
  text: string;
  left: string;
  right: string;
  relation: "==" | "<=" | ">=";
  reached: number | null; // of the left side, at the end of the replay
  wanted: number | null; // of the right side
  violation: number | null;
}

export interface Plan {
  title: string;
  file: string;
  text: string;
  status: "solved" | "not-found";
  number: number; // of the solution, from 1
  solutions: number;
  method: string;
  derivatives: string;
  starts: number;
  searches_solved: number;
  runs: number;
  iterations: number;
  start: number;
  steps: number;
  tolerance: number;
  objective: number | null;
  objective_text: string;
  residuals: { dynamics: number | null; complementarity: number | null; conditions: number | null; replay: number | null };
  unknowns: PlanUnknown[];
  conditions: PlanCondition[];
  influence?: (number | null)[][]; // d condition / d unknown, a row per condition; empty: not known
  touches: { a: number; b: number; time: number }[];
  violated: string; // not found: the condition that is violated most
}

export interface Target {
  body: number;
  pose: Pose; // what no condition fixes is as it came out
  fixed: boolean[]; // x, y, z
}

export interface EventMark {
  time: number;
  a: number;
  b: number;
  mode: number; // that begins
  impact: boolean; // located by the stepper
  points: number[][]; // centres of the free bodies among the two, at that time
}

export interface Guides {
  start: Pose[];
  bodies: number[]; // whose start is drawn
  targets: Target[];
  events: EventMark[];
}

const COORDINATES = ["x", "y", "z", "angle"];

// Conditions of the form "ball.x == ..." as places of bodies.
export function targetsOf(run: Run, plan: Plan, end: Pose[]): Target[] {
  const targets = new Map<number, Target>();
  for (const condition of plan.conditions) {
    const [name, coordinate] = condition.left.split(".");
    const body = run.bodies.findIndex((one: Body) => one.name === name);
    const k = COORDINATES.indexOf(coordinate);
    if (body < 0 || k < 0 || condition.relation !== "==" || condition.wanted === null) continue;
    const pose = end[body];
    const target = targets.get(body) ?? {
      body,
      pose: { position: [...pose.position], orientation: [...pose.orientation], angle: pose.angle },
      fixed: [false, false, false],
    };
    if (k < 3) {
      target.pose.position[k] = condition.wanted;
      target.fixed[k] = true;
    } else {
      target.pose.angle = condition.wanted;
      target.pose.orientation = [Math.cos(condition.wanted / 2), 0, 0, Math.sin(condition.wanted / 2)];
    }
    targets.set(body, target);
  }
  return [...targets.values()];
}

// Changes of mode of all pairs, and the impacts between them, in the order of time.
export function eventsOf(run: Run, plan: Plan): EventMark[] {
  const events: EventMark[] = [];
  const add = (time: number, a: number, b: number, mode: number, impact: boolean) => {
    const { poses } = snapshotAt(run, time);
    const points = [a, b].filter((body) => run.bodies[body].mass > 0).map((body) => poses[body].position);
    events.push({ time, a, b, mode, impact, points });
  };
  for (const { a, b, begin, mode } of run.pairs)
    for (let k = 1; k < mode.length; ++k) add(begin[k], a, b, mode[k], false);
  for (const { a, b, time } of plan.touches) add(time, a, b, 0, true);
  return events.sort((x, y) => x.time - y.time);
}

export function guidesOf(run: Run, plan: Plan): Guides {
  const [begin, end] = [run.frames.time[0], run.frames.time[run.frames.time.length - 1]].map((t) => snapshotAt(run, t).poses);
  const moves = (body: number) =>
    Math.hypot(...begin[body].position.map((x, k) => x - end[body].position[k])) > 1e-9 || begin[body].angle !== end[body].angle;
  const bodies = run.bodies.map((_, k) => k).filter((k) => run.bodies[k].mass > 0 && moves(k));
  return { start: begin, bodies, targets: targetsOf(run, plan, end), events: eventsOf(run, plan) };
}

export function eventText(run: Run, event: EventMark): string {
  const pair = `${run.bodies[event.a].name} – ${run.bodies[event.b].name}`;
  return event.impact ? `${pair} meet` : `${pair} ${event.mode === 0 ? "part" : MODE_LABELS[event.mode]}`;
}

// "slide, roll" of each pair that touches; impacts are counted.
export function sequenceText(run: Run): string {
  const texts = run.pairs.filter((pair) => pair.mode.some((mode) => mode > 0)).map((pair) => {
    const modes = Array.from(pair.mode, (mode) => MODE_LABELS[mode]);
    const shown = modes.length > 7 ? [...modes.slice(0, 6), `… (${modes.length} modes)`] : modes;
    return `${run.bodies[pair.a].name} – ${run.bodies[pair.b].name}: ${shown.join(", ")}`;
  });
  const impacts = run.plan?.touches.length ?? 0;
  if (impacts > 0) texts.push(`${impacts} ${impacts === 1 ? "impact" : "impacts"}`);
  return texts.join("; ") || "no contact";
}
