/** How far an archive of a node may be unpacked before the user has to confirm it. */

import { statfs } from "node:fs/promises";
import { splitPath } from "../files/atomic_file.ts";
import { RefusedError } from "../../errors.ts";

/** What the user says is meant, and where it goes. */
export interface UnpackLimits {
  /** Directory it is unpacked into; it may be missing. */
  readonly target: string;
  /** Largest unpacked size in bytes; `undefined` as long as no real file packs so well. */
  readonly maxBytes: number | undefined;
  /** Whether the last tenth of the disk may be written as well. */
  readonly fillDisk: boolean;
  /** Finds out how much there is room for; default asks the system. */
  readonly roomIn?: (path: string) => Promise<DiskSpace>;
}

interface DiskSpace {
  /** Bytes that may still be written. */
  readonly free: number;
  /** All bytes that can be used. */
  readonly total: number;
}

/** Called with what was read and unpacked, before it is written. */
export interface UnpackBounds {
  /** Counts bytes of the archive. */
  readonly packed: (count: number) => void;
  /** Counts bytes that came out of it. Throws `RefusedError` if it is too much, or the disk gets full. */
  readonly unpacked: (count: number) => Promise<void> | void;
}

/** Below this size, the compression ratio does not matter: the logs of etcd are mostly zeros. */
const smallSize = 1024 ** 3;

/** Unpacked bytes for each packed one; texts have 20, and what exists to fill disks has 1000. */
const mostForOne = 100;

const lookEvery = 64 * 1024 ** 2;

const unlookedAt = 1024 ** 2;

/** Counts what an archive becomes. `limits`: what is meant, and where it goes. */
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

/** As `df` counts: what is kept for the superuser is not there. */
async function roomOnDisk(path: string): Promise<DiskSpace> {
  try {
    const { bsize, blocks, bfree, bavail } = await statfs(path);
    return { free: bavail * bsize, total: (blocks - bfree + bavail) * bsize };
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error &&
      error.code === "ENOENT";
    const [parent] = splitPath(path);
    // Who writes the files says what is wrong with the path.
    return isMissing && parent !== path
      ? await roomOnDisk(parent)
      : { free: Infinity, total: 0 };
  }
}
