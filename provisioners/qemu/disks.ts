import { writeAll } from "../../lib/files/write_all.ts";
import { OsctlError } from "../../errors.ts";
import type { MachineDisk } from "./machine.ts";
import { run } from "./run.ts";

interface NewDisk {
  readonly path: string;
  /** Size in bytes. */
  readonly size: number;
  readonly isPreallocated: boolean;
}

/** Disk sizes are multiples of this, in bytes, as required by QEMU. */
const alignment = 4 * 1024 * 1024;

interface DiskOptions {
  /** Disk image to copy, raw or `.zst`; default an empty disk. */
  readonly image?: string | undefined;
  readonly signal?: AbortSignal;
}

/**
 * Creates a disk.
 *
 * @returns Size in bytes.
 * @throws {OsctlError} If there is not enough space, or the image does not fit.
 */
export async function createDisk(
  { path, size, isPreallocated }: NewDisk,
  { image, signal }: DiskOptions = {},
): Promise<number> {
  const whole = Math.ceil(size / alignment) * alignment;
  using file = await Deno.open(path, {
    create: true,
    truncate: true,
    write: true,
    read: true,
    mode: 0o600,
  });
  if (image !== undefined) {
    await copyImage(image, file, { room: whole, signal });
  }
  await file.truncate(whole);
  if (isPreallocated) {
    // Takes minutes on a file system without support for it.
    await run(["fallocate", "--length", `${whole}`, path], { signal });
  }
  return whole;
}

/** True if a disk has a GPT with partitions (UEFI, chapter 5). */
export async function isBootable(
  disk: MachineDisk | undefined,
): Promise<boolean> {
  if (disk === undefined) return false;
  using file = await Deno.open(disk.path, { read: true });
  const { blockSize } = disk;
  const header = await readAt(file, blockSize, 92);
  if (new TextDecoder().decode(header.subarray(0, 8)) !== "EFI PART") {
    return false;
  }
  const view = new DataView(header.buffer);
  const start = Number(view.getBigUint64(72, true)) * blockSize;
  const [count, size] = [view.getUint32(80, true), view.getUint32(84, true)];
  const entries = await readAt(
    file,
    start,
    Math.min(count, 128) * Math.min(size, 4_096),
  );
  for (let at = 0; at + 16 <= entries.length; at += size) {
    if (entries.subarray(at, at + 16).some((byte) => byte !== 0)) return true;
  }
  return false;
}

async function copyImage(
  image: string,
  file: Deno.FsFile,
  { room, signal }: {
    readonly room: number;
    readonly signal: AbortSignal | undefined;
  },
): Promise<void> {
  const isCompressed = image.endsWith(".zst");
  const child = isCompressed ? unpack(image, signal) : undefined;
  const content = child?.stdout ?? (await Deno.open(image)).readable;
  let size = 0;
  for await (const chunk of content) {
    signal?.throwIfAborted();
    size += chunk.length;
    if (size > room) {
      throw new OsctlError(
        `Disk image "${image}" is larger than the disk of ${room} bytes`,
        {
          hint: "Increase the size of the first disk",
        },
      );
    }
    // Keep the file sparse.
    if (chunk.every((byte) => byte === 0)) {
      await file.seek(size, Deno.SeekMode.Start);
    } else await writeAll(file, chunk);
  }
  if (child !== undefined && !(await child.status).success) {
    throw new OsctlError(
      `Cannot unpack disk image "${image}": it is not valid zstd`,
    );
  }
}

function unpack(
  image: string,
  signal: AbortSignal | undefined,
): Deno.ChildProcess {
  try {
    return new Deno.Command("zstd", {
      args: ["--decompress", "--stdout", "--quiet", image],
      stdin: "null",
      stdout: "piped",
      stderr: "null",
      signal,
    }).spawn();
  } catch (error) {
    throw new OsctlError(
      `Cannot unpack disk image "${image}": zstd is not installed`,
      { cause: error },
    );
  }
}

async function readAt(
  file: Deno.FsFile,
  at: number,
  size: number,
): Promise<Uint8Array<ArrayBuffer>> {
  await file.seek(at, Deno.SeekMode.Start);
  const bytes = new Uint8Array(size);
  let have = 0;
  while (have < size) {
    const count = await file.read(bytes.subarray(have));
    if (count === null) break;
    have += count;
  }
  return bytes;
}
