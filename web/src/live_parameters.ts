// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A slider and a number field for each parameter, and the choices of the method.
import { details, element } from "./dom";
import type { LiveParameter, LiveSetting } from "./live_data";
import { numberText } from "./plots";

const PAUSE = 60; // ms between two values of a slider that is dragged
const PARTS = 1000;
const FOLLOWS = "follow from the others until they are set";

interface Row {
  slider: HTMLInputElement;
  field: HTMLInputElement;
  choice?: HTMLSelectElement; // in place of both, where only some values are possible
  usual: HTMLButtonElement; // back to the scene's value
  own: { low: number; high: number }; // as the simulation tells
  range: { low: number; high: number };
  value: number; // that holds
}

export class ParameterPanel {
  readonly element = element("div", { class: "parameters" });
  private readonly rows = new Map<string, Row>();
  private readonly stepper = element("select", { "aria-label": "Stepper" });
  private readonly friction = element("select", { "aria-label": "Friction" });
  private readonly step = element("input", { type: "number", "aria-label": "Step size", step: "any", min: "0" });
  private known = 0; // the step that holds
  private readonly waiting = new Map<string, number>(); // to be sent
  private readonly unanswered = new Map<string, number>(); // chosen here, and not yet what the simulation says

  constructor(private readonly send: (name: string, value: number | string) => void, private readonly toUsual: (name: string) => void) {
    for (const value of ["cone", "pyramid"]) this.friction.append(new Option(value));
    this.stepper.addEventListener("change", () => this.send("method.stepper", this.stepper.value));
    this.friction.addEventListener("change", () => this.send("method.friction", this.friction.value));
    this.step.addEventListener("change", () => {
      if (Number(this.step.value) > 0) this.send("method.step", Number(this.step.value));
      else this.step.value = String(this.known);
    });
  }

  // `refused`: the parameter whose newest value was not possible; what the simulation says holds.
  load(parameters: LiveParameter[], method: LiveSetting["method"], timeUnit: string, refused: string): void {
    if (this.stepper.options.length === 0) this.build(parameters, method, timeUnit);
    this.unanswered.delete(refused);
    for (const parameter of parameters) {
      const row = this.rows.get(parameter.name);
      if (!row || parameter.value === null) continue;
      row.value = parameter.value;
      row.usual.hidden = parameter.derived || parameter.value === parameter.usual;
      if (row.choice) row.choice.value = String(parameter.value);
      // Answers to older choices must not move what is under the user's hand.
      if (this.unanswered.get(parameter.name) === parameter.value) this.unanswered.delete(parameter.name);
      if (this.unanswered.has(parameter.name)) continue;
      const no = refused === parameter.name;
      row.field.classList.toggle("refused", no);
      if (document.activeElement !== row.field || no) row.field.value = numberText(parameter.value);
      if (!row.slider.matches(":active") || no) this.put(row, parameter.value);
    }
    this.stepper.value = method.stepper;
    this.friction.value = method.friction;
    this.known = method.step;
    if (document.activeElement !== this.step || refused === "method.step") this.step.value = String(method.step);
  }

  private build(parameters: LiveParameter[], method: LiveSetting["method"], timeUnit: string): void {
    const groups = new Map<string, HTMLElement>();
    for (const parameter of parameters) {
      const name = parameter.derived ? FOLLOWS : parameter.group;
      const group = groups.get(name) ?? this.group(name);
      groups.set(name, group);
      group.append(this.row(parameter));
    }
    this.element.append(...[...groups].sort(([a], [b]) => Number(a === FOLLOWS) - Number(b === FOLLOWS)).map(([, group]) => group));
    if (parameters.length === 0) this.element.append(element("p", { class: "note" }, "This scene has no parameters."));
    for (const name of method.steppers) this.stepper.append(new Option(name));
    this.element.append(
      element("div", { class: "method" },
        element("label", {}, "stepper ", this.stepper),
        element("label", {}, "friction ", this.friction),
        element("label", {}, "step ", this.step, timeUnit ? ` ${timeUnit}` : "")),
    );
  }

  private group(name: string): HTMLElement {
    if (name === FOLLOWS) return details(name, false);
    return element("section", {}, ...(name ? [element("h3", {}, name)] : []));
  }

  private row(parameter: LiveParameter): HTMLElement {
    const slider = element("input", { type: "range", min: "0", max: String(PARTS), step: "1", "aria-label": parameter.name });
    const field = element("input", { type: "number", step: "any", "aria-label": `${parameter.name}, as a number` });
    const usual = element("button", { type: "button", class: "usual", "aria-label": `${parameter.name} as in the scene`, title: `as in the scene: ${numberText(parameter.usual)}` }, "↺");
    const own = { low: parameter.low, high: parameter.high };
    const row: Row = { slider, field, usual, own, range: { ...own }, value: parameter.value ?? 0 };
    usual.addEventListener("click", () => this.toUsual(parameter.name));
    this.rows.set(parameter.name, row);
    slider.addEventListener("input", () => {
      const value = row.range.low + (Number(slider.value) / PARTS) * (row.range.high - row.range.low);
      field.value = numberText(value);
      this.later(parameter.name, value);
    });
    field.addEventListener("change", () => {
      const value = Number(field.value);
      if (field.value === "" || !Number.isFinite(value)) {
        field.value = numberText(row.value);
        return;
      }
      this.unanswered.set(parameter.name, value);
      this.send(parameter.name, value);
    });
    const label = element("label", { title: parameter.description }, parameter.unit ? `${parameter.name} (${parameter.unit})` : parameter.name);
    if (parameter.description) label.append(element("small", {}, parameter.description));
    if (parameter.choices.length === 0) return element("div", { class: "parameter" }, label, slider, field, usual);
    row.choice = element("select", { "aria-label": parameter.name });
    for (const value of parameter.choices) row.choice.append(new Option(numberText(value), String(value)));
    row.choice.addEventListener("change", () => this.send(parameter.name, Number(row.choice!.value)));
    return element("div", { class: "parameter chosen-from" }, label, row.choice, usual);
  }

  private put(row: Row, value: number): void {
    // A number typed beyond the slider's end moves the end for as long as it holds.
    row.range = { low: Math.min(row.own.low, value), high: Math.max(row.own.high, value) };
    row.slider.value = String(Math.round((PARTS * (value - row.range.low)) / (row.range.high - row.range.low)));
  }

  // The newest value counts; the simulation gets a few each second.
  private later(name: string, value: number): void {
    const busy = this.waiting.has(name);
    this.waiting.set(name, value);
    this.unanswered.set(name, value);
    if (busy) return;
    window.setTimeout(() => {
      const newest = this.waiting.get(name);
      this.waiting.delete(name);
      if (newest !== undefined) this.send(name, newest);
    }, PAUSE);
  }
}
