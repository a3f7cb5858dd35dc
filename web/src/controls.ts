// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What is below the picture of a run, recorded or live.
import { button, checkbox, element } from "./dom";
import type { Body } from "./data";
import type { Key } from "./keys";
import { SPEEDS } from "./player";
import { shortName, type Show, type View } from "./view";

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

export const LAYERS: [keyof Show, string, string][] = [ // with the key that switches it
  ["contacts", "contacts", "c"], ["forces", "forces", "f"], ["parts", "normal + friction", "a"], ["cones", "friction cones", "o"],
  ["traces", "traces", "t"], ["names", "names", "n"], ["guides", "start and target", "g"],
];

// What is drawn besides the bodies; `plan`: there is a start and a target.
export class Switches {
  readonly element: HTMLElement;
  private readonly boxes = new Map<keyof Show, HTMLInputElement>();

  constructor(private readonly show: Show, readonly plan: boolean, private readonly changed: () => void, fit: () => void) {
    const shown = LAYERS.filter(([key]) => key !== "guides" || plan);
    this.element = element("div", { class: "switches" },
      ...shown.map(([key, label, letter]) => {
        const node = checkbox(label, show[key], (on) => { show[key] = on; changed(); });
        node.title = `key ${letter}`;
        this.boxes.set(key, node.querySelector("input")!);
        return node;
      }),
      button("Fit the view", "fit", () => { fit(); changed(); }));
  }

  toggle(key: keyof Show): void {
    const box = this.boxes.get(key);
    if (!box) return;
    box.checked = this.show[key] = !this.show[key];
    this.changed();
  }
}

export function layerKeys(switches: Switches): Key[] {
  return LAYERS.filter(([key]) => key !== "guides" || switches.plan)
    .map(([key, label, letter]) => ({ key: letter, text: label, press: () => switches.toggle(key) }));
}

// From where one looks, what one follows, and how long arrows are.
export function cameraBar(view: View, bodies: Body[], changed: () => void): HTMLElement {
  const bar = element("div", { class: "camera" });
  if (view.presets.length > 0) {
    const preset = element("select", { "aria-label": "Look from" });
    preset.append(new Option("look from …", ""));
    for (const name of view.presets) preset.append(new Option(name));
    preset.addEventListener("change", () => {
      if (preset.value) view.fit(preset.value);
      preset.value = "";
      changed();
    });
    const camera = view.camera();
    const parallel = checkbox("orthographic", camera?.kind === "space" && camera.orthographic, (on) => { view.setOrthographic?.(on); changed(); });
    bar.append(preset, parallel);
  }
  const follow = element("select", { "aria-label": "Follow a body" });
  follow.append(new Option("follow no body", "-1"));
  bodies.forEach((body, b) => body.shapes.every((shape) => shape.kind !== "half-space") && follow.append(new Option(`follow ${shortName(body.name)}`, String(b))));
  follow.value = String(view.following);
  follow.addEventListener("change", () => { view.following = Number(follow.value); changed(); });
  const longer = (factor: number) => { view.forceScale *= factor; changed(); };
  bar.append(follow, element("span", {}, "arrows"), button("Longer arrows", "+", () => longer(1.5)), button("Shorter arrows", "−", () => longer(1 / 1.5)));
  return bar;
}

export function fullScreen(node: HTMLElement): void {
  if (document.fullscreenElement) void document.exitFullscreen();
  else void node.requestFullscreen?.();
}
