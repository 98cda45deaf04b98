import { exists } from "../../lib/files/exists.ts";

/** A file of the bundle. */
export interface SupportItem {
  /** Source: a node, or `cluster`. */
  readonly source: string;
  readonly path: string;
  /**
   * Reads its content, as text.
   *
   * @throws {OsctlError} If it cannot be read.
   */
  readonly read: () => AsyncIterable<Uint8Array>;
}

/** A list of items. */
export interface ItemList {
  readonly name: string;
  /** Lists the items. Throws `OsctlError` if that fails. */
  readonly items: () => Promise<readonly SupportItem[]>;
}

/** An item missing from a bundle, with the reason. */
export interface MissingItem {
  /** Source: a node, or `cluster`. */
  readonly source: string;
  /** Path in the archive, or name of the list. */
  readonly path: string;
  /** Reason why it is missing or incomplete. */
  readonly reason: string;
}

/** Content of a file. */
export async function* textContent(
  text: string | Promise<string>,
): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(await text);
}

/** Formats a value as JSON; integers beyond JSON's precision are strings. */
export function jsonText(value: unknown): string {
  const read = (_: string, one: unknown) =>
    typeof one === "bigint" ? String(one) : one;
  return `${JSON.stringify(value, read, 2)}\n`;
}

/** Formats a node name as a path segment. */
export function pathName(name: string): string {
  return name.replace(/[^A-Za-z0-9._-]/g, "_").replace(/^\.+/, "_");
}

/** Content of a file of this machine; empty if it does not exist. */
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
