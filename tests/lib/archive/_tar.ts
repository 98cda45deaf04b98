/** Archives written by hand, so that they can be wrong in every way. */

/** Type flags of a tar header (POSIX.1-1988, with those of GNU and pax). */
export type Flag =
  | "0"
  | "1"
  | "2"
  | "3"
  | "4"
  | "5"
  | "6"
  | "7"
  | "L"
  | "S"
  | "x";

/** One entry; what is omitted is that of a small file. */
export interface TarEntry {
  /** Name, at most 100 bytes. */
  readonly name: string;
  /** Type of the entry, default `0`: a file. */
  readonly flag?: Flag;
  /** Permissions, default 0644. */
  readonly mode?: number;
  readonly link?: string;
  readonly body?: string | Uint8Array;
  /** Size in the header, when it is a lie. */
  readonly size?: number;
}

/** Header and content of an entry. */
export function tarEntry(entry: TarEntry): Uint8Array {
  const { name, flag = "0", mode = 0o644, link = "", body = "" } = entry;
  const content = typeof body === "string" ? encode(body) : body;
  const block = new Uint8Array(512);
  const put = (at: number, text: string) => block.set(encode(text), at);
  put(0, name);
  put(100, `${octal(mode, 7)}\0`);
  put(108, `${octal(0, 7)}\0`);
  put(116, `${octal(0, 7)}\0`);
  put(124, `${octal(entry.size ?? content.length, 11)}\0`);
  put(136, `${octal(0, 11)}\0`);
  put(156, flag);
  put(157, link);
  put(257, "ustar\x0000");
  put(148, "        ");
  const sum = block.reduce((all, byte) => all + byte, 0);
  put(148, `${octal(sum, 6)}\0 `);
  const padding = new Uint8Array((512 - content.length % 512) % 512);
  return join([block, content, padding]);
}

/** Entry whose name does not fit in the header. */
export function paxEntry(path: string, entry: TarEntry): Uint8Array {
  const record = ` path=${path}\n`;
  let size = encode(record).length;
  size += String(size + String(size).length).length;
  return join([
    tarEntry({ name: "pax", flag: "x", body: `${size}${record}` }),
    tarEntry(entry),
  ]);
}

/** The two empty blocks at the end. */
export const endMark: Uint8Array = new Uint8Array(1024);

/** A whole archive, not compressed. */
export function tar(entries: readonly (TarEntry | Uint8Array)[]): Uint8Array {
  const parts = entries.map((entry) =>
    entry instanceof Uint8Array ? entry : tarEntry(entry)
  );
  return join([...parts, endMark]);
}

/** Compresses. */
export async function gzip(bytes: Uint8Array): Promise<Uint8Array> {
  const body = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream();
  const packed = body.pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}

/** A whole archive, compressed. */
export function tarGz(
  entries: readonly (TarEntry | Uint8Array)[],
): Promise<Uint8Array> {
  return gzip(tar(entries));
}

/** Bytes as a node sends them. */
export async function* splitChunks(
  bytes: Uint8Array,
  size = 1024,
): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) {
    await Promise.resolve();
    yield bytes.slice(at, at + size);
  }
}

/** Bytes that do not compress. */
export function noise(size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size; at += 65_536) {
    crypto.getRandomValues(bytes.subarray(at, at + 65_536));
  }
  return bytes;
}

/** Joins bytes. */
export function join(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, one) => sum + one.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, "0");
}
