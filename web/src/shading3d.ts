// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// How bodies of a spatial scene are shaded. Round ones have two tones, so that one sees them turn; the tone of a point is
// told by the octant of its body that it lies in:
//
//     tone(p) = 1 where x y z > 0, SHADE elsewhere,     p = (x, y, z) in the body's own frame
//
// Many spheres without a graphics card: a square each, on which every pixel meets the sphere that is there. With c the
// centre and r the radius in the frame of the eye, and a ray from o in the direction d, |d| = 1:
//
//     t = b - sqrt(b^2 - |c - o|^2 + r^2),   b = d (c - o),   normal = (o + t d - c) / r
//
// Two triangles instead of eighty and more.
import * as three from "three";

const SHADE = "0.66";
const TONE = `diffuseColor.rgb *= local.x * local.y * local.z > 0.0 ? 1.0 : ${SHADE};`;

// Lambert's material with the colours of instances.
export function solid(options: three.MeshLambertMaterialParameters, toned: boolean): three.MeshLambertMaterial {
  const material = new three.MeshLambertMaterial(options);
  if (!toned) return material;
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nvarying vec3 local;")
      .replace("#include <begin_vertex>", "#include <begin_vertex>\nlocal = position;");
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <common>", "#include <common>\nvarying vec3 local;")
      .replace("#include <color_fragment>", `#include <color_fragment>\n${TONE}`);
  };
  material.customProgramCacheKey = () => "toned";
  return material;
}

// The square: two triangles around the sphere as the eye sees it.
const VERTEX = `
centre = (modelViewMatrix * vec4(middle, 1.0)).xyz;
vec4 q = quaternion;
turn = mat3(viewMatrix) * mat3(
  1.0 - 2.0 * (q.y * q.y + q.z * q.z), 2.0 * (q.x * q.y + q.z * q.w), 2.0 * (q.x * q.z - q.y * q.w),
  2.0 * (q.x * q.y - q.z * q.w), 1.0 - 2.0 * (q.x * q.x + q.z * q.z), 2.0 * (q.y * q.z + q.x * q.w),
  2.0 * (q.x * q.z + q.y * q.w), 2.0 * (q.y * q.z - q.x * q.w), 1.0 - 2.0 * (q.x * q.x + q.y * q.y));
bool perspective = projectionMatrix[2][3] == -1.0;
vec3 away = perspective ? normalize(centre) : vec3(0.0, 0.0, -1.0);
vec3 side = normalize(cross(away, vec3(0.0, 1.0, 0.0)));
float far2 = dot(centre, centre);
float half_side = perspective && far2 > 1.01 * RADIUS * RADIUS ? RADIUS * sqrt(far2 / (far2 - RADIUS * RADIUS)) : RADIUS;
vec4 mvPosition = vec4(centre + half_side * (position.x * side + position.y * cross(side, away)), 1.0);
seen = mvPosition.xyz;
gl_Position = projectionMatrix * mvPosition;
`;
const FRAGMENT = `
bool perspective = projectionMatrix[2][3] == -1.0;
vec3 from = perspective ? vec3(0.0) : vec3(seen.xy, 0.0);
vec3 along = perspective ? normalize(seen) : vec3(0.0, 0.0, -1.0);
float b = dot(along, centre - from);
float inside = b * b - dot(centre - from, centre - from) + RADIUS * RADIUS;
if (inside < 0.0) discard;
vec3 surface = from + (b - sqrt(inside)) * along;
vec3 normal = (surface - centre) / RADIUS;
vec3 local = normal * turn;
vec4 clip = projectionMatrix * vec4(surface, 1.0);
gl_FragDepth = 0.5 * clip.z / clip.w + 0.5;
`;
const SHARED = "varying vec3 seen;\nflat varying vec3 centre;\nflat varying mat3 turn;";

// All squares are one mesh (merged3d.ts says why).
export class QuickSpheres {
  readonly mesh: three.Mesh;
  private readonly middle: Float32Array;
  private readonly quaternion: Float32Array;

  constructor(radius: number, colors: three.Color[]) {
    const geometry = new three.BufferGeometry();
    const index: number[] = [], corner: number[] = [], color: number[] = [];
    colors.forEach(({ r, g, b }, k) => {
      corner.push(-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0);
      for (let v = 0; v < 4; ++v) color.push(r, g, b);
      index.push(...[0, 1, 2, 0, 2, 3].map((v) => 4 * k + v));
    });
    this.middle = new Float32Array(12 * colors.length);
    this.quaternion = new Float32Array(16 * colors.length);
    geometry.setIndex(index);
    geometry.setAttribute("position", new three.Float32BufferAttribute(corner, 3));
    geometry.setAttribute("color", new three.Float32BufferAttribute(color, 3));
    geometry.setAttribute("middle", new three.BufferAttribute(this.middle, 3).setUsage(three.DynamicDrawUsage));
    geometry.setAttribute("quaternion", new three.BufferAttribute(this.quaternion, 4).setUsage(three.DynamicDrawUsage));
    this.mesh = new three.Mesh(geometry, materialOf(radius));
    this.mesh.frustumCulled = this.mesh.visible = false;
  }

  set(k: number, position: three.Vector3, turn: three.Quaternion): void {
    for (let v = 4 * k; v < 4 * k + 4; ++v) {
      position.toArray(this.middle, 3 * v);
      turn.toArray(this.quaternion, 4 * v);
    }
  }

  finish(): void {
    for (const name of ["middle", "quaternion"]) this.mesh.geometry.getAttribute(name).needsUpdate = true;
  }
}

function materialOf(radius: number): three.MeshLambertMaterial {
  const material = new three.MeshLambertMaterial({ vertexColors: true, side: three.DoubleSide });
  material.defines = { ...material.defines, RADIUS: `float(${radius.toExponential()})` };
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", `#include <common>\nattribute vec3 middle;\nattribute vec4 quaternion;\n${SHARED}`)
      .replace("#include <project_vertex>", VERTEX);
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <common>", `#include <common>\nuniform mat4 projectionMatrix;\n${SHARED}`)
      .replace("#include <color_fragment>", `#include <color_fragment>\n${FRAGMENT}${TONE}`)
      .replace("#include <normal_fragment_begin>", "vec3 nonPerturbedNormal = normal;");
  };
  material.customProgramCacheKey = () => "quick sphere";
  return material;
}
