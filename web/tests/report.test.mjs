// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Reports in a browser, opened from disk.
import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import * as support from "./support.mjs";

after(support.quit);

// Frames between kept ones are interpolated to 1/4000 of the scene's size; poses travel as 32-bit numbers.
const poseTolerance = (size) => size / 4000 + 1e-6 * size;

function planarDifference(pose, row, body) {
  return Math.max(
    Math.abs(pose.position[0] - row[`${body}.x`]),
    Math.abs(pose.position[1] - row[`${body}.y`]),
    Math.abs(pose.angle - row[`${body}.angle`]),
  );
}

// Plays on from a time, stops when told, and stands still then.
async function plays(page, from, until) {
  await page.evaluate((t) => window.stickslip.seek(t), from);
  await page.getByRole("button", { name: "Play" }).click();
  await page.waitForFunction((t) => window.stickslip.time() > t || !window.stickslip.playing(), until);
  assert.ok((await page.evaluate(() => window.stickslip.time())) > until, "stops by itself");
  await page.evaluate(() => window.stickslip.playing() && document.querySelector("button.play").click());
  const stopped = await page.evaluate(() => window.stickslip.time());
  await page.waitForTimeout(200);
  assert.equal(await page.evaluate(() => window.stickslip.time()), stopped, "goes on after pause");
}

test("meter stick: plays, scrubs to recorded poses, colours stick and slide", async () => {
  const run = support.report("meter-stick", "examples/meter-stick/scene.toml");
  const rows = support.readCsv(run.recording);
  const { page, problems, close } = await support.open(run.url);

  for (const time of [0, 0.4567, 1.2, 3.21, 5.5, 7.999]) {
    await page.evaluate((t) => window.stickslip.seek(t), time);
    const pose = await page.evaluate(() => window.stickslip.pose("stick"));
    const off = planarDifference(pose, support.rowAt(rows, time), "stick");
    assert.ok(off < poseTolerance(1.0), `stick at t = ${time} is off by ${off}`);
  }

  // Where the run itself says that one finger sticks and the other slides, the marks have those colours.
  const long = run.summary.modes.filter((m) => m.end - m.begin > 0.1);
  for (const mode of ["stick", "slide"]) {
    const band = long.find((m) => m.mode === mode && m.begin > 0.1);
    assert.ok(band, `the run has no long ${mode}`);
    await page.evaluate((t) => window.stickslip.seek(t), (band.begin + band.end) / 2);
    await page.getByLabel("forces").uncheck();
    await page.evaluate(() => window.stickslip.seek(window.stickslip.time()));
    const contacts = await page.evaluate(() => window.stickslip.contacts());
    const names = band.bodies;
    const contact = contacts.find((c) => names.includes(c.a) && names.includes(c.b) && c.mode !== 0);
    assert.ok(contact, `no contact between ${names} in the middle of a ${mode}`);
    const color = await support.pixel(page, contact.screen);
    assert.ok(support.distance(color, support.MODE_COLORS[mode]) < 12, `${mode} is drawn as ${color}`);
    await page.getByLabel("forces").check();
  }

  await plays(page, 1, 1.2);
  const stopped = await page.evaluate(() => window.stickslip.time());
  await page.getByRole("button", { name: "Next frame" }).click();
  assert.ok((await page.evaluate(() => window.stickslip.time())) > stopped);

  // The time slider, dragged to three quarters.
  const slider = page.getByRole("slider", { name: "Time" });
  const box = await slider.boundingBox();
  await page.mouse.move(box.x + 10, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.75 * box.width, box.y + box.height / 2, { steps: 4 });
  await page.mouse.up();
  const time = await page.evaluate(() => window.stickslip.time());
  assert.ok(Math.abs(time - 6) < 0.2, `three quarters of 8 s is ${time}`);

  await page.evaluate(() => window.stickslip.seek(3));
  await support.samePicture(page, ".stage", "meter-stick");
  await page.screenshot({ path: join(support.output, "meter-stick-laptop.png"), fullPage: true });
  await page.reload();
  await page.waitForFunction(() => window.stickslip !== undefined);
  assert.deepEqual(problems, []);
  await close();
});

test("vibrating plate in space: poses of plate and particle, and a picture that is not empty", async () => {
  const run = support.report("plate", "examples/plate-particle/scene.toml", "--set", "duration=1");
  const rows = support.readCsv(run.recording);
  const { page, problems, close } = await support.open(run.url);
  for (const time of [0.1234, 0.5, 0.987]) {
    await page.evaluate((t) => window.stickslip.seek(t), time);
    const row = support.rowAt(rows, time);
    for (const body of ["plate", "particle"]) {
      const pose = await page.evaluate((name) => window.stickslip.pose(name), body);
      const off = Math.hypot(...["x", "y", "z"].map((c, k) => pose.position[k] - row[`${body}.${c}`]));
      assert.ok(off < poseTolerance(10), `${body} at t = ${time} is off by ${off}`);
      const turn = Math.abs(["qw", "qx", "qy", "qz"].reduce((sum, c, k) => sum + pose.orientation[k] * row[`${body}.${c}`], 0));
      assert.ok(turn > 1 - 1e-6, `${body} is turned`);
    }
  }
  await plays(page, 0, 0.02);
  await page.evaluate(() => window.stickslip.seek(0.5));
  await support.samePicture(page, ".stage", "plate");
  await page.screenshot({ path: join(support.output, "plate-laptop.png"), fullPage: true });
  assert.deepEqual(problems, []);
  await close();
});

test("feeder before and after on one page: each peg is where its recording has it, and one passes", async () => {
  const before = support.report("feeder-before", "examples/feeder/scene.toml", "--set", "side=-1");
  // A design that stickslip optimise examples/feeder/optimise.toml found.
  const design = { a: 2.4354, b: 2, c: 0.26666, d: 5.45612, e: 1.5, fx: 5, fy: -3.70823, gx: 0.2, gy: 0, r: 0.9, theta: 34.597, alpha: 70 };
  const options = Object.entries(design).flatMap(([name, value]) => ["--set", `${name}=${value}`]);
  const later = support.report("feeder-after", "examples/feeder/scene.toml", "--set", "side=-1", ...options);
  const both = join(support.output, "feeder.html");
  support.stickslip("report", before.recording, later.recording, "-o", both);
  const { page, problems, close } = await support.open(pathToFileURL(both).href);
  for (const [tab, run] of [["feeder-before", before], ["feeder-after", later]]) {
    await page.getByRole("tab", { name: tab }).click();
    const rows = support.readCsv(run.recording);
    for (const share of [0.2, 0.5, 0.8, 1]) {
      const row = rows[Math.round(share * (rows.length - 1))];
      await page.evaluate((t) => window.stickslip.seek(t), row.time);
      const off = planarDifference(await page.evaluate(() => window.stickslip.pose("peg")), row, "peg");
      assert.ok(off < poseTolerance(20), `${tab} at t = ${row.time} is off by ${off}`);
    }
    const [begin, end] = await page.evaluate(() => [window.stickslip.begin(), window.stickslip.end()]);
    await plays(page, begin, begin + 0.02 * (end - begin));
    const observables = page.locator("details", { hasText: "Observables at the end" });
    await observables.locator("summary").click();
    assert.match(await observables.locator("tr", { hasText: "passed" }).textContent(), run === later ? /passed1/ : /passed0/);
  }
  await page.evaluate(() => window.stickslip.seek(window.stickslip.end()));
  await support.samePicture(page, ".stage", "feeder");
  await page.screenshot({ path: join(support.output, "feeder-laptop.png"), fullPage: true });
  assert.deepEqual(problems, []);
  await close();
});

test("a recording that does not name its tolerance is not called certified", async () => {
  const { page, close } = await support.open(support.report("badge", "examples/ball/scene.toml", "--set", "duration=0.05").url);
  assert.match(await page.locator(".badge").textContent(), /every recorded step certified/);
  // The same page with its tolerance taken out.
  const text = readFileSync(join(support.output, "badge.html"), "utf8");
  const without = join(support.output, "badge-unknown.html");
  writeFileSync(without, text.replace(/"tolerance":1e-0?9,/, '"tolerance":0,'));
  await page.goto(pathToFileURL(without).href);
  await page.waitForFunction(() => document.querySelector(".badge") !== null);
  assert.equal(await page.locator(".badge").textContent(), "? certificate unknown");
  await close();
});

test("certificate, audit, error bars and end stand in one strip; without error bars it says how to get them", async () => {
  const scene = "examples/box/scene.toml";
  const { page, close } = await support.open(support.report("bars", scene, "--error-bars").url);
  const items = () => page.locator(".strip li").allTextContents();
  const said = await items();
  assert.deepEqual(said.map((text) => /^(certificate|audit|error bars|end) /.exec(text)?.[1]), ["certificate", "audit", "error bars", "end"]);
  assert.match(said[2], /x \S+.*rest/);
  assert.doesNotMatch(said[1], /error bars/);
  const tops = await page.locator(".strip li").evaluateAll((items) => items.map((item) => item.getBoundingClientRect().top));
  assert.equal(new Set(tops).size, 1, "they stand in one row");
  await close();
  const plain = await support.open(support.report("no-bars", scene).url);
  assert.match((await plain.page.locator(".strip li").allTextContents())[2], /not estimated \(run --error-bars does\)/);
  await plain.close();
});

test("a run that failed, or whose end nobody knows, is not called certified", async () => {
  const { page, close } = await support.open(support.report("badge-end", "examples/ball/scene.toml", "--set", "duration=0.05").url);
  const text = readFileSync(join(support.output, "badge-end.html"), "utf8");
  const failure = "failed at t = 0.484: a step could not be certified";
  for (const [end, badge, kind] of [[failure, `! run ${failure}`, /bad/], ["", "? every recorded step certified, end unknown", /unknown/]]) {
    const other = join(support.output, "badge-other-end.html");
    writeFileSync(other, text.replace('"end":"finished"', `"end":"${end}"`));
    await page.goto(pathToFileURL(other).href);
    await page.waitForFunction(() => document.querySelector(".badge") !== null);
    assert.equal(await page.locator(".badge").textContent(), badge);
    assert.match(await page.locator(".badge").getAttribute("class"), kind);
  }
  await close();
});

test("phone: nothing sticks out, several runs on one page", async () => {
  const ball = support.report("ball", "examples/ball/scene.toml");
  const peg = support.report("peg", "examples/peg/scene.toml");
  const both = join(support.output, "both.html");
  support.stickslip("report", ball.recording, peg.recording, "-o", both);
  const { page, problems, close } = await support.open(pathToFileURL(both).href, support.PHONE);
  const fits = () => page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);
  assert.ok(await fits(), "the page of the ball is wider than the phone");
  await page.evaluate(() => window.stickslip.seek(0.5));
  await page.screenshot({ path: join(support.output, "ball-phone.png"), fullPage: true });
  await page.getByRole("tab", { name: "peg" }).click();
  await page.waitForFunction(() => document.querySelector("h1").textContent.startsWith("Peg"));
  assert.ok(await fits(), "the page of the peg is wider than the phone");
  await page.evaluate(() => window.stickslip.seek(0.4));
  await page.screenshot({ path: join(support.output, "peg-phone.png"), fullPage: true });
  assert.deepEqual(problems, []);
  await close();
});

test("50,000 steps: at most 5 MB, and soon there", async () => {
  const run = support.report("long", "examples/meter-stick/scene.toml", "--set", "method.step=1.6e-4");
  assert.ok(run.summary.steps >= 50_000);
  const { size } = statSync(run.page);
  assert.ok(size <= 5e6, `the page has ${size} bytes`);
  const { page, problems, close } = await support.open(run.url);
  const ready = await page.evaluate(() => window.stickslip.readyAfter());
  console.log(`50,000 steps: ${(size / 1e6).toFixed(2)} MB, interactive after ${ready.toFixed(0)} ms`);
  // 2 s on a quiet machine with two cores (docs/pages.md); tests share theirs with the compiler, so that open() has the
  // only limit.
  assert.deepEqual(problems, []);
  await close();
});

test("text of a scene is text on the page, whatever it says", async () => {
  const scene = join(support.output, "hostile.toml");
  writeFileSync(scene, `title = '</script><script>alert(1)</script><img src=x onerror=alert(2)>'
dimension = 2
duration = 0.01
[method]
step = 1e-3
[[body]]
name = "a"
mass = 1
shape = { disc = 1 }
[observe]
x = { value = "a.x", unit = "<b>m</b>", description = "<svg onload=alert(3)>" }
`);
  const recording = join(support.output, "hostile.h5");
  support.stickslip("run", scene, "-o", recording);
  support.stickslip("report", recording);
  const { page, problems, close } = await support.open(pathToFileURL(join(support.output, "hostile.html")).href);
  assert.equal(await page.locator("h1").textContent(), "</script><script>alert(1)</script><img src=x onerror=alert(2)>");
  assert.equal(await page.locator("img, svg, figcaption b").count(), 0);
  assert.match(await page.locator(".bands .note").textContent(), /No bodies touched/);
  assert.deepEqual(problems, []);
  await close();
});
