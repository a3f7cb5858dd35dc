// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What hands do on the picture of a planar scene: drag to move, wheel or pinch to zoom, double click to fit, click to
// choose a body or a contact, and, where bodies can be pulled, drag one of them.
import type { Hands, Hit } from "./view";

const CLICK = 4; // pixels that a click may move

export interface Plane {
  readonly element: HTMLCanvasElement;
  readonly hands: Hands;
  hit(at: [number, number]): Hit | undefined;
  world(at: [number, number]): number[];
  move(dx: number, dy: number): void; // pixels
  zoom(about: [number, number], ratio: number): void;
  refit(): void;
  redraw(): void;
}

export function listen(plane: Plane): void {
  const { element } = plane;
  const fingers = new Map<number, [number, number]>();
  let pressed: [number, number] | undefined; // where a click may have begun
  let pulled: { body: number; from: number[] } | undefined;
  const at = (event: MouseEvent): [number, number] => {
    const box = element.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  element.addEventListener("pointerdown", (event) => {
    const now = at(event);
    fingers.set(event.pointerId, now);
    element.setPointerCapture(event.pointerId);
    pressed = fingers.size === 1 ? now : undefined;
    const hit = plane.hands.grabs && fingers.size === 1 ? plane.hit(now) : undefined;
    if (hit && "body" in hit && plane.hands.grabs?.(hit.body)) pulled = { body: hit.body, from: plane.world(now) };
  });
  const lift = (event: PointerEvent) => {
    fingers.delete(event.pointerId);
    if (pulled) plane.hands.release?.();
    pulled = undefined;
    if (event.type === "pointerup" && pressed) plane.hands.picked?.(plane.hit(pressed));
    pressed = undefined;
  };
  element.addEventListener("pointerup", lift);
  element.addEventListener("pointercancel", lift);
  element.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    const now = at(event);
    if (!before) {
      const hit = plane.hit(now);
      const grabs = hit && "body" in hit && plane.hands.grabs?.(hit.body);
      element.style.cursor = grabs ? "move" : hit ? "pointer" : "";
      return;
    }
    if (pressed && Math.hypot(now[0] - pressed[0], now[1] - pressed[1]) > CLICK) pressed = undefined;
    if (pressed) return;
    fingers.set(event.pointerId, now);
    if (pulled) return plane.hands.pull?.(pulled.body, pulled.from, plane.world(now));
    const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
    if (other) plane.zoom(other, Math.hypot(now[0] - other[0], now[1] - other[1]) / Math.hypot(before[0] - other[0], before[1] - other[1]));
    else plane.move(now[0] - before[0], now[1] - before[1]);
    plane.redraw();
  });
  element.addEventListener("wheel", (event) => {
    event.preventDefault();
    plane.zoom(at(event), Math.exp(-0.0015 * event.deltaY));
    plane.redraw();
  }, { passive: false });
  element.addEventListener("dblclick", () => {
    plane.refit();
    plane.redraw();
  });
}
