// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What a reader takes away from a page: the picture as PNG, the motion as WebM, the curves as CSV.
import type { Run } from "./data";
import { webm, type EncodedFrame } from "./webm";

const FRAMES = 30; // per second of a video
const KEY_FRAMES = 60; // from one to the next

export function save(name: string, content: Blob): void {
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

interface Film {
  picture(): HTMLCanvasElement;
  seconds: number;
  show(share: number): void; // draws that part of the way
}

// Pictures of one size, even in both directions, as encoders want them.
function screenOf(film: Film): { canvas: HTMLCanvasElement; paint(): void } {
  film.show(0);
  const first = film.picture();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [first.width & ~1, first.height & ~1];
  const context = canvas.getContext("2d")!;
  return { canvas, paint: () => context.drawImage(film.picture(), 0, 0) };
}

// Every frame for its own instant, however long that takes. Undefined where the browser has no encoder.
async function encoded(film: Film): Promise<Blob | undefined> {
  if (!("VideoEncoder" in window)) return undefined;
  const { canvas, paint } = screenOf(film);
  const { width, height } = canvas;
  const settings = (codec: string) => ({ codec, width, height, bitrate: 5_000_000, framerate: FRAMES });
  const codecs = [["vp09.00.40.08", "V_VP9"], ["vp8", "V_VP8"]];
  const supported = await Promise.all(codecs.map(([codec]) => VideoEncoder.isConfigSupported(settings(codec)).then((found) => found.supported, () => false)));
  const codec = codecs[supported.indexOf(true)];
  if (!codec) return undefined;
  const frames: EncodedFrame[] = [];
  let failure: Error | undefined;
  const encoder = new VideoEncoder({
    output: (chunk) => {
      const data = new Uint8Array(chunk.byteLength);
      chunk.copyTo(data);
      frames.push({ time: Math.round(chunk.timestamp / 1000), key: chunk.type === "key", data });
    },
    error: (error) => (failure = error),
  });
  encoder.configure(settings(codec[0]));
  const last = Math.max(1, Math.round(film.seconds * FRAMES));
  for (let k = 0; k <= last && !failure; ++k) {
    film.show(k / last);
    paint();
    const frame = new VideoFrame(canvas, { timestamp: (1e6 * k) / FRAMES, duration: 1e6 / FRAMES });
    encoder.encode(frame, { keyFrame: k % KEY_FRAMES === 0 });
    frame.close();
    do await new Promise((resolve) => window.setTimeout(resolve, 0));
    while (encoder.encodeQueueSize > 3 && !failure);
  }
  if (!failure) await encoder.flush();
  if (failure) throw failure;
  encoder.close();
  return new Blob(webm(frames, codec[1], width, height, (1000 * (last + 1)) / FRAMES) as BlobPart[], { type: "video/webm" });
}

// Draws the run from its beginning to its end, as long as it takes to watch it.
async function recorded(film: Film): Promise<Blob> {
  const { canvas, paint } = screenOf(film);
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
    const share = Math.min(1, (performance.now() - begin) / 1000 / film.seconds);
    film.show(share);
    paint();
    if (share === 1) break;
    await new Promise((resolve) => window.setTimeout(resolve, 1000 / FRAMES));
  }
  await new Promise((resolve) => window.setTimeout(resolve, 200)); // the last picture is to be seen
  recorder.stop();
  await ended;
  for (const track of stream.getTracks()) track.stop();
  return new Blob(parts, { type: "video/webm" });
}

export async function video(film: Film): Promise<Blob> {
  return (await encoded(film)) ?? recorded(film);
}

export async function saveVideo(name: string, film: Film): Promise<void> {
  save(`${name}.webm`, await video(film));
}
