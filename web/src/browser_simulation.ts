// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A live session in a worker of this page, instead of stickslip live (apps/stickslip_web/worker.js is the worker,
// apps/stickslip/standalone.cpp writes the data). Commands and events are those of the server: docs/live-protocol.md.
import { button, element } from "./dom";
import type { Listener, Simulation } from "./live_data";
import { save } from "./save";

interface SceneFile {
  name: string; // relative to the folder that all files of the scene lie in
  bytes: Uint8Array<ArrayBuffer>;
}
export interface StandaloneScene {
  name: string; // short
  title: string;
  description: string;
  scene: string; // the name of the scene's own file
  files: SceneFile[];
}
export interface Standalone {
  script: string; // of the worker
  wasm: Uint8Array<ArrayBuffer>;
  scenes: StandaloneScene[];
  values: Record<string, string>; // parameters that are not as in the scene
}

const FOLDER = "/scene/"; // of the scene's files, in the worker

export class BrowserSimulation implements Simulation {
  private readonly worker: Worker;
  private readonly answers = new Map<number, (text: string) => void>();
  private asked = 0;

  constructor(
    private readonly module: WebAssembly.Module,
    private readonly page: Standalone,
    private readonly scene: StandaloneScene,
    private readonly failed: (text: string) => void,
  ) {
    const address = URL.createObjectURL(new Blob([page.script], { type: "text/javascript" }));
    this.worker = new Worker(address);
    URL.revokeObjectURL(address);
  }

  listen(listener: Listener): void {
    this.worker.addEventListener("message", ({ data }) => {
      if (data.setting) listener.setting(JSON.parse(data.setting));
      else if (data.frame) listener.frame(JSON.parse(data.frame));
      else if (data.failed) listener.lost(`The simulation ended: ${data.failed}`);
      else {
        this.answers.get(data.id)?.(data.answer);
        this.answers.delete(data.id);
      }
    });
    this.worker.addEventListener("error", (event) => listener.lost(`The simulation ended: ${event.message}`));
    listener.connected();
    const files = this.scene.files.map(({ name, bytes }) => [FOLDER + name, bytes]);
    this.worker.postMessage({ start: { module: this.module, files, scene: FOLDER + this.scene.scene, values: this.page.values } });
  }

  async send(command: Record<string, unknown>): Promise<void> {
    const wrong = await this.exchange({ command: JSON.stringify(command) });
    if (wrong) this.failed(wrong);
  }

  // "scene": a file with what was changed, which includes the scene's own. "state": the run at this moment, in all digits.
  ask(what: "scene" | "state"): Promise<string> {
    return this.exchange({ ask: what });
  }

  saves(): HTMLElement[] {
    const changed = async () => {
      const text = (await this.ask("scene")).replace(JSON.stringify(FOLDER + this.scene.scene), JSON.stringify(this.scene.scene));
      save("changed.toml", new Blob([text], { type: "application/toml" }));
    };
    const own = this.scene.files.map(({ name, bytes }) =>
      button(`Save ${name}, which the scene is made of`, name, () => save(name.split("/").at(-1)!, new Blob([bytes]))));
    return [button("Save what was changed as a scene that includes the original one", "save as scene", () => void changed()), ...own];
  }

  private exchange(message: Record<string, unknown>): Promise<string> {
    const id = ++this.asked;
    this.worker.postMessage({ id, ...message });
    return new Promise((resolve) => this.answers.set(id, resolve));
  }
}

// What stands behind # in the address: the number of the scene, from 1.
export function chosenScene(page: Standalone): StandaloneScene {
  return page.scenes[Number(new URLSearchParams(location.hash.slice(1)).get("scene") ?? 1) - 1] ?? page.scenes[0];
}

// A scene has a page of its own: choosing another loads the page again.
export function sceneChoice(page: Standalone, chosen: StandaloneScene): HTMLElement {
  window.addEventListener("hashchange", () => location.reload());
  const links = page.scenes.map((scene, k) =>
    element("a", { href: `#scene=${k + 1}`, title: scene.title, ...(scene === chosen ? { "aria-current": "page" } : {}) }, scene.name.replaceAll("-", " ")));
  return element("nav", { class: "scenes", "aria-label": "Scenes" }, ...links);
}
