// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The bodies of a spatial scene. Equal shapes are drawn in one go, so that a pile of a thousand parts is a few calls.
import * as three from "three";
import type { Body, Pose, Shape } from "./data";
import { FEW, MANY, geometryOf, hasEdges, keyOf, plane, points } from "./meshes";
import { bodyFill, theme } from "./palette";
import { QuickSpheres, solid } from "./shading3d";

interface Use {
  body: number;
  local: three.Matrix4; // of the shape in its body
}

// Equal shapes.
interface Kind {
  geometry: three.BufferGeometry;
  shape: Shape;
  edges: boolean;
  uses: Use[];
}

export interface Ghost {
  color: string;
  opacity: number;
}

export class BodySet {
  readonly group = new three.Group();
  private readonly meshes: { mesh: three.InstancedMesh; uses: Use[]; quick?: QuickSpheres }[] = [];
  private poses: Pose[] = [];
  private readonly own: three.Group[] = []; // of each body: what is drawn one by one

  // `ghost`: the bodies are shown as what they would be.
  constructor(private readonly bodies: Body[], size: number, middle: number[], ghost?: Ghost) {
    const fine = bodies.length <= MANY;
    const uses = new Map<string, Kind>();
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
        const known = uses.get(key) ?? { geometry, shape, edges: hasEdges(shape), uses: [] };
        known.uses.push({ body: b, local });
        uses.set(key, known);
      }
      if (body.shapes.length === 0 && !ghost) own.add(points([[0, 0, 0]], size));
    });
    for (const kind of uses.values()) this.add({ ...kind, edges: kind.edges && fine && !ghost }, ghost);
    if (ghost) this.fade(ghost);
  }

  private add({ geometry, shape, edges, uses }: Kind, ghost?: Ghost): void {
    const open = shape.kind === "polyhedron"; // meshes may be wound either way
    const material = ghost
      ? new three.MeshBasicMaterial({ color: ghost.color, transparent: true, opacity: ghost.opacity, depthWrite: false })
      : solid({ side: open ? three.DoubleSide : three.FrontSide, polygonOffset: edges, polygonOffsetFactor: 1, polygonOffsetUnits: 1 }, !open);
    const mesh = new three.InstancedMesh(geometry, material, uses.length);
    mesh.frustumCulled = false;
    mesh.castShadow = mesh.receiveShadow = !ghost;
    if (!ghost)
      uses.forEach(({ body }, k) => mesh.setColorAt(k, new three.Color(bodyFill(body, this.bodies[body].mass))));
    const drawn: BodySet["meshes"][number] = { mesh, uses };
    this.meshes.push(drawn);
    this.group.add(mesh);
    if (shape.kind === "sphere" && !ghost && this.bodies.length > FEW) {
      drawn.quick = new QuickSpheres(shape.radius ?? 1, uses.map(({ body }) => new three.Color(bodyFill(body, this.bodies[body].mass))));
      this.group.add(drawn.quick.mesh);
    }
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

  // Many spheres as what costs least, without shadows.
  setQuick(on: boolean): void {
    for (const { mesh, quick } of this.meshes) if (quick) [mesh.visible, quick.mesh.visible] = [!on, on];
  }

  place(poses: Pose[]): void {
    this.poses = poses;
    for (const { quick, uses } of this.meshes) if (quick?.mesh.visible) placeQuick(quick, uses, poses);
    this.placeSolid(({ mesh }) => mesh.visible);
    this.own.forEach((group, b) => {
      if (!poses[b]) return;
      const [w, x, y, z] = poses[b].orientation;
      group.position.set(...poses[b].position);
      group.quaternion.set(x, y, z, w);
    });
  }

  private placeSolid(wanted: (drawn: BodySet["meshes"][number]) => boolean): void {
    const list = this.meshes.filter(wanted);
    if (list.length === 0) return;
    const at = this.poses.map(({ position, orientation: [w, x, y, z] }) =>
      new three.Matrix4().compose(new three.Vector3(...position), new three.Quaternion(x, y, z, w), new three.Vector3(1, 1, 1)));
    const product = new three.Matrix4();
    for (const { mesh, uses } of list) {
      uses.forEach(({ body, local }, k) => at[body] && mesh.setMatrixAt(k, product.multiplyMatrices(at[body], local)));
      mesh.instanceMatrix.needsUpdate = true;
      mesh.boundingSphere = null; // of the places before
    }
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
    this.placeSolid(({ mesh }) => !mesh.visible); // squares have no surface to meet
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

function placeQuick(quick: QuickSpheres, uses: Use[], poses: Pose[]): void {
  const [position, turn, local, scale] = [new three.Vector3(), new three.Quaternion(), new three.Quaternion(), new three.Vector3()];
  uses.forEach((use, k) => {
    const pose = poses[use.body];
    if (!pose) return;
    use.local.decompose(position, local, scale);
    const [w, x, y, z] = pose.orientation;
    turn.set(x, y, z, w);
    position.applyQuaternion(turn).add(scale.set(...pose.position));
    quick.set(k, position, turn.multiply(local));
  });
  quick.finish();
}
