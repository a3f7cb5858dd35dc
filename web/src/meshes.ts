// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Geometries of shapes.
import * as three from "three";
import type { Shape } from "./data";
import { theme } from "./palette";
import { niceStep } from "./view";

const POINT_PART = 0.012; // radius of a point, of the size of the scene
const SLAB_PART = 0.02; // thickness of the plate that shows a half-space
export const FEW = 12;
export const MANY = 150; // bodies; more of them are drawn with fewer faces and without edges
const VERY_MANY = 400;

// Equal shapes share their geometry: a thousand spheres are one. Undefined: the shape has none of this kind.
// `bodies`: the more there are, the fewer faces has each.
export function geometryOf(shape: Shape, bodies: number): three.BufferGeometry | undefined {
  const radius = shape.radius ?? 0;
  const length = 2 * (shape.half_length ?? 0);
  const fine = bodies <= MANY;
  const n = bodies <= FEW ? 32 : fine ? 20 : bodies <= VERY_MANY ? 14 : 8;
  switch (shape.kind) {
    case "sphere":
      return new three.SphereGeometry(radius, n, (3 * n) >> 2);
    case "capsule":
      return new three.CapsuleGeometry(radius, length, n >> 1, n).rotateX(Math.PI / 2);
    case "cylinder":
      return new three.CylinderGeometry(radius, radius, length, fine ? 48 : 20).rotateX(Math.PI / 2);
    case "superellipsoid":
      return superellipsoid(shape, fine);
    case "polyhedron":
      return polyhedron(shape);
    default:
      return undefined;
  }
}

export function keyOf(shape: Shape): string {
  const { position: _, orientation: __, ...own } = shape;
  return JSON.stringify(own);
}

export function hasEdges(shape: Shape): boolean {
  return shape.kind === "polyhedron" || shape.kind === "cylinder";
}

function polyhedron(shape: Shape): three.BufferGeometry {
  const vertices = shape.vertices ?? [];
  const at: number[] = [];
  for (const triangle of shape.triangles ?? []) for (const corner of triangle) at.push(...vertices[corner]);
  const geometry = new three.BufferGeometry();
  geometry.setAttribute("position", new three.Float32BufferAttribute(at, 3));
  geometry.computeVertexNormals();
  return geometry;
}

function superellipsoid(shape: Shape, fine: boolean): three.BufferGeometry {
  const geometry = new three.SphereGeometry(1, fine ? 64 : 24, fine ? 48 : 18).rotateX(Math.PI / 2);
  const [p, q] = [shape.exponent_xy ?? 2, shape.exponent_z ?? 2];
  const at = geometry.getAttribute("position");
  for (let k = 0; k < at.count; ++k) {
    const [x, y, z] = [at.getX(k), at.getY(k), at.getZ(k)];
    // Along the ray through the point of the sphere, out to the surface.
    const plane = (Math.abs(x / (shape.a ?? 1)) ** p + Math.abs(y / (shape.b ?? 1)) ** p) ** (q / p);
    const value = plane + Math.abs(z / (shape.c ?? 1)) ** q;
    const scale = value ** (-1 / q);
    at.setXYZ(k, scale * x, scale * y, scale * z);
  }
  geometry.computeVertexNormals();
  return geometry;
}

// A plate whose upper side is the surface, around the point of it that is nearest to the middle of the scene.
export function plane(shape: Shape, color: three.Color, size: number, middle: number[]): three.Object3D {
  const n = shape.normal ?? [0, 0, 1];
  const normal = new three.Vector3(n[0], n[1], n[2]);
  const length = normal.length() || 1;
  normal.divideScalar(length);
  const centre = new three.Vector3(middle[0], middle[1], middle[2]);
  centre.addScaledVector(normal, (shape.offset ?? 0) / length - centre.dot(normal));
  const step = niceStep(1.5 * size, 15);
  const group = new three.Group();
  const vertical = Math.abs(normal.z) < 0.5;
  const side = vertical ? 1.2 * size : 16 * step;
  const offset = { polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 2 };
  const material = vertical
    ? new three.MeshBasicMaterial({ color, transparent: true, opacity: 0.22, depthWrite: false, ...offset })
    : new three.MeshLambertMaterial({ color: new three.Color(theme.floor), ...offset });
  // A wall is seen from its free side only: from behind it would lie between the reader and the scene.
  if (vertical) group.userData.wall = normal.clone();
  const thickness = SLAB_PART * size;
  const slab = new three.Mesh(new three.BoxGeometry(side, side, thickness).translate(0, 0, -thickness / 2), material);
  slab.receiveShadow = !vertical;
  group.add(slab);
  if (!vertical) group.add(new three.GridHelper(side, 16, theme.line, theme.rule).rotateX(Math.PI / 2));
  group.quaternion.setFromUnitVectors(new three.Vector3(0, 0, 1), normal);
  group.position.copy(centre);
  return group;
}

// Points of a body, as balls joined by their outline: a tripod is seen as one thing.
export function points(list: number[][], size: number): three.Object3D {
  const group = new three.Group();
  const geometry = new three.SphereGeometry(POINT_PART * size, 20, 14);
  const material = new three.MeshLambertMaterial({ color: theme.outline });
  for (const point of list) {
    const ball = new three.Mesh(geometry, material);
    ball.castShadow = true;
    ball.position.set(point[0], point[1], point[2] ?? 0);
    group.add(ball);
  }
  const lines: three.Vector3[] = [];
  const at = (p: number[]) => new three.Vector3(p[0], p[1], p[2] ?? 0);
  list.forEach((p, k) => {
    if (list.length < 2 || list.length > 12) return;
    lines.push(at(p), at(list[(k + 1) % list.length]), at(p), new three.Vector3());
  });
  if (lines.length > 0) group.add(new three.LineSegments(new three.BufferGeometry().setFromPoints(lines), new three.LineBasicMaterial({ color: theme.outline })));
  return group;
}
