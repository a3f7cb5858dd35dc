// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The pages of compare, converge and optimise, against what the same commands print as JSON and against closed forms.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import * as support from "./support.mjs";

after(support.quit);

const example = (name) => join(support.root, "examples", name);

// Runs a verb with --page and --json; both come from the same runs.
function made(name, ...args) {
  const page = join(support.output, `${name}.html`);
  return { url: pathToFileURL(page).href, json: JSON.parse(support.stickslip(...args, "--json", "--page", page)) };
}

async function fitsPhone(url, name) {
  const { page, problems, close } = await support.open(url, support.PHONE);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), "wider than the phone");
  await page.screenshot({ path: join(support.output, `${name}-phone.png`), fullPage: true });
  assert.deepEqual(problems, []);
  await close();
}

test("compare: verdicts, values, curves over each other, modes and replays of all methods", async () => {
  const { url, json } = made("compare-ball", "compare", example("ball/scene.toml"), "--methods", "stewart-trinkle,second-order");
  const { page, problems, close } = await support.open(url);
  const data = await page.evaluate(() => {
    const { methods, runs } = window.stickslip.data();
    return { runs: runs.map(({ name }) => name), methods: methods.map(({ name, values, bars }) => ({ name, values, bars })) };
  });
  assert.deepEqual(data.runs, ["stewart-trinkle", "second-order"]);
  const names = Object.keys(json.observe);
  json.methods.forEach((method, i) => names.forEach((name, k) => {
    assert.equal(data.methods[i].values[k], method.observe[name].value);
    assert.equal(data.methods[i].bars[k], method.observe[name].error_bar);
  }));
  for (const name of names) {
    const verdict = await page.locator(".verdicts li", { has: page.locator("strong", { hasText: name }) }).first().locator(".badge").textContent();
    assert.equal(verdict, json.observe[name].depends_on_model ? "depends" : "does not depend");
  }
  // The curves under the pointer: the slip speed falls by 7/2 mu g t; the difference of both at the end is that of their values.
  const slip = page.locator(".series-list .plot", { hasText: "slip_speed" });
  await slip.scrollIntoViewIfNeeded();
  const box = await slip.locator(".u-over").boundingBox();
  await page.mouse.move(box.x + 0.2 * box.width, box.y + 40);
  const told = (await slip.locator(".value").allTextContents()).map((text) => Number(text.split(" ").at(-1)));
  assert.equal(told.length, 2);
  const mu = 0.2, g = 9.81;
  const scene = await page.evaluate(() => Object.fromEntries(window.stickslip.data().runs[0].parameters.map(({ name, value }) => [name, value])));
  const start = await page.evaluate(() => window.stickslip.data().methods[0].series.values[2][0]);
  const expected = start - 3.5 * (scene.mu ?? mu) * g * 0.2;
  for (const value of told) assert.ok(Math.abs(value - expected) < 0.03, `${value} instead of ${expected}`);
  await page.getByLabel("Curves", { exact: true }).selectOption("difference from stewart-trinkle");
  const apart = page.locator(".series-list .plot", { hasText: "difference of x (m)" }).locator(".value");
  const gap = json.methods[1].observe.x.value - json.methods[0].observe.x.value;
  assert.equal(await apart.count(), 1);
  assert.ok(Math.abs(Number((await apart.textContent()).trim()) - gap) < 1e-3 * Math.abs(gap) + 1e-7, `${await apart.textContent()} instead of ${gap}`);
  // The replay of a method is that method.
  const ends = [];
  for (const name of data.runs) {
    await page.getByLabel("Run to replay").selectOption(name);
    ends.push(await page.evaluate(() => {
      window.stickslip.seek(window.stickslip.end());
      return window.stickslip.pose("ball").position[0];
    }));
  }
  const tolerance = await page.evaluate(() => window.stickslip.tolerance());
  json.methods.forEach((method, i) => assert.ok(Math.abs(ends[i] - method.observe.x.value) <= tolerance + 1e-6, `${method.method}: ${ends[i]}`));
  await page.screenshot({ path: join(support.output, "compare-models-laptop.png"), fullPage: true });
  assert.deepEqual(problems, []);
  await close();
  await fitsPhone(url, "compare-models");
});

test("compare: a method that fails is said to", async () => {
  const page = join(support.output, "compare-failed.html");
  const scene = join(support.output, "compare-failed.toml");
  writeFileSync(scene, `title = "A disc that nothing holds"
dimension = 2
duration = 0.01
[method]
step = 1e-3
[[body]]
name = "disc"
mass = 1
shape = { disc = 1 }
force = ["1", "0"]
[observe]
x = "disc.x"
`);
  assert.throws(() => support.stickslip("compare", scene, "--methods", "stewart-trinkle,stewart-trinkle+motion=quasi-static", "--page", page),
    (error) => error.status === 1);
  const { page: tab, problems, close } = await support.open(pathToFileURL(page).href);
  assert.match(await tab.locator(".badge").first().textContent(), /1 of 2 methods failed/);
  assert.match(await tab.locator(".methods em").textContent(), /at t = 0: no equilibrium/);
  assert.deepEqual(problems, []);
  await close();
});

test("converge: a panel per observable, both axes logarithmic, with the slope of the order", async () => {
  const { url, json } = made("converge-ball", "converge", example("ball/scene.toml"), "--set", "method.stepper=stewart-trinkle", "--levels", "6");
  const { page, problems, close } = await support.open(url);
  const names = Object.keys(json.by_step.observe);
  assert.equal(await page.locator(".orders figure").count(), names.length);
  let fitted = 0;
  for (const name of names) {
    const { order, values, why_no_order: why, exact } = json.by_step.observe[name];
    const figure = page.locator(".orders figure", { hasText: name }).first();
    const said = await figure.locator(".value").textContent();
    if (order === null) {
      assert.equal(said, exact ? "all runs agree" : `no order: ${why}`);
      continue;
    }
    ++fitted;
    assert.ok(Math.abs(Number(/fitted slope (\S+)/.exec(said)[1]) - order) < 0.15, `${name}: ${said}, order ${order}`);
    // Where the points are drawn: equal halvings are equal ways to the left, and the way down is the logarithm of the change.
    const at = await figure.locator("circle").evaluateAll((list) => list.map((c) => [Number(c.getAttribute("cx")), Number(c.getAttribute("cy"))]));
    const changes = values.slice(1).map((x, k) => Math.abs(x - values[k]));
    assert.equal(at.length, changes.length);
    for (let k = 1; k < at.length; ++k) {
      assert.ok(Math.abs(at[k][0] - at[k - 1][0] - (at[1][0] - at[0][0])) < 0.1, `${name}: steps are not logarithmic`);
      const down = (at[k][1] - at[0][1]) / Math.log(changes[0] / changes[k]);
      assert.ok(Math.abs(down - (at[1][1] - at[0][1]) / Math.log(changes[0] / changes[1])) < 0.5, `${name}: changes are not logarithmic`);
    }
  }
  assert.ok(fitted >= 1, "no observable has an order: this tests nothing");
  assert.equal(await page.locator(".series-list .plot").count(), names.length);
  await page.screenshot({ path: join(support.output, "converge-laptop.png"), fullPage: true });
  assert.deepEqual(problems, []);
  await close();
  await fitsPhone(url, "converge");
});

test("optimise: history, designs, and trials before and after as far as friction stops them", async () => {
  const { url, json } = made("optimise-box", "optimise", example("box/optimise.toml"), "--quiet");
  const { page, problems, close } = await support.open(url);
  const data = await page.evaluate(() => {
    const { points, variables, trials, first, best, runs } = window.stickslip.data();
    return { values: Array.from(points.value), mu: Array.from(points.designs[0]), variables, trials, first, best, runs: runs.map(({ name }) => name) };
  });
  assert.equal(data.values.length, json.evaluations);
  assert.equal(Math.min(...data.values), json.objective);
  assert.equal(data.first, json.start);
  assert.equal(data.best, json.objective);
  assert.equal(data.variables[0].best, json.design.mu);
  assert.equal(data.mu[json.best_evaluation - 1], json.design.mu);
  assert.equal(await page.locator(".history circle").count(), json.evaluations);
  // A box with speed v comes to rest after v^2 / (2 mu g); the mark is at 0.5.
  for (const { values: [speed], before, after } of data.trials) {
    const rest = (mu) => Math.abs(speed ** 2 / (2 * mu * 9.81) - 0.5);
    assert.ok(Math.abs(before - rest(data.variables[0].first)) < 2e-3, `speed ${speed}: ${before}`);
    assert.ok(Math.abs(after - rest(json.design.mu)) < 2e-3, `speed ${speed}: ${after}`);
  }
  assert.deepEqual(data.runs.length % 2, 0);
  for (const name of data.runs) {
    await page.getByLabel("Run to replay").selectOption(name);
    const x = await page.evaluate(() => {
      window.stickslip.seek(window.stickslip.end());
      return window.stickslip.pose("box").position[0];
    });
    const [, trial, when] = /^trial (\d+), (before|after)$/.exec(name);
    assert.ok(Math.abs(Math.abs(x - 0.5) - data.trials[trial][when]) < 1e-3, `${name}: the box rests at ${x}`);
  }
  await page.screenshot({ path: join(support.output, "optimise-laptop.png"), fullPage: true });
  assert.deepEqual(problems, []);
  await close();
  await fitsPhone(url, "optimise");
});
