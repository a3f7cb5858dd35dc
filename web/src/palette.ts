// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Colours. Those of the modes are from the set of Okabe and Ito, which people with any colour vision can tell apart;
// marks differ in form as well.

// Of what charts draw. Follows the reader's choice of a light or a dark screen; pictures of scenes are on white.
export interface Theme { ink: string; soft: string; line: string; grid: string; empty: string }
const LIGHT: Theme = { ink: "#1d2730", soft: "#55606a", line: "#aab4bb", grid: "#eceff1", empty: "#f0f2f3" };
const DARK: Theme = { ink: "#e6eaed", soft: "#a9b4bc", line: "#56636d", grid: "#2b3339", empty: "#262d33" };
const dark = window.matchMedia("(prefers-color-scheme: dark)");
export let theme = dark.matches && !window.matchMedia("print").matches ? DARK : LIGHT;
// Calls back whenever it has changed; pages on paper are light.
export function whenThemeChanges(changed: () => void): void {
  const set = (next: Theme) => { theme = next; changed(); };
  dark.addEventListener("change", () => set(dark.matches ? DARK : LIGHT));
  window.addEventListener("beforeprint", () => set(LIGHT));
  window.addEventListener("afterprint", () => set(dark.matches ? DARK : LIGHT));
}

export const MODE_COLORS = ["#8a8a8a", "#0072b2", "#009e73", "#d55e00"]; // open, stick, roll, slide
export const MODE_LABELS = ["apart", "stick", "roll", "slide"];
export const CURVE_COLORS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#7b2d8b", "#7a7a7a"];
export const BODY_FILLS = ["#c9dcea", "#dbe6c8", "#ecdcc3", "#e3d0e2", "#cfe3e0", "#eee0b5"];
export const DRIVEN_FILL = "#d6d6d3";
export const OUTLINE = "#33404a";
export const FORCE = "#7b2d8b";
export const START = "#55606a";
export const TARGET = "#a3195b";

export const SUCCESS = MODE_COLORS[1];
export const FAILURE = MODE_COLORS[3];

// Dark blue over green to yellow: brightness grows evenly, so a map survives printing in grey. 0 <= share <= 1.
const SCALE = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];
export function scaleColor(share: number): string {
  const place = Math.min(1, Math.max(0, share)) * (SCALE.length - 1);
  const k = Math.min(SCALE.length - 2, Math.floor(place));
  const mixed = SCALE[k].map((from, c) => Math.round(from + (place - k) * (SCALE[k + 1][c] - from)));
  return `rgb(${mixed.join(",")})`;
}

export function bodyFill(index: number, mass: number): string {
  return mass > 0 ? BODY_FILLS[index % BODY_FILLS.length] : DRIVEN_FILL;
}
