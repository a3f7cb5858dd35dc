// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// How often stickslip live draws, while a body is dragged too, and what it draws between the states of a slow scene.
import assert from "node:assert/strict";
import { once } from "node:events";
import { join } from "node:path";
import { after, test } from "node:test";
import * as support from "./support.mjs";

after(support.quit);
const { live } = support;

// Pictures and states per second over some seconds, and the milliseconds of processor that each takes: on a machine with
// two cores of its own, one draws and one makes steps.
async function frameRate(page, child) {
  const count = async () => [
    ...(await page.evaluate(() => [performance.now(), window.stickslip.drawn(), window.stickslip.received()])),
    ...support.processorSeconds(child.pid),
  ];
  const before = await count();
  await page.waitForTimeout(4000);
  const [time, drawn, received, stepping, drawing] = (await count()).map((x, k) => x - before[k]);
  const [second, each] = [(n) => ((1000 * n) / time).toFixed(0), (s, n) => ((1000 * s) / n).toFixed(0)];
  return `${second(drawn)} frames per second, of ${second(received)} states (processor: ${each(drawing, drawn)} ms a frame, ${each(stepping, received)} ms a state)`;
}

// More than 30 on a quiet machine (docs/pages.md); here only that frames keep coming, however busy the machine is.
async function keepsDrawing(page, child, name) {
  console.log(`live ${name}: ${await frameRate(page, child)}`);
  const drawn = await page.evaluate(() => window.stickslip.drawn());
  await page.waitForFunction((before) => window.stickslip.drawn() > before + 10, drawn);
}

test("plate in space: frames keep coming, and the page says when the scene is slower than asked", async () => {
  const { child, url } = await live("examples/plate-particle/scene.toml", { options: ["--set", "duration=1e6"] });
  const { page, problems, close } = await support.open(url);
  await page.getByRole("button", { name: "Play" }).click();
  await page.waitForFunction(() => window.stickslip.time() > 0.1);
  await keepsDrawing(page, child, "plate");
  const box = await page.locator(".canvas3d").boundingBox();
  const [x, y] = await page.evaluate(() => window.stickslip.screen("particle"));
  assert.ok(x > 0 && x < box.width && y > 0 && y < box.height, `the particle is drawn outside of the picture: ${x}, ${y}`);
  // 1e8 steps per second are more than any machine can.
  await page.getByLabel("Step size").fill("1e-6");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => window.stickslip.method().step === 1e-6);
  await page.getByLabel("Speed", { exact: true }).selectOption("100");
  await page.waitForFunction(() => /slower than asked/.test(document.querySelector(".pace").textContent));
  await page.screenshot({ path: join(support.output, "live-plate.png"), fullPage: true });
  assert.deepEqual(problems, []);
  await close();
  child.kill("SIGTERM");
  await once(child, "exit");
});

// Leaves one state in 100 ms, so that they are rare on any machine.
const FEW_STATES = () => {
  const Source = window.EventSource;
  window.states = [];
  window.EventSource = class extends Source {
    addEventListener(kind, act) {
      let last = 0;
      super.addEventListener(kind, kind !== "message" ? act : (event) => {
        const frame = JSON.parse(event.data);
        if (frame.playing && performance.now() - last < 100) return;
        last = performance.now();
        window.states.push({ time: frame.time, poses: frame.poses });
        act(event);
      });
    }
  };
};

test("pictures between rare states lie between them, and the page says so; a pause shows the state itself", async () => {
  const { child, url } = await live("examples/meter-stick/scene.toml", { options: ["--set", "duration=1e6"] });
  const { page, problems, close } = await support.open(url, support.LAPTOP, FEW_STATES);
  await page.waitForFunction(() => Number.isFinite(window.stickslip.time()));
  await page.getByLabel("Speed", { exact: true }).selectOption("0.5");
  await page.getByRole("button", { name: "Play" }).click();
  await page.waitForFunction(() => window.states.length > 8);
  const { shown, states } = await page.evaluate(async () => {
    const pictures = [];
    const count = window.states.length;
    while (window.states.length < count + 20) {
      await new Promise(requestAnimationFrame);
      const one = window.stickslip.shown();
      if (pictures.at(-1)?.time !== one.time) pictures.push(one);
    }
    return { shown: pictures, states: window.states };
  });
  assert.ok(shown.length > 30, `${shown.length} pictures of 20 states`);
  let between = 0;
  for (const picture of shown) {
    const next = states.findIndex(({ time }) => time >= picture.time);
    if (states[next].time === picture.time) continue;
    const [a, b] = [states[next - 1], states[next]];
    const s = (picture.time - a.time) / (b.time - a.time);
    // x, y and the angle of the stick and the fingers; poses travel as 32-bit numbers.
    for (const k of [0, 1, 7, 8, 9, 16, 17])
      assert.ok(Math.abs(picture.poses[k] - (1 - s) * a.poses[k] - s * b.poses[k]) < 1e-6, `number ${k} of the picture at t = ${picture.time}`);
    // A mark is where its finger is, as far below the stick as in the states.
    for (const [, finger, mode, , x] of picture.contacts)
      if (mode === 1) assert.ok(Math.abs(x - picture.poses[8 * finger]) < 2e-3, `a mark is ${x - picture.poses[8 * finger]} beside its finger`);
    ++between;
  }
  assert.ok(between > 15, `${between} pictures lie between states`);
  assert.match(await page.locator(".controls .pace").first().textContent(), /pictures between the states are interpolated/);
  await page.getByRole("button", { name: "Pause" }).click();
  await page.waitForFunction(() => !window.stickslip.playing() && window.stickslip.shown().time === window.stickslip.time());
  assert.doesNotMatch(await page.locator(".controls .pace").first().textContent(), /interpolated/);
  assert.deepEqual(problems, []);
  await close();
  child.kill("SIGTERM");
  await once(child, "exit");
});

test("frames come often enough, and the phone's page fits", async () => {
  const { child, url } = await live("examples/meter-stick/scene.toml", { options: ["--set", "duration=1e6"] });
  const { page, problems, close } = await support.open(url, support.PHONE);
  await page.getByRole("button", { name: "Play" }).click();
  await page.waitForFunction(() => window.stickslip.time() > 0.3);
  await keepsDrawing(page, child, "meter stick");
  assert.match(await page.locator(".badge").textContent(), /\d+ steps certified/);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
  await page.screenshot({ path: join(support.output, "live-phone.png"), fullPage: true });
  assert.deepEqual(problems, []);
  await close();
  child.kill("SIGTERM");
  await once(child, "exit");
});

// Each in a scene of its own, from the middle of its picture by some pixels.
for (const [name, scene, body, by, options] of [
  ["meter stick", "meter-stick", "stick", [30, -60], []],
  ["feeder", "feeder", "peg", [20, -40], []],
  ["bin of 30 spheres", "pile", "ball_29", [10, -60], ["--set", "n=30"]],
  ["bin of 32 mixed parts", "bin-parts", "wedge_3", [60, -30], ["--set", "each=8"]],
])
  test(`frames keep coming while a body is dragged: ${name}`, async () => {
    const { child, url } = await live(`examples/${scene}/scene.toml`, { options: [...options, "--set", "duration=1e6"] });
    const { page, problems, close } = await support.open(url);
    await page.waitForFunction(() => Number.isFinite(window.stickslip.time()));
    await page.getByRole("button", { name: "Play" }).click();
    if (scene === "feeder") { // once the peg has come to rest, past the scene's stop condition
      await page.waitForFunction(() => /play goes on past it/.test(document.querySelector(".notice").textContent));
      await page.getByRole("button", { name: "Play" }).click();
    }
    await page.waitForFunction(() => window.stickslip.time() > 0.02);
    const box = await page.locator(".canvas2d, .canvas3d").boundingBox();
    const [x, y] = await page.evaluate((one) => window.stickslip.screen(one), body);
    await page.mouse.move(box.x + x, box.y + y);
    await page.mouse.down();
    await page.mouse.move(box.x + x + by[0], box.y + y + by[1], { steps: 5 });
    await page.waitForFunction(() => window.stickslip.hand() !== undefined);
    await keepsDrawing(page, child, `${name}, ${body} dragged`);
    assert.ok(await page.evaluate(() => window.stickslip.playing()), await page.locator(".notice").textContent());
    await page.screenshot({ path: join(support.output, `live-drag-${scene}.png`) });
    await page.mouse.up();
    await page.waitForFunction(() => window.stickslip.hand() === undefined);
    assert.deepEqual(problems, []);
    await close();
    child.kill("SIGTERM");
    await once(child, "exit");
  });
