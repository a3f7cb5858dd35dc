// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The numbers behind the picture at one instant: of the body or the pair that was chosen, and a table of all contacts.
import type { ContactMark, Setting, Snapshot } from "./data";
import { details, element } from "./dom";
import { MODE_LABELS } from "./palette";
import { numberText } from "./plots";
import { parts, sameHit, type Hit } from "./view";

const MOST_ROWS = 60;

export interface Velocity {
  linear: number[];
  angular: number[];
  mean: boolean; // between kept frames
}

export class Inspector {
  readonly element = element("div", { class: "inspector" });
  private readonly facts = element("div", { class: "chosen-facts", role: "status" });
  private readonly rows = element("tbody");
  private readonly list = details("Contacts now", false,
    element("div", { class: "scroller" }, element("table", { class: "contacts" }, element("thead", {}, element("tr", {},
      ...["bodies", "mode", "gap", "normal", "friction", "cone used"].map((text) => element("th", { scope: "col" }, text)))), this.rows)));
  private readonly more = element("p", { class: "note" });

  constructor(private readonly setting: () => Setting | undefined, private readonly choose: (hit: Hit | undefined) => void) {
    this.list.append(this.more);
    this.element.append(this.facts, this.list);
    this.list.addEventListener("toggle", () => this.list.dispatchEvent(new CustomEvent("opened", { bubbles: true })));
  }

  show(snapshot: Snapshot, chosen: Hit | undefined, velocity: (body: number) => Velocity | undefined): void {
    const setting = this.setting();
    if (!setting) return;
    this.facts.replaceChildren(...(chosen ? this.factsOf(setting, snapshot, chosen, velocity) : []));
    this.facts.hidden = !chosen;
    if (!this.list.open) return;
    const { contacts } = snapshot;
    this.rows.replaceChildren(...contacts.slice(0, MOST_ROWS).map((contact) => this.row(setting, contact, chosen)));
    this.more.textContent = contacts.length === 0 ? "Nothing touches." : contacts.length > MOST_ROWS ? `${MOST_ROWS} of ${contacts.length} contacts` : "";
  }

  private row(setting: Setting, contact: ContactMark, chosen: Hit | undefined): HTMLElement {
    const { bodies, units } = setting;
    const { along, friction } = parts(contact.force, contact.normal);
    const size = Math.hypot(...friction);
    const share = contact.friction > 0 && along > 0 ? `${Math.round((100 * size) / (contact.friction * along))} %` : "–";
    const cells = [`${bodies[contact.a].name} – ${bodies[contact.b].name}`, MODE_LABELS[contact.mode],
      withUnit(contact.gap, units.length), withUnit(along, units.force), withUnit(size, units.force), share];
    const row = element("tr", { "aria-selected": String(sameHit(chosen, contact)) }, ...cells.map((text) => element("td", {}, text)));
    row.addEventListener("click", () => this.choose({ a: contact.a, b: contact.b }));
    return row;
  }

  private factsOf(setting: Setting, snapshot: Snapshot, chosen: Hit, velocity: (body: number) => Velocity | undefined): HTMLElement[] {
    const { bodies, units, dimension } = setting;
    const facts: [string, string][] = [];
    const speed = units.length && units.time ? `${units.length}/${units.time}` : "";
    const turn = units.time ? `rad/${units.time}` : "rad per time";
    let title: string;
    if ("body" in chosen) {
      const body = bodies[chosen.body];
      const pose = snapshot.poses[chosen.body];
      if (!body || !pose) return [];
      title = body.name;
      facts.push(["position", vector(pose.position.slice(0, dimension), units.length)]);
      facts.push(dimension === 2 ? ["angle", `${numberText(pose.angle)} rad`] : ["orientation", vector(pose.orientation, "")]);
      const v = velocity(chosen.body);
      if (v) facts.push([v.mean ? "mean velocity" : "velocity", vector(v.linear, speed)]);
      if (v && v.angular.length > 0) facts.push(["angular velocity", vector(v.angular, turn)]);
      facts.push(["mass", body.mass > 0 ? numberText(body.mass) : "moves as prescribed"]);
    } else title = `${bodies[chosen.a].name} – ${bodies[chosen.b].name}`;
    const own = snapshot.contacts.filter((c) => sameHit(chosen, c));
    const sum = [0, 0, 0];
    for (const contact of own) {
      // Forces are those on the body that is free to move, on the first one where both are.
      const on = bodies[contact.a].mass > 0 || !(bodies[contact.b].mass > 0) ? contact.a : contact.b;
      const sign = "body" in chosen && chosen.body !== on ? -1 : 1;
      contact.force.forEach((x, k) => (sum[k] += sign * x));
    }
    facts.push(["contacts", own.length === 0 ? "none" : own.map((c) => MODE_LABELS[c.mode]).join(", ")]);
    if (own.length > 0) facts.push(["force of contacts", vector(sum.slice(0, dimension), units.force)]);
    if ("a" in chosen && own.length > 0) {
      const normal = own.reduce((total, c) => total + parts(c.force, c.normal).along, 0);
      facts.push(["normal force", withUnit(normal, units.force)]);
      const gaps = own.map((c) => c.gap).filter((gap): gap is number => gap !== undefined);
      if (gaps.length > 0) facts.push(["smallest gap", withUnit(Math.min(...gaps), units.length)]);
      facts.push(["friction coefficient", numberText(own[0].friction)]);
    }
    const close = element("button", { type: "button", "aria-label": "Clear the selection" }, "✕");
    close.addEventListener("click", () => this.choose(undefined));
    return [element("div", { class: "chosen-title" }, element("strong", {}, title), close),
      element("dl", {}, ...facts.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))))];
  }
}

function withUnit(x: number | undefined, unit: string): string {
  return x === undefined ? "–" : `${numberText(Number(x.toPrecision(4)))}${unit ? ` ${unit}` : ""}`;
}

function vector(list: number[], unit: string): string {
  return `(${list.map((x) => numberText(Number(x.toPrecision(4)))).join(", ")})${unit ? ` ${unit}` : ""}`;
}
