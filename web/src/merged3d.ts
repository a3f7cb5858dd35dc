// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Many copies of one geometry in one mesh, whose vertices are written anew for every picture. Where the processor draws,
// every instance of an instanced mesh costs as much as a mesh of its own (25 us); copies in one mesh cost their vertices.
import * as three from "three";

export class Merged {
  private readonly meshes: three.Mesh[] = [];
  private readonly corners: ArrayLike<number>; // x y z
  private readonly faces: ArrayLike<number>;
  private position = new Float32Array();
  private color = new Float32Array();
  private capacity = 0;
  private count = 0;

  // One mesh per material, all of the same copies. `order`: when each is drawn.
  constructor(parent: three.Group, geometry: three.BufferGeometry, layers: { material: three.Material; order: number }[]) {
    this.corners = geometry.getAttribute("position").array;
    this.faces = geometry.index?.array ?? Array.from({ length: this.corners.length / 3 }, (_, k) => k);
    geometry.dispose();
    const shared = new three.BufferGeometry();
    for (const { material, order } of layers) {
      const mesh = new three.Mesh(shared, material);
      mesh.frustumCulled = false;
      mesh.renderOrder = order;
      this.meshes.push(mesh);
      parent.add(mesh);
    }
  }

  begin(most: number): void {
    this.count = 0;
    if (most > this.capacity) this.reserve(2 * most);
  }

  private reserve(capacity: number): void {
    this.capacity = capacity;
    const vertices = this.corners.length / 3;
    this.position = new Float32Array(capacity * this.corners.length);
    this.color = new Float32Array(capacity * this.corners.length);
    const index = new Uint32Array(capacity * this.faces.length);
    for (let copy = 0, k = 0; copy < capacity; ++copy) for (let f = 0; f < this.faces.length; ++f) index[k++] = this.faces[f] + copy * vertices;
    const geometry = new three.BufferGeometry();
    geometry.setIndex(new three.BufferAttribute(index, 1));
    geometry.setAttribute("position", new three.BufferAttribute(this.position, 3).setUsage(three.DynamicDrawUsage));
    geometry.setAttribute("color", new three.BufferAttribute(this.color, 3).setUsage(three.DynamicDrawUsage));
    this.meshes[0].geometry.dispose();
    for (const mesh of this.meshes) mesh.geometry = geometry;
  }

  add({ elements: m }: three.Matrix4, { r, g, b }: three.Color): void {
    const { corners, position, color } = this;
    let k = this.count++ * corners.length;
    for (let v = 0; v < corners.length; v += 3, k += 3) {
      const [x, y, z] = [corners[v], corners[v + 1], corners[v + 2]];
      position[k] = m[0] * x + m[4] * y + m[8] * z + m[12];
      position[k + 1] = m[1] * x + m[5] * y + m[9] * z + m[13];
      position[k + 2] = m[2] * x + m[6] * y + m[10] * z + m[14];
      color[k] = r;
      color[k + 1] = g;
      color[k + 2] = b;
    }
  }

  end(): void {
    const { geometry } = this.meshes[0];
    for (const mesh of this.meshes) mesh.visible = this.count > 0;
    if (this.count === 0) return;
    geometry.setDrawRange(0, this.count * this.faces.length);
    for (const name of ["position", "color"]) {
      const attribute = geometry.getAttribute(name) as three.BufferAttribute;
      attribute.clearUpdateRanges();
      attribute.addUpdateRange(0, this.count * this.corners.length);
      attribute.needsUpdate = true;
    }
  }
}
