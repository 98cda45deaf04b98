/** Files of simulated nodes: what one is. */

import type { SimulatedNode } from "../node/node.ts";

/** What every file has. */
export interface Common {
  /** Permission bits; default 0755 for directories, 0777 for links, else 0644. */
  readonly permissions?: number;
  /** Owner and group; default 0. */
  readonly owner?: number;
  /** Type in its security label: `etc_t`; default that of the directory. */
  readonly label?: string;
}

/** A directory. */
export interface Directory extends Common {
  /** Kind. */
  readonly kind: "directory";
  /** Files in it by name. */
  readonly entries: Readonly<Record<string, Entry>>;
  /** Further files that some nodes have, or that come and go. */
  readonly own?: (node: SimulatedNode) => Readonly<Record<string, Entry>>;
}

/** A symbolic link. */
export interface Link extends Common {
  /** Kind. */
  readonly kind: "link";
  /** Where it points. */
  readonly target: string;
}

/** A file with contents. */
export interface RegularFile extends Common {
  /** Kind. */
  readonly kind: "file";
  /** Size in bytes as its directory shows it; files of the kernel show 0. */
  readonly size: (node: SimulatedNode) => number;
  /** Contents in parts; left out, opening it is not allowed. */
  readonly read?: (node: SimulatedNode) => Iterable<Uint8Array>;
}

/** A device. */
export interface Device extends Common {
  /** Kind. */
  readonly kind: "device";
  /** True for a character device, false for a block device. */
  readonly isCharacter: boolean;
}

/** A file of any kind. */
export type Entry = Directory | Link | RegularFile | Device;

/** Size of a file as its directory shows it, in bytes. */
export function sizeIn(node: SimulatedNode, entry: Entry): number {
  switch (entry.kind) {
    case "file":
      return entry.size(node);
    case "link":
      return entry.target.length;
    case "directory":
      return 4096;
    case "device":
      return 0;
  }
}

/** Makes a directory. */
export function directory(
  entries: Directory["entries"],
  common: Common = {},
): Directory {
  return { kind: "directory", entries, ...common };
}

/** Files in a directory, by name. */
export function entriesOf(
  node: SimulatedNode,
  { entries, own }: Directory,
): Readonly<Record<string, Entry>> {
  return own === undefined ? entries : { ...entries, ...own(node) };
}

/** Makes a symbolic link. */
export function link(target: string): Link {
  return { kind: "link", target };
}

/** Makes a file with text in it, the same on every node or made for each. */
export function text(
  content: string | ((node: SimulatedNode) => string),
  common: Common = {},
): RegularFile {
  const bytes = (node: SimulatedNode) =>
    new TextEncoder().encode(
      typeof content === "string" ? content : content(node),
    );
  return {
    kind: "file",
    size: (node) => bytes(node).length,
    read: (node) => [bytes(node)],
    ...common,
  };
}

/** Makes a file of the kernel: text that shows size 0. */
export function kernelText(
  content: string | ((node: SimulatedNode) => string),
): RegularFile {
  return { ...text(content), size: () => 0, permissions: 0o444 };
}

/** Makes a file of the kernel that can only be written. */
export function writeOnly(): RegularFile {
  return { kind: "file", size: () => 0, permissions: 0o200 };
}

/** Makes a device. */
export function device(isCharacter: boolean): Device {
  return { kind: "device", isCharacter, permissions: 0o600 };
}

/** Makes a large file of bytes that do not compress; the same in every file. */
export function largeFile(size: number): RegularFile {
  return { kind: "file", size: () => size, read: () => noise(size) };
}

const blockSize = 64 * 1024;
let block: Uint8Array | undefined;

function* noise(size: number): Generator<Uint8Array> {
  block ??= noiseBlock();
  for (let left = size; left > 0; left -= blockSize) {
    yield left < blockSize ? block.subarray(0, left) : block;
  }
}

/** Steps of a linear congruential generator. */
function noiseBlock(): Uint8Array {
  let state = 1;
  return Uint8Array.from({ length: blockSize }, () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return state >>> 16;
  });
}
