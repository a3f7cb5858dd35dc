// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Colours. Those of the modes are from the set of Okabe and Ito, which people with any colour vision can tell apart;
// marks differ in form as well.

// Of what charts and pictures draw. Follows the reader's choice of a light or a dark screen.
export interface Theme {
  ink: string; soft: string; line: string; grid: string; empty: string;
  back: string; halo: string; // of pictures, and around text in them
  outline: string; force: string; friction: string; trace: string; start: string; target: string; chosen: string;
  driven: string; bodies: string[]; curves: string[]; // those of the page are --curve-0 ... in style.css
  floor: string; rule: string; // of a spatial scene, and its grid
  light: number; // from below
  sky: number; // strength of the light from above
}
const LIGHT: Theme = {
  ink: "#1d2730", soft: "#55606a", line: "#aab4bb", grid: "#eceff1", empty: "#f0f2f3",
  back: "#ffffff", halo: "rgba(255, 255, 255, 0.9)",
  outline: "#33404a", force: "#7b2d8b", friction: "#b3528f", trace: "#56708a", start: "#55606a", target: "#a3195b", chosen: "#e69f00",
  driven: "#d6d6d3", bodies: ["#c9dcea", "#dbe6c8", "#ecdcc3", "#e3d0e2", "#cfe3e0", "#eee0b5"],
  curves: ["#0072b2", "#d55e00", "#009e73", "#c0699a", "#3d9bd9", "#b98300", "#7b2d8b", "#7a7a7a"],
  floor: "#f1f1ee", rule: "#d5dade", light: 0xb8b2a8, sky: 1.37,
};
const DARK: Theme = {
  ink: "#e6eaed", soft: "#a9b4bc", line: "#56636d", grid: "#262e34", empty: "#262d33",
  back: "#14191d", halo: "rgba(16, 20, 23, 0.9)",
  outline: "#c3ced6", force: "#d79be6", friction: "#ff9fcf", trace: "#8fa9c2", start: "#a9b4bc", target: "#ff7fb2", chosen: "#ffc34d",
  driven: "#4b5258", bodies: ["#3d5d76", "#55683f", "#74603f", "#6a4f69", "#426864", "#756631"],
  curves: ["#4ba6e0", "#f28a45", "#2fc49a", "#dd9cc0", "#a5d8f7", "#f3bb4a", "#c791d8", "#a9a9a9"],
  floor: "#1d2429", rule: "#2f3840", light: 0x59646e, sky: 1.77,
};
const dark = window.matchMedia("(prefers-color-scheme: dark)");
export let theme = dark.matches && !window.matchMedia("print").matches ? DARK : LIGHT;
const listeners = new Set<() => void>();
function choose(next: Theme): void {
  theme = next;
  for (const changed of listeners) changed();
}
dark.addEventListener("change", () => choose(dark.matches ? DARK : LIGHT));
window.addEventListener("beforeprint", () => choose(LIGHT));
window.addEventListener("afterprint", () => choose(dark.matches ? DARK : LIGHT));
// Calls back whenever it has changed, until the returned function is called; pages on paper are light.
export function whenThemeChanges(changed: () => void): () => void {
  listeners.add(changed);
  return () => listeners.delete(changed);
}

export const MODE_COLORS = ["#8a8a8a", "#0072b2", "#009e73", "#d55e00"]; // open, stick, roll, slide
export const MODE_LABELS = ["apart", "stick", "roll", "slide"];
// Of the page, as text and drawings have them; canvases take theme.curves.
export function curveColor(k: number): string {
  return `var(--curve-${k % theme.curves.length})`;
}
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
  return mass > 0 ? theme.bodies[index % theme.bodies.length] : theme.driven;
}
