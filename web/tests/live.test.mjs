// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// stickslip live in a browser, and against those who should not be let in.
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { after, test } from "node:test";
import * as support from "./support.mjs";

after(support.quit);
const { live } = support;

// Bytes as they are; resolves with everything that came back.
function raw(port, bytes) {
  return new Promise((resolve) => {
    let answer = "";
    const socket = connect(port, "127.0.0.1", () => socket.end(bytes));
    socket.setTimeout(20_000, () => socket.destroy());
    socket.on("data", (data) => (answer += data.toString("latin1")));
    socket.on("error", () => resolve(answer));
    socket.on("close", () => resolve(answer));
  });
}

const fingerSpeed = async (page) => {
  const read = () => page.evaluate(() => [window.stickslip.time(), window.stickslip.pose("left").position[0]]);
  const [t0, x0] = await read();
  await page.waitForFunction((t) => window.stickslip.time() > t + 0.2, t0);
  const [t1, x1] = await read();
  return (x1 - x0) / (t1 - t0);
};

test("meter stick: a dragged slider changes the motion, pause, step and reset work, reload too", async () => {
  // Without an end, and slowly: a busy machine must not let the run be over before the slider moves.
  const { child, url } = await live("examples/meter-stick/scene.toml", { options: ["--set", "duration=1e6"] });
  const { page, problems, close } = await support.open(url);
  await page.waitForFunction(() => Number.isFinite(window.stickslip.time()));
  assert.equal(await page.evaluate(() => window.stickslip.playing()), false, "starts paused");
  await page.getByLabel("Speed", { exact: true }).selectOption("0.2");
  await page.getByRole("button", { name: "Play" }).click();
  await page.waitForFunction(() => window.stickslip.time() > 0.1);
  assert.ok(Math.abs((await fingerSpeed(page)) - 0.1) < 2e-3, "the finger has the speed of the scene");

  // The slider runs from its least value to three times the value: 0.1 lies at a third.
  const slider = page.getByRole("slider", { name: "speed" });
  const box = await slider.boundingBox();
  await page.mouse.move(box.x + box.width / 3, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.8 * box.width, box.y + box.height / 2, { steps: 5 });
  await page.mouse.up();
  const dragged = Number(await page.getByLabel("speed, as a number").inputValue());
  assert.ok(dragged > 0.2, `the number beside the slider follows: ${dragged}`);
  await page.waitForFunction((v) => Math.abs(window.stickslip.parameter("speed") - v) < 1e-4 * v, dragged);
  const speed = await page.evaluate(() => window.stickslip.parameter("speed"));
  assert.ok(Math.abs((await fingerSpeed(page)) - speed) < 5e-3, "the finger follows the slider");
  const where = await page.evaluate(() => window.stickslip.pose("left").position[0]);
  assert.ok(where > -0.4 && where < 0.4, `the finger went on from where it was: ${where}`);

  // Geometry too: the number field of the stick's thickness.
  await page.getByLabel("half_thickness, as a number").fill("0.01");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => {
    const loop = window.stickslip.bodies()[0].shapes[0].loops[0];
    return Math.max(...loop.map((p) => p[1])) > 0.009;
  });

  await page.getByRole("button", { name: "Pause" }).click();
  await page.waitForFunction(() => !window.stickslip.playing());
  const [time, steps] = await page.evaluate(() => [window.stickslip.time(), window.stickslip.steps()]);
  await page.getByRole("button", { name: "One step" }).click();
  await page.waitForFunction((t) => window.stickslip.time() > t, time);
  assert.equal(await page.evaluate(() => window.stickslip.steps()), steps + 1);

  await page.getByLabel("Stepper").selectOption("second-order");
  await page.waitForFunction(() => window.stickslip.method().stepper === "second-order");
  await page.getByLabel("Friction", { exact: true }).selectOption("pyramid");
  await page.waitForFunction(() => window.stickslip.method().friction === "pyramid");
  await page.getByLabel("Step size").fill("0.002");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => window.stickslip.method().step === 0.002);
  const before = await page.evaluate(() => window.stickslip.time());
  await page.getByRole("button", { name: "One step" }).click();
  await page.waitForFunction((t) => window.stickslip.time() > t, before);
  const width = (await page.evaluate(() => window.stickslip.time())) - before;
  assert.ok(Math.abs(width - 0.002) < 1e-9, `a step of 0.002 took ${width}`);
  // A value that cannot be is refused with a word, and nothing changes.
  await page.getByLabel("half_thickness, as a number").fill("-1");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => /half_thickness/.test(document.querySelector(".notice").textContent));
  assert.equal(await page.evaluate(() => window.stickslip.parameter("half_thickness")), 0.01);
  await page.reload();
  await page.waitForFunction(() => Number.isFinite(window.stickslip?.time()));
  assert.ok((await page.evaluate(() => window.stickslip.time())) >= time, "a reloaded page shows the same run");
  await page.screenshot({ path: join(support.output, "live-laptop.png"), fullPage: true });
  await page.getByRole("button", { name: "Reset" }).click();
  await page.waitForFunction(() => window.stickslip.time() === 0);
  assert.ok(Math.abs((await page.evaluate(() => window.stickslip.pose("left").position[0])) + 0.4) < 1e-6);

  // What is saved runs, with the same parameters; what is exported is a recording.
  const [scene] = await Promise.all([page.waitForEvent("download"), page.getByText("save as scene").click()]);
  const saved = join(support.output, "saved.toml");
  await scene.saveAs(saved);
  assert.match(readFileSync(saved, "utf8"), /^duration = (1e6|1e+06|1000000)$/m, "what --set gave is saved too");
  const again = JSON.parse(support.stickslip("run", saved, "--no-record", "--json", "--set", "duration=0.1"));
  assert.ok(Math.abs(again.parameters.speed - speed) < 1e-9);
  assert.equal(again.method.stepper, "second-order");
  assert.equal(again.method.friction, "pyramid");
  assert.equal(again.method.step, 0.002);
  const [export_] = await Promise.all([page.waitForEvent("download"), page.getByText("export recording").click()]);
  const recording = join(support.output, "live.h5");
  await export_.saveAs(recording);
  assert.equal(support.readCsv(recording)[0].time, 0);
  assert.deepEqual(problems, []);
  await close();
  child.kill("SIGHUP"); // the terminal closes
  const [code] = await once(child, "exit");
  assert.equal(code, 0);
});

// A disc that flies freely, without gravity: what a hand does to it is all that happens.
const FREE = `title = "Free disc"
dimension = 2
duration = 2
[parameters]
mass = { value = 2, min = 0.1, unit = "kg", description = "of the disc" }
[method]
step = 1e-3
[[body]]
name = "disc"
mass = "mass"
shape = { disc = 0.2 }
[[body]]
name = "post"
fixed = true
position = [3, 0]
shape = { disc = 0.2 }
[observe]
x = { value = "disc.x", unit = "m" }
v = { value = "disc.vx", unit = "m/s" }
load = { value = "normal_force(disc, post)", unit = "N" }
`;

test("a body is pulled by the mouse, pushed by a button, and let go exactly; the run goes on past its duration", async () => {
  const scene = join(support.output, "free.toml");
  writeFileSync(scene, FREE);
  const { child, url } = await live(scene);
  const { page, problems, close } = await support.open(url);
  await page.waitForFunction(() => Number.isFinite(window.stickslip.time()));
  await page.getByLabel("Speed", { exact: true }).selectOption("1");
  await page.getByRole("button", { name: "Play" }).click();
  const box = await page.locator(".canvas2d").boundingBox();
  const [x, y] = await page.evaluate(() => window.stickslip.screen("disc"));
  await page.mouse.move(box.x + x, box.y + y);
  await page.mouse.down();
  await page.mouse.move(box.x + x + 40, box.y + y - 5, { steps: 4 });
  await page.waitForFunction(() => window.stickslip.hand() !== undefined && window.stickslip.observable("v") > 0);
  await page.mouse.up();
  await page.waitForFunction(() => window.stickslip.hand() === undefined);
  const free = () => page.evaluate(() => [window.stickslip.time(), window.stickslip.observable("v"), window.stickslip.observable("x")]);
  const [t0, v0] = await free();
  await page.waitForFunction((t) => window.stickslip.time() > t + 0.1, t0);
  const [, v1] = await free();
  assert.equal(v1, v0, "nothing is left of the hand");
  // A push changes the velocity by what the button says.
  await page.getByRole("button", { name: "Pause" }).click();
  await page.waitForFunction(() => !window.stickslip.playing());
  await page.getByRole("button", { name: "Fit the view" }).click();
  await page.waitForTimeout(300); // the picture may change its size
  const now = await page.locator(".canvas2d").boundingBox();
  const [px, py] = await page.evaluate(() => window.stickslip.screen("disc"));
  await page.mouse.click(now.x + px, now.y + py);
  await page.waitForFunction(() => window.stickslip.chosen()?.body === 0);
  await page.getByLabel("Change of speed by a push").fill("0.25");
  const [, before] = await free();
  await page.getByRole("button", { name: "Push left" }).click();
  await page.getByRole("button", { name: "Play" }).click();
  await page.waitForFunction((v) => window.stickslip.observable("v") < v - 0.2 && window.stickslip.hand() === undefined, before);
  const [, after_] = await free();
  assert.ok(Math.abs(before - after_ - 0.25) < 1e-9, `pushed by ${before - after_}`);
  // From the start: on a busy machine the duration may be over by now, and the word about it gone with the next command.
  await page.getByRole("button", { name: "Reset" }).click();
  await page.waitForFunction(() => window.stickslip.steps() === 0);
  await page.getByRole("button", { name: "Play" }).click();
  await page.waitForFunction(() => window.stickslip.time() > 2.05 || (window.stickslip.time() > 0 && !window.stickslip.playing()));
  assert.ok(await page.evaluate(() => window.stickslip.playing()), "goes on past its duration");
  assert.match(await page.locator(".notice").textContent(), /past the scene's duration of 2/);
  // Back to a moment of the last minute, and on from there.
  const times = await page.evaluate(() => window.stickslip.times());
  await page.getByRole("slider", { name: "Last minute" }).evaluate((slider) => {
    slider.value = "2";
    slider.dispatchEvent(new Event("input"));
  });
  await page.waitForFunction(() => !window.stickslip.playing());
  await page.getByRole("button", { name: "Go on from this moment" }).click();
  await page.waitForFunction((t) => Math.abs(window.stickslip.time() - t) < 1e-12, times[2]);
  // Loops where that is asked for.
  await page.getByLabel("After the scene's duration").selectOption("loop");
  await page.getByLabel("Speed", { exact: true }).selectOption("10");
  await page.getByRole("button", { name: "Play" }).click();
  await page.waitForFunction(() => window.stickslip.time() > 1.5);
  await page.waitForFunction(() => window.stickslip.time() < 1);
  assert.ok(await page.evaluate(() => window.stickslip.playing()));
  await page.getByLabel("After the scene's duration").selectOption("stop");
  await page.waitForFunction(() => !window.stickslip.playing());
  assert.match(await page.locator(".controls .pace").first().textContent(), /duration of 2 is over/);
  assert.deepEqual(problems, []);
  await close();
  child.kill("SIGTERM");
  await once(child, "exit");
});

test("fields, sliders, keys and badge tell the truth", async () => {
  const { child, url } = await live("examples/meter-stick/scene.toml");
  const { page, close } = await support.open(url);
  await page.waitForFunction(() => Number.isFinite(window.stickslip.time()));
  const field = page.getByLabel("mu_s, as a number");
  // What cannot be is not left in the field, also while it has the focus.
  await field.fill("-3");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => /mu_s/.test(document.querySelector(".notice").textContent));
  await page.waitForFunction(() => document.querySelector("[aria-label='mu_s, as a number']").value === "0.4");
  await field.fill("");
  await page.keyboard.press("Tab");
  assert.equal(await field.inputValue(), "0.4");
  // A large number stretches the slider for as long as it holds.
  await field.fill("1e9");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => window.stickslip.parameter("mu_s") === 1e9);
  await page.getByRole("button", { name: "mu_s as in the scene" }).click();
  await page.waitForFunction(() => window.stickslip.parameter("mu_s") === 0.4);
  const slider = page.getByRole("slider", { name: "mu_s" });
  await page.waitForFunction(() => Number(document.querySelector("input[type=range][aria-label=mu_s]").value) > 200);
  assert.ok(Number(await slider.inputValue()) < 500, "a third of the slider");
  // Keys after a click, and a parameter that shortens the duration does not end the run without a word.
  await page.getByLabel("traces").click();
  await page.keyboard.press("Space");
  await page.waitForFunction(() => window.stickslip.playing());
  await page.getByLabel("Speed", { exact: true }).selectOption("10");
  await page.waitForFunction(() => window.stickslip.time() > 1);
  await page.getByLabel("Speed", { exact: true }).selectOption("1");
  await page.getByLabel("speed, as a number").fill("1.5");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => window.stickslip.parameter("speed") === 1.5);
  const now = await page.evaluate(() => window.stickslip.time());
  await page.waitForFunction((t) => window.stickslip.time() > t + 0.05 || !window.stickslip.playing(), now);
  const [playing, notice] = [await page.evaluate(() => window.stickslip.playing()), await page.locator(".notice").textContent()];
  assert.ok(playing || notice !== "", "the run ended without a word");
  // Fitted, all of the trace is in the picture.
  await page.getByRole("button", { name: "Fit the view" }).click();
  child.kill("SIGKILL");
  await page.waitForFunction(() => !window.stickslip.connected());
  assert.match(await page.locator(".badge").textContent(), /not connected/);
  assert.doesNotMatch(await page.locator(".badge").getAttribute("class"), /good/);
  await close();
});

test("a short scene starts slowly, fit shows the whole trace, what lies on a chain stays on its side", async () => {
  const scene = join(support.output, "chain.toml");
  writeFileSync(scene, `title = "A disc slides along a chain"
dimension = 2
duration = 0.5
gravity = [0, -9.81]
[parameters]
mu = { value = 0.1, min = 0, max = 1 }
[method]
step = 1e-3
[[body]]
name = "ground"
fixed = true
shape = { chain = [[-1, 0], [60, 0]] }
[[body]]
name = "disc"
mass = 1
shape = { disc = 0.1 }
position = [0, 0.1]
velocity = [4, 0]
[[contact]]
between = ["*", "*"]
friction = "mu"
`);
  const { child, url } = await live(scene);
  const { page, problems, close } = await support.open(url);
  await page.waitForFunction(() => Number.isFinite(window.stickslip.time()));
  const speed = Number(await page.getByLabel("Speed", { exact: true }).inputValue());
  assert.ok(speed < 0.2, `half a second is played at ${speed}`);
  await page.getByLabel("Speed", { exact: true }).selectOption("1");
  await page.getByRole("button", { name: "Play" }).click();
  await page.waitForFunction(() => window.stickslip.time() > 0.6);
  // Any slider: the scene is read again, and the disc lies on the side of the chain on which it lay.
  await page.getByLabel("mu, as a number").fill("0.3");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => window.stickslip.parameter("mu") === 0.3);
  const now = await page.evaluate(() => window.stickslip.time());
  await page.waitForFunction((t) => window.stickslip.time() > t + 0.3, now);
  const { position } = await page.evaluate(() => window.stickslip.pose("disc"));
  assert.ok(Math.abs(position[1] - 0.1) < 1e-6, `the disc is at a height of ${position[1]}`);
  await page.getByRole("button", { name: "Pause" }).click();
  await page.waitForFunction(() => !window.stickslip.playing());
  // Zoomed in on the disc the trace is lost; fitted it is all there.
  const box = await page.locator(".canvas2d").boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  for (let k = 0; k < 6; ++k) await page.mouse.wheel(0, -400);
  const outside = () => page.evaluate(([w, h]) => window.stickslip.trace().filter(([x, y]) => x < 0 || y < 0 || x > w || y > h).length, [box.width, box.height]);
  await page.waitForFunction(([w, h]) => window.stickslip.trace().some(([x, y]) => x < 0 || y < 0 || x > w || y > h), [box.width, box.height]);
  await page.getByRole("button", { name: "Fit the view" }).click();
  await page.waitForFunction(([w, h]) => window.stickslip.trace().every(([x, y]) => x >= 0 && y >= 0 && x <= w && y <= h), [box.width, box.height]);
  assert.equal(await outside(), 0);
  assert.ok((await page.evaluate(() => window.stickslip.trace().length)) > 5, "there is no trace");
  assert.deepEqual(problems, []);
  await close();
  child.kill("SIGTERM");
});

test("feeder: parameters in groups, a choice where only some values are possible, what follows from others; play goes on past a stop condition", async () => {
  const { child, url } = await live("examples/feeder/scene.toml");
  const { page, problems, close } = await support.open(url);
  await page.waitForFunction(() => Number.isFinite(window.stickslip.time()));
  assert.deepEqual(await page.locator(".parameters h3").allTextContents(), ["device", "peg", "contact"]);
  const side = page.getByRole("combobox", { name: "side" });
  assert.deepEqual(await side.locator("option").allTextContents(), ["-1", "1"]);
  await side.selectOption("-1");
  await page.waitForFunction(() => window.stickslip.parameter("side") === -1);
  await page.getByRole("button", { name: "side as in the scene" }).click();
  await page.waitForFunction(() => window.stickslip.parameter("side") === 1);
  assert.equal(await side.inputValue(), "1");
  // s = sin(theta), until it is set itself.
  const follows = page.locator(".parameters details");
  assert.ok(!(await page.getByRole("slider", { name: "goal_y" }).isVisible()), "what follows is not folded");
  await follows.locator("summary").click();
  await page.getByLabel("theta, as a number").fill("30");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => Math.abs(window.stickslip.parameter("s") - 0.5) < 1e-12);
  assert.ok(!(await page.getByRole("button", { name: "s as in the scene" }).isVisible()), "what follows is as in the scene");
  await page.getByRole("button", { name: "theta as in the scene" }).click();
  await page.waitForFunction(() => window.stickslip.parameter("theta") === 35);
  await page.getByRole("button", { name: "Reset" }).click();
  await page.waitForFunction(() => window.stickslip.time() === 0);
  await page.getByLabel("Speed", { exact: true }).selectOption("1");
  await page.getByRole("button", { name: "Play" }).click();
  await page.waitForFunction(() => window.stickslip.time() > 0.4 && !window.stickslip.playing());
  assert.match(await page.locator(".notice").textContent(), /stopped by t_still > 0: play goes on past it/);
  const stopped = await page.evaluate(() => window.stickslip.time());
  await page.getByRole("button", { name: "Play" }).click();
  await page.waitForFunction((t) => window.stickslip.time() > t + 0.2 && window.stickslip.playing(), stopped);
  assert.deepEqual(problems, []);
  await close();
  child.kill("SIGTERM");
  await once(child, "exit");
});

test("a table grows while a box rests on it: the box stays on it, at every height", async () => {
  const scene = join(support.output, "table.toml");
  writeFileSync(scene, `title = "A box on a table"
dimension = 2
duration = 1e6
gravity = [0, -9.81]
[parameters]
height = { value = 1, min = 0.1, max = 3, unit = "m" }
[method]
step = 2e-3
[[body]]
name = "table"
fixed = true
shape = { box = [4, "height"] }
position = [0, "height / 2"]
[[body]]
name = "box"
mass = 1
shape = { box = [0.2, 0.2] }
position = [0, "height + 0.1"]
[[contact]]
between = ["*", "*"]
friction = 0.5
`);
  const { child, url } = await live(scene);
  const { page, problems, close } = await support.open(url);
  await page.waitForFunction(() => Number.isFinite(window.stickslip.time()));
  await page.getByRole("button", { name: "Play" }).click();
  // Up by more than the box is high, by less, and down: then it falls, and lies on the table again.
  for (const height of [1.7, 1.75, 1.2]) {
    await page.getByLabel("height, as a number").fill(String(height));
    await page.keyboard.press("Enter");
    await page.waitForFunction((h) => window.stickslip.parameter("height") === h, height);
    const { time, lowest } = await page.evaluate(async (h) => {
      const begin = window.stickslip.time();
      let least = Infinity;
      while (window.stickslip.time() < begin + 0.7 && window.stickslip.playing()) {
        await new Promise(requestAnimationFrame);
        least = Math.min(least, window.stickslip.pose("box").position[1] - h - 0.1);
      }
      return { time: window.stickslip.time() - begin, lowest: least };
    }, height);
    assert.ok(time >= 0.7, `paused after ${time} s: ${await page.locator(".notice").textContent()}`);
    assert.ok(lowest > -1e-6, `the box is ${-lowest} m in the table of ${height} m`);
    const { position } = await page.evaluate(() => window.stickslip.pose("box"));
    assert.ok(Math.abs(position[1] - height - 0.1) < 1e-6 && Math.abs(position[0]) < 1e-9, `the box is at ${position}`);
  }
  assert.deepEqual(problems, []);
  await close();
  child.kill("SIGTERM");
  await once(child, "exit");
});

test("only the page with the token is served, from this machine, to its own page", async () => {
  const { child, url, at } = await live("examples/peg/scene.toml");
  const token = at.searchParams.get("token");
  assert.equal(at.hostname, "127.0.0.1");
  assert.ok(token.length >= 32);
  const get = (path, headers = "") =>
    raw(at.port, `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${at.port}\r\n${headers}\r\n`).then((text) => Number(text.split(" ")[1]));
  assert.equal(await get(`/?token=${token}`), 200);
  assert.equal(await get("/"), 403);
  assert.equal(await get(`/?token=${token.slice(1)}0`), 403);
  assert.equal(await get(`/?token=${token}`, "Origin: http://evil.example\r\n"), 403);
  assert.equal(await get(`/?token=${token}`, `Origin: http://127.0.0.1:${at.port}\r\n`), 200);
  const named = (host) => raw(at.port, `GET /?token=${token} HTTP/1.1\r\nHost: ${host}\r\n\r\n`).then((t) => Number(t.split(" ")[1]));
  assert.equal(await named("evil.example"), 403, "a name that was rebound to this machine");
  assert.equal(await named(`127.0.0.1:${Number(at.port) + 1}`), 403);
  for (const path of ["/etc/passwd", "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/scene.toml", "/web/page.html"])
    assert.equal(await get(`${path}?token=${token}`), 404, path);
  const post = (body) =>
    raw(at.port, `POST /control?token=${token} HTTP/1.1\r\nHost: 127.0.0.1:${at.port}\r\nContent-Length: ${body.length}\r\n\r\n${body}`).then((t) => Number(t.split(" ")[1]));
  for (const body of ["", "{", "[]", '{"do":7}', '{"do":"rm"}', '{"do":"speed","value":-1}', '{"do":"set","name":1}', "[".repeat(50_000)])
    assert.equal(await post(body), 400, body.slice(0, 30));
  assert.equal(await post('{"do":"step"}'), 200);

  // A second one beside it, wanting the same port.
  const other = await live("examples/peg/scene.toml", { port: at.port });
  assert.notEqual(other.at.port, at.port);
  other.child.kill("SIGINT");
  const [code] = await once(other.child, "exit");
  assert.equal(code, 0);
  assert.equal(await get(`/?token=${token}`), 200, url);
  child.kill("SIGTERM");
  await once(child, "exit");
});

test("a thousand broken and hostile requests are answered and survived", async () => {
  const { child, at } = await live("examples/peg/scene.toml");
  const token = at.searchParams.get("token");
  let seed = 12345;
  const random = (n) => (seed = (seed * 1103515245 + 12345) % 2147483648) % n;
  const good = `GET /?token=${token} HTTP/1.1\r\nHost: 127.0.0.1:${at.port}\r\n\r\n`;
  const kinds = [
    () => Buffer.from(Array.from({ length: 1 + random(400) }, () => random(256))), // noise
    () => good.slice(0, random(good.length)), // cut short
    () => good.replace("GET", ["BREW", "get", "DELETE", "G\0T", ""][random(5)]),
    () => good.replace("HTTP/1.1", ["HTTP/9.9", "HTTP/2", "", "HTTP/1.1 x"][random(4)]),
    () => good.replace("\r\n\r\n", `\r\nX: ${"a".repeat(20_000)}\r\n\r\n`),
    () => good.replace("\r\n\r\n", "\r\nContent-Length: -5\r\n\r\n"),
    () => good.replace("\r\n\r\n", "\r\nContent-Length: 99999999999999999999\r\n\r\n"),
    () => good.replace("\r\n\r\n", "\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"),
    () => good.replace("\r\n\r\n", "\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"),
    () => good.replace("/?", `/%${"zz0q%%".slice(random(6))}?`),
    () => good.replace("Host:", "Host: a\r\nHost:"),
    () => `${"\r\n".repeat(1 + random(49))}${good}`,
    () => `GET /${"../".repeat(random(40))}etc/passwd?token=${token} HTTP/1.1\r\nHost: 127.0.0.1:${at.port}\r\n\r\n`,
  ];
  let answered = 0;
  for (let k = 0; k < 1000; k += 20) {
    const batch = Array.from({ length: 20 }, (_, i) => raw(at.port, kinds[(k + i) % kinds.length]()));
    for (const answer of await Promise.all(batch)) {
      if (answer !== "") ++answered;
      assert.ok(!answer.includes("root:"), "a file of this machine was given away");
      assert.match(answer, /^$|^HTTP\/1\.1 (4\d\d|501) /);
    }
  }
  // Those that break off before the end of their header get none.
  assert.ok(answered > 700, `${answered} of 1000 were answered`);
  assert.equal(child.exitCode, null, "still there");
  assert.match(await raw(at.port, good), /^HTTP\/1\.1 200 /);
  child.kill("SIGTERM");
  await once(child, "exit");
});
