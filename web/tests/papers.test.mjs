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

test("all papers: every figure is drawn, every value within its bound, the index and the commands name them", async () => {
  const listed = papers("--list").trim().split("\n").map((line) => line.replace(/^\S+\s+/, ""));
  assert.ok(listed.length > 60, `${listed.length} items`);
  papers("--quick"); // fails where a value is outside its bound
  const { page, problems, close } = await support.visit(pathToFileURL(join(folder, "index.html")).href);
  const headings = await page.locator("h3").allInnerTexts();
  assert.equal(headings.length, listed.length);
  for (const [k, heading] of headings.entries()) {
    const [id, title] = [heading.slice(0, heading.indexOf(":")), heading.slice(heading.indexOf(":") + 2)];
    assert.ok(listed[k].startsWith(id) && listed[k].endsWith(title), `${heading} is listed as ${listed[k]}`);
  }
  const rows = await page.locator("#index tr:has(td)").evaluateAll((all) =>
    all.map((row) => [...row.cells].map((cell) => cell.innerText).concat(row.querySelector("a").getAttribute("href"))));
  assert.equal(rows.length, listed.length);
  for (const [k, [paper, title, verdict, , command, link]] of rows.entries()) {
    assert.equal(title, headings[k]);
    assert.match(paper, /\d{4}$|undated$/);
    assert.ok(verdict.length > 3, title);
    assert.match(command, /^script\/papers 00[0-4] ".+"$/);
    assert.equal(await page.locator(`[id="${link.slice(1)}"]`).count(), 1, link);
  }
  const pictures = await page.locator("img").evaluateAll((images) =>
    Promise.all(images.map(async (image) => (await image.decode(), [image.alt, image.naturalWidth, image.naturalHeight]))));
  // Tables and sections of numbers have no picture; each figure of a paper has one.
  const figures = headings.filter((heading) => heading.startsWith("Figure"));
  const drawn = new Set(pictures.map(([alt]) => alt));
  for (const figure of figures) assert.ok(drawn.has(figure.slice(figure.indexOf(":") + 2)), `${figure} has no picture`);
  for (const [alt, width, height] of pictures) assert.ok(width > 100 && height > 50, `${alt}: ${width} x ${height}`);
  assert.equal(await page.locator(".bad").count(), 0);
  assert.ok((await page.locator("td", { hasText: /^within$/ }).count()) > 100);
  for (const command of await page.locator("code").allInnerTexts())
    assert.match(command, /^(stickslip (run|plan|plot|study|compare|optimise) |# )/);  // # says how a table is put together
  const [shown, needed] = await page.evaluate(() => [document.documentElement.clientWidth, document.documentElement.scrollWidth]);
  assert.ok(needed <= shown, `the page is ${needed} wide in a window of ${shown}`);
  assert.deepEqual(problems, []);
  await close();
});
