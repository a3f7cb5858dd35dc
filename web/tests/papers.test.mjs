// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The page of script/papers, opened from disk: every figure is there and drawn, every value within its bound.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import * as support from "./support.mjs";

after(support.quit);

const script = join(support.root, "script", "papers");
const folder = join(support.output, "papers");
const papers = (...options) =>
  execFileSync(script, options, {
    encoding: "utf8",
    env: { ...process.env, STICKSLIP_COMMAND: support.command, STICKSLIP_PAPERS_OUTPUT: folder },
  });

for (const paper of ["001", "004"])
  test(`paper ${paper}: its figures are drawn, its values within their bounds, the commands beside them`, async () => {
    const listed = papers("--list", paper).trim().split("\n").map((line) => line.replace(/^\S+\s+/, ""));
    papers("--quick", paper);
    const { page, problems, close } = await support.visit(pathToFileURL(join(folder, "index.html")).href);
    const headings = await page.locator("h3").allInnerTexts();
    assert.equal(headings.length, listed.length);
    for (const [k, heading] of headings.entries()) {
      const [id, title] = [heading.slice(0, heading.indexOf(":")), heading.slice(heading.indexOf(":") + 2)];
      assert.ok(listed[k].startsWith(id) && listed[k].endsWith(title), `${heading} is listed as ${listed[k]}`);
    }
    const pictures = await page.locator("img").evaluateAll((images) =>
      Promise.all(images.map(async (image) => (await image.decode(), [image.alt, image.naturalWidth, image.naturalHeight]))));
    assert.ok(pictures.length > 0);
    for (const [alt, width, height] of pictures) assert.ok(width > 100 && height > 50, `${alt}: ${width} x ${height}`);
    assert.equal(await page.locator(".bad").count(), 0);
    assert.ok((await page.locator("td", { hasText: /^within$/ }).count()) > 5);
    for (const command of await page.locator("code").allInnerTexts()) assert.match(command, /^stickslip (run|plan|plot|study|compare) /);
    const [shown, needed] = await page.evaluate(() => [document.documentElement.clientWidth, document.documentElement.scrollWidth]);
    assert.ok(needed <= shown, `the page is ${needed} wide in a window of ${shown}`);
    assert.deepEqual(problems, []);
    await close();
  });
