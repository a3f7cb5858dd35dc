// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A run as a notebook shows it: the page inside an iframe, as _repr_html_ of a Run gives it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import * as support from "./support.mjs";

after(support.quit);

const modules = process.env.STICKSLIP_PYTHON ?? join(dirname(support.command), "python");

test("a run in the cell of a notebook plays", { skip: !existsSync(modules) && "the Python package is not built" }, async () => {
  const code = `import stickslip as ss; print(ss.Model.from_file("examples/meter-stick/scene.toml").run()._repr_html_())`;
  const cell = execFileSync("/usr/bin/python3", ["-c", code], {
    cwd: support.root, encoding: "utf8", maxBuffer: 1 << 28,
    env: { ...process.env, PYTHONPATH: modules, PYTHONDONTWRITEBYTECODE: "1" },
  });
  const file = join(support.output, "notebook.html");
  writeFileSync(file, `<!doctype html><meta charset="utf-8"><title>cell</title><div>${cell}</div>`);
  const { page, problems, close } = await support.visit(pathToFileURL(file).href);

  const frame = await (await page.waitForSelector("iframe")).contentFrame();
  await frame.waitForFunction(() => window.stickslip !== undefined);
  await frame.evaluate(() => window.stickslip.seek(1));
  const before = await frame.evaluate(() => window.stickslip.pose("stick").position[0]);
  await frame.getByRole("button", { name: "Play" }).click();
  await frame.waitForFunction(() => window.stickslip.time() > 1.5);
  assert.notEqual(await frame.evaluate(() => window.stickslip.pose("stick").position[0]), before, "the stick stands still");

  assert.deepEqual(problems, []);
  await close();
});
