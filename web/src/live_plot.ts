// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A curve that grows while the scene runs. When it has too many points every second one goes.
import uPlot from "uplot";
import type { Quantity } from "./data";
import { element } from "./dom";
import { CURVE_COLORS } from "./palette";
import { numberText, plotOptions } from "./plots";

const MOST = 3000;

export class LivePlot {
  readonly element = element("figure", { class: "plot" });
  private readonly value = element("span", { class: "value" });
  private readonly place = element("div");
  private time: number[] = [];
  private values: (number | null)[] = [];
  private every = 1;
  private seen = 0;
  private chart: uPlot | undefined;

  constructor(quantity: Quantity, private readonly timeUnit: string) {
    const title = quantity.unit ? `${quantity.name} (${quantity.unit})` : quantity.name;
    this.value.style.setProperty("--color", CURVE_COLORS[0]);
    const caption = element("figcaption", {}, element("strong", {}, title), this.value);
    if (quantity.description) caption.append(element("small", {}, quantity.description));
    this.element.append(caption, this.place);
  }

  clear(): void {
    this.time = [];
    this.values = [];
    this.every = 1;
    this.seen = 0;
  }

  add(time: number, value: number | null): void {
    this.value.textContent = numberText(value);
    if (this.seen++ % this.every !== 0) return;
    this.time.push(time);
    this.values.push(value);
    if (this.time.length <= MOST) return;
    this.time = this.time.filter((_, k) => k % 2 === 0);
    this.values = this.values.filter((_, k) => k % 2 === 0);
    this.every *= 2;
  }

  resize(): void {
    const width = Math.max(120, this.element.clientWidth);
    if (!this.chart) {
      const plot = { logarithmic: false, curves: [{ name: "" }] };
      const options = plotOptions(plot, width, this.timeUnit);
      // A single value, as after a reload, is a point.
      options.series[1].points = { show: () => this.time.length < 3, size: 7 };
      this.chart = new uPlot(options, [[], []], this.place);
    } else if (this.chart.width !== width) this.chart.setSize({ width, height: this.chart.height });
  }

  draw(): void {
    this.chart?.setData([this.time, this.values] as uPlot.AlignedData);
  }
}
