// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The instants at which something happens in a run: contacts change their mode, bodies meet.
import type { Run } from "./data";

export function eventTimes(run: Run): Float64Array {
  const times = new Set<number>();
  for (const { begin, mode, touch } of run.pairs) {
    for (let k = 1; k < mode.length; ++k) times.add(begin[k]);
    for (const time of touch) times.add(time);
  }
  for (const { time } of run.plan?.touches ?? []) times.add(time); // also those within a step
  return Float64Array.from(times).sort();
}

// The next one after `time`, or the one before it.
export function nextEvent(times: Float64Array, time: number, direction: 1 | -1): number | undefined {
  const slack = 1e-9 * (Math.abs(time) + 1e-9);
  if (direction > 0) return times.find((t) => t > time + slack);
  return times.filter((t) => t < time - slack).at(-1);
}
