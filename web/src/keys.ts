// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Keys, and the list of them. They work wherever one has clicked: only where text is typed they are text, and what was
// reached by the keyboard keeps its own keys.
import { element, table } from "./dom";

export interface Key {
  key: string; // as KeyboardEvent.key has it
  label?: string; // on the list, where the key has no letter
  text: string;
  press(): void;
}

const BUTTONS = new Set(["checkbox", "radio", "button", "submit", "color", "file", "range"]);

function typesText(target: EventTarget | null): boolean {
  return target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && !BUTTONS.has(target.type));
}

// Space and Enter press what has the focus, arrows move it.
function keepsOwn(target: EventTarget | null, key: string): boolean {
  if (target instanceof HTMLSelectElement) return true;
  if (target instanceof HTMLInputElement && target.type === "range") return key.startsWith("Arrow");
  const pressed = target instanceof HTMLButtonElement || target instanceof HTMLInputElement || target instanceof HTMLElement && target.tagName === "SUMMARY";
  return pressed && (key === " " || key === "Enter");
}

// Returns a function that ends it.
export function listenKeys(keys: Key[]): () => void {
  const help = helpOf(keys);
  const all = [...keys, { key: "?", text: "this list", press: () => (help.open ? help.close() : help.showModal()) }];
  const press = (event: KeyboardEvent) => {
    if (typesText(event.target) || event.ctrlKey || event.metaKey || event.altKey || keepsOwn(event.target, event.key)) return;
    const found = all.find(({ key }) => key === event.key);
    if (!found || (help.open && found.key !== "?")) return;
    event.preventDefault();
    found.press();
  };
  // What the pointer pressed gives the keys back.
  const leave = (event: Event) => {
    const { activeElement } = document;
    const clicked = event instanceof PointerEvent && event.pointerType !== "";
    if (clicked && activeElement instanceof HTMLElement && !typesText(activeElement) && !(activeElement instanceof HTMLSelectElement)) activeElement.blur();
  };
  const chosen = (event: Event) => event.target instanceof HTMLSelectElement && event.target.blur();
  document.addEventListener("keydown", press);
  document.addEventListener("click", leave);
  document.addEventListener("change", chosen);
  document.body.append(help);
  return () => {
    document.removeEventListener("keydown", press);
    document.removeEventListener("click", leave);
    document.removeEventListener("change", chosen);
    help.remove();
  };
}

function helpOf(keys: Key[]): HTMLDialogElement {
  const rows = keys.map(({ key, label, text }) => [element("kbd", {}, label ?? key), text]);
  const close = element("button", { type: "button" }, "close");
  const dialog = element("dialog", { class: "help", "aria-label": "Keys" },
    element("h2", {}, "Keys"), table(["", ""], [...rows, [element("kbd", {}, "?"), "this list"]]),
    element("p", { class: "note" }, "In charts: click to go to a time, drag over an interval to zoom to it, wheel to zoom, shift and wheel to move, double click: the whole run. In the picture: click a body or a contact to see its numbers."),
    close);
  close.addEventListener("click", () => dialog.close());
  return dialog;
}
