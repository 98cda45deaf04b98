/** What a support bundle is made of. */

/** One file. */
export interface SupportItem {
  /** Where it is from: a node, or `cluster`. */
  readonly source: string;
  /** Path in the archive. */
  readonly path: string;
  /**
   * Reads what is in it, as text.
   *
   * @throws {OsctlError} If it cannot be read.
   */
  readonly read: () => AsyncIterable<Uint8Array>;
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
