// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Elements in one expression. Text is always set as text, never as HTML: names come from scene files.

export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Record<string, string> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

const SVG = "http://www.w3.org/2000/svg";

// The same for drawings; numbers are rounded to what a screen shows.
export function shape(tag: string, attributes: Record<string, string | number> = {}, ...children: (Node | string)[]): SVGElement {
  const node = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes))
    node.setAttribute(key, typeof value === "number" ? String(Math.round(value * 100) / 100) : value);
  node.append(...children);
  return node;
}

export function button(label: string, text: string, press: () => void): HTMLButtonElement {
  const node = element("button", { type: "button", "aria-label": label, title: label }, text);
  node.addEventListener("click", press);
  return node;
}

export function checkbox(label: string, checked: boolean, change: (checked: boolean) => void): HTMLLabelElement {
  const box = element("input", { type: "checkbox" });
  box.checked = checked;
  box.addEventListener("change", () => change(box.checked));
  return element("label", { class: "check" }, box, label);
}

export function details(title: string, open: boolean, ...children: (Node | string)[]): HTMLDetailsElement {
  const node = element("details", {}, element("summary", {}, title), ...children);
  node.open = open;
  return node;
}

export function table(headings: string[], rows: (Node | string)[][]): HTMLTableElement {
  const head = element("tr", {}, ...headings.map((text) => element("th", { scope: "col" }, text)));
  const body = rows.map((row) => element("tr", {}, ...row.map((text) => element("td", {}, text))));
  return element("table", {}, element("thead", {}, head), element("tbody", {}, ...body));
}
