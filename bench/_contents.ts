/** Contents of the answers of measured servers. */

import { Data } from "../transport/gen/common.ts";
import type { Reply } from "./_fast_server.ts";

/**
 * Cuts content into messages.
 *
 * @param size Bytes of each.
 * @param repeat How often all of them are sent.
 */
export function repeatReply(
  bytes: Uint8Array,
  size: number,
  repeat = 1,
): Reply {
  const messages: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    const part = bytes.subarray(at, at + size);
    messages.push(Data.encode(Data.fromPartial({ bytes: part })).finish());
  }
  return { messages, repeat };
}

/** Zeros of so many bytes, in messages of `size`. */
export function zeros(bytes: number, size: number): Reply {
  return repeatReply(new Uint8Array(size), size, Math.round(bytes / size));
}

/** Packets of {@linkcode manyPackets}: 1 Gbit/s for 10 s. */
export const packetCount = 1_250_000;

/** Bytes of each of them. */
export const packetBytes = 1_000;

/** A capture of packets, in the two messages for each that nodes send. */
export function manyPackets(): Reply {
  const header = new DataView(new ArrayBuffer(24));
  header.setUint32(0, 0xa1b2c3d4, true);
  header.setUint32(20, 1, true);
  const record = new DataView(new ArrayBuffer(16));
  record.setUint32(8, packetBytes, true);
  record.setUint32(12, packetBytes, true);
  const message = (bytes: Uint8Array) =>
    Data.encode(Data.fromPartial({ bytes })).finish();
  return {
    first: [message(new Uint8Array(header.buffer))],
    messages: [
      message(new Uint8Array(record.buffer)),
      message(new Uint8Array(packetBytes)),
    ],
    repeat: packetCount,
  };
}

/** A million lines. */
export function millionLines(): Uint8Array {
  const line = "2026-11-22T11:00:00.000Z INFO a line of a log of usual length";
  return new TextEncoder().encode(`${line} and its end\n`.repeat(1_000_000));
}

/** Bytes of {@linkcode packFiles} when they are unpacked. */
export const unpackedBytes = 300e6;

/**
 * 300 MB of text in 30 files, packed.
 *
 * @param folder Where they are made.
 */
export async function packFiles(folder: string): Promise<Uint8Array> {
  const tree = `${folder}/tree`;
  await Deno.mkdir(tree, { recursive: true });
  const names = Array.from({ length: 30 }, (_, i) => `file${i}`);
  for (const [i, name] of names.entries()) {
    const words = Array.from(
      { length: 1_500_000 },
      (_, k) => ((k * 7919 + i) % 99_991).toString(36),
    );
    const text = words.join(" ").padEnd(unpackedBytes / names.length);
    await Deno.writeTextFile(
      `${tree}/${name}`,
      text.slice(0, unpackedBytes / names.length),
    );
  }
  const { stdout } = await new Deno.Command("tar", {
    args: ["-cz", "-C", tree, ...names],
  }).output();
  return stdout;
}
