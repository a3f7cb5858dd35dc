// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What a reader does on the page of a run: looks closely, zooms in time, picks bodies, compares runs, takes things away.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import * as support from "./support.mjs";

after(support.quit);

const stick = support.report("explore-stick", "examples/meter-stick/scene.toml");

test("marks stay on their bodies between kept frames", async () => {
  const { page, problems, close } = await support.open(stick.url);
  const worst = await page.evaluate(() => {
    const { stickslip } = window;
    const bodies = stickslip.bodies();
    let most = 0;
    for (let k = 0; k <= 400; ++k) {
      stickslip.seek((8 * k) / 400);
      for (const contact of stickslip.contacts().filter((c) => c.mode !== 0)) {
        const finger = contact.a === "stick" ? contact.b : contact.a;
        const { position } = stickslip.pose(finger);
        const { radius } = bodies.find((body) => body.name === finger).shapes[0];
        most = Math.max(most, Math.abs(Math.hypot(contact.point[0] - position[0], contact.point[1] - position[1]) - radius));
      }
    }
    return { most, kept: stickslip.frames().length, tolerance: stickslip.tolerance() };
  });
  // Mark and finger each within the tolerance of the kept frames.
  assert.ok(worst.most <= 2 * worst.tolerance + 1e-5, `a mark is ${worst.most} beside its finger (${worst.kept} frames)`);
  assert.ok(worst.kept < 2000, "all frames are kept: this tests nothing");
  assert.deepEqual(problems, []);
  await close();
});

// Keeps where every text of the last picture is drawn.
const KEEP_TEXTS = () => {
  window.texts = new Map();
  const { fillText } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
    window.texts.set(text, [x, y, this.measureText(text).width]);
    return fillText.call(this, text, x, y);
  };
};

test("names lie beside marks and arrows, at any time", async () => {
  const { page, problems, close } = await support.open(stick.url, support.LAPTOP, KEEP_TEXTS);
  const covered = await page.evaluate(() => {
    const { stickslip } = window;
    let [looked, bad] = [0, []];
    for (let k = 1; k < 80; ++k) {
      stickslip.seek(k / 10);
      for (const { point, mode } of stickslip.contacts()) {
        const [mx, my] = stickslip.screen(point);
        for (const name of ["left", "right", "stick"]) {
          const [x, y, width] = window.texts.get(name); // the middle of the lower edge
          ++looked;
          if (mode !== 0 && Math.abs(mx - x) < width / 2 + 3 && my > y - 13 && my < y + 3) bad.push(`${name} at ${k / 10}`);
        }
      }
    }
    return { looked, bad };
  });
  assert.ok(covered.looked > 400, `${covered.looked} pairs of a name and a mark`);
  // Three names and two marks come together where the fingers meet: some may be covered there.
  assert.deepEqual(covered.bad.filter((text) => Number(text.split(" at ")[1]) < 7), []);
  assert.deepEqual(problems, []);
  await close();
});

test("Newton's cradle: bands say what the run says", async () => {
  const run = support.report("cradle", "examples/newtons-cradle/scene.toml");
  const { page, problems, close } = await support.open(run.url);
  const pairs = await page.evaluate(() => window.stickslip.pairs());
  const step = 1e-3; // frames tell when bodies first touch
  for (const pair of pairs) {
    const told = run.summary.modes.filter((m) => m.bodies.includes(pair.a) && m.bodies.includes(pair.b) && m.mode !== "open");
    const first = Math.min(...told.map((m) => m.begin));
    const touching = pair.mode.findIndex((mode) => mode !== 0);
    if (touching < 0) continue;
    assert.ok(told.length > 0, `${pair.a} and ${pair.b} touch on the page alone`);
    assert.ok(Math.abs(pair.begin[touching] - first) <= step * 1.01, `${pair.a} – ${pair.b}: ${pair.begin[touching]} on the page, ${first} in the run`);
  }
  assert.ok(pairs.some((pair) => pair.begin[0] > 0.05 || pair.mode[0] === 0), "every pair touches from the start");
  assert.deepEqual(problems, []);
  await close();
});

test("time is zoomed in all charts at once, and values under the pointer are told in all of them", async () => {
  const { page, problems, close } = await support.open(stick.url);
  const window_ = () => page.evaluate(() => window.stickslip.window());
  assert.deepEqual(await window_(), [0, 8]);
  const box = await page.locator(".plot .u-over").first().boundingBox();
  const at = (share) => [box.x + share * box.width, box.y + box.height / 2];
  await page.mouse.move(...at(0.25));
  await page.mouse.down();
  await page.mouse.move(...at(0.5), { steps: 4 });
  await page.mouse.up();
  const [begin, end] = await window_();
  assert.ok(Math.abs(begin - 2) < 0.1 && Math.abs(end - 4) < 0.1, `a quarter to a half of 8 s is ${begin} to ${end}`);
  // The values of all plots are those at the pointer.
  await page.mouse.move(...at(0.5));
  const told = await page.locator(".plot.hovered").count();
  assert.equal(told, await page.locator(".plot:has(.u-over)").count());
  const fingers = page.locator(".plot", { hasText: "distance of the fingers" }).locator(".value").first();
  const expected = 0.8 - 0.1 * 3;
  assert.ok(Math.abs(Number(await fingers.textContent()) - expected) < 0.01, `the fingers are ${await fingers.textContent()} apart at t = 3`);
  // The wheel over the bands, the slider within the stretch, and back to the whole run.
  const bands = await page.locator(".bands canvas").boundingBox();
  await page.mouse.move(bands.x + bands.width / 2, bands.y + 20);
  await page.mouse.wheel(0, -400);
  await page.waitForFunction(([b, e]) => window.stickslip.window()[1] - window.stickslip.window()[0] < 0.8 * (e - b), [begin, end]);
  const [from, to] = await window_();
  await page.getByRole("slider", { name: "Time" }).evaluate((slider) => {
    slider.value = "5000";
    slider.dispatchEvent(new Event("input"));
  });
  const time = await page.evaluate(() => window.stickslip.time());
  assert.ok(Math.abs(time - (from + to) / 2) < 1e-3 * (to - from), `half of the slider is ${time}`);
  await page.getByRole("button", { name: "Show the whole run" }).click();
  assert.deepEqual(await window_(), [0, 8]);
  assert.deepEqual(problems, []);
  await close();
});

test("a body and a contact can be picked, keys work after clicks, events can be visited", async () => {
  const { page, problems, close } = await support.open(stick.url);
  const canvas = await page.locator(".canvas2d").boundingBox();
  const click = async ([x, y]) => page.mouse.click(canvas.x + x, canvas.y + y);
  await page.evaluate(() => window.stickslip.seek(2));
  const contact = (await page.evaluate(() => window.stickslip.contacts())).find((c) => c.mode !== 0);
  await click(contact.screen);
  await page.waitForFunction(() => window.stickslip.chosen()?.a !== undefined);
  await page.waitForFunction(() => /normal force/.test(document.querySelector(".chosen-facts").textContent));
  assert.match(await page.locator(".chosen-facts").textContent(), /stick – (left|right).*friction coefficient0\.4/s);
  const middle = await page.evaluate(() => window.stickslip.screen([0.1, window.stickslip.pose("stick").position[1]]));
  await click(middle);
  await page.waitForFunction(() => window.stickslip.chosen()?.body === 0);
  await page.waitForFunction(() => /velocity/.test(document.querySelector(".chosen-facts").textContent));
  await page.getByText("Contacts now").click();
  await page.waitForFunction(() => document.querySelectorAll(".contacts tbody tr").length >= 2);

  // A click on a box, a slider or the picture does not take the keys away.
  await page.getByLabel("friction cones").click();
  await page.keyboard.press("Space");
  await page.waitForFunction(() => window.stickslip.playing());
  await page.keyboard.press("Space");
  await page.waitForFunction(() => !window.stickslip.playing());
  assert.ok(await page.getByLabel("friction cones").isChecked());
  await page.keyboard.press("o");
  assert.ok(!(await page.getByLabel("friction cones").isChecked()));
  await page.getByLabel("Speed", { exact: true }).selectOption("2");
  const before = await page.evaluate(() => window.stickslip.time());
  await page.keyboard.press(".");
  const event = await page.evaluate(() => window.stickslip.time());
  const events = await page.evaluate(() => window.stickslip.events());
  assert.equal(event, events.find((t) => t > before), "the key goes to the next event");
  await page.getByRole("button", { name: "To the previous event" }).click();
  assert.ok((await page.evaluate(() => window.stickslip.time())) < event);
  await page.keyboard.press("?");
  assert.ok(await page.getByRole("dialog", { name: "Keys" }).isVisible());
  await page.keyboard.press("?");
  assert.ok(!(await page.getByRole("dialog", { name: "Keys" }).isVisible()));
  assert.deepEqual(problems, []);
  await close();
});

test("picture, curves and motion can be saved", async () => {
  const { page, problems, close } = await support.open(stick.url);
  const saved = async (name) => {
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name }).click()]);
    const file = join(support.output, `saved-${download.suggestedFilename()}`);
    await download.saveAs(file);
    return file;
  };
  const png = readFileSync(await saved("Save the picture as PNG"));
  assert.equal(png.subarray(1, 4).toString(), "PNG");
  const csv = readFileSync(await saved("Save the curves as CSV"), "utf8").trim().split("\n");
  assert.match(csv[0], /^time \(s\),offset \(m\),/);
  const last = csv.at(-1).split(",").map(Number);
  assert.ok(Math.abs(last[0] - 8) < 1e-9);
  assert.ok(csv.length > 1000, `${csv.length} lines`);
  await page.getByLabel("Speed", { exact: true }).selectOption("10");
  const film = await saved("Save the motion as WebM");
  assert.deepEqual([...readFileSync(film).subarray(0, 4)], [0x1a, 0x45, 0xdf, 0xa3], "no EBML");
  assert.ok(statSync(film).size > 5000, `${statSync(film).size} bytes`);
  assert.deepEqual(problems, []);
  await close();
});

test("report --video: every frame at its instant, in a file that plays; without Chromium a clear word", async () => {
  const ball = support.report("video-ball", "examples/ball/scene.toml");
  for (const [run, name] of [[stick, "video-stick"], [ball, "video-ball"]]) {
    const file = join(support.output, `${name}.webm`);
    rmSync(file, { force: true });
    assert.match(support.stickslip("report", run.recording, "--video", file, "--seconds", "1"), /^video: .*webm/);
    const bytes = readFileSync(file);
    assert.deepEqual([...bytes.subarray(0, 4)], [0x1a, 0x45, 0xdf, 0xa3], "no EBML");
    // Played by the browser: length, size, and pictures that change.
    const { page, close } = await support.visit(pathToFileURL(run.page).href);
    const played = await page.evaluate(async (text) => {
      const node = document.createElement("video");
      node.src = URL.createObjectURL(new Blob([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], { type: "video/webm" }));
      await new Promise((resolve, reject) => {
        node.onloadeddata = resolve;
        node.onerror = () => reject(new Error(node.error.message));
      });
      const picture = async (time) => {
        node.currentTime = time;
        await new Promise((resolve) => (node.onseeked = resolve));
        const canvas = Object.assign(document.createElement("canvas"), { width: 160, height: 90 });
        const context = canvas.getContext("2d");
        context.drawImage(node, 0, 0, 160, 90);
        return Array.from(context.getImageData(0, 0, 160, 90).data);
      };
      const [first, last] = [await picture(0), await picture(0.95)];
      return { duration: node.duration, width: node.videoWidth, height: node.videoHeight, change: first.reduce((sum, x, k) => sum + Math.abs(x - last[k]), 0) / first.length, colors: new Set(first).size };
    }, bytes.toString("base64"));
    assert.ok(Math.abs(played.duration - 31 / 30) < 0.02, `${name} lasts ${played.duration} s`);
    assert.ok(played.width === 1280 && played.height === 720, `${name} is ${played.width} x ${played.height}`);
    assert.ok(played.colors > 20 && played.change > 0.2, `${name}: ${played.colors} colours, pictures differ by ${played.change}`);
    await close();
  }
  const without = spawnSync(support.command, ["report", stick.recording, "--video", join(support.output, "none.webm")], { encoding: "utf8", env: { ...process.env, STICKSLIP_CHROMIUM: "no-such-browser" } });
  assert.equal(without.status, 1);
  assert.match(without.stderr, /a video needs Chromium, and there is no no-such-browser/);
  assert.ok(!existsSync(join(support.output, "none.webm")));
});

test("two runs on one page: ghosts, common curves, their difference; tabs keep time and view", async () => {
  const other = support.report("explore-rough", "examples/meter-stick/scene.toml", "--set", "mu_s=0.6");
  const both = join(support.output, "explore-both.html");
  support.stickslip("report", stick.recording, other.recording, "--compare", "-o", both);
  const { page, problems, close } = await support.open(pathToFileURL(both).href);
  const plots = await page.evaluate(() => window.stickslip.plots());
  const offset = plots.find((plot) => plot.title === "offset");
  assert.equal(offset.curves.length, 2);
  const difference = plots.find((plot) => plot.title === "difference of offset");
  const [a, b] = [stick, other].map((run) => support.readCsv(run.recording));
  for (const time of [1, 2.5, 6]) {
    const k = difference.time.findIndex((t) => t >= time - 1e-9);
    const expected = support.rowAt(b, difference.time[k]).offset - support.rowAt(a, difference.time[k]).offset;
    assert.ok(Math.abs(difference.curves[0].values[k] - expected) < 1e-5, `at t = ${time}: ${difference.curves[0].values[k]}, recorded ${expected}`);
  }
  assert.match(await page.locator(".charts table").first().textContent(), /mu_s0\.4.*0\.6/);
  // Bands of both, one below the other.
  const bands = await page.evaluate(() => window.stickslip.bands());
  for (const run of ["explore-stick", "explore-rough"]) assert.equal(bands.filter((name) => name === `stick – left: ${run}`).length, 1, bands.join("; "));
  await page.getByLabel("side by side").check();
  assert.equal(await page.locator(".canvas2d").count(), 2);
  await page.evaluate(() => window.stickslip.seek(3));
  await page.screenshot({ path: join(support.output, "compare-laptop.png"), fullPage: true });
  await close();

  // What is the same in both runs, or in neither, is a row of the table, also where one ends earlier.
  const pegs = ["1", "-1"].map((side) => support.report(`explore-peg${side}`, "examples/feeder/scene.toml", "--set", `side=${side}`).recording);
  const two = join(support.output, "explore-pegs.html");
  support.stickslip("report", ...pegs, "--compare", "-o", two);
  const same = await support.open(pathToFileURL(two).href);
  const rows = await same.page.locator(".constants tr").allTextContents();
  assert.ok(rows.some((text) => /^passed0/.test(text)), rows.join("; "));
  assert.ok(rows.some((text) => /^difference of t_stillno value/.test(text)), rows.join("; "));
  const charts = await same.page.locator(".plot strong").allTextContents();
  assert.ok(charts.includes("t_still (s)") && !charts.some((title) => /passed/.test(title)), charts.join("; "));
  assert.deepEqual(same.problems, []);
  await same.close();

  support.stickslip("report", stick.recording, other.recording, "--force", "-o", both);
  const tabs = await support.open(pathToFileURL(both).href);
  await tabs.page.evaluate(() => window.stickslip.seek(3));
  const box = await tabs.page.locator(".canvas2d").boundingBox();
  await tabs.page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await tabs.page.mouse.wheel(0, -300);
  await tabs.page.waitForFunction(() => window.stickslip.camera() !== undefined);
  const camera = await tabs.page.evaluate(() => window.stickslip.camera());
  await tabs.page.getByRole("tab", { name: "explore-rough" }).click();
  await tabs.page.waitForFunction(() => document.querySelector("[role=tab][aria-selected=true]").textContent === "explore-rough");
  assert.equal(await tabs.page.evaluate(() => window.stickslip.time()), 3);
  assert.deepEqual(await tabs.page.evaluate(() => window.stickslip.camera()), camera);
  assert.deepEqual([...problems, ...tabs.problems], []);
  await tabs.close();
});

test("space: look from a side, orthographic, a body is picked and followed", async () => {
  const run = support.report("explore-plate", "examples/plate-particle/scene.toml", "--set", "duration=0.5");
  const { page, problems, close } = await support.open(run.url);
  await page.evaluate(() => window.stickslip.seek(0.3));
  const box = await page.locator(".canvas3d").boundingBox();
  const [x, y] = await page.evaluate(() => window.stickslip.screen(window.stickslip.pose("particle").position));
  await page.mouse.click(box.x + x, box.y + y);
  await page.waitForFunction(() => window.stickslip.chosen() !== undefined);
  await page.getByLabel("Look from").selectOption("top");
  await page.getByLabel("orthographic").check();
  const place = () => page.evaluate(() => window.stickslip.screen(window.stickslip.pose("particle").position));
  await page.getByLabel("Follow a body").selectOption({ label: "follow particle" });
  await page.evaluate(() => window.stickslip.seek(0.3));
  const before = await place();
  await page.evaluate(() => window.stickslip.seek(0.05));
  await page.evaluate(() => window.stickslip.seek(0.05));
  const later = await place();
  assert.ok(Math.hypot(later[0] - before[0], later[1] - before[1]) < 2, `the body that is followed moved from ${before} to ${later}`);
  await page.screenshot({ path: join(support.output, "space-top.png") });
  assert.deepEqual(problems, []);
  await close();
});

test("space: the scene fills its picture, on a laptop and on a phone, from every side", async () => {
  const run = support.report("explore-fit", "examples/bin-parts/scene.toml", "--set", "duration=0.02");
  for (const viewport of [support.LAPTOP, support.PHONE]) {
    const { page, problems, close } = await support.open(run.url, viewport);
    for (const layer of ["forces", "traces", "names"]) assert.ok(!(await page.getByLabel(layer, { exact: true }).isChecked()), `${layer} of many bodies hide them`);
    for (const side of ["corner", "front", "right", "top"]) {
      await page.getByLabel("Look from").selectOption(side);
      const box = await page.locator(".canvas3d").boundingBox();
      const corners = await page.evaluate(() => {
        const [low, high] = window.stickslip.bounds();
        return [0, 1, 2, 3, 4, 5, 6, 7].map((corner) => window.stickslip.screen([0, 1, 2].map((k) => (corner & (1 << k) ? high : low)[k])));
      });
      const [across, up] = [0, 1].map((k) => corners.map((corner) => Math.abs((2 * corner[k]) / [box.width, box.height][k] - 1)));
      const most = Math.max(...across, ...up);
      assert.ok(most < 0.95, `from ${side} a corner of the scene is outside: ${most}`);
      assert.ok(most > 0.85, `from ${side} the scene takes ${most} of the picture only`);
    }
    assert.deepEqual(problems, []);
    await close();
  }
});

test("what does not change is a line, not a chart; curves can be told from their ground on light and dark screens", async () => {
  const run = support.report("explore-constant", "examples/feeder/scene.toml", "--set", "side=-1");
  for (const colorScheme of ["light", "dark"]) {
    const { page, problems, close } = await support.open(run.url);
    await page.emulateMedia({ colorScheme });
    assert.match(await page.locator(".constants tr", { hasText: "passed" }).textContent(), /passed0/);
    assert.equal(await page.locator(".plot strong", { hasText: "passed" }).count(), 0);
    assert.equal(await page.locator(".plot strong", { hasText: "miss" }).count(), 1);
    // WCAG asks for 3 between drawings and their ground.
    const ratios = await page.evaluate(() => {
      const probe = document.body.appendChild(document.createElement("i"));
      const luminance = (color) => {
        probe.style.color = color;
        const parts = getComputedStyle(probe).color.match(/[\d.]+/g).slice(0, 3).map((x) => x / 255);
        return parts.map((x) => (x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4)).reduce((sum, x, k) => sum + x * [0.2126, 0.7152, 0.0722][k], 0);
      };
      const ground = luminance("var(--card)");
      return [0, 1, 2, 3, 4, 5, 6, 7].map((k) => luminance(`var(--curve-${k})`)).map((x) => (Math.max(x, ground) + 0.05) / (Math.min(x, ground) + 0.05));
    });
    assert.ok(Math.min(...ratios) >= 3, `${colorScheme}: ${ratios.map((x) => x.toFixed(1))}`);
    assert.deepEqual(problems, []);
    await close();
  }
});

test("a pile of a thousand bodies: at most 5 MB, and it plays", async () => {
  const run = support.report("pile-1000", "examples/pile/scene.toml", "--set", "n=1000", "--set", "duration=0.12", "--set", "method.step=2e-3");
  const { size } = statSync(run.page);
  assert.ok(size <= 5e6, `the page has ${size} bytes`);
  const { page, problems, close } = await support.open(run.url);
  const kept = await page.evaluate(() => window.stickslip.frames().length);
  assert.ok(kept >= 20, `${kept} frames are kept`);
  await page.waitForFunction(() => /\d+ of 61 recorded frames.*pixels here/.test(document.querySelector(".texts").textContent), undefined, { timeout: 20_000 }).catch(async () => {
    assert.match(await page.locator(".texts").textContent(), /61 of 61 recorded frames/, "the page does not say how far drawings may be off");
  });
  await page.getByLabel("Speed", { exact: true }).selectOption("0.01");
  await page.getByRole("button", { name: "Play" }).click();
  const [, before] = support.processorSeconds();
  const { drawn, seconds } = await page.evaluate(async () => {
    const begin = performance.now();
    let count = 0;
    while (performance.now() - begin < 3000) {
      await new Promise(requestAnimationFrame);
      ++count;
    }
    return { drawn: count, seconds: (performance.now() - begin) / 1000 };
  });
  const [, after_] = support.processorSeconds();
  console.log(`pile of 1000: ${kept} frames, ${(size / 1e6).toFixed(2)} MB, ${(drawn / seconds).toFixed(0)} frames per second (processor: ${((1000 * (after_ - before)) / drawn).toFixed(0)} ms a frame)`);
  assert.ok((await page.evaluate(() => window.stickslip.time())) > 0, "it does not play");
  await page.screenshot({ path: join(support.output, "pile-laptop.png") });
  assert.deepEqual(problems, []);
  await close();
});
