/** Limits for unpacking an archive of a node without confirmation by the user. */

import { statfs } from "node:fs/promises";
import { splitPath } from "../files/atomic_file.ts";
import { RefusedError } from "../../errors.ts";

/** Limits from the user, and the target. */
export interface UnpackLimits {
  /** Target directory; it may be missing. */
  readonly target: string;
  /** Largest unpacked size in bytes; `undefined` limits the compression ratio instead. */
  readonly maxBytes: number | undefined;
  /** True to allow use of the last tenth of the disk. */
  readonly fillDisk: boolean;
  /** Returns the free space; default asks the system. */
  readonly roomIn?: (path: string) => Promise<DiskSpace>;
}

interface DiskSpace {
  /** Bytes available. */
  readonly free: number;
  /** Total usable bytes. */
  readonly total: number;
}

/** Callbacks for packed and unpacked bytes, called before anything is written. */
export interface UnpackBounds {
  /** Counts bytes of the archive. */
  readonly packed: (count: number) => void;
  /** Counts unpacked bytes. Throws `RefusedError` if a limit is exceeded or the disk becomes full. */
  readonly unpacked: (count: number) => Promise<void> | void;
}

/** The compression ratio is not checked below this size: etcd logs are mostly zeros. */
const smallSize = 1024 ** 3;

/** Highest ratio of unpacked to packed bytes; texts have 20, zip bombs 1000. */
const mostForOne = 100;

const lookEvery = 64 * 1024 ** 2;

const unlookedAt = 1024 ** 2;

/** Counts the size of an unpacked archive. `limits`: limits and target. */
export function unpackBounds(
  { target, maxBytes, fillDisk, roomIn = roomOnDisk }: UnpackLimits,
): UnpackBounds {
  let packed = 0;
  let unpacked = 0;
  let unlooked = unlookedAt;

  async function look(count: number): Promise<void> {
    const { free, total } = await roomIn(target);
    const allowed = free - total / 10;
    if (allowed < count) throw tooFull(target);
    unlooked = Math.min(lookEvery, allowed) - count;
  }

  return {
    packed(count) {
      packed += count;
    },
    unpacked(count) {
      unpacked += count;
      if (maxBytes !== undefined && unpacked > maxBytes) {
        throw tooLarge(maxBytes);
      }
      const isBomb = unpacked > smallSize && unpacked > mostForOne * packed;
      if (maxBytes === undefined && isBomb) throw tooDense(packed, unpacked);
      if (fillDisk) return;
      if (unlooked < count) return look(count);
      unlooked -= count;
    },
  };
}

function tooLarge(maxBytes: number): RefusedError {
  return new RefusedError(`it expands to more than ${maxBytes} bytes`, {
    hint: "Allow more with --max-size, such as --max-size 20GiB",
  });
}

function tooDense(packed: number, unpacked: number): RefusedError {
  return new RefusedError(
    `${packed} bytes of the archive expand to ${unpacked}, more than any real file`,
    {
      hint:
        "If this is intended, allow more with --max-size, such as --max-size 20GiB",
    },
  );
}

function tooFull(target: string): RefusedError {
  return new RefusedError(
    `the disk of "${target}" would have less than 10% free`,
    { hint: "To continue anyway, pass --fill-disk" },
  );
}

/** As `df` counts: without the blocks reserved for the superuser. */
async function roomOnDisk(path: string): Promise<DiskSpace> {
  try {
    const { bsize, blocks, bfree, bavail } = await statfs(path);
    return { free: bavail * bsize, total: (blocks - bfree + bavail) * bsize };
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error &&
      error.code === "ENOENT";
    const [parent] = splitPath(path);
    // The writer reports problems of the path itself.
    return isMissing && parent !== path
      ? await roomOnDisk(parent)
      : { free: Infinity, total: 0 };
  }
}
