/** Small buckets of a snapshot that are read as a whole. */

import type { BlockFile } from "./block_file.ts";
import { damagedElement, type LeafElement, textOf } from "./elements.ts";

/** Most that is kept of one file, in bytes. */
const mostBytes = 1024 * 1024;

/** One key with its value. */
export interface Entry {
  /** Where it stands, for messages. */
  readonly element: LeafElement;
  /** The key, one character for each byte. */
  readonly key: string;
  /** The value. */
  readonly value: Uint8Array<ArrayBuffer>;
}

/** Entries by the name of their bucket. */
export interface Entries {
  /** What was kept. */
  readonly kept: Map<string, Entry[]>;
  /** How much that is, in bytes. */
  size: number;
}

/** Begins with none. */
export function noEntries(): Entries {
  return { kept: new Map(), size: 0 };
}

/**
 * Keeps one entry.
 *
 * @param entries What was kept so far.
 * @param file The database.
 * @param bucket Name of its bucket.
 * @param element The entry.
 * @throws {OsctlError} If there are too many.
 */
export function keep(
  entries: Entries,
  file: BlockFile,
  bucket: string,
  element: LeafElement,
): void {
  const { key: { at: start }, value: { at, end } } = element;
  entries.size += end - start;
  if (entries.size > mostBytes) {
    throw damagedElement(file, element, `bucket "${bucket}" is too large`);
  }
  const value = file.bytes(at, end - at);
  const entry = { element, key: textOf(file, element.key), value };
  const known = entries.kept.get(bucket);
  if (known === undefined) entries.kept.set(bucket, [entry]);
  else known.push(entry);
}
