// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Encoded frames as a WebM file (the elements of Matroska that it allows, www.webmproject.org/docs/container):
//
//     EBML header | Segment: Info, Tracks, Cluster (a key frame and those until the next one) ..., Cues (where clusters are)

export interface EncodedFrame {
  time: number; // ms
  key: boolean;
  data: Uint8Array;
}

type Content = Uint8Array | Uint8Array[];

// Whole numbers, in as few bytes as they need.
function unsigned(value: number): Uint8Array {
  const bytes: number[] = [];
  for (let rest = Math.floor(value); rest > 0 || bytes.length === 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Uint8Array.from(bytes);
}

const text = (value: string) => new TextEncoder().encode(value);
const bytesOf = (content: Content) => (Array.isArray(content) ? content : [content]);
const sizeOf = (content: Content) => bytesOf(content).reduce((sum, part) => sum + part.length, 0);

// Identifier, length (eight bytes, the first of which says so), content.
function item(id: number, content: Content): Uint8Array[] {
  const length = new Uint8Array(8);
  new DataView(length.buffer).setBigUint64(0, (1n << 56n) | BigInt(sizeOf(content)));
  return [unsigned(id), length, ...bytesOf(content)];
}

function real(value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setFloat64(0, value);
  return bytes;
}

function block(frame: EncodedFrame, from: number): Uint8Array[] {
  const head = new Uint8Array(4);
  head[0] = 0x81; // track 1
  new DataView(head.buffer).setInt16(1, frame.time - from);
  head[3] = frame.key ? 0x80 : 0;
  return item(0xa3, [head, frame.data]);
}

// codec: V_VP8 or V_VP9.
export function webm(frames: EncodedFrame[], codec: string, width: number, height: number, duration: number): Uint8Array[] {
  const header = item(0x1a45dfa3, [item(0x4286, unsigned(1)), item(0x42f7, unsigned(1)), item(0x42f2, unsigned(4)), item(0x42f3, unsigned(8)),
    item(0x4282, text("webm")), item(0x4287, unsigned(4)), item(0x4285, unsigned(2))].flat());
  const info = item(0x1549a966, [item(0x2ad7b1, unsigned(1e6)), item(0x4489, real(duration)), item(0x4d80, text("stickslip")), item(0x5741, text("stickslip"))].flat());
  const picture = item(0xe0, [item(0xb0, unsigned(width)), item(0xba, unsigned(height))].flat());
  const track = item(0xae, [item(0xd7, unsigned(1)), item(0x73c5, unsigned(1)), item(0x83, unsigned(1)), item(0x86, text(codec)), picture].flat());
  const parts: Uint8Array[] = [...info, ...item(0x1654ae6b, track)];
  let place = sizeOf(parts);
  const cues: Uint8Array[] = [];
  for (let k = 0; k < frames.length; ) {
    let end = k + 1;
    while (end < frames.length && !frames[end].key) ++end;
    const { time } = frames[k];
    const cluster = item(0x1f43b675, [...item(0xe7, unsigned(time)), ...frames.slice(k, end).flatMap((frame) => block(frame, time))]);
    cues.push(...item(0xbb, [...item(0xb3, unsigned(time)), ...item(0xb7, [...item(0xf7, unsigned(1)), ...item(0xf1, unsigned(place))])]));
    place += sizeOf(cluster);
    parts.push(...cluster);
    k = end;
  }
  return [...header, ...item(0x18538067, [...parts, ...item(0x1c53bb6b, cues)])];
}
