import { exists } from "../../lib/files/exists.ts";

/** One file. */
export interface SupportItem {
  /** Where it is from: a node, or `cluster`. */
  readonly source: string;
  readonly path: string;
  /**
   * Reads what is in it, as text.
   *
   * @throws {OsctlError} If it cannot be read.
   */
  readonly read: () => AsyncIterable<Uint8Array>;
}

/** A list of items. */
export interface ItemList {
  readonly name: string;
  /** Lists it. Throws `OsctlError` if that is not known. */
  readonly items: () => Promise<readonly SupportItem[]>;
}

/** What is not in a bundle, and why. */
export interface MissingItem {
  /** Where it would be from: a node, or `cluster`. */
  readonly source: string;
  /** Path in the archive, or what was to be listed. */
  readonly path: string;
  /** Why it is missing or incomplete. */
  readonly reason: string;
}

/** Content of a file. */
export async function* textContent(
  text: string | Promise<string>,
): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(await text);
}

/** A value as JSON; whole numbers beyond those of JSON are texts. */
export function jsonText(value: unknown): string {
  const read = (_: string, one: unknown) =>
    typeof one === "bigint" ? String(one) : one;
  return `${JSON.stringify(value, read, 2)}\n`;
}

/** A name of a node as a part of a path. */
export function pathName(name: string): string {
  return name.replace(/[^A-Za-z0-9._-]/g, "_").replace(/^\.+/, "_");
}

/** Content of a file of this machine; none where there is none. */
export async function* fileContent(path: string): AsyncGenerator<Uint8Array> {
  if (!await exists(path)) return;
  using file = await Deno.open(path);
  const buffer = new Uint8Array(64 * 1024);
  for (;;) {
    const length = await file.read(buffer);
    if (length === null) return;
    yield buffer.slice(0, length);
  }
}
