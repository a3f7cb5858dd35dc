// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The bodies of a spatial scene. Equal shapes are drawn in one go, so that a pile of a thousand parts is a few calls.
import * as three from "three";
import type { Body, Pose } from "./data";
import { MANY, geometryOf, hasEdges, keyOf, plane, points } from "./meshes";
import { bodyFill, theme } from "./palette";

interface Use {
  body: number;
  local: three.Matrix4; // of the shape in its body
}

export interface Ghost {
  color: string;
  opacity: number;
}

export class BodySet {
  readonly group = new three.Group();
  private readonly meshes: { mesh: three.InstancedMesh; uses: Use[] }[] = [];
  private readonly own: three.Group[] = []; // of each body: what is drawn one by one

  // `ghost`: the bodies are shown as what they would be.
  constructor(private readonly bodies: Body[], size: number, middle: number[], ghost?: Ghost) {
    const fine = bodies.length <= MANY;
    const uses = new Map<string, { geometry: three.BufferGeometry; edges: boolean; open: boolean; uses: Use[] }>();
    bodies.forEach((body, b) => {
      const own = new three.Group();
      this.own.push(own);
      this.group.add(own);
      for (const shape of body.shapes) {
        const [w, x, y, z] = shape.orientation;
        const turn = new three.Quaternion(x, y, z, w);
        const local = new three.Matrix4().compose(new three.Vector3(...shape.position), turn, new three.Vector3(1, 1, 1));
        const key = keyOf(shape);
        const geometry = uses.get(key)?.geometry ?? geometryOf(shape, bodies.length);
        if (!geometry) {
          if (ghost && shape.kind === "half-space") continue;
          const color = new three.Color(bodyFill(b, body.mass));
          const object = shape.kind === "half-space" ? plane(shape, color, size, middle) : points(shape.points ?? [], size);
          object.applyMatrix4(local);
          own.add(object);
          continue;
        }
        const known = uses.get(key) ?? { geometry, edges: hasEdges(shape), open: shape.kind === "polyhedron", uses: [] };
        known.uses.push({ body: b, local });
        uses.set(key, known);
      }
      if (body.shapes.length === 0) own.add(points([[0, 0, 0]], size));
    });
    for (const kind of uses.values()) this.add(kind.geometry, kind.uses, kind.edges && fine && !ghost, kind.open, ghost);
    if (ghost) this.fade(ghost);
  }

  private add(geometry: three.BufferGeometry, uses: Use[], edges: boolean, open: boolean, ghost?: Ghost): void {
    const material = ghost
      ? new three.MeshBasicMaterial({ color: ghost.color, transparent: true, opacity: ghost.opacity, depthWrite: false })
      : new three.MeshLambertMaterial({ vertexColors: true, side: open ? three.DoubleSide : three.FrontSide, // meshes may be wound either way
           polygonOffset: edges, polygonOffsetFactor: 1, polygonOffsetUnits: 1 });
    const mesh = new three.InstancedMesh(geometry, material, uses.length);
    mesh.frustumCulled = false;
    mesh.castShadow = mesh.receiveShadow = !ghost;
    if (!ghost)
      uses.forEach(({ body }, k) => mesh.setColorAt(k, new three.Color(bodyFill(body, this.bodies[body].mass))));
    this.meshes.push({ mesh, uses });
    this.group.add(mesh);
    if (!edges) return;
    const lines = new three.EdgesGeometry(geometry, 20);
    const ink = new three.LineBasicMaterial({ color: theme.outline });
    for (const { body, local } of uses) {
      const edge = new three.LineSegments(lines, ink);
      edge.applyMatrix4(local);
      this.own[body].add(edge);
    }
  }

  private fade(ghost: Ghost): void {
    this.group.traverse((part) => {
      if (part instanceof three.Mesh || part instanceof three.Line)
        for (const material of [part.material].flat()) Object.assign(material, { transparent: true, opacity: ghost.opacity, color: new three.Color(ghost.color) });
    });
  }

  place(poses: Pose[]): void {
    const at = poses.map(({ position, orientation: [w, x, y, z] }) =>
      new three.Matrix4().compose(new three.Vector3(...position), new three.Quaternion(x, y, z, w), new three.Vector3(1, 1, 1)));
    const product = new three.Matrix4();
    for (const { mesh, uses } of this.meshes) {
      uses.forEach(({ body, local }, k) => at[body] && mesh.setMatrixAt(k, product.multiplyMatrices(at[body], local)));
      mesh.instanceMatrix.needsUpdate = true;
      mesh.boundingSphere = null; // of the places before
    }
    this.own.forEach((group, b) => {
      if (!poses[b]) return;
      const [w, x, y, z] = poses[b].orientation;
      group.position.set(...poses[b].position);
      group.quaternion.set(x, y, z, w);
    });
  }

  // Walls are hidden from those who are behind them.
  hideWalls(eye: three.Vector3): void {
    const normal = new three.Vector3();
    this.group.traverse((part) => {
      if (!part.userData.wall) return;
      part.updateWorldMatrix(true, false);
      const at = new three.Vector3().setFromMatrixPosition(part.matrixWorld);
      normal.set(0, 0, 1).applyQuaternion(part.getWorldQuaternion(new three.Quaternion()));
      part.visible = normal.dot(eye.clone().sub(at)) > 0;
    });
  }

  // The nearest body that a ray meets; half-spaces are no bodies to choose.
  hit(ray: three.Raycaster): { body: number; point: three.Vector3 } | undefined {
    let best: { body: number; point: three.Vector3; distance: number } | undefined;
    const offer = (body: number, hits: three.Intersection[]) => {
      if (hits[0] && hits[0].distance < (best?.distance ?? Infinity)) best = { body, point: hits[0].point, distance: hits[0].distance };
    };
    for (const { mesh, uses } of this.meshes) {
      const hits = ray.intersectObject(mesh, false);
      if (hits[0]) offer(uses[hits[0].instanceId!].body, hits);
    }
    this.own.forEach((group, b) => {
      if (this.bodies[b].shapes.some((shape) => shape.kind === "half-space")) return;
      const solids: three.Object3D[] = [];
      group.traverse((part) => part instanceof three.Mesh && solids.push(part));
      offer(b, ray.intersectObjects(solids, false));
    });
    return best;
  }
}
