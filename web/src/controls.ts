// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What is below the picture of a run, recorded or live.
import { button, checkbox, element } from "./dom";
import { SPEEDS } from "./player";
import type { Show } from "./view";

export function playButton(press: () => void): HTMLButtonElement {
  const node = button("Play", "▶", press);
  node.classList.add("play");
  return node;
}

export function showPlaying(node: HTMLButtonElement, playing: boolean): void {
  const label = playing ? "Pause" : "Play";
  if (node.title === label) return;
  node.textContent = playing ? "❚❚" : "▶";
  node.setAttribute("aria-label", label);
  node.title = label;
}

export function speedChoice(speed: number, timeUnit: string, change: (speed: number) => void): HTMLSelectElement {
  const unit = timeUnit ? ` (${timeUnit})` : "";
  const node = element("select", { "aria-label": "Speed", title: `time of the run${unit} per second` });
  for (const value of SPEEDS) node.append(new Option(`${value}×`, String(value), false, value === speed));
  node.addEventListener("change", () => change(Number(node.value)));
  return node;
}

export function timeDisplay(clock: HTMLOutputElement, timeUnit: string): HTMLElement {
  return element("span", { class: "time" }, clock, timeUnit ? element("span", { class: "unit" }, timeUnit) : "");
}

// What is drawn besides the bodies; `plan`: there is a start and a target.
export function showSwitches(show: Show, plan: boolean, changed: () => void, fit: () => void): HTMLElement {
  const labels: [keyof Show, string][] = [
    ["contacts", "contacts"], ["forces", "forces"], ["cones", "friction cones"], ["traces", "traces"], ["names", "names"], ["guides", "start and target"],
  ];
  const shown = labels.filter(([key]) => key !== "guides" || plan);
  return element("div", { class: "switches" },
    ...shown.map(([key, label]) => checkbox(label, show[key], (on) => { show[key] = on; changed(); })),
    button("Fit the view", "fit", () => { fit(); changed(); }));
}
