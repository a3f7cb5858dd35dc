// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What the browser tests share: the command, Debian's Chromium, truth from exported recordings, pictures.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

export const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
export const command = process.env.STICKSLIP_COMMAND ?? join(root, "build", "stickslip");
export const output = process.env.STICKSLIP_BROWSER_OUTPUT ?? join(root, "build", "browser");
mkdirSync(output, { recursive: true });

export const MODE_COLORS = { open: [138, 138, 138], stick: [0, 114, 178], roll: [0, 158, 115], slide: [213, 94, 0] };

export function stickslip(...args) {
  return execFileSync(command, args, { encoding: "utf8", maxBuffer: 1 << 28 });
}

// Runs a scene and reports on it. Returns the paths, the run's own summary and the recording as CSV rows.
export function report(name, scene, ...options) {
  const recording = join(output, `${name}.h5`);
  const page = join(output, `${name}.html`);
  const summary = JSON.parse(stickslip("run", join(root, scene), "--json", "-o", recording, ...options));
  stickslip("report", recording, "-o", page);
  return { recording, page, summary, url: pathToFileURL(page).href };
}

export function readCsv(recording) {
  const [head, ...lines] = stickslip("export", recording).trim().split("\n");
  const names = head.split(",");
  return lines.map((line) => Object.fromEntries(line.split(",").map((text, k) => [names[k], Number(text)])));
}

// The recorded row at a time, or the mean of its two neighbours' states by time.
export function rowAt(rows, time) {
  let k = rows.findIndex((row) => row.time >= time - 1e-12);
  if (k < 0) k = rows.length - 1;
  if (k === 0) return rows[0];
  const [before, after] = [rows[k - 1], rows[k]];
  const s = (time - before.time) / (after.time - before.time);
  return Object.fromEntries(Object.keys(after).map((key) => [key, before[key] + s * (after[key] - before[key])]));
}

let browser;
export async function launch() {
  browser ??= await chromium.launch({
    executablePath: process.env.STICKSLIP_CHROMIUM ?? "/usr/bin/chromium",
    // Machines that test have no graphics card: 3D is drawn by SwiftShader, the rest by the processor itself, which is how
    // Chromium does it on such a machine. Putting pages together with SwiftShader, too, would take five times as long.
    // The last four: nothing is to be looked up or fetched (Playwright gives Chromium a new, empty profile).
    args: ["--no-sandbox", "--disable-gpu", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
      "--disable-gpu-compositing", "--disable-accelerated-2d-canvas", "--disable-lcd-text", "--force-color-profile=srgb",
      "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic"],
  });
  return browser;
}
const started = [];
export async function quit() {
  for (const child of started) child.kill("SIGKILL");
  await browser?.close();
  browser = undefined;
}

export const LAPTOP = { width: 1280, height: 800 };
export const PHONE = { width: 390, height: 844 };

// Any page: one that fails the test on any console error, exception or request to somewhere else.
// `before`: what is done in it before it begins.
export async function visit(url, viewport = LAPTOP, before = undefined) {
  const context = await (await launch()).newContext({ viewport, deviceScaleFactor: 1 });
  const page = await context.newPage();
  page.setDefaultTimeout(Number(process.env.STICKSLIP_BROWSER_TIMEOUT ?? 120_000));
  if (before) await page.addInitScript(before);
  const problems = [];
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => problems.push(`exception: ${error.message}`));
  page.on("dialog", (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(new URL(url).origin === "null" ? "file:" : new URL(url).origin) &&
        !/^(data|blob):/.test(request.url()))
      problems.push(`request: ${request.url()}`);
  });
  await page.goto(url);
  return { page, problems, close: () => context.close() };
}

// The same for a page of stickslip, when it is ready.
export async function open(url, viewport = LAPTOP, before = undefined) {
  const { page, problems, close } = await visit(url, viewport, before);
  // A page that cannot be shown says so; nobody waits for it.
  const ready = await page.waitForFunction(() => window.stickslip !== undefined || document.querySelector("#app > p.note") !== null);
  await ready.dispose();
  if (await page.evaluate(() => window.stickslip === undefined)) throw new Error(await page.locator("#app").textContent());
  return { page, problems, close };
}

// A scene that runs in stickslip live: the process, and its address when it listens.
export async function live(scene, { port = "0", options = [] } = {}) {
  const child = spawn(command, ["live", isAbsolute(scene) ? scene : join(root, scene), "--port", port, ...options]);
  started.push(child);
  let text = "";
  const url = await new Promise((resolve, reject) => {
    child.stdout.on("data", (data) => {
      text += data;
      const found = /live: (\S+)/.exec(text);
      if (found) resolve(found[1]);
    });
    child.on("exit", (code) => reject(new Error(`stickslip live ended with ${code}`)));
  });
  return { child, url, at: new URL(url) };
}

// Processor seconds so far of all that this process has started, one of them apart: [that one, the others]. In ticks of
// 10 ms. They tell what a picture or a state costs, whatever else the machine does.
export function processorSeconds(apart) {
  const parents = new Map(), ticks = new Map();
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    try {
      const fields = readFileSync(`/proc/${name}/stat`, "utf8").split(") ").at(-1).split(" ");
      parents.set(Number(name), Number(fields[1]));
      ticks.set(Number(name), Number(fields[11]) + Number(fields[12]));
    } catch { /* it has ended */ }
  }
  const own = (pid) => (pid === apart ? 0 : !parents.has(pid) ? -1 : parents.get(pid) === process.pid ? 1 : own(parents.get(pid)));
  const sum = (kind) => [...ticks].reduce((total, [pid, time]) => total + (pid !== process.pid && own(pid) === kind ? time : 0), 0) / 100;
  return [sum(0), sum(1)];
}

// Mean colour of a 3 x 3 square of the planar view.
export function pixel(page, [x, y]) {
  return page.evaluate(([px, py]) => {
    const data = document.querySelector(".canvas2d").getContext("2d").getImageData(px - 1, py - 1, 3, 3).data;
    return [0, 1, 2].map((c) => Math.round([...Array(9).keys()].reduce((sum, k) => sum + data[4 * k + c], 0) / 9));
  }, [Math.round(x), Math.round(y)]);
}

export function distance(a, b) {
  return Math.hypot(...a.map((x, k) => x - b[k]));
}

// Saves a picture of an element, makes sure that it shows something, and compares it with the expected one: the mean
// difference per channel (of 255) of both, scaled down to 160 pixels across, so that fonts and antialiasing do not count.
// STICKSLIP_KEEP_PICTURES=1 makes it the expected one.
const MOST_DIFFERENT = 4; // another font moves text by a pixel; a missing body or another layout is beyond 6
export async function samePicture(page, selector, name) {
  const bytes = await page.locator(selector).screenshot();
  writeFileSync(join(output, `${name}.png`), bytes);
  const expected = join(root, "web", "tests", "expected", `${name}.png`);
  if (process.env.STICKSLIP_KEEP_PICTURES) {
    mkdirSync(dirname(expected), { recursive: true });
    writeFileSync(expected, bytes);
  }
  const urls = [bytes, readFileSync(expected)].map((b) => `data:image/png;base64,${b.toString("base64")}`);
  const difference = await page.evaluate(async (sources) => {
    const pixels = await Promise.all(sources.map(async (source) => {
      const image = new Image();
      image.src = source;
      await image.decode();
      const canvas = Object.assign(document.createElement("canvas"), { width: 160, height: 120 });
      const context = canvas.getContext("2d");
      context.drawImage(image, 0, 0, 160, 120);
      return context.getImageData(0, 0, 160, 120).data;
    }));
    const colors = new Set();
    for (let k = 0; k < pixels[0].length; k += 4) colors.add(pixels[0].slice(k, k + 3).join());
    if (colors.size < 50) throw new Error(`the picture is empty: ${colors.size} colours`);
    let sum = 0;
    for (let k = 0; k < pixels[0].length; ++k) sum += Math.abs(pixels[0][k] - pixels[1][k]);
    return sum / pixels[0].length;
  }, urls);
  assert.ok(difference < MOST_DIFFERENT, `${join(output, name)}.png differs from web/tests/expected by ${difference.toFixed(2)}`);
}
