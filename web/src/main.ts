// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Reads what the command put into the page and shows it.
import { merged } from "./compare";
import { BrowserSimulation, chosenScene, sceneChoice, type Standalone } from "./browser_simulation";
import { decode, withArrays, type Run } from "./data";
import { element } from "./dom";
import { listenKeys } from "./keys";
import { Remote, type Simulation } from "./live_data";
import { LivePage, inspectLive } from "./live_page";
import { ComparisonPage } from "./models_page";
import type { Comparison, Refinement } from "./model_data";
import { RefinementPage } from "./converge_page";
import { RunPage, inspect } from "./run_page";
import { NO_BARS, certificateText, checksOf } from "./run_texts";
import { video } from "./save";
import type { Search } from "./search_data";
import { SearchPage } from "./search_page";
import type { Replays } from "./replays";
import type { Study } from "./study_data";
import { StudyPage, inspectStudy } from "./study_page";
import "./style.css";

const app = document.getElementById("app")!;
const PART = 48 * 1024; // of a video, sent at once
let shown: RunPage | undefined;

// A residual says something only beside the tolerance that it was held against, and certified steps are no certified run
// when the step after them failed.
function badgeOf(run: Run): HTMLElement {
  const known = run.worst_residual !== null && run.tolerance !== null && run.tolerance > 0;
  const { plan } = run;
  const good = known && run.worst_residual! <= run.tolerance!;
  const [kind, text] =
    run.end.startsWith("failed") ? ["bad failed", `! run ${run.end}`]
    : !known ? ["unknown", "? certificate unknown"]
    : !good && run.end.startsWith("finished") && !plan ? ["unknown", `~ certified, ${run.frames_at_worst} of the recorded steps at worst`]
    : !good ? ["bad", "✗ not certified"]
    : plan?.status === "not-found" ? ["bad", "✗ not found: the closest attempt"]
    : plan ? ["good", "✓ solved, every step certified"]
    : !run.end ? ["unknown", "? every recorded step certified, end unknown"]
    : ["good", "✓ every recorded step certified"];
  return element("span", { class: `badge ${kind}`, title: certificateText(run, run.units.time) }, text);
}

// What was checked, in one line: every step, the run as a whole, its end, and the picture.
function strip(run: Run): HTMLElement {
  const item = (kind: string, name: string, text: string) =>
    element("li", { class: kind, title: text }, element("strong", {}, name), ` ${text}`);
  const known = run.worst_residual !== null && !!run.tolerance;
  const certified = known && run.worst_residual! <= run.tolerance!;
  const { audit, bars } = checksOf(run);
  return element("ul", { class: "strip", "aria-label": "What was checked" },
    item(!known ? "unknown" : certified ? "good" : "bad", "certificate", certificateText(run, run.units.time)),
    item(/^$|^off/.test(audit) ? "unknown" : audit.startsWith("VIOLATED") ? "bad" : "good", "audit", audit || "unknown"),
    item(bars ? "good" : "unknown", "error bars", bars || NO_BARS),
    item(!run.end ? "unknown" : run.end.startsWith("failed") ? "bad" : "good", "end", run.end || "unknown"));
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
  node.append(strip(run));
  return node;
}

// `compare`: the two runs are one page.
function showRuns(runs: Run[], compare: boolean): void {
  let page: RunPage | undefined;
  let endKeys = () => {};
  const choose = (index: number) => {
    const memory = page?.memory() ?? {};
    page?.close();
    endKeys();
    app.replaceChildren();
    const run = runs[index];
    document.title = `${run.title || run.name} – stickslip`;
    const same = runs.filter((one) => one.plan && one.plan.text === run.plan?.text);
    page = compare
      ? new RunPage(merged(run, runs[1 - index]), [], () => {}, memory, runs[1 - index])
      : new RunPage(run, same, (other) => choose(runs.indexOf(other)), memory);
    endKeys = listenKeys(page.keys);
    app.append(header(run, runs, choose), page.element);
  };
  const wanted = Number(new URLSearchParams(location.hash.slice(1)).get("run") ?? 0);
  choose(runs[wanted] ? wanted : 0);
  const time = Number(new URLSearchParams(location.hash.slice(1)).get("t") ?? NaN);
  if (Number.isFinite(time)) page!.player.seek(time);
  Object.assign(window, { stickslip: inspect(() => page!) });
  shown = page;
  if (filmed !== null) requestAnimationFrame(() => requestAnimationFrame(() => void sendFilm())); // once it is laid out
}

function showStudy(study: Study): void {
  const page = new StudyPage(study);
  document.title = `${study.title || study.store} – stickslip`;
  app.append(page.header(), page.element);
  Object.assign(window, { stickslip: inspectStudy(page) });
}

// Pages with a header, content, and runs to replay.
function showPage<Data extends { title: string }>(data: Data, page: { header(): HTMLElement; element: HTMLElement; replays?: Replays }): void {
  document.title = `${data.title} – stickslip`;
  app.append(page.header(), page.element);
  Object.assign(window, { stickslip: { ...inspect(() => page.replays!.page!), data: () => data } });
}

// stickslip report --video: nothing but the picture is shown, and the video goes back to the command.
const filmed = new URLSearchParams(location.hash.slice(1)).get("film");

async function sendFilm(): Promise<void> {
  const remote = new Remote((text) => { throw new Error(text); });
  const send = (path: string, body: BodyInit) => fetch(remote.address(path), { method: "POST", body });
  try {
    const content = await video(shown!.film(Number(filmed)));
    for (let at = 0; at < content.size; at += PART) await send("/video", content.slice(at, at + PART));
    await send("/done", "");
  } catch (error) {
    await send("/failed", error instanceof Error ? error.message : String(error));
  }
}

function showLive(connect: (failed: (text: string) => void) => Simulation): LivePage {
  const page = new LivePage(connect);
  app.append(page.header(), page.element);
  Object.assign(window, { stickslip: inspectLive(page) });
  return page;
}

// The simulator is in the page. Of several scenes the address names the one that runs.
async function showStandalone(page: Standalone): Promise<void> {
  const chosen = chosenScene(page);
  if (page.scenes.length > 1) app.append(sceneChoice(page, chosen));
  const module = await WebAssembly.compile(page.wasm);
  let simulation: BrowserSimulation | undefined;
  showLive((failed) => (simulation = new BrowserSimulation(module, page, chosen, failed)));
  Object.assign((window as never as { stickslip: object }).stickslip, { state: () => simulation!.ask("state").then(JSON.parse) });
}

async function main(): Promise<void> {
  const data = JSON.parse(document.getElementById("stickslip-data")?.textContent ?? "null");
  if (filmed !== null) document.documentElement.classList.add("film");
  if (data?.kind === "run") showRuns((await decode<{ runs: Run[] }>(data)).runs, data.compare === true);
  else if (data?.kind === "study") showStudy(await decode<Study>(data));
  else if (data?.kind === "compare") {
    const comparison = await decode<Comparison>(data);
    showPage(comparison, new ComparisonPage(comparison));
  } else if (data?.kind === "converge") {
    const refinement = await decode<Refinement>(data);
    showPage(refinement, new RefinementPage(refinement));
  } else if (data?.kind === "optimise") {
    const search = await decode<Search>(data);
    showPage(search, new SearchPage(search));
  } else if (data?.kind === "live") showLive((failed) => new Remote(failed));
  else if (data?.kind === "standalone") await showStandalone(await withArrays<Standalone>(data));
  else app.append(element("p", { class: "note" }, "This page has no data. stickslip report FILE.h5 makes one with a run in it."));
}

main().catch((error) => {
  app.replaceChildren(element("p", { class: "note" }, `This page cannot be shown: ${error instanceof Error ? error.message : error}`));
  throw error;
});
