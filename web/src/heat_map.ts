// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A study over two grids: the estimate of every cell as a colour, and beside it the width of its 95 % interval. A cell
// names its numbers when it is touched.
import { element, shape } from "./dom";
import { scaleColor } from "./palette";
import { numberText } from "./plots";
import { labelOf, type HeatMap, type HeatMapCell, type Study } from "./study_data";

const SIZE = 230; // of the square of cells
const LEFT = 64;
const TOP = 8;
const BAR = { gap: 10, width: 12, room: 62 };
const BOTTOM = 42;
const MOST_TICKS = 6;

interface Look {
  title: string;
  low: number;
  high: number;
  value: (cell: HeatMapCell) => number | null;
}

// Width of a cell's interval; none where it has no two values.
function widthOf(cell: HeatMapCell): number | null {
  const { low, high } = cell.estimate;
  return low === null || high === null ? null : high - low;
}

function rangeOf(values: (number | null)[]): [number, number] {
  const known = values.filter((x): x is number => x !== null);
  return known.length > 0 ? [Math.min(...known), Math.max(...known)] : [0, 1];
}

export class HeatMapFigure {
  readonly element = element("div", { class: "maps" });
  private readonly squares: [SVGElement, HeatMapCell][] = [];
  private readonly said = element("p", { class: "note said", "aria-live": "polite" }, HINT);

  constructor(private readonly study: Study, private readonly map: HeatMap) {
    // A rate has a scale of its own; other values that of the map.
    const [low, high] = map.value === "success" ? [0, 1] : rangeOf(map.cells.map((cell) => cell.estimate.value));
    const widest = rangeOf(map.cells.map(widthOf))[1];
    const name = map.value === "success" ? "rate of success" : `mean of ${labelOf(study, map.value)}`;
    for (const others of map.panels) {
      const where = others.map((x, k) => `${map.other_names[k]} = ${numberText(x)}`).join(", ");
      const cells = map.cells.filter((cell) => cell.others.join() === others.join());
      const row = element("div", { class: "map-row" });
      if (where) this.element.append(element("h3", {}, where));
      row.append(
        this.panel(cells, { title: name, low, high, value: (cell) => cell.estimate.value }),
        this.panel(cells, { title: "width of its 95 % interval", low: 0, high: widest || 1, value: widthOf }),
      );
      this.element.append(row);
    }
    this.element.append(this.said);
  }

  // Fades the cells that none of these trials belongs to; undefined: all cells count.
  keep(rows: number[] | undefined): void {
    const { map, study } = this;
    const value = (name: string, row: number) => study.rows.parameters[study.parameters.indexOf(name)]?.[row];
    const close = (a: number, b: number | undefined) => b === undefined || Math.abs(a - b) <= 1e-5 * Math.max(Math.abs(a), 1e-9);
    for (const [square, cell] of this.squares) {
      const inside = !rows || rows.some((row) => close(cell.x, value(map.x_name, row)) && close(cell.y, value(map.y_name, row)));
      square.setAttribute("opacity", inside ? "1" : "0.2");
    }
  }

  private panel(cells: HeatMapCell[], look: Look): HTMLElement {
    const { map } = this;
    const width = LEFT + SIZE + BAR.gap + BAR.width + BAR.room;
    const picture = shape("svg", { viewBox: `0 0 ${width} ${TOP + SIZE + BOTTOM}`, role: "img", "aria-label": look.title, class: "chart" });
    const [w, h] = [SIZE / map.xs.length, SIZE / map.ys.length];
    for (const cell of cells) {
      const value = look.value(cell);
      const share = value === null ? null : look.high > look.low ? (value - look.low) / (look.high - look.low) : 0.5;
      const square = shape("rect", {
        x: LEFT + w * map.xs.indexOf(cell.x), y: TOP + SIZE - h * (map.ys.indexOf(cell.y) + 1), width: w + 0.3, height: h + 0.3,
        fill: share === null ? "none" : scaleColor(share), class: "cell",
      });
      square.addEventListener("pointerenter", () => this.say(cell));
      square.addEventListener("click", () => this.say(cell));
      this.squares.push([square, cell]);
      picture.append(square);
    }
    picture.append(...this.axes(), ...bar(look));
    return element("figure", { class: "map" }, element("figcaption", {}, element("strong", {}, look.title)), picture);
  }

  private axes(): SVGElement[] {
    const { map, study } = this;
    const parts: SVGElement[] = [shape("rect", { x: LEFT, y: TOP, width: SIZE, height: SIZE, fill: "none", stroke: "var(--soft)" })];
    const ticks = (values: number[]) => {
      const every = Math.ceil(values.length / MOST_TICKS);
      return values.map((x, k) => ({ x, k })).filter(({ k }) => k % every === 0);
    };
    for (const { x, k } of ticks(map.xs))
      parts.push(shape("text", { x: LEFT + (SIZE * (k + 0.5)) / map.xs.length, y: TOP + SIZE + 15, "text-anchor": "middle" }, numberText(x)));
    for (const { x, k } of ticks(map.ys))
      parts.push(shape("text", { x: LEFT - 5, y: TOP + SIZE - (SIZE * (k + 0.5)) / map.ys.length + 4, "text-anchor": "end" }, numberText(x)));
    const middle = TOP + SIZE / 2;
    parts.push(
      shape("text", { x: LEFT + SIZE / 2, y: TOP + SIZE + 34, "text-anchor": "middle", class: "axis-name" }, labelOf(study, map.x_name)),
      shape("text", { x: 12, y: middle, "text-anchor": "middle", transform: `rotate(-90 12 ${middle})`, class: "axis-name" }, labelOf(study, map.y_name)),
    );
    return parts;
  }

  private say(cell: HeatMapCell): void {
    const { map } = this;
    const { value, low, high, count } = cell.estimate;
    const interval = low === null ? "no interval" : `95 % interval ${numberText(low)} to ${numberText(high)}`;
    this.said.textContent = `${map.x_name} = ${numberText(cell.x)}, ${map.y_name} = ${numberText(cell.y)}: ${numberText(value)}, ${interval}, ${count} trials`;
  }
}

const HINT = "Point at a cell to read it.";

function bar(look: Look): SVGElement[] {
  const x = LEFT + SIZE + BAR.gap;
  const parts = 40;
  const pieces = Array.from({ length: parts }, (_, k) =>
    shape("rect", { x, y: TOP + SIZE - (SIZE * (k + 1)) / parts, width: BAR.width, height: SIZE / parts + 0.5, fill: scaleColor((k + 0.5) / parts) }));
  const label = (y: number, value: number) => shape("text", { x: x + BAR.width + 4, y }, numberText(Number(value.toPrecision(3))));
  return [...pieces, label(TOP + 10, look.high), label(TOP + SIZE / 2 + 4, (look.low + look.high) / 2), label(TOP + SIZE, look.low)];
}
