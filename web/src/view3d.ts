// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Spatial scenes with three: z is up; drag to turn, right drag or two fingers to move, wheel or pinch to zoom.
import * as three from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import type { ContactMark, Pose, Snapshot } from "./data";
import { Overlay, type Label } from "./overlay3d";
import { FORCE, MODE_COLORS, START, TARGET } from "./palette";
import { bodyMesh } from "./meshes";
import type { EventMark } from "./plan_data";
import { numberText } from "./plots";
import { shortName, type Show, type Stage, type Trace, type View } from "./view";

const ARROW_PART = 0.18; // of the size of the scene, for the largest force
const MARK_PART = 0.009;
const MOST_LABELS = 8;
const MANY = 150; // bodies; more of them are drawn with fewer faces
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
  private guides = new three.Group();
  private forms: three.BufferGeometry[] = []; // of a mark, by mode
  private readonly overlay = new Overlay();
  private stage: Stage | undefined;
  private size = 1;
  private fitted = true; // until somebody turns or moves the view

  constructor(redraw: () => void) {
    this.element = document.createElement("div");
    this.element.className = "canvas3d";
    this.renderer = new three.WebGLRenderer({ antialias: hasGraphicsCard(), preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio || 1));
    this.renderer.setClearColor(0xffffff);
    this.element.append(this.renderer.domElement, this.overlay.element);
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
    const fine = stage.setting.bodies.length <= MANY;
    this.bodies = stage.setting.bodies.map((body, index) => bodyMesh(body, index, this.size, middle, fine));
    this.scene.add(...this.bodies);
    this.marks = [];
    this.arrows = [];
    this.cones = [];
    this.lines = [];
    const mark = MARK_PART * this.size;
    this.forms = [new three.TorusGeometry(mark, 0.3 * mark, 8, 20), new three.BoxGeometry(1.7 * mark, 1.7 * mark, 1.7 * mark),
      new three.SphereGeometry(mark, 16, 12), new three.OctahedronGeometry(1.35 * mark)];
    this.guides = this.newGuides(stage, middle);
    this.scene.add(this.guides);
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
    this.overlay.resize();
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
    const changes = show.guides ? (this.stage.guides?.events ?? []) : [];
    this.guides.visible = show.guides;
    const marks = [...(show.contacts ? snapshot.contacts : []), ...changes.flatMap(eventMarks)];
    this.pool(this.marks, marks, () => this.newMark(), (mark, m) => this.setMark(mark, m));
    const pressed = snapshot.contacts.filter((c) => Math.hypot(...c.force) > 0);
    this.pool(this.arrows, show.forces ? pressed : [], () => this.newArrow(), (arrow, c) => this.setArrow(arrow, c));
    const rough = snapshot.contacts.filter((c) => c.mode !== 0 && c.friction > 0);
    this.pool(this.cones, show.cones ? rough : [], () => this.newCone(), (cone, c) => this.setCone(cone, c));
    this.pool(this.lines, show.traces ? traces : [], () => this.newLine(), setLine);
    this.renderer.render(this.scene, this.camera);
    this.overlay.labels(this.labels(snapshot, show, changes));
    this.overlay.axes(this.camera, this.pixelsPerLength(), this.stage.lengthUnit);
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
    const mark = new three.Mesh(this.forms[2], new three.MeshBasicMaterial({ depthTest: false, transparent: true }));
    mark.renderOrder = 2;
    return mark;
  }

  // A form for each mode, as in the plane: cube sticks, ball rolls, octahedron slides, ring is apart.
  private setMark(mark: three.Mesh, { point, mode }: { point: number[]; mode: number }): void {
    mark.position.set(point[0], point[1], point[2]);
    mark.geometry = this.forms[mode];
    mark.quaternion.copy(mode === 0 ? this.camera.quaternion : new three.Quaternion());
    (mark.material as three.MeshBasicMaterial).color.set(MODE_COLORS[mode]);
  }

  // Bodies where they start and where they should end.
  private newGuides(stage: Stage, middle: number[]): three.Group {
    const group = new three.Group();
    const { bodies } = stage.setting;
    const add = (body: number, pose: Pose, color: string) => {
      const ghost = bodyMesh(bodies[body], body, this.size, middle, true);
      const material = new three.MeshBasicMaterial({ color, transparent: true, opacity: 0.25, depthWrite: false });
      ghost.traverse((part) => {
        if (part instanceof three.Mesh) part.material = material;
      });
      place(ghost, pose);
      group.add(ghost);
    };
    for (const body of stage.guides?.bodies ?? []) add(body, stage.guides!.start[body], START);
    for (const target of stage.guides?.targets ?? []) add(target.body, target.pose, TARGET);
    return group;
  }

  private labels(snapshot: Snapshot, show: Show, changes: EventMark[]): Label[] {
    const stage = this.stage!;
    const list: Label[] = [];
    const put = (text: string, point: number[], color: string, down = 0) => {
      const [x, y] = this.screen(point);
      list.push({ text, at: [x, y + down], color });
    };
    if (show.names)
      stage.setting.bodies.forEach((body, b) => {
        if (body.shapes.every((shape) => shape.kind !== "half-space")) put(shortName(body.name), snapshot.poses[b].position, "#1d2730", -8);
      });
    if (!show.guides || !stage.guides) return list;
    for (const body of stage.guides.bodies) put("start", stage.guides.start[body].position, START, 26);
    for (const target of stage.guides.targets) put("target", target.pose.position, TARGET, 26);
    if (changes.length <= MOST_LABELS)
      for (const { time, points } of changes) for (const point of points) put(numberText(Number(time.toPrecision(3))), point, START, -8);
    return list;
  }

  // At the middle of what is looked at.
  private pixelsPerLength(): number {
    const distance = this.camera.position.distanceTo(this.controls.target);
    const height = this.renderer.domElement.clientHeight;
    return height / (2 * distance * Math.tan((this.camera.fov * Math.PI) / 360));
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
    const line = new three.Line(new three.BufferGeometry(), new three.LineBasicMaterial({ color: 0x33566e, depthTest: false, transparent: true, opacity: 0.8 }));
    line.frustumCulled = false;
    line.renderOrder = 1; // never below the plate that carries the body up and down
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

function eventMarks(event: EventMark): { point: number[]; mode: number }[] {
  return event.points.map((point) => ({ point, mode: event.mode }));
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
