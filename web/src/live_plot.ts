// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Curves that grow while the scene runs. When they have too many points every second one goes.
import uPlot from "uplot";
import { element } from "./dom";
import { curveColor } from "./palette";
import { numberText, plotOptions, scarce } from "./plots";

const MOST = 3000;

export class LivePlot {
  readonly element = element("figure", { class: "plot" });
  private readonly told: HTMLElement[];
  private readonly place = element("div");
  private time: number[] = [];
  private values: (number | null)[][];
  private every = 1;
  private seen = 0;
  private chart: uPlot | undefined;

  constructor(name: string, unit: string, description: string, private readonly curves = [""]) {
    this.told = curves.map((_, k) => {
      const node = element("span", { class: "value" });
      node.style.setProperty("--color", curveColor(k));
      return node;
    });
    this.values = curves.map(() => []);
    const caption = element("figcaption", {}, element("strong", {}, unit ? `${name} (${unit})` : name), ...this.told);
    if (description) caption.append(element("small", {}, description));
    this.element.append(caption, this.place);
  }

  clear(): void {
    this.time = [];
    this.values = this.curves.map(() => []);
    this.every = 1;
    this.seen = 0;
  }

  add(time: number, values: (number | null)[]): void {
    values.forEach((value, k) => (this.told[k].textContent = `${this.curves[k]} ${numberText(value)}`));
    if (this.seen++ % this.every !== 0) return;
    this.time.push(time);
    values.forEach((value, k) => this.values[k].push(value));
    if (this.time.length <= MOST) return;
    this.time = this.time.filter((_, k) => k % 2 === 0);
    this.values = this.values.map((list) => list.filter((_, k) => k % 2 === 0));
    this.every *= 2;
  }

  resize(): void {
    const width = Math.max(120, this.element.clientWidth);
    if (!this.chart) {
      const options = plotOptions({ logarithmic: false, curves: this.curves.map((name) => ({ name })) }, width);
      // A few values, as after a reload or of what has a value at the end only, are points.
      options.series.slice(1).forEach((series, k) => (series.points = { show: () => scarce(this.values[k]), size: 7 }));
      this.chart = new uPlot(options, [[], ...this.curves.map(() => [])] as uPlot.AlignedData, this.place);
    } else if (this.chart.width !== width) this.chart.setSize({ width, height: this.chart.height });
  }

  draw(): void {
    this.chart?.setData([this.time, ...this.values] as uPlot.AlignedData);
  }
}
