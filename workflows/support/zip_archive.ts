/** A streamed ZIP archive. */

import { createDeflateRaw } from "node:zlib";
import { Zip, ZipPassThrough } from "fflate";
import {
  readStat,
  refusePipe,
  removeIfThere,
  unwritable,
} from "../../lib/files/atomic_file.ts";
import { writeAll } from "../../lib/files/write_all.ts";
import { OsctlError } from "../../errors.ts";
import { keepInterruptHandler } from "../../interrupts.ts";
import type { Encrypt } from "../../pki/age.ts";

interface ZipArchive extends AsyncDisposable {
  /**
   * Adds a file; concurrent files are queued. A failed file is kept as far as it was read.
   *
   * @param path Path in the archive.
   * @param content Its content; an empty file is not written.
   * @param isLast True for the file that fits even when the archive is full.
   * @returns Size in bytes, and the failure.
   */
  readonly add: (
    path: string,
    content: AsyncIterable<Uint8Array>,
    isLast?: boolean,
  ) => Promise<{ readonly size: number; readonly failure?: unknown }>;
  /** Writes the central directory, without which the archive is invalid. */
  readonly end: () => Promise<void>;
}

/** Bytes of a queued file to buffer: few files are larger. */
const mostWaiting = 1024 ** 2;

interface ArchiveLimits {
  /** Maximum size of the archive without its last file and directory, and of any file before compression. */
  readonly bytes: number;
  readonly files: number;
}

/**
 * Sizes and offsets have 32 bits, counts 16 (PKWARE APPNOTE 4.4); 64 MiB are reserved for the last file and the
 * directory.
 */
const most: ArchiveLimits = { bytes: 2 ** 32 - 64 * 1024 ** 2, files: 65_534 };

/**
 * Creates an archive; overwrites an existing file.
 *
 * Content beyond the limits is truncated or omitted, with a failure: the archive stays readable.
 *
 * @param now Modification time of its files.
 * @param limits Smaller limits, for tests.
 * @param encrypt Encrypts the archive; default none.
 * @throws {ConfigError} If it cannot be written.
 */
export async function openArchive(
  path: string,
  now: Date,
  limits: ArchiveLimits = most,
  encrypt?: Encrypt,
): Promise<ZipArchive> {
  let [written, files] = [0, 0];
  let isWhole = false;
  const file = await openArchiveFile(path);
  const target = encrypt === undefined
    ? plainTarget(file)
    : encryptedTarget(file, encrypt);
  // Truncated, it could not be read.
  const forget = keepInterruptHandler();
  const made: Uint8Array[] = [];
  let failed: Error | null = null;
  const zip = new Zip((error, chunk) => {
    if (error === null) made.push(chunk);
    else failed = error;
  });
  let turn: Promise<unknown> = Promise.resolve();

  function inTurn<T>(task: () => Promise<T>): Promise<T> {
    const mine = turn.then(task);
    turn = mine.catch(() => {});
    return mine;
  }

  async function flush(): Promise<void> {
    if (failed !== null) throw failed;
    for (const chunk of made.splice(0)) {
      written += chunk.length;
      await target.write(chunk).catch((error) => {
        throw unwritable(path, error);
      });
    }
  }

  const isOver = (isLast: boolean) => !isLast && written >= limits.bytes;
  const isFull = (isLast: boolean) =>
    isOver(isLast) || !isLast && files >= limits.files;

  return {
    async add(path, content, isLast = false) {
      // Skips reading what would not be written.
      if (isFull(isLast)) return { size: 0, failure: full(limits) };
      const source = reader(content);
      const first = await source.upTo(mostWaiting);
      if (first.length === 0) return source.result();
      return await inTurn(async () => {
        if (isFull(isLast)) {
          await source.leave();
          return { size: 0, failure: full(limits) };
        }
        files++;
        const { file, settled } = packFile(path, now);
        zip.add(file);
        for (const chunk of first) {
          file.push(chunk);
          await settled();
        }
        let size = measureSize(first);
        await flush();
        let failure: unknown;
        for (;;) {
          const [chunk] = await source.upTo(1);
          if (chunk === undefined) break;
          if (isOver(isLast) || size + chunk.length > limits.bytes) {
            failure = full(limits);
            await source.leave();
            break;
          }
          size += chunk.length;
          file.push(chunk);
          await settled();
          await flush();
        }
        file.push(new Uint8Array(), true);
        await settled();
        await flush();
        return failure === undefined ? source.result() : { size, failure };
      });
    },
    end: () =>
      inTurn(async () => {
        zip.end();
        await flush();
        await target.end().catch((error) => {
          throw unwritable(path, error);
        });
        isWhole = true;
      }),
    async [Symbol.asyncDispose]() {
      forget();
      await target.abort();
      file.close();
      // Without its directory it cannot be read; a device stays.
      if (!isWhole && (await readStat(path))?.isFile) await removeIfThere(path);
    },
  };
}

interface ArchiveTarget {
  readonly write: (chunk: Uint8Array) => Promise<void>;
  /** Writes what is left. */
  readonly end: () => Promise<void>;
  /** Drops what is left; does nothing after the end. */
  readonly abort: () => Promise<void>;
}

function plainTarget(file: Deno.FsFile): ArchiveTarget {
  return {
    write: (chunk) => writeAll(file, chunk),
    end: () => Promise.resolve(),
    abort: () => Promise.resolve(),
  };
}

function encryptedTarget(file: Deno.FsFile, encrypt: Encrypt): ArchiveTarget {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const written = (async () => {
    for await (const part of await encrypt(readable)) {
      await writeAll(file, part);
    }
  })();
  // Reported by the next write, or at the end.
  written.catch((error) => writer.abort(error)).catch(() => {});
  return {
    write: (chunk) => writer.write(chunk),
    async end() {
      await writer.close();
      await written;
    },
    async abort() {
      await writer.abort().catch(() => {});
      await written.catch(() => {});
    },
  };
}

/** Compression method: Deflate (PKWARE APPNOTE 4.4.5). */
const deflate = 8;

/** A file compressed by the runtime, with less time and memory than in JavaScript. */
function packFile(path: string, now: Date) {
  const file = new ZipPassThrough(path);
  file.mtime = now;
  file.compression = deflate;
  const raw = createDeflateRaw();
  raw.on(
    "data",
    (bytes: Uint8Array<ArrayBuffer>) => file.ondata(null, bytes, false),
  );
  const ended = new Promise<void>((resolve, reject) => {
    raw.on("end", () => {
      file.ondata(null, new Uint8Array(), true);
      resolve();
    });
    raw.on("error", reject);
  });
  let taken: Promise<unknown> = Promise.resolve();
  // Only pushed data is compressed; its checksum is computed before.
  Object.assign(file, {
    process(chunk: Uint8Array, isFinal: boolean) {
      if (!isFinal) {
        taken = new Promise((resolve) => raw.write(chunk, resolve));
        return;
      }
      raw.end();
      taken = ended;
    },
  });
  return { file, settled: () => taken };
}

function full({ bytes, files }: ArchiveLimits): OsctlError {
  return new OsctlError(
    `the archive is full: it holds at most ${bytes} bytes and ${files} files; collect fewer nodes at a time`,
  );
}

function measureSize(chunks: readonly Uint8Array[]): number {
  return chunks.reduce((sum, { length }) => sum + length, 0);
}

async function openArchiveFile(path: string): Promise<Deno.FsFile> {
  const options = { create: true, write: true, truncate: true, mode: 0o600 };
  try {
    await refusePipe(path);
    return await Deno.open(path, options);
  } catch (error) {
    throw unwritable(path, error);
  }
}

function reader(content: AsyncIterable<Uint8Array>) {
  const chunks = content[Symbol.asyncIterator]();
  let size = 0;
  let isOver = false;
  let end: { readonly failure?: unknown } = {};

  async function next(): Promise<Uint8Array | undefined> {
    if (isOver) return undefined;
    try {
      const { done, value } = await chunks.next();
      if (!done) return value;
    } catch (failure) {
      end = { failure };
    }
    isOver = true;
    return undefined;
  }

  return {
    /** Chunks with at least that many bytes in total; fewer at the end. */
    async upTo(bytes: number): Promise<readonly Uint8Array[]> {
      const found: Uint8Array[] = [];
      for (let room = bytes; room > 0;) {
        const chunk = await next();
        if (chunk === undefined) break;
        if (chunk.length === 0) continue;
        found.push(chunk);
        room -= chunk.length;
        size += chunk.length;
      }
      return found;
    },
    /** Stops early. */
    async leave(): Promise<void> {
      isOver = true;
      await chunks.return?.();
    },
    result: () => ({ size, ...end }),
  };
}
