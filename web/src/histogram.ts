// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// How often a value occurred in a study: bars, parted by success, each with the 95 % interval of its height.
import { element, shape } from "./dom";
import { FAILURE, SUCCESS } from "./palette";
import { numberText } from "./plots";
import { labelOf, type Histogram, type Study } from "./study_data";
import { niceStep, tickText } from "./view";

const WIDTH = 360;
const HEIGHT = 190;
const MARGIN = { left: 46, right: 12, top: 8, bottom: 40 };

// `chosen`: values of the trials that a reader keeps; their bars are outlined.
export function histogramFigure(study: Study, histogram: Histogram, chosen?: number[]): HTMLElement {
  const total = histogram.counts.reduce((sum, n) => sum + n, 0);
  const inner = { width: WIDTH - MARGIN.left - MARGIN.right, height: HEIGHT - MARGIN.top - MARGIN.bottom };
  const top = Math.max(...histogram.share_high.map((share) => share * total), 1);
  const step = Math.max(1, niceStep(top, 4));
  const most = Math.ceil(top / step) * step;
  const x = (value: number) => MARGIN.left + ((value - histogram.low) / (histogram.high - histogram.low)) * inner.width;
  const y = (count: number) => MARGIN.top + inner.height * (1 - count / most);
  const name = labelOf(study, histogram.name);
  const picture = shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `histogram of ${name}`, class: "chart" });

  for (let count = 0; count <= most + 1e-9 * most; count += step)
    picture.append(
      shape("line", { x1: MARGIN.left, x2: WIDTH - MARGIN.right, y1: y(count), y2: y(count), stroke: count === 0 ? "var(--soft)" : "var(--grid)" }),
      shape("text", { x: MARGIN.left - 5, y: y(count) + 4, "text-anchor": "end" }, tickText(count, step)),
    );
  const wide = inner.width / histogram.counts.length;
  histogram.counts.forEach((count, k) => {
    const left = MARGIN.left + k * wide + 0.75;
    const good = study.success ? histogram.successes[k] : count;
    const from = histogram.low + (k / histogram.counts.length) * (histogram.high - histogram.low);
    const to = histogram.low + ((k + 1) / histogram.counts.length) * (histogram.high - histogram.low);
    const bars = shape("g", {}, shape("title", {}, `${numberText(from)} to ${numberText(to)}: ${count} trials${study.success ? `, ${good} successful` : ""}`));
    if (good > 0) bars.append(shape("rect", { x: left, y: y(good), width: wide - 1.5, height: y(0) - y(good), fill: SUCCESS, opacity: "0.75" }));
    if (count > good) bars.append(shape("rect", { x: left, y: y(count), width: wide - 1.5, height: y(good) - y(count), fill: FAILURE, opacity: "0.75" }));
    const middle = left + wide / 2 - 0.75;
    const [low, high] = [y(histogram.share_low[k] * total), y(histogram.share_high[k] * total)];
    bars.append(shape("path", { d: `M${middle} ${low}V${high}M${middle - 2.5} ${low}h5M${middle - 2.5} ${high}h5`, stroke: "var(--ink)", fill: "none" }));
    picture.append(bars);
  });
  if (chosen) {
    const counts = histogram.counts.map(() => 0);
    for (const value of chosen) {
      const k = Math.floor(((value - histogram.low) / (histogram.high - histogram.low)) * counts.length);
      if (value >= histogram.low && value <= histogram.high) ++counts[Math.min(k, counts.length - 1)];
    }
    counts.forEach((count, k) => count > 0 && picture.append(shape("rect", {
      x: MARGIN.left + k * wide + 0.75, y: y(count), width: wide - 1.5, height: y(0) - y(count), fill: "none", stroke: "#e69f00", "stroke-width": "2.5", class: "kept" })));
  }
  const along = niceStep(histogram.high - histogram.low, 5);
  for (let k = Math.ceil(histogram.low / along - 1e-9); k * along <= histogram.high + 1e-9 * along; ++k)
    picture.append(shape("text", { x: x(k * along), y: HEIGHT - MARGIN.bottom + 15, "text-anchor": "middle" }, tickText(k * along, along)));
  picture.append(
    shape("text", { x: MARGIN.left + inner.width / 2, y: HEIGHT - 6, "text-anchor": "middle", class: "axis-name" }, name),
    shape("text", { x: 11, y: MARGIN.top + inner.height / 2, "text-anchor": "middle", transform: `rotate(-90 11 ${MARGIN.top + inner.height / 2})`, class: "axis-name" }, "trials"),
  );
  const figure = element("figure", { class: "histogram" }, picture);
  if (histogram.undefined > 0) figure.append(element("p", { class: "note" }, `Has no value in ${histogram.undefined} trials.`));
  return figure;
}
