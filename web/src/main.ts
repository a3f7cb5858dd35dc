// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Reads what the command put into the page and shows it.
import { decodeRuns, unitsOf, type Run } from "./data";
import { element } from "./dom";
import { LivePage, inspectLive } from "./live_page";
import { RunPage, certificateText, inspect } from "./run_page";
import "./style.css";

const app = document.getElementById("app")!;

function header(run: Run, runs: Run[], choose: (index: number) => void): HTMLElement {
  const good = run.worst_residual !== null && (run.tolerance === null || run.tolerance === 0 || run.worst_residual <= run.tolerance);
  const badge = element("span", { class: good ? "badge good" : "badge bad", title: certificateText(run, unitsOf(run).time) },
    good ? `✓ every step certified` : "✗ not certified");
  const node = element("header", {}, element("h1", {}, run.title || run.name || "Run"), badge);
  if (runs.length > 1) {
    const select = element("select", { "aria-label": "Run" });
    runs.forEach((one, k) => select.append(new Option(one.name || one.title, String(k), false, one === run)));
    select.addEventListener("change", () => choose(Number(select.value)));
    node.append(element("label", { class: "choose" }, "run ", select));
  }
  if (run.description) node.append(element("p", {}, run.description));
  return node;
}

function showRuns(runs: Run[]): void {
  let page: RunPage | undefined;
  const choose = (index: number) => {
    page?.close();
    app.replaceChildren();
    const run = runs[index];
    document.title = `${run.title || run.name} – stickslip`;
    page = new RunPage(run);
    app.append(header(run, runs, choose), page.element);
  };
  const wanted = Number(new URLSearchParams(location.hash.slice(1)).get("run") ?? 0);
  choose(runs[wanted] ? wanted : 0);
  const time = Number(new URLSearchParams(location.hash.slice(1)).get("t") ?? NaN);
  if (Number.isFinite(time)) page!.player.seek(time);
  document.addEventListener("keydown", (event) => {
    if (!page || event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement) return;
    if (event.key === "ArrowRight") page.player.step(1);
    else if (event.key === "ArrowLeft") page.player.step(-1);
    else if (event.key === " " && !(event.target instanceof HTMLButtonElement)) page.player.toggle();
    else return;
    event.preventDefault();
  });
  Object.assign(window, { stickslip: inspect(() => page!) });
}

async function main(): Promise<void> {
  const data = JSON.parse(document.getElementById("stickslip-data")?.textContent ?? "null");
  if (data?.kind === "run") showRuns(await decodeRuns(data));
  else if (data?.kind === "live") {
    const page = new LivePage();
    app.append(page.header(), page.element);
    Object.assign(window, { stickslip: inspectLive(page) });
  } else app.append(element("p", { class: "note" }, "This page has no data. stickslip report FILE.h5 makes one with a run in it."));
}

main().catch((error) => {
  app.replaceChildren(element("p", { class: "note" }, `This page cannot be shown: ${error instanceof Error ? error.message : error}`));
  throw error;
});
