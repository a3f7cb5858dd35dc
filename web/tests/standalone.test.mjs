// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// stickslip live --standalone: scenes that run in the browser alone. Needs the simulator for browsers, which
// script/web-assembly builds; without it only what the command says then is tested.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import * as support from "./support.mjs";

const folder = join(dirname(support.command), "web-assembly");
const skip = existsSync(join(folder, "stickslip.wasm")) ? false : "no simulator for browsers: script/web-assembly builds it";
const MOST_BYTES = 3e6; // of a page, compressed
after(() => support.quit());

const scene = (name) => join(support.root, "examples", name, "scene.toml");

// The page, and how long it takes from nothing to the first picture of the scene.
async function loaded(file, hash = "") {
  await support.launch();
  const begin = performance.now();
  const visited = await support.open(pathToFileURL(file).href + hash);
  await visited.page.waitForFunction(() => Number.isFinite(window.stickslip.time()) && window.stickslip.drawn() > 0);
  return { ...visited, seconds: (performance.now() - begin) / 1000 };
}

function tellSize(name, file) {
  const page = readFileSync(file);
  const compressed = gzipSync(page, { level: 9 }).length;
  console.log(`standalone ${name}: ${(page.length / 1e6).toFixed(2)} MB, ${(compressed / 1e6).toFixed(2)} MB compressed`);
  assert.ok(compressed < MOST_BYTES, `the page has ${compressed} bytes compressed`);
}

// What the command computes for the same scene: all numbers of all bodies, by time.
function native(name, bodies, ...options) {
  const recording = join(support.output, `standalone-${name}.h5`);
  support.stickslip("run", scene(name), "-o", recording, "--force", ...options);
  const [head, ...lines] = support.stickslip("export", recording).trim().split("\n");
  const names = head.split(",");
  const columns = bodies.map((body) => ["x", "y", "z", "qw", "qx", "qy", "qz", "angle", "vx", "vy", "vz", "wx", "wy", "wz"]
    .map((key) => names.indexOf(`${body}.${key}`)));
  return new Map(lines.map((line) => {
    const values = line.split(",").map(Number);
    return [values[0], columns.map((own) => own.map((k) => values[k]))];
  }));
}

const state = (page) => page.evaluate(() => window.stickslip.state());
const names = (page) => page.evaluate(() => window.stickslip.bodies().map((body) => body.name));

test("the command says what is missing without the simulator for browsers", () => {
  const page = join(support.output, "none.html");
  const { status, stderr } = spawnSync(support.command, ["live", scene("ball"), "--standalone", page, "--force"],
    { encoding: "utf8", env: { ...process.env, STICKSLIP_WEB_ASSEMBLY: join(support.output, "nothing") } });
  assert.equal(status, 1);
  assert.match(stderr, /script\/web-assembly builds it/);
  assert.ok(!existsSync(page));
});

test("meter stick without a server: real time, a slider, a hand, the bits of the command", { skip }, async () => {
  const file = join(support.output, "standalone.html");
  console.log(support.stickslip("live", scene("meter-stick"), "--standalone", file, "--force").trim());
  tellSize("meter stick", file);
  const wasm = statSync(join(folder, "stickslip.wasm")).size;
  console.log(`standalone simulator: ${(wasm / 1e6).toFixed(2)} MB of WebAssembly, ${(gzipSync(readFileSync(join(folder, "stickslip.wasm"))).length / 1e6).toFixed(2)} MB compressed`);
  const { page, problems, close, seconds } = await loaded(file);
  console.log(`standalone meter stick: the first picture after ${seconds.toFixed(2)} s`); // less than 3 s: docs/pages.md
  await page.getByLabel("Speed", { exact: true }).selectOption("1");
  await page.getByRole("button", { name: "Play" }).click();
  await page.waitForFunction(() => window.stickslip.time() > 0.3);
  // The clock of the page beside that of the run. A busy machine may be late, not more than by half.
  const clocks = () => page.evaluate(() => [performance.now() / 1000, window.stickslip.time()]);
  const [wall0, run0] = await clocks();
  await page.waitForTimeout(2500);
  const [wall1, run1] = await clocks();
  const pace = (run1 - run0) / (wall1 - wall0);
  console.log(`standalone meter stick: ${pace.toFixed(3)} s of the run per second, 1000 steps each`);
  assert.ok(pace > 0.5 && pace < 1.1, `the run took ${pace} s per second`);

  // The finger has the speed of the slider.
  const slider = page.getByRole("slider", { name: "speed" });
  const box = await slider.boundingBox();
  await page.mouse.move(box.x + box.width / 3, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.1 * box.width, box.y + box.height / 2, { steps: 5 });
  await page.mouse.up();
  const dragged = Number(await page.getByLabel("speed, as a number").inputValue());
  assert.ok(dragged < 0.06, `the number beside the slider follows: ${dragged}`);
  await page.waitForFunction((v) => Math.abs(window.stickslip.parameter("speed") - v) < 1e-4 * v, dragged);
  const at = () => page.evaluate(() => window.stickslip.state());
  const before = await at();
  await page.waitForFunction((t) => window.stickslip.time() > t + 0.2, before.time);
  const later = await at();
  const speed = await page.evaluate(() => window.stickslip.parameter("speed"));
  const left = (await names(page)).indexOf("left");
  const found = (later.bodies[left][0] - before.bodies[left][0]) / (later.time - before.time);
  assert.ok(Math.abs(found - speed) < 1e-9, `the finger has the speed ${found}, not ${speed}`);

  // A hand on the stick.
  const canvas = await page.locator(".canvas2d").boundingBox();
  const [x, y] = await page.evaluate(() => window.stickslip.screen("stick"));
  await page.mouse.move(canvas.x + x, canvas.y + y);
  await page.mouse.down();
  await page.mouse.move(canvas.x + x, canvas.y + y - 30, { steps: 5 });
  await page.waitForFunction(() => window.stickslip.hand() !== undefined && window.stickslip.hand().force[1] > 0);
  await page.waitForTimeout(300); // what was seen before has grown, and the picture with it
  await page.screenshot({ path: join(support.output, "standalone-laptop.png") });
  await page.mouse.up();
  await page.waitForFunction(() => window.stickslip.hand() === undefined);

  // From the start, as the scene is, to its end: where the command ends.
  await page.getByLabel("speed as in the scene").click();
  await page.waitForFunction(() => window.stickslip.parameter("speed") === 0.1);
  await page.getByRole("button", { name: "Reset" }).click();
  await page.waitForFunction(() => window.stickslip.time() === 0);
  await page.getByLabel("After the scene's duration").selectOption("stop");
  await page.getByLabel("Speed", { exact: true }).selectOption("10");
  await page.getByRole("button", { name: "Play" }).click();
  await page.waitForFunction(() => window.stickslip.time() > 1 && !window.stickslip.playing());
  const end = await state(page);
  const rows = native("meter-stick", await names(page));
  assert.ok(end.time > 7.9, `stopped at ${end.time}`);
  assert.deepEqual(end.bodies, rows.get(end.time), "not the bits of the command");
  console.log(`standalone meter stick: the bits of the command at t = ${end.time}`);

  const [download] = await Promise.all([page.waitForEvent("download"), page.getByText("save as scene").click()]);
  const saved = join(support.output, "changed.toml");
  await download.saveAs(saved);
  assert.match(readFileSync(saved, "utf8"), /^include = \["scene.toml"\]$/m);
  assert.deepEqual(problems, []);
  await close();
});

test("a page has what the scene reads, and parameters that are not its own", { skip }, async () => {
  const file = join(support.output, "standalone-bowl.html");
  support.stickslip("live", scene("bowl"), "--set", "duration=0.02", "--standalone", file, "--force");
  const { page, problems, close } = await loaded(file);
  await page.getByRole("button", { name: "One step" }).click();
  await page.waitForFunction(() => window.stickslip.steps() === 1);
  assert.ok(await page.getByRole("button", { name: /Save bracket.obj/ }).isVisible());
  assert.match(await page.getByLabel("After the scene's duration").textContent(), /until 0.02/);
  assert.deepEqual(problems, []);
  await close();
});

test("playground: ten examples run", { skip }, async () => {
  const file = join(support.output, "playground.html");
  const { status, stderr } = spawnSync(join(support.root, "script/playground"), [file],
    { encoding: "utf8", env: { ...process.env, STICKSLIP_COMMAND: support.command } });
  assert.equal(status, 0, stderr);
  tellSize("playground", file);
  const { page, problems, close } = await loaded(file);
  const links = await page.locator("nav.scenes a").all();
  assert.equal(links.length, 10);
  for (let k = 0; k < links.length; ++k) {
    const title = await page.locator("nav.scenes a").nth(k).textContent();
    await page.locator("nav.scenes a").nth(k).click();
    await page.waitForFunction((text) => document.querySelector("nav.scenes a[aria-current]")?.textContent === text &&
      window.stickslip !== undefined && Number.isFinite(window.stickslip.time()), title);
    for (let step = 1; step <= 5; ++step) {
      await page.getByRole("button", { name: "One step" }).click();
      await page.waitForFunction((count) => window.stickslip.steps() === count, step);
    }
    const badge = await page.locator(".badge").textContent();
    console.log(`playground, ${title}: ${badge}, t = ${(await state(page)).time}`);
    await page.screenshot({ path: join(support.output, `playground-${k + 1}.png`) });
  }
  assert.deepEqual(problems, []);
  await close();
});
