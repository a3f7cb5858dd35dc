// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What lies over the picture of a spatial scene: names, the directions of the axes, and a scale that holds at the middle.
import * as three from "three";
import { element } from "./dom";
import { theme } from "./palette";
import { niceStep } from "./view";

export interface Label {
  text: string;
  at: [number, number];
  color: string;
}

const SIZE = { width: 190, height: 124 };
const AXES: [string, string, three.Vector3][] = [
  ["x", "#c75a10", new three.Vector3(1, 0, 0)],
  ["y", "#0a9b73", new three.Vector3(0, 1, 0)],
  ["z", "#2a8ccc", new three.Vector3(0, 0, 1)],
];

export class Overlay {
  readonly element = element("div", { class: "overlay" });
  private readonly canvas = element("canvas", { class: "triad", "aria-hidden": "true" });
  private readonly names: HTMLSpanElement[] = [];
  private shown: Label[] = [];

  constructor() {
    this.element.append(this.canvas);
    this.resize();
  }

  resize(): void {
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = SIZE.width * ratio;
    this.canvas.height = SIZE.height * ratio;
    this.canvas.getContext("2d")?.setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  labels(list: Label[]): void {
    this.shown = list;
    while (this.names.length < list.length) {
      const name = element("span", { class: "name" });
      this.names.push(name);
      this.element.append(name);
    }
    this.names.forEach((name, k) => {
      const item = list[k];
      name.hidden = item === undefined;
      if (!item) return;
      if (name.textContent !== item.text) name.textContent = item.text;
      name.style.color = item.color;
      name.style.transform = `translate(-50%, -100%) translate(${item.at[0].toFixed(1)}px, ${item.at[1].toFixed(1)}px)`;
    });
  }

  // The same on a picture that is saved; the context counts in pixels of the page.
  paint(c: CanvasRenderingContext2D, height: number): void {
    c.drawImage(this.canvas, 4, height - SIZE.height - 4, SIZE.width, SIZE.height);
    c.font = "12px system-ui, sans-serif";
    c.textAlign = "center";
    for (const { text, at, color } of this.shown) {
      c.strokeStyle = theme.halo;
      c.lineWidth = 3;
      c.strokeText(text, ...at);
      c.fillStyle = color;
      c.fillText(text, ...at);
    }
  }

  // `perLength`: pixels of a length of one, at the middle of what is looked at. `force`: the arrow that tells the scale
  // of forces, at the same place.
  axes(camera: three.Camera, perLength: number, unit: string, force?: { pixels: number; text: string; apart: boolean }): void {
    const c = this.canvas.getContext("2d");
    if (!c) return;
    c.clearRect(0, 0, SIZE.width, SIZE.height);
    c.font = "11px system-ui, sans-serif";
    c.textAlign = "center";
    c.textBaseline = "middle";
    const turn = camera.quaternion.clone().invert();
    for (const [name, color, axis] of AXES) {
      const to = axis.clone().applyQuaternion(turn);
      c.strokeStyle = c.fillStyle = color;
      c.lineWidth = 2;
      c.beginPath();
      c.moveTo(34, 34);
      c.lineTo(34 + 22 * to.x, 34 - 22 * to.y);
      c.stroke();
      c.fillText(name, 34 + 29 * to.x, 34 - 29 * to.y);
    }
    if (!(perLength > 0) || !Number.isFinite(perLength)) return;
    const length = niceStep(100 / perLength, 1.5);
    const width = Math.min(length * perLength, SIZE.width - 20);
    c.strokeStyle = c.fillStyle = theme.soft;
    c.lineWidth = 1;
    c.beginPath();
    c.moveTo(8.5, 72);
    c.lineTo(8.5, 80);
    c.moveTo(8.5, 76.5);
    c.lineTo(8.5 + width, 76.5);
    c.moveTo(8.5 + width, 72);
    c.lineTo(8.5 + width, 80);
    c.stroke();
    if (force) legend(c, force);
    c.fillStyle = theme.soft;
    c.fillText(`${Number(length.toPrecision(3))}${unit ? ` ${unit}` : ""}`, 8.5 + width / 2, 68);
  }
}

function legend(c: CanvasRenderingContext2D, force: { pixels: number; text: string; apart: boolean }): void {
  const width = force.pixels;
  c.strokeStyle = c.fillStyle = theme.force;
  c.lineWidth = 2;
  c.beginPath();
  c.moveTo(8, 100);
  c.lineTo(8 + width - 6, 100);
  c.stroke();
  c.beginPath();
  c.moveTo(8 + width, 100);
  c.lineTo(8 + width - 8, 96);
  c.lineTo(8 + width - 8, 104);
  c.fill();
  c.textAlign = "left";
  c.fillText(force.text, 14 + width, 100);
  if (force.apart) {
    c.fillText("normal", 8, 116);
    c.fillStyle = theme.friction;
    c.fillText("friction", 56, 116);
  }
  c.textAlign = "center";
}
