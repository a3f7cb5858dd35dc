// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What a reader takes away from a page: the picture as PNG, the motion as WebM, the curves as CSV.
import type { Run } from "./data";

const FRAMES = 30; // per second of a video

function save(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export function savePng(name: string, canvas: HTMLCanvasElement): void {
  canvas.toBlob((blob) => blob && save(`${name}.png`, blob), "image/png");
}

function field(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

// One line per instant at which any curve has a sample; what has none there is empty.
export function curvesCsv(run: Run): string {
  const columns = run.plots.flatMap((plot) =>
    plot.curves.map((curve) => {
      const name = plot.curves.length > 1 ? `${plot.title}: ${curve.name}` : plot.title;
      return { name: plot.unit ? `${name} (${plot.unit})` : name, time: plot.time, values: curve.values, at: 0 };
    }));
  const times = Float64Array.from(new Set(run.plots.flatMap((plot) => Array.from(plot.time)))).sort();
  const lines = [[run.units.time ? `time (${run.units.time})` : "time", ...columns.map(({ name }) => name)].map(field).join(",")];
  for (const time of times) {
    const cells = columns.map((column) => {
      if (column.time[column.at] !== time) return "";
      const value = column.values[column.at++];
      return Number.isFinite(value) ? String(value) : "";
    });
    lines.push([time, ...cells].join(","));
  }
  return `${lines.join("\n")}\n`;
}

export function saveCsv(name: string, run: Run): void {
  save(`${name}.csv`, new Blob([curvesCsv(run)], { type: "text/csv" }));
}

// Draws the run from its beginning to its end, as long as it takes to watch it. Resolves with the bytes.
export async function video(picture: () => HTMLCanvasElement, seconds: number, show: (share: number) => void): Promise<Blob> {
  show(0);
  const first = picture();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [first.width & ~1, first.height & ~1];
  const context = canvas.getContext("2d")!;
  const stream = canvas.captureStream(FRAMES);
  const type = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"].find((one) => MediaRecorder.isTypeSupported(one));
  if (!type) throw new Error("this browser cannot write WebM");
  const recorder = new MediaRecorder(stream, { mimeType: type, videoBitsPerSecond: 6_000_000 });
  const parts: Blob[] = [];
  recorder.addEventListener("dataavailable", (event) => parts.push(event.data));
  const ended = new Promise<void>((resolve) => recorder.addEventListener("stop", () => resolve()));
  recorder.start(500);
  const begin = performance.now();
  for (;;) {
    const share = Math.min(1, (performance.now() - begin) / 1000 / seconds);
    show(share);
    context.drawImage(picture(), 0, 0);
    if (share === 1) break;
    await new Promise((resolve) => window.setTimeout(resolve, 1000 / FRAMES));
  }
  await new Promise((resolve) => window.setTimeout(resolve, 200)); // the last picture is to be seen
  recorder.stop();
  await ended;
  for (const track of stream.getTracks()) track.stop();
  return new Blob(parts, { type: "video/webm" });
}

export async function saveVideo(name: string, picture: () => HTMLCanvasElement, seconds: number, show: (share: number) => void): Promise<void> {
  save(`${name}.webm`, await video(picture, seconds, show));
}
