// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Two runs on one page: the curves of both in one plot each, their difference below, and how far equal bodies are apart.
import { indexAt, type Pair, type Plot, type Run } from "./data";
import { element, table } from "./dom";
import { poseAt } from "./frames";
import { numberText } from "./plots";

const MOST_BODIES = 12;
const MOST_TIMES = 4000;

// Between two samples on a straight line; not a number beyond the ends.
export function valueAt(time: Float64Array, values: Float32Array, t: number): number {
  if (time.length === 0 || t < time[0] || t > time[time.length - 1]) return NaN;
  const k = indexAt(time, t);
  if (k + 1 >= time.length || time[k] === t) return values[k];
  const s = (t - time[k]) / (time[k + 1] - time[k]);
  return values[k] + s * (values[k + 1] - values[k]);
}

export function union(...lists: Float64Array[]): Float64Array {
  const all = Float64Array.from(new Set(lists.flatMap((list) => Array.from(list)))).sort();
  if (all.length <= 2 * MOST_TIMES) return all;
  const stride = Math.ceil(all.length / (2 * MOST_TIMES));
  return all.filter((_, k) => k % stride === 0 || k === all.length - 1);
}

// "stick (a)" and the like.
function together(a: Plot, b: Plot, names: [string, string]): Plot {
  const time = union(a.time, b.time);
  const curves = [a, b].flatMap((plot, k) =>
    plot.curves.map((curve) => ({
      name: plot.curves.length > 1 ? `${curve.name} (${names[k]})` : names[k],
      values: Float32Array.from(time, (t) => valueAt(plot.time, curve.values, t)),
      last: curve.last,
    })));
  return { ...a, time, curves };
}

// Second run minus first one, where both have values.
function difference(a: Plot, b: Plot): Plot {
  const time = union(a.time, b.time);
  const curves = a.curves.flatMap((curve) => {
    const other = b.curves.find((one) => one.name === curve.name);
    if (!other) return [];
    const values = Float32Array.from(time, (t) => valueAt(b.time, other.values, t) - valueAt(a.time, curve.values, t));
    return [{ name: curve.name, values, last: other.last !== null && curve.last !== null ? other.last - curve.last : null }];
  });
  return { ...a, title: `difference of ${a.title}`, description: "second run minus first one", logarithmic: false, time, curves };
}

// Distance of the centres of equal bodies over the time that both runs have.
function distances(a: Run, b: Run): Plot | undefined {
  const end = Math.min(a.frames.time[a.frames.time.length - 1], b.frames.time[b.frames.time.length - 1]);
  const all = union(a.frames.time, b.frames.time).filter((t) => t <= end);
  const stride = Math.ceil(all.length / MOST_TIMES);
  const time = all.filter((_, k) => k % stride === 0 || k === all.length - 1);
  const curves = a.bodies.flatMap((body, k) => {
    const other = b.bodies.findIndex((one) => one.name === body.name);
    if (!(body.mass > 0) || other < 0) return [];
    const values = Float32Array.from(time, (t) => {
      const [p, q] = [poseAt(a, k, t).position, poseAt(b, other, t).position];
      return Math.hypot(...p.map((x, c) => x - q[c]));
    });
    return [{ name: body.name, values, last: values[values.length - 1] ?? null }];
  });
  if (curves.length === 0) return undefined;
  curves.sort((x, y) => Math.max(...y.values) - Math.max(...x.values));
  const most = curves.length > MOST_BODIES ? `; the ${MOST_BODIES} bodies that are farthest apart` : "";
  return { title: "distance between the runs", unit: a.units.length, description: `of the centres of equal bodies${most}`, logarithmic: false, time, curves: curves.slice(0, MOST_BODIES) };
}

// Bands of both runs, those of one pair below each other.
function bothPairs(a: Run, b: Run, names: [string, string]): Pair[] {
  const key = (run: Run, pair: Pair) => `${run.bodies[pair.a].name} – ${run.bodies[pair.b].name}`;
  const list = [[a, names[0]], [b, names[1]]] as const;
  const keys = new Set(list.flatMap(([run]) => run.pairs.map((pair) => key(run, pair))));
  return [...keys].flatMap((one) => list.flatMap(([run, name]) => run.pairs.filter((pair) => key(run, pair) === one).map((pair) => ({ ...pair, name: `${one}: ${name}` }))));
}

// The first run with the curves and bands of both, and a picture large enough for both.
export function merged(a: Run, b: Run): Run {
  const names: [string, string] = [a.name || "first", b.name || "second"];
  const plots: Plot[] = [];
  const apart = distances(a, b);
  if (apart) plots.push(apart);
  for (const plot of a.plots) {
    const other = b.plots.find((one) => one.title === plot.title);
    plots.push(other ? together(plot, other, names) : plot);
    if (other && !plot.logarithmic) plots.push(difference(plot, other));
  }
  const bounds = [a.bounds[0].map((x, k) => Math.min(x, b.bounds[0][k])), a.bounds[1].map((x, k) => Math.max(x, b.bounds[1][k]))];
  return { ...a, plots, bounds, pairs: bothPairs(a, b, names) };
}

// What the runs differ in, and where they end apart.
export function comparison(a: Run, b: Run): HTMLElement {
  const rows: string[][] = [];
  const put = (name: string, x: string, y: string) => x !== y && rows.push([name, x, y, ""]);
  const own = (x: string, y: string) => x.split(", ").filter((part) => !y.split(", ").includes(part)).join(", ");
  put("method", own(a.method, b.method) || "–", own(b.method, a.method) || "–");
  put("end", a.end || "unknown", b.end || "unknown");
  for (const p of a.parameters) {
    const q = b.parameters.find((one) => one.name === p.name);
    put(p.name, `${numberText(p.value)} ${p.unit}`, q ? `${numberText(q.value)} ${q.unit}` : "–");
  }
  for (const plot of a.plots.filter((one) => a.observables.some((o) => o.name === one.title))) {
    const other = b.plots.find((one) => one.title === plot.title);
    const [x, y] = [plot.curves[0].last, other?.curves[0].last ?? null];
    const gap = x !== null && y !== null ? `${numberText(y - x)} ${plot.unit}` : "";
    if (x !== y) rows.push([`${plot.title} at the end`, `${numberText(x)} ${plot.unit}`, `${numberText(y)} ${plot.unit}`, gap]);
  }
  return table(["", a.name, b.name, "difference"], rows.length > 0 ? rows : [[element("em", {}, "no difference"), "", "", ""]]);
}
