// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Spatial scenes with three: z is up; drag to turn, right drag or two fingers to move, wheel or pinch to zoom, click to
// choose a body or a contact.
import * as three from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { BodySet } from "./bodies3d";
import type { ContactMark, Snapshot } from "./data";
import { Marks } from "./marks3d";
import { Overlay, type Label } from "./overlay3d";
import { theme } from "./palette";
import type { EventMark } from "./plan_data";
import { numberText } from "./plots";
import { niceForce, shortName, type Camera, type Extras, type Hands, type Hit, type Show, type Stage, type Trace, type View } from "./view";

const MOST_LABELS = 8;
const MOST_SHADOWS = 200; // bodies, where the processor draws
const MANY_PIXELS = 20; // bodies that are drawn coarsely while they move
const LEGEND = 110; // pixels that the arrow of the scale may have
const COARSE = 0.6;
const MANY_MARKS = 200; // bodies whose contacts have simpler marks
const REST = 250; // ms without a frame: nothing moves
const CLICK = 4; // pixels that a click may move
const MARK_REACH = 9;
const FILLED = 0.9; // of the picture, by the bounds of the scene
const NEAREST = 0.3; // times the size
// From the left of who looks from the corner: the two sides that are seen differ, and shadows lie beside the bodies.
const SUN = new three.Vector3(-0.65, -0.4, 1.1);
const DIRECTIONS: Record<string, [number, number, number]> = {
  corner: [0.45, -0.78, 0.5], front: [0, -1, 0], back: [0, 1, 0], left: [-1, 0, 0], right: [1, 0, 0],
  top: [0, -1e-3, 1], // a little off, so that y is up in the picture
};

export class View3D implements View {
  readonly element: HTMLElement;
  readonly presets = Object.keys(DIRECTIONS);
  hands: Hands = {};
  forceScale = 1;
  following = -1;
  private readonly renderer: three.WebGLRenderer;
  private readonly perspective = new three.PerspectiveCamera(40, 1, 0.01, 100);
  private readonly parallel = new three.OrthographicCamera();
  private eye: three.PerspectiveCamera | three.OrthographicCamera = this.perspective;
  private readonly controls: OrbitControls;
  private readonly smooth = hasGraphicsCard(); // edges
  // A film has all shadows and pixels, however long that takes.
  private readonly card = this.smooth || document.documentElement.classList.contains("film");
  private readonly ratio = Math.min(2, window.devicePixelRatio || 1); // pixels of the screen per pixel of the page
  private scene = new three.Scene();
  private sun = new three.DirectionalLight(0xffffff, 2);
  private bodies = new BodySet([], 1, [0, 0, 0]);
  private ghosts: BodySet | undefined;
  private marks = new Marks(1, false);
  private lines: three.Line[] = [];
  private guides = new three.Group();
  private readonly overlay = new Overlay();
  private stage: Stage | undefined;
  private size = 1;
  private aspect = 1;
  private fitted = true; // until somebody turns or moves the view
  private preset = "corner";
  private last: Snapshot | undefined;
  private followed: three.Vector3 | undefined;
  private drawn = 0; // when the last frame was
  private shadowed = false; // the scene has shadows
  private resting = 0; // timer that draws them
  close: () => void = () => {};

  constructor(private readonly redraw: () => void) {
    this.element = document.createElement("div");
    this.element.className = "canvas3d";
    this.renderer = new three.WebGLRenderer({ antialias: this.smooth, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(this.ratio);
    this.renderer.shadowMap.type = three.PCFShadowMap;
    this.element.append(this.renderer.domElement, this.overlay.element);
    for (const camera of [this.perspective, this.parallel]) camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.eye, this.renderer.domElement);
    this.controls.addEventListener("change", redraw);
    this.controls.addEventListener("start", () => (this.fitted = false));
    this.element.addEventListener("dblclick", () => {
      this.fit();
      redraw();
    });
    this.listen();
  }

  load(stage: Stage): void {
    this.stage = stage;
    const [low, high] = stage.bounds;
    this.size = Math.max(Math.hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]), 1e-9);
    discard(this.scene);
    this.scene = new three.Scene();
    this.scene.background = new three.Color(theme.back);
    const middle = low.map((x, k) => (x + high[k]) / 2);
    this.light(middle, stage.setting.bodies.length);
    this.bodies = new BodySet(stage.setting.bodies, this.size, middle);
    this.ghosts = stage.others && new BodySet(stage.others, this.size, middle, { color: theme.target, opacity: 0.35 });
    this.marks = new Marks(this.size, stage.setting.bodies.length > MANY_MARKS);
    this.lines = [];
    this.guides = this.newGuides(stage, middle);
    this.scene.add(this.bodies.group, this.marks.group, this.guides);
    if (this.ghosts) this.scene.add(this.ghosts.group);
    if (this.fitted) this.fit();
  }

  // Light from the sky, and a sun with soft shadows.
  private light(middle: number[], bodies: number): void {
    const sky = new three.HemisphereLight(0xffffff, theme.light, theme.sky);
    sky.position.set(0, 0, 1);
    this.scene.add(sky);
    this.sun = new three.DirectionalLight(0xffffff, 2);
    this.sun.target.position.set(middle[0], middle[1], middle[2]);
    this.sun.position.copy(this.sun.target.position).add(SUN.clone().multiplyScalar(1.2 * this.size));
    const half = 0.75 * this.size;
    Object.assign(this.sun.shadow.camera, { left: -half, right: half, top: half, bottom: -half, near: 0.01 * this.size, far: 4 * this.size });
    this.sun.shadow.mapSize.set(this.card ? 2048 : 1024, this.card ? 2048 : 1024);
    this.sun.shadow.radius = 3;
    this.sun.shadow.intensity = 0.6;
    this.sun.shadow.normalBias = 0.004 * this.size; // some pixels of the shadow's picture, or faces shadow themselves
    this.sun.shadow.bias = -0.0005;
    this.shadowed = this.card || bodies <= MOST_SHADOWS;
    this.shadows(this.shadowed);
    this.scene.add(this.sun, this.sun.target);
  }

  private shadows(on: boolean): void {
    this.renderer.shadowMap.enabled = this.sun.castShadow = on;
  }

  // Where the processor draws, shadows wait until nothing moves, and so do fine pixels where bodies are many: both take
  // longer than everything else.
  private spare(): void {
    if (this.card) return;
    window.clearTimeout(this.resting);
    const now = performance.now();
    const rests = now - this.drawn > REST;
    this.drawn = now;
    this.shadows(this.shadowed && rests);
    this.bodies.setQuick(!(this.shadowed && rests));
    const many = (this.stage?.setting.bodies.length ?? 0) > MANY_PIXELS;
    const ratio = rests || !many ? this.ratio : COARSE * this.ratio;
    if (this.renderer.getPixelRatio() !== ratio) this.renderer.setPixelRatio(ratio);
    if (!rests && (many || this.shadowed)) this.resting = window.setTimeout(this.redraw, 1.5 * REST);
  }

  setLargestForce(force: number): void {
    if (this.stage) this.stage.largestForce = force;
  }

  fit(preset = this.preset): void {
    if (!this.stage) return;
    this.preset = preset;
    const [low, high] = this.stage.bounds;
    const target = new three.Vector3(...low.map((x, k) => (x + high[k]) / 2));
    const direction = new three.Vector3(...(DIRECTIONS[preset] ?? DIRECTIONS.corner)).normalize();
    const distance = this.distanceFor(target, direction);
    for (const camera of [this.perspective, this.parallel]) {
      camera.position.copy(target).addScaledVector(direction, distance);
      camera.near = distance / 200;
      camera.far = distance * 20;
      camera.zoom = 1;
    }
    this.controls.target.copy(target);
    this.shapeCameras();
    this.followed = undefined;
    this.fitted = true;
  }

  // From where all corners of the bounds are in the picture: |x| and |y| of each at most FILLED of what is seen at its depth.
  private distanceFor(target: three.Vector3, direction: three.Vector3): number {
    const [low, high] = this.stage!.bounds;
    const right = new three.Vector3().crossVectors(this.perspective.up, direction).normalize();
    const up = new three.Vector3().crossVectors(direction, right);
    const tall = FILLED * Math.tan((this.perspective.fov * Math.PI) / 360), wide = tall * this.aspect;
    let distance = NEAREST * this.size;
    for (let corner = 0; corner < 8; ++corner) {
      const at = new three.Vector3(...[0, 1, 2].map((k) => (corner & (1 << k) ? high : low)[k])).sub(target);
      distance = Math.max(distance, at.dot(direction) + Math.max(Math.abs(at.dot(up)) / tall, Math.abs(at.dot(right)) / wide));
    }
    return distance;
  }

  // Both show the same at the target.
  private shapeCameras(): void {
    this.perspective.aspect = this.aspect;
    const half = this.eye.position.distanceTo(this.controls.target) * Math.tan((this.perspective.fov * Math.PI) / 360);
    Object.assign(this.parallel, { top: half, bottom: -half, left: -half * this.aspect, right: half * this.aspect });
    for (const camera of [this.perspective, this.parallel]) camera.updateProjectionMatrix();
    this.controls.update();
    this.eye.updateMatrixWorld(); // screen() is asked before the next picture, too
  }

  setOrthographic(on: boolean): void {
    const next = on ? this.parallel : this.perspective;
    next.position.copy(this.eye.position);
    next.quaternion.copy(this.eye.quaternion);
    this.shapeCameras();
    this.eye = next;
    this.controls.object = next;
    this.controls.update();
  }

  camera(): Camera | undefined {
    if (this.fitted && this.eye === this.perspective) return undefined;
    return { kind: "space", position: this.eye.position.toArray(), target: this.controls.target.toArray(), zoom: this.eye.zoom, orthographic: this.eye === this.parallel };
  }

  setCamera(camera: Camera): void {
    if (camera.kind !== "space") return;
    this.eye.position.set(camera.position[0], camera.position[1], camera.position[2]);
    this.controls.target.set(camera.target[0], camera.target[1], camera.target[2]);
    this.shapeCameras();
    this.setOrthographic(camera.orthographic);
    this.eye.zoom = camera.zoom;
    this.eye.updateProjectionMatrix();
    this.fitted = false;
  }

  resize(): void {
    const box = this.element.getBoundingClientRect();
    const [width, height] = [Math.max(1, box.width), Math.max(1, box.height)];
    this.renderer.setSize(width, height);
    this.overlay.resize();
    const before = this.aspect;
    this.aspect = width / height;
    this.shapeCameras();
    if (this.fitted || Math.abs(before - this.aspect) > 0.2) this.fit();
  }

  screen(point: number[]): [number, number] {
    const box = this.element.getBoundingClientRect();
    const p = new three.Vector3(point[0], point[1], point[2]).project(this.eye);
    return [((p.x + 1) / 2) * box.width, ((1 - p.y) / 2) * box.height];
  }

  // At the middle of what is looked at.
  perLength(): number {
    const height = this.renderer.domElement.clientHeight;
    if (this.eye === this.parallel) return (height * this.parallel.zoom) / (this.parallel.top - this.parallel.bottom);
    const distance = this.eye.position.distanceTo(this.controls.target);
    return height / (2 * distance * Math.tan((this.perspective.fov * Math.PI) / 360));
  }

  picture(): HTMLCanvasElement {
    const from = this.renderer.domElement;
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [from.width, from.height];
    const context = canvas.getContext("2d")!;
    context.drawImage(from, 0, 0);
    context.scale(from.width / from.clientWidth, from.height / from.clientHeight);
    this.overlay.paint(context, from.clientHeight);
    return canvas;
  }

  draw(snapshot: Snapshot, traces: Trace[], show: Show, extras: Extras = {}): void {
    if (!this.stage) return;
    this.last = snapshot;
    this.spare();
    this.follow(snapshot);
    this.bodies.place(snapshot.poses);
    this.bodies.hideWalls(this.eye.position);
    this.ghosts?.place(extras.ghosts ?? []);
    const changes = show.guides ? (this.stage.guides?.events ?? []) : [];
    this.guides.visible = show.guides;
    const { contacts } = snapshot;
    this.marks.setMarks([...(show.contacts ? contacts : []), ...changes.flatMap(eventMarks)], this.eye, extras.chosen);
    this.marks.setForces(show.forces ? contacts : [], this.stage.largestForce || 1, this.forceScale, show.parts);
    this.marks.finish(extras.spring);
    this.marks.setCones(show.cones ? contacts.filter((c) => c.mode !== 0 && c.friction > 0) : []);
    this.setLines(show.traces ? traces : []);
    this.renderer.render(this.scene, this.eye);
    this.overlay.labels(this.labels(snapshot, show, changes, extras));
    this.overlay.axes(this.eye, this.perLength(), this.stage.lengthUnit, show.forces && contacts.length > 0 ? this.forceLegend(show) : undefined);
  }

  private forceLegend(show: Show): { pixels: number; text: string; apart: boolean } {
    const largest = this.stage!.largestForce || 1;
    const pixels = (this.marks.arrowLength(this.forceScale) * this.perLength()) / largest; // of a force of one
    const force = niceForce(Math.min(largest, LEGEND / pixels));
    const unit = this.stage!.forceUnit;
    return { pixels: force * pixels, text: `${numberText(force)}${unit ? ` ${unit}` : ""}`, apart: show.parts };
  }

  private follow(snapshot: Snapshot): void {
    const position = snapshot.poses[this.following]?.position;
    const now = position && new three.Vector3(...position);
    if (now && this.followed) {
      const by = now.clone().sub(this.followed);
      this.eye.position.add(by);
      this.controls.target.add(by);
      this.eye.updateMatrixWorld();
      this.fitted = false;
    }
    this.followed = now;
  }

  // Bodies where they start and where they should end.
  private newGuides(stage: Stage, middle: number[]): three.Group {
    const group = new three.Group();
    const { bodies } = stage.setting;
    const add = (body: number, pose: Snapshot["poses"][number], color: string) => {
      const set = new BodySet([bodies[body]], this.size, middle, { color, opacity: 0.25 });
      set.place([pose]);
      group.add(set.group);
    };
    for (const body of stage.guides?.bodies ?? []) add(body, stage.guides!.start[body], theme.start);
    for (const target of stage.guides?.targets ?? []) add(target.body, target.pose, theme.target);
    return group;
  }

  private labels(snapshot: Snapshot, show: Show, changes: EventMark[], extras: Extras): Label[] {
    const stage = this.stage!;
    const list: Label[] = [];
    const put = (text: string, point: number[], color: string, down = 0) => {
      const [x, y] = this.screen(point);
      list.push({ text, at: [x, y + down], color });
    };
    const chosen = extras.chosen && "body" in extras.chosen ? extras.chosen.body : -1;
    stage.setting.bodies.forEach((body, b) => {
      if (!(show.names || b === chosen) || !snapshot.poses[b] || body.shapes.some((shape) => shape.kind === "half-space")) return;
      put(shortName(body.name), snapshot.poses[b].position, b === chosen ? theme.chosen : theme.ink, -8);
    });
    if (extras.spring) put(extras.spring.text, extras.spring.to, theme.ink, -8);
    if (!show.guides || !stage.guides) return list;
    for (const body of stage.guides.bodies) put("start", stage.guides.start[body].position, theme.start, 26);
    for (const target of stage.guides.targets) put("target", target.pose.position, theme.target, 26);
    if (changes.length <= MOST_LABELS)
      for (const { time, points } of changes) for (const point of points) put(numberText(Number(time.toPrecision(3))), point, theme.start, -8);
    return list;
  }

  private setLines(traces: Trace[]): void {
    while (this.lines.length < traces.length) {
      const material = new three.LineBasicMaterial({ color: theme.trace, depthTest: false, transparent: true, opacity: 0.8 });
      const line = new three.Line(new three.BufferGeometry(), material);
      line.frustumCulled = false;
      line.renderOrder = 1; // never below the plate that carries the body up and down
      this.lines.push(line);
      this.scene.add(line);
    }
    this.lines.forEach((line, k) => {
      line.visible = k < traces.length;
      if (line.visible) setLine(line, traces[k]);
    });
  }

  private ray([x, y]: [number, number]): three.Raycaster {
    const box = this.element.getBoundingClientRect();
    const ray = new three.Raycaster();
    ray.setFromCamera(new three.Vector2((2 * x) / box.width - 1, 1 - (2 * y) / box.height), this.eye);
    return ray;
  }

  private hit(at: [number, number]): { hit: Hit; point: three.Vector3 } | undefined {
    if (!this.last) return undefined;
    const off = (c: ContactMark) => Math.hypot(...this.screen(c.point).map((x, k) => x - at[k]));
    const near = this.last.contacts.filter((c) => off(c) < MARK_REACH).sort((c, d) => off(c) - off(d))[0];
    if (near) return { hit: { a: near.a, b: near.b }, point: new three.Vector3(...near.point) };
    const found = this.bodies.hit(this.ray(at));
    return found && { hit: { body: found.body }, point: found.point };
  }

  private listen(): void {
    let pressed: [number, number] | undefined;
    let pulled: { body: number; from: number[]; plane: three.Plane } | undefined;
    const at = (event: MouseEvent): [number, number] => {
      const box = this.element.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    const { domElement } = this.renderer;
    // Before the camera's controls, which are told to stay when a body is pulled.
    this.element.addEventListener("pointerdown", (event) => {
      pressed = event.isPrimary ? at(event) : undefined;
      if (!event.isPrimary || event.button !== 0 || !this.hands.grabs) return;
      const found = this.bodies.hit(this.ray(at(event)));
      if (!found || !this.hands.grabs(found.body)) return;
      const plane = new three.Plane().setFromNormalAndCoplanarPoint(this.eye.getWorldDirection(new three.Vector3()), found.point);
      pulled = { body: found.body, from: found.point.toArray(), plane };
      this.controls.enabled = false;
    }, { capture: true });
    domElement.addEventListener("pointermove", (event) => {
      const now = at(event);
      if (pressed && Math.hypot(now[0] - pressed[0], now[1] - pressed[1]) > CLICK) pressed = undefined;
      if (!pulled || pressed) return;
      const to = this.ray(now).ray.intersectPlane(pulled.plane, new three.Vector3());
      if (to) this.hands.pull?.(pulled.body, pulled.from, to.toArray());
    });
    const lift = (event: PointerEvent) => {
      if (pulled) this.hands.release?.();
      pulled = undefined;
      this.controls.enabled = true;
      if (event.type === "pointerup" && pressed) this.hands.picked?.(this.hit(pressed)?.hit);
      pressed = undefined;
      this.redraw();
    };
    window.addEventListener("pointerup", lift);
    window.addEventListener("pointercancel", lift);
    this.close = () => {
      window.clearTimeout(this.resting);
      window.removeEventListener("pointerup", lift);
      window.removeEventListener("pointercancel", lift);
      discard(this.scene);
      this.renderer.dispose();
      this.renderer.forceContextLoss(); // browsers allow a dozen of them
    };
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
    if (object instanceof three.InstancedMesh) object.dispose();
    object.geometry.dispose();
    for (const material of [object.material].flat()) material.dispose();
  });
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
