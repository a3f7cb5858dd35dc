// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Pages of plans, opened from disk: what was asked, what was found, and where contacts change on the way.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import * as support from "./support.mjs";

after(support.quit);

function plan(name, file = join(support.root, "examples", name, "plan.toml")) {
  const scene = join(support.output, `${name}.toml`);
  const result = spawnSync(support.command, ["plan", file, "-o", scene, "--json"], { encoding: "utf8" });
  const json = JSON.parse(result.stdout);
  return { json, code: result.status, url: json.page && pathToFileURL(json.page).href };
}

const row = (page, heading, text) =>
  page.locator(`.plan h3:text-is("${heading}") + *`).locator("tr", { hasText: text }).innerText();
const number = (text) => Number(/-?\d[\d.e+-]*/.exec(text)[0]);

test("with and without an impact: two solutions to choose from, each with its start, target and impact", async () => {
  const { json, url } = plan("plan-impact");
  assert.equal(json.solutions.length, 2);
  const { page, problems, close } = await support.open(url);
  assert.match(await page.locator(".badge").textContent(), /solved/);
  for (const [k, solution] of json.solutions.entries()) {
    await page.getByRole("button", { name: `Show solution ${k + 1}` }).click();
    for (const [name, value] of Object.entries(solution.unknowns)) {
      const cells = (await row(page, "Unknowns", name)).split("\t");
      assert.ok(Math.abs(number(cells[1]) - value) < 1e-4 * Math.abs(value), `${name} is shown as ${cells[1]}`);
    }
    // Reached, wanted and residuals stand apart.
    assert.match(await row(page, "Conditions at the end", "ball.x == 0.4"), /✓.*0\.4\s+0\.4/s);
    const cells = (await row(page, "Influence of the unknowns", "ball.z == 0.4")).split("\t");
    const slope = solution.influence[1].vz;
    assert.ok(Math.abs(number(cells[2]) - slope) < 1e-3 * Math.abs(slope), `d z / d vz = ${slope} is shown as ${cells[2]}`);
    const residuals = await page.locator(".residuals").innerText();
    for (const name of ["conditions", "replay", "complementarity", "dynamics"]) assert.match(residuals, new RegExp(name));
    const events = page.locator(".plan .events button");
    assert.equal(await events.count(), solution.touches.length);
    if (solution.touches.length === 0) continue;
    await events.first().click();
    const time = await page.evaluate(() => window.stickslip.time());
    assert.ok(Math.abs(time - solution.touches[0].time) < 1e-9, "the impact's button goes to its time");
    // The ball is one radius above the floor there, up to the frames between which it is interpolated.
    const z = (await page.evaluate(() => window.stickslip.pose("ball"))).position[2];
    assert.ok(Math.abs(z - 0.05) < 0.02, `the ball is at z = ${z} when it meets the floor`);
    const names = await page.locator(".overlay .name:visible").allTextContents();
    for (const name of ["start", "target", "ball"]) assert.ok(names.includes(name), `${name} is not among ${names}`);
  }
  await page.getByRole("button", { name: "Show solution 1" }).click();
  await page.evaluate(() => window.stickslip.seek(0.3));
  await support.samePicture(page, ".stage", "plan-impact");
  // The end of both is the target.
  await page.evaluate(() => window.stickslip.seek(window.stickslip.end()));
  const end = (await page.evaluate(() => window.stickslip.pose("ball"))).position;
  assert.ok(Math.hypot(end[0] - 0.4, end[2] - 0.4) < 1e-6, `ends at ${end}`);
  await page.screenshot({ path: join(support.output, "plan-laptop.png"), fullPage: true });
  assert.deepEqual(problems, []);
  await close();
});

test("a throw in the plane: target drawn where the conditions have it; nothing sticks out on a phone", async () => {
  const { json, url } = plan("plan-disk");
  const { page, problems, close } = await support.open(url, support.PHONE);
  assert.equal(json.status, "solved");
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), "wider than the phone");
  const stage = page.locator(".stage");
  await stage.scrollIntoViewIfNeeded();
  // Only x is fixed: a dashed line stands there. Its colour is nowhere else in the column.
  const found = await page.evaluate(() => {
    window.stickslip.seek(0);
    const canvas = document.querySelector(".canvas2d");
    const [x] = window.stickslip.screen([0.02, 0, 0]);
    const { data } = canvas.getContext("2d").getImageData(Math.round(x) - 2, 0, 5, canvas.height);
    let count = 0;
    for (let k = 0; k < data.length; k += 4) if (Math.hypot(data[k] - 163, data[k + 1] - 25, data[k + 2] - 91) < 60) ++count;
    return count;
  });
  assert.ok(found > 20, `${found} pixels of the target's line`);
  await page.screenshot({ path: join(support.output, "plan-phone.png"), fullPage: true });
  assert.deepEqual(problems, []);
  await close();
});

test("what was not found is not called solved, and its closest attempt can be looked at", async () => {
  // A ball that rolls on the floor is never up there.
  const file = join(support.output, "out-of-reach.plan.toml");
  writeFileSync(file, `title = "Out of reach"
scene = "${join(support.root, "examples/plan-ball/scene.toml")}"
steps = 20
conditions = ["ball.x == 1", "ball.z == 1"]
[unknown.vx]
start = "ball.vx"
[unknown.vy]
start = "ball.vy"
`);
  const { json, code, url } = plan("out-of-reach", file);
  assert.equal(code, 1);
  assert.equal(json.status, "not-found");
  const { page, problems, close } = await support.open(url);
  assert.match(await page.locator(".badge").textContent(), /not found/);
  assert.ok((await page.locator(".plan .fails").count()) > 0);
  assert.deepEqual(problems, []);
  await close();
});

test("a throw after which a box lands flat: page and command say the same", async () => {
  const { json, url } = plan("plan-throw");
  const { page, problems, close } = await support.open(url);
  assert.equal(json.status, "solved");
  assert.match(await page.locator(".badge").first().textContent(), /solved/);
  const { conditions, unknowns } = await page.evaluate(() => window.stickslip.plan());
  assert.deepEqual(conditions.length, json.asked.conditions.length);
  assert.deepEqual(unknowns.map(({ name }) => name), json.asked.unknowns.map(({ name }) => name));
  const lines = await page.locator('.plan h3:text-is("Unknowns") + *').locator("tbody tr").evaluateAll((rows) => rows.map((line) => line.innerText.split("\t")));
  for (const { name } of unknowns) {
    const cells = lines.find(([first]) => first.split(/\s/)[0] === name);
    const told = number(cells[1]);
    assert.ok(Math.abs(told - json.solutions[0].unknowns[name]) < 1e-3 * Math.max(1, Math.abs(told)), `${name}: ${told} on the page`);
  }
  // The replay ends where the command says that the conditions hold: flat on the floor.
  const pose = await page.evaluate(() => {
    window.stickslip.seek(window.stickslip.end());
    return window.stickslip.pose("box");
  });
  const tolerance = await page.evaluate(() => window.stickslip.tolerance());
  assert.ok(Math.abs(pose.position[1] - 0.055) <= tolerance + 1e-5 && Math.abs(Math.sin(pose.angle)) < 0.02, `the box ends at ${pose.position}, ${pose.angle}`);
  assert.deepEqual(problems, []);
  await close();
});
