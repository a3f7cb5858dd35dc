// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What single trials tell about parameters.
//
//   interval   of a rate k of n: Wilson's, 95 %
//   share of the variance of y that x explains: trials are parted into bins of equal numbers by x;
//       eta^2 = sum_b n_b (mean_b - mean)^2 / sum (y - mean)^2,  corrected for chance: 1 - (1 - eta^2) (n - 1) / (n - bins)
//   This estimates Var(E[y | x]) / Var(y), the first-order index of Sobol (1993), where the parameters were drawn
//   independently of each other.

const Z = 1.959964;

export function wilson(successes: number, count: number): { value: number; low: number; high: number } {
  if (count === 0) return { value: NaN, low: 0, high: 1 };
  const p = successes / count;
  const middle = (p + (Z * Z) / (2 * count)) / (1 + (Z * Z) / count);
  const half = ((Z / (1 + (Z * Z) / count)) * Math.sqrt((p * (1 - p)) / count + (Z * Z) / (4 * count * count)));
  return { value: p, low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}

// Rows in bins of about equal numbers by x; equal values are never parted.
export function binned(x: ArrayLike<number>, rows: number[], most: number): number[][] {
  const sorted = rows.filter((row) => Number.isFinite(x[row])).sort((a, b) => x[a] - x[b]);
  const wanted = Math.max(1, Math.ceil(sorted.length / most));
  const bins: number[][] = [];
  for (const row of sorted) {
    const last = bins.at(-1);
    if (!last || (last.length >= wanted && x[last.at(-1)!] !== x[row])) bins.push([row]);
    else last.push(row);
  }
  // A remainder of a few belongs to its neighbour.
  if (bins.length > 1 && bins.at(-1)!.length < wanted / 2) {
    const rest = bins.pop()!;
    bins.at(-1)!.push(...rest);
  }
  return bins;
}

export function explained(x: ArrayLike<number>, y: ArrayLike<number>, rows: number[]): number {
  const known = rows.filter((row) => Number.isFinite(x[row]) && Number.isFinite(y[row]));
  const mean = (list: number[]) => list.reduce((sum, row) => sum + y[row], 0) / list.length;
  const n = known.length;
  const whole = mean(known);
  const total = known.reduce((sum, row) => sum + (y[row] - whole) ** 2, 0);
  const bins = binned(x, known, Math.max(2, Math.min(20, Math.round(Math.sqrt(n)))));
  if (n < 8 || !(total > 0) || bins.length < 2 || n <= bins.length) return NaN;
  const between = bins.reduce((sum, bin) => sum + bin.length * (mean(bin) - whole) ** 2, 0);
  return Math.max(0, 1 - ((1 - between / total) * (n - 1)) / (n - bins.length));
}
