/** `machine.disks`. */

import type { Cursor } from "../documents/cursor.ts";
import type { Problem } from "../documents/problem.ts";
import { isGiven, textOf } from "./texts.ts";

/** Only the last partition of a disk may take what is left. */
export function* diskRules(root: Cursor): Iterable<Problem> {
  for (const disk of root.get("machine", "disks").items()) {
    if (!isGiven(disk)) {
      yield disk.error("A disk is empty", "Fill it in, or remove it");
    }
    yield* partitionRules(disk);
  }
}

function* partitionRules(disk: Cursor): Iterable<Problem> {
  const device = textOf(disk.get("device"));
  const partitions = disk.get("partitions").items();
  for (const [index, partition] of partitions.entries()) {
    if (!isGiven(partition)) {
      yield partition.error(
        `A partition of disk "${device}" is empty`,
        "Fill it in, or remove it",
      );
    } else if (index < partitions.length - 1 && isRest(partition.get("size"))) {
      yield partition.get("size").error(
        `Partition ${
          index + 1
        } of disk "${device}" takes the rest of the disk but is not the last`,
        "Give it a size, or put it last",
      );
    }
  }
}

function isRest(size: Cursor): boolean {
  return !/[1-9]/.test(textOf(size));
}
