// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Spatial scenes with three: z is up; drag to turn, right drag or two fingers to move, wheel or pinch to zoom.
import * as three from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import type { ContactMark, Pose, Snapshot } from "./data";
import { FORCE, MODE_COLORS } from "./palette";
import { bodyMesh } from "./meshes";
import type { Show, Stage, Trace, View } from "./view";

const ARROW_PART = 0.18; // of the size of the scene, for the largest force
const MARK_PART = 0.009;
const UP = new three.Vector3(0, 1, 0); // arrows and cones of three point along y

export class View3D implements View {
  readonly element: HTMLElement;
  private readonly renderer: three.WebGLRenderer;
  private readonly camera = new three.PerspectiveCamera(40, 1, 0.01, 100);
  private readonly controls: OrbitControls;
  private scene = new three.Scene();
  private bodies: three.Object3D[] = [];
  private marks: three.Mesh[] = [];
  private arrows: three.ArrowHelper[] = [];
  private cones: three.Mesh[] = [];
  private lines: three.Line[] = [];
  private stage: Stage | undefined;
  private size = 1;
  private fitted = true; // until somebody turns or moves the view

  constructor(redraw: () => void) {
    this.element = document.createElement("div");
    this.element.className = "canvas3d";
    this.renderer = new three.WebGLRenderer({ antialias: hasGraphicsCard(), preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio || 1));
    this.renderer.setClearColor(0xffffff);
    this.element.append(this.renderer.domElement);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.addEventListener("change", redraw);
    this.controls.addEventListener("start", () => (this.fitted = false));
    this.element.addEventListener("dblclick", () => {
      this.fit();
      redraw();
    });
  }

  load(stage: Stage): void {
    this.stage = stage;
    const [low, high] = stage.bounds;
    this.size = Math.max(Math.hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]), 1e-9);
    discard(this.scene);
    this.scene = new three.Scene();
    this.scene.add(new three.HemisphereLight(0xffffff, 0xb8b2a8, 2.2));
    const sun = new three.DirectionalLight(0xffffff, 1.6);
    sun.position.set(0.4 * this.size, -0.7 * this.size, this.size);
    this.scene.add(sun);
    const middle = low.map((x, k) => (x + high[k]) / 2);
    this.bodies = stage.setting.bodies.map((body, index) => bodyMesh(body, index, this.size, middle));
    this.scene.add(...this.bodies);
    this.marks = [];
    this.arrows = [];
    this.cones = [];
    this.lines = [];
    if (this.fitted) this.fit();
  }

  setLargestForce(force: number): void {
    if (this.stage) this.stage.largestForce = force;
  }

  fit(): void {
    if (!this.stage) return;
    const [low, high] = this.stage.bounds;
    const target = new three.Vector3(...low.map((x, k) => (x + high[k]) / 2));
    const aspect = Math.min(1, this.camera.aspect);
    const distance = (0.52 * this.size) / Math.tan((this.camera.fov * Math.PI) / 360) / aspect;
    this.camera.position.copy(target).add(new three.Vector3(0.45, -0.78, 0.5).normalize().multiplyScalar(distance));
    this.camera.near = distance / 200;
    this.camera.far = distance * 20;
    this.camera.updateProjectionMatrix();
    this.controls.target.copy(target);
    this.controls.update();
    this.fitted = true;
  }

  resize(): void {
    const box = this.element.getBoundingClientRect();
    const [width, height] = [Math.max(1, box.width), Math.max(1, box.height)];
    this.renderer.setSize(width, height);
    const before = this.camera.aspect;
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    if (this.fitted || Math.abs(before - this.camera.aspect) > 0.2) this.fit();
  }

  screen(point: number[]): [number, number] {
    const box = this.element.getBoundingClientRect();
    const p = new three.Vector3(point[0], point[1], point[2]).project(this.camera);
    return [((p.x + 1) / 2) * box.width, ((1 - p.y) / 2) * box.height];
  }

  draw(snapshot: Snapshot, traces: Trace[], show: Show): void {
    if (!this.stage) return;
    this.bodies.forEach((object, b) => place(object, snapshot.poses[b]));
    this.pool(this.marks, show.contacts ? snapshot.contacts : [], () => this.newMark(), setMark);
    const pressed = snapshot.contacts.filter((c) => Math.hypot(...c.force) > 0);
    this.pool(this.arrows, show.forces ? pressed : [], () => this.newArrow(), (arrow, c) => this.setArrow(arrow, c));
    const rough = snapshot.contacts.filter((c) => c.mode !== 0 && c.friction > 0);
    this.pool(this.cones, show.cones ? rough : [], () => this.newCone(), (cone, c) => this.setCone(cone, c));
    this.pool(this.lines, show.traces ? traces : [], () => this.newLine(), setLine);
    this.renderer.render(this.scene, this.camera);
  }

  // Objects are made once and shown as needed.
  private pool<Object extends three.Object3D, Item>(
    objects: Object[],
    items: Item[],
    make: () => Object,
    set: (object: Object, item: Item) => void,
  ): void {
    while (objects.length < items.length) {
      const object = make();
      objects.push(object);
      this.scene.add(object);
    }
    objects.forEach((object, k) => {
      object.visible = k < items.length;
      if (object.visible) set(object, items[k]);
    });
  }

  private newMark(): three.Mesh {
    const geometry = new three.SphereGeometry(MARK_PART * this.size, 16, 12);
    const mark = new three.Mesh(geometry, new three.MeshBasicMaterial({ depthTest: false, transparent: true }));
    mark.renderOrder = 2;
    return mark;
  }

  private newArrow(): three.ArrowHelper {
    const arrow = new three.ArrowHelper(UP, new three.Vector3(), 1, FORCE);
    arrow.renderOrder = 1;
    return arrow;
  }

  private setArrow(arrow: three.ArrowHelper, contact: ContactMark): void {
    const force = new three.Vector3(contact.force[0], contact.force[1], contact.force[2]);
    const unit = ARROW_PART * this.size;
    const length = Math.min((unit * force.length()) / (this.stage?.largestForce || 1), 2.5 * unit);
    arrow.position.set(contact.point[0], contact.point[1], contact.point[2]);
    arrow.setDirection(force.normalize());
    arrow.setLength(Math.max(length, 1e-6 * unit), Math.min(0.2 * unit, 0.5 * length), Math.min(0.1 * unit, 0.25 * length));
  }

  private newCone(): three.Mesh {
    const geometry = new three.ConeGeometry(1, 1, 32, 1, true);
    geometry.translate(0, -0.5, 0); // tip at the origin
    geometry.rotateX(Math.PI); // opening along +y
    const material = new three.MeshBasicMaterial({
      color: FORCE,
      transparent: true,
      opacity: 0.16,
      side: three.DoubleSide,
      depthWrite: false,
    });
    return new three.Mesh(geometry, material);
  }

  private setCone(cone: three.Mesh, contact: ContactMark): void {
    const height = 0.9 * ARROW_PART * this.size;
    const normal = new three.Vector3(contact.normal[0], contact.normal[1], contact.normal[2]);
    cone.position.set(contact.point[0], contact.point[1], contact.point[2]);
    cone.quaternion.setFromUnitVectors(UP, normal.normalize());
    cone.scale.set(contact.friction * height, height, contact.friction * height);
  }

  private newLine(): three.Line {
    const line = new three.Line(new three.BufferGeometry(), new three.LineBasicMaterial({ color: 0x33566e }));
    line.frustumCulled = false;
    return line;
  }
}

// Smooth edges cost half of the frames where the processor draws: 22 instead of 43 per second on two cores.
function hasGraphicsCard(): boolean {
  const probe = document.createElement("canvas").getContext("webgl2");
  const info = probe?.getExtension("WEBGL_debug_renderer_info");
  const name = probe && info ? String(probe.getParameter(info.UNMASKED_RENDERER_WEBGL)) : "";
  probe?.getExtension("WEBGL_lose_context")?.loseContext();
  return !/swiftshader|llvmpipe|software/i.test(name);
}

// Memory of the graphics card is not collected by itself.
function discard(scene: three.Scene): void {
  scene.traverse((object) => {
    if (!(object instanceof three.Mesh || object instanceof three.Line || object instanceof three.Points)) return;
    object.geometry.dispose();
    for (const material of [object.material].flat()) material.dispose();
  });
}

function place(object: three.Object3D, pose: Pose): void {
  object.position.set(...pose.position);
  const [w, x, y, z] = pose.orientation;
  object.quaternion.set(x, y, z, w);
}

function setMark(mark: three.Mesh, contact: ContactMark): void {
  mark.position.set(contact.point[0], contact.point[1], contact.point[2]);
  (mark.material as three.MeshBasicMaterial).color.set(MODE_COLORS[contact.mode]);
}

function setLine(line: three.Line, trace: Trace): void {
  const known = line.geometry.getAttribute("position") as three.BufferAttribute | undefined;
  if (known?.array !== trace.points) {
    line.geometry.dispose();
    line.geometry = new three.BufferGeometry();
    line.geometry.setAttribute("position", new three.BufferAttribute(trace.points, 3));
  } else if (trace.count > line.geometry.drawRange.count) known.needsUpdate = true;
  line.geometry.setDrawRange(0, trace.count);
}
