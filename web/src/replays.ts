// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Runs that are replayed within another page: one of them, or two over each other.
import { merged } from "./compare";
import type { Run } from "./data";
import { element } from "./dom";
import { listenKeys } from "./keys";
import { RunPage } from "./run_page";

const NONE = -1;

export class Replays {
  readonly element = element("div", { class: "replays" });
  page: RunPage | undefined;
  private readonly first = element("select", { "aria-label": "Run to replay" });
  private readonly second = element("select", { "aria-label": "Run over it" });
  private readonly place = element("div");
  private endKeys = () => {};

  constructor(private readonly runs: Run[]) {
    this.second.append(new Option("no other run", String(NONE)));
    runs.forEach((run, k) => {
      this.first.append(new Option(run.name, String(k)));
      this.second.append(new Option(run.name, String(k)));
    });
    for (const select of [this.first, this.second]) select.addEventListener("change", () => this.put());
    const choice = element("p", { class: "choice" }, element("label", {}, "run ", this.first));
    if (runs.length > 1) choice.append(element("label", {}, " compared with ", this.second));
    this.element.append(choice, this.place);
    // Keys of the run are for those who point at it: elsewhere they scroll.
    this.element.addEventListener("pointerenter", () => this.listen());
    this.element.addEventListener("pointerleave", () => this.endKeys());
  }

  has(name: string): boolean {
    return this.runs.some((run) => run.name === name);
  }

  // By name; what is not there leaves the choice as it is.
  show(name: string, over?: string): void {
    const index = (wanted: string | undefined) => this.runs.findIndex((run) => run.name === wanted);
    if (index(name) < 0) return;
    this.first.value = String(index(name));
    this.second.value = String(over === undefined ? NONE : index(over));
    this.put();
  }

  private listen(): void {
    this.endKeys();
    if (this.page) this.endKeys = listenKeys(this.page.keys);
  }

  private put(): void {
    const [first, second] = [Number(this.first.value), Number(this.second.value)];
    const run = this.runs[first];
    const other = second === first ? undefined : this.runs[second];
    const memory = this.page?.run.dimension === run.dimension ? this.page.memory() : {};
    this.page?.close();
    this.page = new RunPage(other ? merged(run, other) : run, [], () => {}, memory, other);
    if (this.element.matches(":hover")) this.listen();
    this.place.replaceChildren(this.page.element);
  }
}
