// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The page of a study, opened from disk. A box between two jaws is held when 2 mu force > mass g: the map must show just
// that.
import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import * as support from "./support.mjs";

const TRIALS = 4;
const store = join(support.output, "grasp map.db"); // commands must quote its name
const page = join(support.output, "grasp-map.html");
const url = pathToFileURL(page).href;

before(() => {
  const study = join(support.output, "grasp-map.toml");
  writeFileSync(study, `title = "Where does the grasp hold?"
scene = "${join(support.root, "examples/pinch/scene.toml")}"
trials = ${TRIALS}
success = "drop < 1e-6"
objective = "drop"
[set]
duration = 0.03
[vary]
force = { grid = [4, 20, 5] }
mu = { grid = [0.2, 1, 5] }
mass = { uniform = [0.8, 1.2] }
`);
  for (const end of ["", "-wal", "-shm"]) rmSync(store + end, { force: true });
  support.stickslip("study", study, "--store", store, "--quiet");
  support.stickslip("report", store, "--trial", "60", "-o", page);
});
after(support.quit);

test("grasp map: every cell is what friction says, and names its interval", async () => {
  const { page: tab, problems, close } = await support.open(url);
  const map = await tab.evaluate(() => window.stickslip.study().maps[0]);
  assert.equal(map.value, "success");
  assert.equal(map.cells.length, 25);
  for (const { x, y, estimate } of map.cells) {
    // Held for all masses, for none, or for some.
    const load = 2 * x * y;
    if (load > 1.2 * 9.81) assert.equal(estimate.value, 1, `force ${x}, mu ${y}`);
    if (load < 0.8 * 9.81) assert.equal(estimate.value, 0, `force ${x}, mu ${y}`);
    assert.equal(estimate.count, TRIALS);
    assert.ok(estimate.low <= estimate.value && estimate.value <= estimate.high && estimate.high > estimate.low);
  }
  await support.samePicture(tab, ".map-section", "grasp-map");
  // The last cell: the strongest grasp.
  await tab.locator(".map-row .cell").nth(24).hover();
  assert.match(await tab.locator(".said").textContent(), /force = 20, mu = 1: 1, 95 % interval 0\.\d+ to 1, 4 trials/);
  await tab.getByLabel("Value of the map").selectOption({ label: "objective" });
  assert.match(await tab.locator(".map figcaption").first().textContent(), /mean of objective/);
  assert.deepEqual(problems, []);
  await close();
});

test("all trials: a stretch of an axis keeps the trials in it, a click chooses one, commands run", async () => {
  const { page: tab, problems, close } = await support.open(url);
  assert.equal(await tab.evaluate(() => window.stickslip.kept().length), 25 * TRIALS);
  const canvas = tab.locator(".parallel canvas");
  await canvas.scrollIntoViewIfNeeded();
  const box = await canvas.boundingBox();
  const at = (axis, value) => tab.evaluate(([a, v]) => window.stickslip.place(a, v), [axis, value]).then(([x, y]) => [box.x + x, box.y + y]);
  await tab.mouse.move(...(await at("force (N)", 14)));
  await tab.mouse.down();
  await tab.mouse.move(...(await at("force (N)", 20)), { steps: 4 });
  await tab.mouse.up();
  const kept = await tab.evaluate(() => window.stickslip.kept());
  assert.equal(kept.length, 10 * TRIALS, "forces 16 and 20 of five");
  // Trials are numbered by force first.
  assert.ok(kept.every((trial) => trial >= 15 * TRIALS));

  const [x, y] = await at("mu", 0.2);
  await tab.mouse.click(x, y);
  const chosen = await tab.locator(".chosen code").textContent();
  const found = /^stickslip study show ('[^']+') (\d+) -o (\S+) && stickslip report (\S+)$/.exec(chosen);
  assert.ok(found, chosen);
  assert.ok(kept.includes(Number(found[2])));
  const recording = join(support.output, "chosen.h5");
  support.stickslip("study", "show", found[1].slice(1, -1), found[2], "-o", recording);
  assert.ok(support.readCsv(recording).length > 10);
  await tab.screenshot({ path: join(support.output, "study-laptop.png"), fullPage: true });
  assert.deepEqual(problems, []);
  await close();
});

test("which parameters matter: shares as they follow from the map, and a rectangle keeps trials in all charts", async () => {
  const { page: tab, problems, close } = await support.open(url);
  // The jaws press as they are told: the whole variance of the grip comes from the force, none from mu and mass.
  const share = async (parameter, result) => {
    const table = tab.locator(".importance table");
    const column = (await table.locator("thead th").allTextContents()).findIndex((text) => text.startsWith(result));
    const text = await table.locator("tbody tr", { hasText: parameter }).locator("td").nth(column).textContent();
    return Number(text.replace(" %", ""));
  };
  assert.equal(await share("force", "grip"), 100);
  assert.equal(await share("mu", "grip"), 0);
  // Success of each force: its mean over mu and mass is the mean of the map's column.
  const map = await tab.evaluate(() => window.stickslip.study().maps[0]);
  const rates = map.xs.map((x) => map.cells.filter((cell) => cell.x === x).reduce((sum, cell) => sum + cell.estimate.value, 0) / map.ys.length);
  const titles = await tab.locator(".importance svg").first().locator("title").allTextContents();
  assert.deepEqual(titles.map((text) => /: (\d+) of (\d+),/.exec(text)).map(([, good, count]) => Number(good) / Number(count)), rates);
  // Success depends on force and mu alike, and hardly on mass.
  const [force, mu, mass] = [await share("force", "success"), await share("mu", "success"), await share("mass", "success")];
  assert.ok(force > 15 && mu > 15 && mass < 10, `${force} %, ${mu} %, ${mass} %`);

  // A rectangle over the upper halves of force and mu.
  const canvas = tab.locator(".scatter canvas");
  await canvas.scrollIntoViewIfNeeded();
  const box = await canvas.boundingBox();
  const { left, top, size } = await tab.evaluate(() => window.stickslip.scatterPlace(0, 1));
  await tab.mouse.move(box.x + left + size * 0.6, box.y + top + size * 0.4);
  await tab.mouse.down();
  await tab.mouse.move(box.x + left + size - 5, box.y + top + 3, { steps: 4 });
  await tab.mouse.up();
  const kept = await tab.evaluate(() => window.stickslip.kept());
  assert.equal(kept.length, 2 * 2 * TRIALS, "two of five forces and two of five mu");
  assert.equal(await tab.locator(".map-row").first().locator(".map").first().locator(".cell:not([opacity='0.2'])").count(), 4);
  assert.ok((await tab.locator(".histograms .kept").count()) > 0);
  assert.deepEqual(problems, []);
  await close();
});

test("best and worst trials, and nothing sticks out on a phone", async () => {
  const { page: tab, problems, close } = await support.open(url, support.PHONE);
  assert.equal(await tab.locator(".extremes table").count(), 2);
  const worst = await tab.evaluate(() => window.stickslip.study().worst[0]);
  assert.equal(worst.success, 0);
  assert.equal(worst.parameters[0] * worst.parameters[1] < 4, true, "the weakest grasps fall farthest");
  assert.ok(await tab.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), "wider than the phone");
  await tab.screenshot({ path: join(support.output, "study-phone.png"), fullPage: true });
  assert.deepEqual(problems, []);
  await close();
});

test("the best trial, the worst one and a chosen one are replayed on the page", async () => {
  const { page: tab, problems, close } = await support.open(url);
  const { best, worst, runs } = await tab.evaluate(() => {
    const { best, worst, runs } = window.stickslip.study();
    return { best: best[0], worst: worst[0], runs: runs.map(({ name }) => name) };
  });
  assert.deepEqual(runs, [`trial ${best.trial}`, `trial ${worst.trial}`, "trial 60"]);
  await tab.getByRole("button", { name: `Replay trial ${worst.trial} on this page` }).first().click();
  await tab.waitForFunction(() => window.stickslip.replay.time() > 0);
  // The box falls on the page as far as the store says: the replay is that trial.
  const fallen = await tab.evaluate(() => {
    const { replay } = window.stickslip;
    const at = (time) => {
      replay.seek(time);
      return replay.pose("box").position[2];
    };
    return at(replay.begin()) - at(replay.end());
  });
  const tolerance = await tab.evaluate(() => window.stickslip.replay.tolerance());
  assert.ok(worst.objective > 1e-3 && Math.abs(fallen - worst.objective) <= 2 * tolerance + 1e-6, `falls ${fallen}, the store says ${worst.objective}`);
  await tab.getByLabel("Run to replay").selectOption("trial 60");
  await tab.getByLabel("Compared with").selectOption(`trial ${best.trial}`);
  assert.match(await tab.locator(".two").textContent(), new RegExp(`trial 60 – trial ${best.trial}`));
  await tab.locator(".replay-section").screenshot({ path: join(support.output, "study-replay.png") });
  assert.deepEqual(problems, []);
  await close();

  support.stickslip("report", store, "--no-replays", "-o", page);
  const without = await support.open(url);
  assert.match(await without.page.locator(".replay-section").textContent(), /None: --no-replays/);
  assert.deepEqual(without.problems, []);
  await without.close();
});
