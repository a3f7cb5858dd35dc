// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Compares lines of golden bits (tests/golden/golden_bits_test.cpp says what stands in them):
//     node compare_bits.mjs EXPECTED FILE...
// prints how many runs have the same bits; of the others, scene by scene, how far their sums are apart, relative to the sums.
// Exit code 1 when there is a run that EXPECTED does not have.
import { readFileSync } from "node:fs";

function runsOf(file) {
  const runs = new Map();
  for (const line of readFileSync(file, "utf8").trim().split("\n")) {
    const words = line.split(" ");
    if (words.length === 2) continue; // of the C library
    const [steps, hash, ...sums] = words.slice(4);
    runs.set(words.slice(0, 4).join(" "), { steps: Number(steps), hash, sums: sums.map(Number) });
  }
  return runs;
}

const [expectedFile, ...files] = process.argv.slice(2);
const expected = runsOf(expectedFile);
let same = 0, all = 0, otherSteps = 0, failed = 0;
const others = new Map(); // by scene
for (const file of files)
  for (const [key, run] of runsOf(file)) {
    ++all;
    const known = expected.get(key);
    if (!known) {
      console.log(`${key}: not in ${expectedFile}`);
      ++failed;
      continue;
    }
    if (run.hash === known.hash) {
      ++same;
      continue;
    }
    if (run.steps !== known.steps) ++otherSteps;
    const apart = Math.max(...run.sums.map((x, k) => Math.abs(x - known.sums[k]) / Math.max(1, Math.abs(known.sums[k]))));
    const scene = key.split(" ")[0];
    const before = others.get(scene) ?? { runs: 0, apart: 0 };
    others.set(scene, { runs: before.runs + 1, apart: run.steps === known.steps ? Math.max(before.apart, apart) : before.apart });
  }
for (const [scene, { runs, apart }] of others) console.log(`${scene}: ${runs} runs with other bits, sums ${apart.toExponential(1)} apart`);
console.log(`${same} of ${all} runs have the same bits; ${otherSteps} ended after another number of steps`);
process.exit(failed > 0 ? 1 : 0);
