// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Observables over time, one plot each, with the curves of several runs over each other, or how far they are from one of
// them.
import { union, valueAt } from "./compare";
import type { Plot } from "./data";
import { element } from "./dom";
import { named, type Observed, type Series } from "./model_data";
import { whenThemeChanges } from "./palette";
import { PlotPanel } from "./plots";
import type { TimeWindow } from "./time_window";

const VALUES = -1;

export class SeriesPanels {
  readonly element = element("div", { class: "series" });
  private readonly place = element("div", { class: "series-list" });
  private panels: PlotPanel[] = [];
  private time: number;

  constructor(
    private readonly observables: Observed[],
    private readonly runs: { name: string; series: Series }[],
    private readonly window: TimeWindow,
    private readonly seek: (time: number) => void,
    private readonly hovered: (time: number | undefined) => void = () => {},
  ) {
    this.time = window.last;
    const select = element("select", { "aria-label": "Curves" });
    select.append(new Option("values", String(VALUES)));
    runs.forEach(({ name }, k) => select.append(new Option(`difference from ${name}`, String(k))));
    select.addEventListener("change", () => this.put(Number(select.value)));
    if (runs.length > 1) this.element.append(element("p", { class: "choice" }, element("label", {}, "show ", select)));
    this.element.append(this.place);
    this.put(VALUES);
    new ResizeObserver(() => this.resize()).observe(this.place);
    whenThemeChanges(() => this.panels.forEach((panel) => panel.repaint()));
  }

  show(time: number): void {
    this.time = time;
    for (const panel of this.panels) panel.show(time);
  }

  hover(time: number | undefined): void {
    for (const panel of this.panels) panel.hover(time);
    if (time === undefined) this.show(this.time);
  }

  private put(reference: number): void {
    const hover = (time: number | undefined) => {
      this.hover(time);
      this.hovered(time);
    };
    this.panels = this.observables.map((_, k) => new PlotPanel(this.plot(k, reference), this.window, this.seek, hover));
    this.place.replaceChildren(...this.panels.map((panel) => panel.element));
    this.resize();
  }

  private plot(k: number, reference: number): Plot {
    const observable = this.observables[k];
    const time = union(...this.runs.map(({ series }) => series.time));
    const from = this.runs[reference]?.series;
    const curves = this.runs.filter((_, run) => run !== reference).map(({ name, series }) => {
      const values = Float32Array.from(time, (t) => valueAt(series.time, series.values[k], t) - (from ? valueAt(from.time, from.values[k], t) : 0));
      return { name, values, last: values[values.length - 1] ?? null };
    });
    const title = from ? `difference of ${named(observable)}` : named(observable);
    return { title, unit: "", description: observable.description, logarithmic: false, time, curves };
  }

  private resize(): void {
    for (const panel of this.panels) panel.resize();
    this.show(this.time);
  }
}
