// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// In the place of a spatial scene's picture where the browser cannot draw it: charts and texts work all the same.
import { element } from "./dom";
import type { Camera, Hands, View } from "./view";

export class NoView implements View {
  readonly element = element("p", { class: "note no-view" },
    "This browser cannot draw in 3D (WebGL is switched off). The charts show the run; stickslip report FILE.h5 --png draws it.");
  readonly presets: string[] = [];
  hands: Hands = {};
  forceScale = 1;
  following = -1;
  load(): void {}
  draw(): void {}
  fit(): void {}
  camera(): Camera | undefined {
    return undefined;
  }
  setCamera(): void {}
  setLargestForce(): void {}
  resize(): void {}
  screen(): [number, number] {
    return [0, 0];
  }
  perLength(): number {
    return 0;
  }
  picture(): HTMLCanvasElement {
    return element("canvas");
  }
}
