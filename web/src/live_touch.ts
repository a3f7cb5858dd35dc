// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Hands on a live scene: drag a free body to pull it by a spring, or choose it and push it.
import { button, element } from "./dom";
import type { LiveSetting, Simulation } from "./live_data";
import type { Hands } from "./view";

const PAUSE = 30; // ms between two places of a hand that moves

export class Touch {
  readonly element: HTMLElement;
  private readonly strength = element("input", { type: "number", step: "any", min: "0", "aria-label": "Change of speed by a push" });
  private readonly buttons: HTMLButtonElement[] = [];
  private readonly what = element("span", { class: "pace" }, "choose a body to push it");
  private target: { body: number; from: number[]; to: number[] } | undefined;
  private timer = 0;
  private body = -1;

  constructor(private readonly remote: Simulation, private readonly setting: () => LiveSetting | undefined, dimension: number) {
    const directions: [string, string, number[]][] = [["left", "←", [-1, 0, 0]], ["right", "→", [1, 0, 0]]];
    if (dimension === 2) directions.push(["down", "↓", [0, -1, 0]], ["up", "↑", [0, 1, 0]]);
    else directions.push(["back", "y −", [0, -1, 0]], ["forth", "y +", [0, 1, 0]], ["down", "↓", [0, 0, -1]], ["up", "↑", [0, 0, 1]]);
    for (const [name, sign, direction] of directions) this.buttons.push(button(`Push ${name}`, sign, () => this.push(direction)));
    this.element = element("div", { class: "controls touch" }, "push", ...this.buttons, "by", this.strength, this.what);
    this.choose(-1);
  }

  hands(): Hands {
    return {
      grabs: (body) => (this.setting()?.bodies[body]?.mass ?? 0) > 0,
      pull: (body, from, to) => this.pull(body, from, to),
      release: () => this.release(),
    };
  }

  // `size`: of the scene; a push makes a body cross a part of it.
  suggest(size: number): void {
    const setting = this.setting();
    if (!setting || this.strength.value !== "") return;
    const gravity = Math.hypot(...setting.gravity);
    const speed = gravity > 0 ? 0.3 * Math.sqrt(gravity * size) : size / Math.max(1e-9, Math.min(setting.duration ?? 1, 10));
    this.strength.value = String(Number(speed.toPrecision(1)));
  }

  choose(body: number): void {
    const one = this.setting()?.bodies[body];
    this.body = one && one.mass > 0 ? body : -1;
    for (const node of this.buttons) node.disabled = this.body < 0;
    const { units } = this.setting() ?? {};
    const unit = units?.length && units.time ? `${units.length}/${units.time} ` : "";
    this.what.textContent = this.body >= 0 ? `${unit}of ${one!.name}` : `${unit}– click a free body first; drag one to pull it`;
  }

  private push(direction: number[]): void {
    const body = this.setting()?.bodies[this.body];
    const speed = Number(this.strength.value);
    if (!body || !Number.isFinite(speed)) return;
    void this.remote.send({ do: "push", body: body.name, impulse: direction.map((x) => x * speed * body.mass) });
  }

  // The newest place counts; the simulation gets some each second.
  private pull(body: number, from: number[], to: number[]): void {
    const busy = this.target !== undefined;
    this.target = { body, from, to };
    if (busy) return;
    const send = () => {
      const name = this.setting()?.bodies[body]?.name;
      if (this.target && name) void this.remote.send({ do: "pull", body: name, from: this.target.from, to: this.target.to });
    };
    send();
    this.timer = window.setInterval(send, PAUSE);
  }

  private release(): void {
    window.clearInterval(this.timer);
    if (this.target) void this.remote.send({ do: "release" });
    this.target = undefined;
  }
}
