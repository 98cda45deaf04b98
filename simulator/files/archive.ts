/** Files as a gzipped tar archive, as nodes pack them. */

import { Buffer } from "node:buffer";
import { createGzip } from "node:zlib";
import { type Pack, pack as createPack } from "tar-stream";
import type { SimulatedNode } from "../state/node.ts";
import type { RegularFile } from "../state/file_entry.ts";
import { type FoundFile, type WalkedFile, walkFiles } from "./walk.ts";

/**
 * Packs a file, or everything below a directory.
 *
 * @param onSkipped Called once at the end with the files that could not be read.
 * @returns The archive, in chunks.
 */
export async function* archive(
  node: SimulatedNode,
  start: FoundFile,
  { signal, onSkipped }: {
    readonly signal: AbortSignal;
    readonly onSkipped: (text: string) => void;
  },
): AsyncGenerator<Uint8Array> {
  const pack = createPack();
  // Stored without compression: clients cannot tell, and the simulator shares the machine with them.
  const gzip = createGzip({ level: 0, chunkSize: 128 * 1024, memLevel: 9 });
  const skipped: string[] = [];
  pack.pipe(gzip);
  const packing = packAll(node, start, { pack, signal, skipped })
    .catch((error) => gzip.destroy(error));
  try {
    yield* gzip;
  } finally {
    pack.destroy();
    gzip.destroy();
    await packing;
  }
  if (skipped.length > 0) onSkipped(formatList(skipped));
}

interface Packing {
  readonly pack: Pack;
  readonly signal: AbortSignal;
  readonly skipped: string[];
}

async function packAll(
  node: SimulatedNode,
  start: FoundFile,
  packing: Packing,
): Promise<void> {
  for (const walked of walkFiles(node, start, -1)) {
    if (packing.signal.aborted) return;
    if (walked.relative === ".") continue; // only the contents of a directory are packed
    // Sequential, as the archive is one stream.
    await packOne(node, walked, packing);
  }
  packing.pack.finalize();
}

async function packOne(
  node: SimulatedNode,
  { path, relative, entry }: WalkedFile,
  { pack, signal, skipped }: Packing,
): Promise<void> {
  const header = {
    name: relative,
    mtime: new Date(node.boot.startedAt),
    uid: entry.owner ?? 0,
    gid: entry.owner ?? 0,
  };
  switch (entry.kind) {
    case "directory":
      return void pack.entry({
        ...header,
        name: `${relative}/`,
        type: "directory",
        mode: entry.permissions ?? 0o755,
      });
    case "link":
      return void pack.entry({
        ...header,
        type: "symlink",
        linkname: entry.target,
        mode: 0o777,
      });
    case "device":
      return void pack.entry({
        ...header,
        type: entry.isCharacter ? "character-device" : "block-device",
        mode: 0o600,
      });
    case "file":
      if (!entry.read) {
        return void skipped.push(
          `skipping "${path}": open ${path}: permission denied`,
        );
      }
      await packFile(
        pack,
        { ...header, mode: entry.permissions ?? 0o644 },
        readContent(node, entry),
        signal,
      );
  }
}

/** Reads files of unknown size first, as nodes do with small kernel files. */
function readContent(
  node: SimulatedNode,
  file: RegularFile<SimulatedNode>,
): { readonly size: number; readonly parts: Iterable<Uint8Array> } {
  const parts = file.read?.(node) ?? [];
  const size = file.size(node);
  if (size > 0) return { size, parts };
  const all = [...parts];
  return { size: all.reduce((sum, { length }) => sum + length, 0), parts: all };
}

async function packFile(
  pack: Pack,
  header: { readonly name: string; readonly mode: number },
  { size, parts }: ReturnType<typeof readContent>,
  signal: AbortSignal,
): Promise<void> {
  const sink = pack.entry({ ...header, size });
  for (const part of parts) {
    if (signal.aborted || sink.destroyed) return;
    const bytes = Buffer.from(part.buffer, part.byteOffset, part.byteLength);
    if (!sink.write(bytes)) {
      await untilDrained(sink);
    }
  }
  sink.end(undefined);
}

/** Waits until the archive accepts more data or is closed. */
function untilDrained(sink: ReturnType<Pack["entry"]>): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      sink.off("drain", done);
      sink.off("close", done);
      resolve();
    };
    sink.on("drain", done);
    sink.on("close", done);
  });
}

function formatList(errors: readonly string[]): string {
  const count = errors.length === 1 ? "1 error" : `${errors.length} errors`;
  const lines = errors.map((error) => `\t* ${error}\n`).join("");
  return `${count} occurred:\n${lines}\n`;
}
