// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// In the place of a spatial scene's picture where the browser cannot draw it: charts and texts work all the same.
import { element } from "./dom";
import type { View } from "./view";

export class NoView implements View {
  readonly element = element("p", { class: "note no-view" },
    "This browser cannot draw in 3D (WebGL is switched off). The charts show the run; stickslip report FILE.h5 --png draws it.");
  load(): void {}
  draw(): void {}
  fit(): void {}
  setLargestForce(): void {}
  resize(): void {}
  screen(): [number, number] {
    return [0, 0];
  }
}
