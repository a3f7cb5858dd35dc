// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What the page of a run says in words: how it was made, what was checked, and its files.
import type { Run } from "./data";
import { details, element, table } from "./dom";
import { planFacts } from "./plan_panel";
import { numberText } from "./plots";

export const NO_BARS = "not estimated (run --error-bars does)";

export function runTexts(run: Run, framesFact: HTMLElement): HTMLElement[] {
  const facts: (string | Node)[][] = [
    ...(run.plan ? planFacts(run.plan) : []),
    ["method", run.method],
    ["certificate", certificateText(run, run.units.time)],
    ["audit", checksOf(run).audit || "unknown: the run had none, was killed, or an older version recorded it"],
    ["error bars", checksOf(run).bars || NO_BARS],
    ["end", run.end || "unknown: the run was killed or still going on, or an older version recorded it"],
    ["frames", framesFact],
    ["version", `stickslip ${run.version}`],
  ];
  const list: HTMLElement[] = [details("About this run", true, table(["", ""], facts))];
  if (!run.has_shapes)
    list.unshift(element("p", { class: "note" }, "This recording was made by an older version and has no shapes: bodies are drawn as points."));
  if (run.parameters.length > 0) {
    const rows = run.parameters.map((p) => [p.name, `${numberText(p.value)} ${p.unit}`, p.description]);
    list.push(details("Parameters", false, table(["name", "value", ""], rows)));
  }
  const ends = run.plots.filter((plot) => run.observables.some((o) => o.name === plot.title));
  if (ends.length > 0) {
    const rows = ends.map((plot) => [plot.title, `${numberText(plot.curves[0].last)} ${plot.unit}`, plot.description]);
    list.push(details("Observables at the end", false, table(["name", "value", ""], rows)));
  }
  if (run.plan) list.push(details("Plan file", false, element("pre", {}, run.plan.text)));
  list.push(details("Scene file", false, element("pre", {}, run.scene)));
  return list;
}

// Audit and error bars: the recording has them in one text, a line each; "" where there is none.
export function checksOf(run: Run): { audit: string; bars: string } {
  const lines = run.audit.split("\n");
  const BARS = "error bars: ";
  const isBars = (line: string) => line.startsWith(BARS);
  return { audit: lines.filter((line) => !isBars(line)).join("\n"), bars: (lines.find(isBars)?.slice(BARS.length) ?? "").replaceAll("+- at most ", "± at most ").replaceAll("+- ", "± ") };
}

export function certificateText(run: Run, timeUnit: string): string {
  if (run.worst_residual === null) return "no step was recorded";
  const tolerance = run.tolerance ? `, tolerance ${run.tolerance.toExponential(0)}` : "; its tolerance was not recorded";
  const unit = timeUnit ? ` ${timeUnit}` : "";
  const above = run.frames_at_worst > 0 ? `, which ${run.frames_at_worst} of the recorded steps do not meet` : "";
  return `worst residual ${run.worst_residual ? run.worst_residual.toExponential(2) : "0"} at t = ${numberText(run.worst_time)}${unit}${tolerance}${above}`;
}

// How many frames the page has, and how far off what lies between them is drawn.
export function framesText(run: Run, perLength: number): string {
  const { frames } = run;
  const unit = run.units.length ? ` ${run.units.length}` : "";
  const count = `${frames.time.length} of ${frames.recorded} recorded frames`;
  if (frames.tolerance === 0) return count;
  const pixels = frames.tolerance * perLength;
  const seen = pixels > 0 ? ` (${pixels < 0.1 ? "less than 0.1" : pixels.toFixed(1)} pixels here)` : "";
  return `${count}; between them no point is drawn farther than ${numberText(Number(frames.tolerance.toPrecision(3)))}${unit}${seen} from where it was; curves and modes are of all frames`;
}
