// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Shapes as meshes.
import * as three from "three";
import type { Body, Shape } from "./data";
import { OUTLINE, bodyFill } from "./palette";
import { niceStep } from "./view";

const POINT_PART = 0.012; // radius of a point, of the size of the scene

// Round bodies of the same size and colour share their mesh: a thousand spheres are made of six.
const shared = new Map<string, three.BufferGeometry>();

function round(shape: Shape, color: three.Color, fine: boolean, make: (parts: number) => three.BufferGeometry): three.BufferGeometry {
  const key = JSON.stringify([shape.kind, shape.radius, shape.half_length, color.getHex(), fine]);
  const known = shared.get(key);
  if (known) return known;
  if (shared.size > 200) shared.clear(); // sizes that a slider went through
  const geometry = halves(make(fine ? 32 : 14), color);
  shared.set(key, geometry);
  return geometry;
}

// `fine`: with many faces, for scenes of few bodies.
export function bodyMesh(body: Body, index: number, size: number, middle: number[], fine: boolean): three.Object3D {
  const group = new three.Group();
  const color = new three.Color(bodyFill(index, body.mass));
  for (const shape of body.shapes) {
    const object = shapeMesh(shape, color, size, middle, fine);
    const [w, x, y, z] = shape.orientation;
    const pose = new three.Group();
    pose.position.set(shape.position[0], shape.position[1], shape.position[2]);
    pose.quaternion.set(x, y, z, w);
    pose.add(object);
    group.add(pose);
  }
  if (body.shapes.length === 0) group.add(points([[0, 0, 0]], size));
  return group;
}

function shapeMesh(shape: Shape, color: three.Color, size: number, middle: number[], fine: boolean): three.Object3D {
  const radius = shape.radius ?? 0;
  const length = 2 * (shape.half_length ?? 0);
  switch (shape.kind) {
    case "sphere":
      return solid(round(shape, color, fine, (n) => new three.SphereGeometry(radius, n, (3 * n) >> 2)));
    case "capsule":
      return solid(round(shape, color, fine, (n) => new three.CapsuleGeometry(radius, length, n >> 1, n).rotateX(Math.PI / 2)));
    case "cylinder":
      return edged(halves(new three.CylinderGeometry(radius, radius, length, 48).rotateX(Math.PI / 2), color));
    case "superellipsoid":
      return solid(halves(superellipsoid(shape), color));
    case "polyhedron":
      return edged(polyhedron(shape, color));
    case "half-space":
      return plane(shape, color, size, middle);
    case "points":
      return points(shape.points ?? [], size);
    default:
      return new three.Group();
  }
}

// Two tones, so that one sees a round body turn.
function halves(geometry: three.BufferGeometry, color: three.Color): three.BufferGeometry {
  const flat = geometry.index ? geometry.toNonIndexed() : geometry;
  const at = flat.getAttribute("position");
  const colors = new Float32Array(3 * at.count);
  const dark = color.clone().multiplyScalar(0.62);
  for (let k = 0; k < at.count; k += 3) {
    const x = at.getX(k) + at.getX(k + 1) + at.getX(k + 2);
    const y = at.getY(k) + at.getY(k + 1) + at.getY(k + 2);
    const z = at.getZ(k) + at.getZ(k + 1) + at.getZ(k + 2);
    const tone = x * y * z > 0 ? color : dark;
    for (let corner = 0; corner < 3; ++corner) tone.toArray(colors, 3 * (k + corner));
  }
  flat.setAttribute("color", new three.BufferAttribute(colors, 3));
  return flat;
}

function solid(geometry: three.BufferGeometry): three.Mesh {
  const material = new three.MeshStandardMaterial({ vertexColors: true, roughness: 0.75 });
  return new three.Mesh(geometry, material);
}

function edged(geometry: three.BufferGeometry): three.Object3D {
  const material = new three.MeshStandardMaterial({
    vertexColors: true,
    roughness: 0.85,
    side: three.DoubleSide,
    polygonOffset: true,
    polygonOffsetFactor: 1,
    polygonOffsetUnits: 1,
  });
  const group = new three.Group();
  group.add(new three.Mesh(geometry, material));
  const edges = new three.EdgesGeometry(geometry, 20);
  group.add(new three.LineSegments(edges, new three.LineBasicMaterial({ color: OUTLINE })));
  return group;
}

function polyhedron(shape: Shape, color: three.Color): three.BufferGeometry {
  const vertices = shape.vertices ?? [];
  const at: number[] = [];
  for (const triangle of shape.triangles ?? []) for (const corner of triangle) at.push(...vertices[corner]);
  const geometry = new three.BufferGeometry();
  geometry.setAttribute("position", new three.Float32BufferAttribute(at, 3));
  const colors = new Float32Array(at.length);
  for (let k = 0; k < at.length; k += 3) color.toArray(colors, k);
  geometry.setAttribute("color", new three.BufferAttribute(colors, 3));
  geometry.computeVertexNormals();
  return geometry;
}

function superellipsoid(shape: Shape): three.BufferGeometry {
  const geometry = new three.SphereGeometry(1, 64, 48).rotateX(Math.PI / 2);
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

// A square of the surface around the point of it that is nearest to the middle of the scene.
function plane(shape: Shape, color: three.Color, size: number, middle: number[]): three.Object3D {
  const n = shape.normal ?? [0, 0, 1];
  const normal = new three.Vector3(n[0], n[1], n[2]);
  const length = normal.length() || 1;
  normal.divideScalar(length);
  const centre = new three.Vector3(middle[0], middle[1], middle[2]);
  centre.addScaledVector(normal, (shape.offset ?? 0) / length - centre.dot(normal));
  const step = niceStep(1.5 * size, 15);
  const side = 16 * step;
  const group = new three.Group();
  const vertical = Math.abs(normal.z) < 0.5;
  const material = new three.MeshBasicMaterial({
    color: vertical ? color : new three.Color("#f1f1ee"),
    side: three.DoubleSide,
    transparent: true,
    opacity: vertical ? 0.08 : 0.9,
    depthWrite: !vertical,
    polygonOffset: true,
    polygonOffsetFactor: 2,
    polygonOffsetUnits: 2,
  });
  const sheet = new three.Mesh(new three.PlaneGeometry(side, side), material);
  group.add(sheet);
  if (!vertical) group.add(new three.GridHelper(side, 16, 0xb5bcc2, 0xd5dade).rotateX(Math.PI / 2));
  group.quaternion.setFromUnitVectors(new three.Vector3(0, 0, 1), normal);
  group.position.copy(centre);
  return group;
}

function points(list: number[][], size: number): three.Object3D {
  const group = new three.Group();
  const geometry = new three.SphereGeometry(POINT_PART * size, 20, 14);
  const material = new three.MeshStandardMaterial({ color: OUTLINE });
  for (const point of list) {
    const ball = new three.Mesh(geometry, material);
    ball.position.set(point[0], point[1], point[2] ?? 0);
    group.add(ball);
  }
  if (list.length > 2) {
    const outline = list.map((p) => new three.Vector3(p[0], p[1], p[2] ?? 0));
    const loop = new three.BufferGeometry().setFromPoints(outline);
    group.add(new three.LineLoop(loop, new three.LineBasicMaterial({ color: OUTLINE })));
  }
  return group;
}
