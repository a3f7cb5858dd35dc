// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A chart of points and lines over two axes, each linear or logarithmic, as a drawing.
import { shape } from "./dom";
import { numberText } from "./plots";
import { niceStep, tickText } from "./view";

const WIDTH = 340; // about that of a place in a list of charts, so that letters have the size of those around them
const MARGIN = { left: 62, right: 14, top: 10, bottom: 42 };

export interface XyCurve {
  points: { x: number; y: number; title?: string }[];
  color: string;
  line?: boolean;
  marks?: number; // radius
  dash?: string;
}

export interface XyAxis {
  name: string;
  logarithmic?: boolean;
}

interface Scale {
  share(value: number): number; // 0 at the low end, 1 at the high one
  ticks: { value: number; text: string }[];
}

const shows = (value: number, logarithmic = false) => Number.isFinite(value) && (!logarithmic || value > 0);

function linear(low: number, high: number, parts: number): Scale {
  const size = Math.max(Math.abs(low), Math.abs(high));
  const air = high > low ? 0.06 * (high - low) : 0.1 * (size || 1);
  const [from, to] = [low - air, high + air];
  const step = niceStep(to - from, parts);
  const ticks: Scale["ticks"] = [];
  for (let k = Math.ceil(from / step - 1e-9); k * step <= to + 1e-9 * step; ++k) ticks.push({ value: k * step, text: tickText(k * step, step) });
  return { share: (value) => (value - from) / (to - from), ticks };
}

// Powers of ten; where they are few, 2 and 5 times them as well.
function logarithmic(low: number, high: number, parts: number): Scale {
  const air = Math.max(0.06 * Math.log10(high / low), 0.05);
  const [from, to] = [Math.log10(low) - air, Math.log10(high) + air];
  const every = Math.max(1, Math.ceil((to - from) / parts));
  const ticks: Scale["ticks"] = [];
  for (let power = Math.floor(from); power <= to; ++power)
    for (const part of to - from < 2.5 ? [1, 2, 5] : [1]) {
      const at = power + Math.log10(part);
      if (at < from || at > to || (part === 1 && power % every !== 0)) continue;
      ticks.push({ value: part * 10 ** power, text: power >= -2 && power <= 3 ? String(Number((part * 10 ** power).toPrecision(3))) : `${part}e${power}` });
    }
  return { share: (value) => (Math.log10(value) - from) / (to - from), ticks };
}

function scaleOf(values: number[], axis: XyAxis, parts: number): Scale {
  const seen = values.filter((value) => shows(value, axis.logarithmic));
  const [low, high] = seen.length > 0 ? [Math.min(...seen), Math.max(...seen)] : axis.logarithmic ? [0.1, 1] : [0, 1];
  return axis.logarithmic ? logarithmic(low, high, parts) : linear(low, high, parts);
}

export function xyChart(label: string, xAxis: XyAxis, yAxis: XyAxis, curves: XyCurve[], height = 220, width = WIDTH): SVGElement {
  const { left, right, top, bottom } = MARGIN;
  const points = curves.flatMap((curve) => curve.points);
  const [xs, ys] = [scaleOf(points.map((p) => p.x), xAxis, (width - left - right) / 70), scaleOf(points.map((p) => p.y), yAxis, (height - top - bottom) / 34)];
  const x = (value: number) => left + xs.share(value) * (width - left - right);
  const y = (value: number) => top + (1 - ys.share(value)) * (height - top - bottom);
  const picture = shape("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label, class: "chart" });
  for (const { value, text } of xs.ticks)
    picture.append(shape("line", { x1: x(value), x2: x(value), y1: top, y2: height - bottom, stroke: "var(--grid)" }),
      shape("text", { x: x(value), y: height - bottom + 15, "text-anchor": "middle" }, text));
  for (const { value, text } of ys.ticks)
    picture.append(shape("line", { x1: left, x2: width - right, y1: y(value), y2: y(value), stroke: "var(--grid)" }),
      shape("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end" }, text));
  picture.append(shape("path", { d: `M${left} ${top}V${height - bottom}H${width - right}`, stroke: "var(--soft)", fill: "none" }));
  for (const { points: list, color, line, marks, dash } of curves) {
    const seen = list.filter((p) => shows(p.x, xAxis.logarithmic) && shows(p.y, yAxis.logarithmic));
    if (line && seen.length > 1)
      picture.append(shape("path", { d: seen.map((p, k) => `${k === 0 ? "M" : "L"}${x(p.x).toFixed(1)} ${y(p.y).toFixed(1)}`).join(""),
        stroke: color, "stroke-width": "1.6", fill: "none", ...(dash ? { "stroke-dasharray": dash } : {}) }));
    if (marks)
      for (const p of seen)
        picture.append(shape("circle", { cx: x(p.x), cy: y(p.y), r: marks, fill: color }, shape("title", {}, p.title ?? `${numberText(p.x)}: ${numberText(p.y)}`)));
  }
  const middle = top + (height - top - bottom) / 2;
  picture.append(
    shape("text", { x: (left + width - right) / 2, y: height - 7, "text-anchor": "middle", class: "axis-name" }, xAxis.name),
    shape("text", { x: 12, y: middle, "text-anchor": "middle", transform: `rotate(-90 12 ${middle})`, class: "axis-name" }, yAxis.name));
  return picture;
}
