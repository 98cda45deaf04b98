import {
  refusePipe,
  removeIfThere,
  unwritable,
} from "../../lib/files/atomic_file.ts";
import { writeAll } from "../../lib/files/write_all.ts";

/** Write buffer size in bytes, so that small parts cost no more than large ones. */
const enough = 256 * 1024;

/** Longest time parts are buffered, in milliseconds. */
const longestMs = 1000;

/**
 * Writes a capture as it arrives. Opens the file with the first part, so that a refused capture leaves an old file
 * alone. Writes all parts received, also after an error.
 *
 * @param parts Whole packets.
 * @throws {ConfigError} If the file cannot be written.
 * @throws Errors of `parts`.
 */
export async function writeCapture(
  parts: AsyncIterable<Uint8Array>,
  path: string,
): Promise<void> {
  let file: Deno.FsFile | undefined;
  const block = new Uint8Array(enough);
  let filled = 0;
  let isEmpty = true;
  let last = performance.now();

  async function write(bytes: Uint8Array): Promise<void> {
    try {
      if (file === undefined || bytes.length === 0) return;
      await writeAll(file, bytes);
      isEmpty = false;
    } catch (error) {
      // A truncated capture is useful, an empty file is not.
      if (isEmpty && (await file?.stat())?.isFile) await removeIfThere(path);
      throw unwritable(path, error);
    }
  }

  async function flush(): Promise<void> {
    const size = filled;
    filled = 0;
    last = performance.now();
    await write(block.subarray(0, size));
  }

  try {
    for await (const part of parts) {
      file ??= await openCapture(path);
      if (filled + part.length > enough) await flush();
      if (part.length > enough) {
        await write(part);
        continue;
      }
      block.set(part, filled);
      filled += part.length;
      if (performance.now() - last > longestMs) await flush();
    }
  } finally {
    try {
      await flush();
    } finally {
      file?.close();
    }
  }
}

async function openCapture(path: string): Promise<Deno.FsFile> {
  try {
    await refusePipe(path);
    return await Deno.open(path, { write: true, create: true, truncate: true });
  } catch (error) {
    throw unwritable(path, error);
  }
}
