// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Reads what the command put into the page and shows it.
import { decode, type Run } from "./data";
import { element } from "./dom";
import { LivePage, inspectLive } from "./live_page";
import { RunPage, certificateText, inspect } from "./run_page";
import type { Study } from "./study_data";
import { StudyPage, inspectStudy } from "./study_page";
import "./style.css";

const app = document.getElementById("app")!;

// A residual says something only beside the tolerance that it was held against, and certified steps are no certified run
// when the step after them failed.
function badgeOf(run: Run): HTMLElement {
  const known = run.worst_residual !== null && run.tolerance !== null && run.tolerance > 0;
  const { plan } = run;
  const good = known && run.worst_residual! <= run.tolerance!;
  const [kind, text] =
    run.end.startsWith("failed") ? ["bad failed", `! run ${run.end}`]
    : !known ? ["unknown", "? certificate unknown"]
    : !good ? ["bad", "✗ not certified"]
    : plan?.status === "not-found" ? ["bad", "✗ not found: the closest attempt"]
    : plan ? ["good", "✓ solved, every step certified"]
    : !run.end ? ["unknown", "? every recorded step certified, end unknown"]
    : ["good", "✓ every recorded step certified"];
  return element("span", { class: `badge ${kind}`, title: certificateText(run, run.units.time) }, text);
}

function header(run: Run, runs: Run[], choose: (index: number) => void): HTMLElement {
  const badge = badgeOf(run);
  const node = element("header", {}, element("h1", {}, run.plan?.title || run.title || run.name || "Run"), badge);
  if (runs.length > 1) {
    const tabs = runs.map((one, k) => {
      const tab = element("button", { type: "button", role: "tab", "aria-selected": String(one === run) }, one.name || one.title);
      tab.addEventListener("click", () => choose(k));
      return tab;
    });
    node.prepend(element("nav", { class: "tabs", role: "tablist", "aria-label": "Runs" }, ...tabs));
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
    const same = runs.filter((one) => one.plan && one.plan.text === run.plan?.text);
    page = new RunPage(run, same, (other) => choose(runs.indexOf(other)));
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

function showStudy(study: Study): void {
  const page = new StudyPage(study);
  document.title = `${study.title || study.store} – stickslip`;
  app.append(page.header(), page.element);
  Object.assign(window, { stickslip: inspectStudy(page) });
}

async function main(): Promise<void> {
  const data = JSON.parse(document.getElementById("stickslip-data")?.textContent ?? "null");
  if (data?.kind === "run") showRuns((await decode<{ runs: Run[] }>(data)).runs);
  else if (data?.kind === "study") showStudy(await decode<Study>(data));
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
