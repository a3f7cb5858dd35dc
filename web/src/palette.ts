// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Colours. Those of the modes are from the set of Okabe and Ito, which people with any colour vision can tell apart;
// marks differ in form as well.

export const MODE_COLORS = ["#8a8a8a", "#0072b2", "#009e73", "#d55e00"]; // open, stick, roll, slide
export const MODE_LABELS = ["apart", "stick", "roll", "slide"];
export const CURVE_COLORS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000", "#7a7a7a"];
export const BODY_FILLS = ["#c9dcea", "#dbe6c8", "#ecdcc3", "#e3d0e2", "#cfe3e0", "#eee0b5"];
export const DRIVEN_FILL = "#d6d6d3";
export const OUTLINE = "#33404a";
export const FORCE = "#7b2d8b";

export function bodyFill(index: number, mass: number): string {
  return mass > 0 ? BODY_FILLS[index % BODY_FILLS.length] : DRIVEN_FILL;
}
