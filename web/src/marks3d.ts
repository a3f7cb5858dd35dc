// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Contact marks, force arrows and friction cones of a spatial scene, each kind in one go. What lies behind a body is
// seen through it, faded.
import * as three from "three";
import type { ContactMark } from "./data";
import { Merged } from "./merged3d";
import { MODE_COLORS, theme } from "./palette";
import { parts, sameHit, type Hit } from "./view";

const ARROW_PART = 0.18; // of the size of the scene, for the largest force
const MARK_PART = 0.009;
const LONGEST = 2.5; // times the arrow of the largest force
const FADED = 0.3;
const UP = new three.Vector3(0, 1, 0); // cylinders and cones of three point along y

// Copies of one geometry, before bodies and, faded, behind them.
function copies(parent: three.Group, geometry: three.BufferGeometry, opacity: number): Merged {
  const solid = opacity === 1;
  const material = (options: three.MeshBasicMaterialParameters) =>
    new three.MeshBasicMaterial({ transparent: true, vertexColors: true, side: solid ? three.FrontSide : three.DoubleSide, ...options });
  const layers = [{ material: material({ opacity, depthWrite: solid }), order: 2 }];
  if (solid) layers.push({ material: material({ opacity: FADED, depthWrite: false, depthFunc: three.GreaterDepth }), order: 1 });
  return new Merged(parent, geometry, layers);
}

export class Marks {
  readonly group = new three.Group();
  private readonly forms: Merged[]; // by mode
  private readonly shafts: Merged;
  private readonly heads: Merged;
  private readonly cones: Merged;
  private readonly colors = MODE_COLORS.map((color) => new three.Color(color));

  // `many`: thousands of marks, which are coarser.
  constructor(private readonly size: number, many: boolean) {
    const mark = MARK_PART * size;
    const forms = [many ? new three.TorusGeometry(mark, 0.3 * mark, 3, 8) : new three.TorusGeometry(mark, 0.3 * mark, 6, 14),
      new three.BoxGeometry(1.7 * mark, 1.7 * mark, 1.7 * mark),
      many ? new three.IcosahedronGeometry(mark, 0) : new three.SphereGeometry(mark, 10, 7), new three.OctahedronGeometry(1.35 * mark)];
    this.forms = forms.map((form) => copies(this.group, form, 1));
    this.shafts = copies(this.group, new three.CylinderGeometry(1, 1, 1, 6).translate(0, 0.5, 0), 1);
    this.heads = copies(this.group, new three.ConeGeometry(1, 1, 12).translate(0, -0.5, 0), 1); // tip at the origin
    this.cones = copies(this.group, new three.ConeGeometry(1, 1, 32, 1, true).translate(0, -0.5, 0).rotateX(Math.PI), 0.16);
  }

  // A form for each mode, as in the plane: cube sticks, ball rolls, octahedron slides, ring is apart.
  setMarks(list: { point: number[]; mode: number; a?: number; b?: number }[], camera: three.Camera, chosen?: Hit): void {
    for (const form of this.forms) form.begin(list.length);
    const none = new three.Quaternion();
    const at = new three.Matrix4();
    const highlight = new three.Color(theme.chosen);
    for (const { point, mode, a, b } of list) {
      const big = a !== undefined && b !== undefined && sameHit(chosen, { a, b });
      const scale = big ? 1.6 : 1;
      at.compose(new three.Vector3(...point), mode === 0 ? camera.quaternion : none, new three.Vector3(scale, scale, scale));
      this.forms[mode].add(at, big ? highlight : this.colors[mode]);
    }
    for (const form of this.forms) form.end();
  }

  arrowLength(scale: number): number {
    return scale * ARROW_PART * this.size;
  }

  // `largest`: the force whose arrow has the usual length.
  setForces(contacts: ContactMark[], largest: number, scale: number, apart: boolean): void {
    const colors = [new three.Color(theme.force), new three.Color(theme.friction)];
    this.shafts.begin(2 * contacts.length + 1);
    this.heads.begin(2 * contacts.length + 1);
    for (const { force, normal, point } of contacts) {
      if (!apart) this.arrow(point, force, largest, scale, colors[0]);
      else {
        const split = parts(force, normal);
        this.arrow(point, split.normal, largest, scale, colors[0]);
        this.arrow(point, split.friction, largest, scale, colors[1]);
      }
    }
  }

  // One more arrow, from a point to another: the spring that pulls. Ends the list of arrows.
  finish(spring?: { from: number[]; to: number[] }): void {
    if (spring) {
      const by = new three.Vector3(...spring.to).sub(new three.Vector3(...spring.from));
      this.shape(new three.Vector3(...spring.from), by, this.arrowLength(1), new three.Color(theme.chosen));
    }
    this.shafts.end();
    this.heads.end();
  }

  private arrow(point: number[], force: number[], largest: number, scale: number, color: three.Color): void {
    const by = new three.Vector3(...force);
    const unit = this.arrowLength(scale);
    const length = Math.min((unit * by.length()) / largest, LONGEST * unit);
    if (length < 0.01 * unit) return;
    this.shape(new three.Vector3(...point), by.setLength(length), unit, color);
  }

  private shape(from: three.Vector3, by: three.Vector3, unit: number, color: three.Color): void {
    const length = by.length();
    if (!(length > 0)) return;
    const head = Math.min(0.2 * unit, 0.5 * length);
    const width = 0.02 * ARROW_PART * this.size;
    const turn = new three.Quaternion().setFromUnitVectors(UP, by.clone().normalize());
    const at = new three.Matrix4();
    this.shafts.add(at.compose(from, turn, new three.Vector3(width, length - head, width)), color);
    this.heads.add(at.compose(from.clone().add(by), turn, new three.Vector3(0.28 * head, head, 0.28 * head)), color);
  }

  setCones(contacts: ContactMark[]): void {
    this.cones.begin(contacts.length);
    const height = 0.9 * ARROW_PART * this.size;
    const color = new three.Color(theme.force);
    const at = new three.Matrix4();
    for (const { friction, normal, point } of contacts) {
      const turn = new three.Quaternion().setFromUnitVectors(UP, new three.Vector3(...normal).normalize());
      this.cones.add(at.compose(new three.Vector3(...point), turn, new three.Vector3(friction * height, height, friction * height)), color);
    }
    this.cones.end();
  }
}
