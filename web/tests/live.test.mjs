// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// stickslip live in a browser, and against those who should not be let in.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { after, test } from "node:test";
import * as support from "./support.mjs";

const started = [];
after(async () => {
  for (const child of started) child.kill("SIGKILL");
  await support.quit();
});

async function live(scene, { port = "0", options = [] } = {}) {
  const child = spawn(support.command, ["live", join(support.root, scene), "--port", port, ...options]);
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

// Drawn frames per second over two seconds.
async function frameRate(page) {
  const count = () => page.evaluate(() => [performance.now(), window.stickslip.drawn()]);
  const [t0, drawn0] = await count();
  await page.waitForTimeout(2000);
  const [t1, drawn1] = await count();
  return (1000 * (drawn1 - drawn0)) / (t1 - t0);
}

// More than 30 on a quiet machine (docs/pages.md); here only that frames keep coming, however busy the machine is.
async function keepsDrawing(page, name) {
  console.log(`live ${name}: ${(await frameRate(page)).toFixed(0)} frames per second`);
  const drawn = await page.evaluate(() => window.stickslip.drawn());
  await page.waitForFunction((before) => window.stickslip.drawn() > before + 10, drawn);
}

test("plate in space: frames keep coming, and the page says when the scene is slower than asked", async () => {
  const { child, url } = await live("examples/plate-particle/scene.toml", { options: ["--set", "duration=1e6"] });
  const { page, problems, close } = await support.open(url);
  await page.getByRole("button", { name: "Play" }).click();
  await page.waitForFunction(() => window.stickslip.time() > 0.1);
  await keepsDrawing(page, "plate");
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

test("frames come often enough, and the phone's page fits", async () => {
  const { child, url } = await live("examples/meter-stick/scene.toml", { options: ["--set", "duration=1e6"] });
  const { page, problems, close } = await support.open(url, support.PHONE);
  await page.getByRole("button", { name: "Play" }).click();
  await page.waitForFunction(() => window.stickslip.time() > 0.3);
  await keepsDrawing(page, "meter stick");
  assert.match(await page.locator(".badge").textContent(), /\d+ steps certified/);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
  await page.screenshot({ path: join(support.output, "live-phone.png"), fullPage: true });
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
