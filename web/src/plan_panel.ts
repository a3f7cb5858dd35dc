// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What was asked of a plan and what came out: unknowns, conditions, residuals, changes of contact, other solutions.
import type { Run } from "./data";
import { button, element, table } from "./dom";
import { eventText, eventsOf, sequenceText, type Plan, type PlanUnknown } from "./plan_data";
import { MODE_COLORS } from "./palette";
import { numberText } from "./plots";

const MOST_EVENTS = 40;

export function planPanel(run: Run, plan: Plan, others: Run[], choose: (run: Run) => void, seek: (time: number) => void): HTMLElement {
  const node = element("div", { class: "plan" });
  const part = (title: string, ...content: Node[]) => node.append(element("h3", {}, title), ...content);
  if (others.length > 1) part("Solutions", solutions(run, others, choose));
  part("Unknowns", unknowns(plan, run.units));
  part("Conditions at the end", conditions(plan));
  if (plan.influence?.length) part("Influence of the unknowns", influence(plan));
  if (plan.objective !== null)
    part("Objective", element("p", {}, element("code", {}, plan.objective_text), ` = ${numberText(plan.objective)}`));
  part("Residuals", residuals(plan, run.tolerance));
  part("Changes of contact", events(run, plan, seek));
  return node;
}

// A row per solution; the present one is marked.
function solutions(run: Run, others: Run[], choose: (run: Run) => void): HTMLElement {
  const names = run.plan!.unknowns.slice(0, 4).map((u) => u.name);
  const objective = run.plan!.objective !== null;
  const rows = others.map((other) => {
    const plan = other.plan!;
    const press = button(`Show solution ${plan.number}`, String(plan.number), () => choose(other));
    if (other === run) press.setAttribute("aria-current", "true");
    return [press, ...plan.unknowns.slice(0, 4).map((u) => numberText(u.value)),
      ...(objective ? [numberText(plan.objective)] : []), sequenceText(other)];
  });
  return element("div", { class: "scroller" }, table(["", ...names, ...(objective ? ["objective"] : []), "contacts"], rows));
}

// Of a coordinate at the start, where the scene's units tell.
function unitOf(unknown: PlanUnknown, units: Run["units"]): string {
  if (unknown.unit || !unknown.start) return unknown.unit;
  const coordinate = unknown.start.split(".")[1] ?? "";
  const per = units.time ? `/${units.time}` : "";
  if (/^v[xyz]$/.test(coordinate)) return units.length && per ? units.length + per : "";
  if (/^w[xyz]$/.test(coordinate)) return per ? `rad${per}` : "";
  return coordinate === "angle" ? "rad" : units.length;
}

function unknowns(plan: Plan, units: Run["units"]): HTMLElement {
  const bounded = plan.unknowns.some((u) => u.low !== null || u.high !== null);
  const rows = plan.unknowns.map((u) => {
    const unit = unitOf(u, units);
    const name = element("span", {}, u.name, u.start ? element("small", {}, ` ${u.start} at the start`) : "");
    const row: (Node | string)[] = [name, `${numberText(u.value)} ${unit}`, numberText(u.guess)];
    if (bounded) row.push(u.low === null && u.high === null ? "any" : `${u.low === null ? "–∞" : numberText(u.low)} to ${u.high === null ? "∞" : numberText(u.high)}`);
    return row;
  });
  const node = element("div", { class: "scroller" }, table(["name", "found", "guess", ...(bounded ? ["between"] : [])], rows));
  if (plan.status !== "solved") node.querySelectorAll("th")[1].textContent = "closest";
  return node;
}

function conditions(plan: Plan): HTMLElement {
  const rows = plan.conditions.map((c) => {
    const holds = c.violation !== null && c.violation <= plan.tolerance;
    const mark = element("span", { class: holds ? "holds" : "fails", title: holds ? "holds" : "is violated" }, holds ? "✓" : "✗");
    const shown = c.relation !== "==" && holds ? "0" : numberText(c.violation === null ? null : Number(c.violation.toPrecision(2)));
    return [mark, element("code", {}, c.text), numberText(c.reached), numberText(c.wanted), shown];
  });
  return element("div", { class: "scroller" }, table(["", "condition", "left side", "right side", "off by"], rows));
}

// How much each condition's left side minus its right side changes per unit of each unknown; the largest of a row is bold.
function influence(plan: Plan): HTMLElement {
  const rows = plan.conditions.map((condition, i) => {
    const row = plan.influence![i];
    const largest = Math.max(...row.map((x) => Math.abs(x ?? 0)));
    const cells = row.map((x) => {
      const text = x === null ? "not a number" : numberText(x);
      return x !== null && Math.abs(x) === largest && largest > 0 ? element("strong", {}, text) : text;
    });
    return [element("code", {}, condition.text), ...cells];
  });
  return element("div", { class: "scroller" }, table(["change of, per unit of", ...plan.unknowns.map((u) => u.name)], rows));
}

// Bars from 1e-17 to 1, each with its tolerance.
function residuals(plan: Plan, certificate: number | null): HTMLElement {
  const { residuals: r } = plan;
  const rows: [string, string, number | null, number | null][] = [
    ["conditions", "how far the search is from what is asked", r.conditions, plan.tolerance],
    ["replay", "the same after the written scene was run", r.replay, plan.tolerance],
    ["complementarity", "contact laws, the worst step's certificate", r.complementarity, certificate],
    ["dynamics", "equations of motion, the worst step", r.dynamics, null],
  ];
  const place = (x: number) => 100 * Math.min(1, Math.max(0, (Math.log10(Math.max(x, 1e-17)) + 17) / 17));
  const node = element("div", { class: "residuals" });
  for (const [name, meaning, value, limit] of rows) {
    const bar = element("span", { class: "log-bar", role: "presentation" });
    if (value !== null) {
      const filled = element("span", { class: limit !== null && value > limit ? "filled bad" : "filled" });
      filled.style.width = `${Math.max(0.5, place(value))}%`;
      bar.append(filled);
    }
    if (limit !== null) {
      const tick = element("span", { class: "limit", title: `tolerance ${limit.toExponential(0)}` });
      tick.style.left = `${place(limit)}%`;
      bar.append(tick);
    }
    const text = value === null ? "not evaluated" : value === 0 ? "0" : value.toExponential(1);
    node.append(element("span", { title: meaning }, name), bar, element("span", { class: "value" }, text));
  }
  const scale = element("span", { class: "log-scale", "aria-hidden": "true" }, element("span", {}, "1e-17"), element("span", {}, "1e-8"), element("span", {}, "1"));
  node.append(element("span"), scale, element("span"));
  if (r.dynamics === null) node.append(element("p", { class: "note" }, "The equations of motion are evaluated where derivatives are exact; here they are differences."));
  return node;
}

function events(run: Run, plan: Plan, seek: (time: number) => void): HTMLElement {
  const all = eventsOf(run, plan);
  if (all.length === 0) return element("p", { class: "note" }, `None: ${sequenceText(run)}.`);
  const list = element("ol", { class: "events" });
  const unit = run.units.time ? ` ${run.units.time}` : "";
  for (const event of all.slice(0, MOST_EVENTS)) {
    const mark = element("span", { class: event.impact ? "mark impact" : `mark mode-${["apart", "stick", "roll", "slide"][event.mode]}` });
    mark.style.setProperty("--color", MODE_COLORS[event.mode]);
    const text = `${numberText(event.time)}${unit}`;
    list.append(element("li", {}, button(`Go to ${text}`, text, () => seek(event.time)), mark, eventText(run, event)));
  }
  if (all.length > MOST_EVENTS) list.append(element("li", { class: "note" }, `and ${all.length - MOST_EVENTS} more, in the chart below`));
  return list;
}

export function planFacts(plan: Plan): string[][] {
  const search = plan.status === "solved"
    ? `${plan.searches_solved} of ${plan.starts} starts led to a solution, ${plan.runs} runs; this one from start ${plan.start + 1} after ${plan.iterations} iterations`
    : `${plan.starts} starts, ${plan.runs} runs, none led to a solution`;
  return [
    ["plan", `${plan.file}: ${plan.method}, ${plan.derivatives} derivatives, ${plan.steps} steps`],
    ["search", search],
  ];
}
