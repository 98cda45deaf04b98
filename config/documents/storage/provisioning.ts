/** Disk selection and size of a volume. */

import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import { parseSize } from "../scalars/size.ts";
import { fieldTable } from "../table.ts";

/** Key `provisioning` of volumes. */
export const provisioning = fieldTable`
provisioning   | struct | Disk selection and size of the volume
  = {"diskSelector": {"match": "disk.transport == \"nvme\" && !system_disk"}, "grow": true,
    "minSize": "10GiB", "maxSize": "100GiB"}
  diskSelector | struct | Selects the disks to use
    match      | cel(disk), overwrite | CEL expression that matches disks; the variable is \`disk\`
      = NVMe disks other than the system disk | "disk.transport == \"nvme\" && !system_disk"
      = Large disks | "disk.size > 500u * GB"
  grow         | boolean, optional | Whether the volume grows to its maximum size
  minSize      | byteSize, overwrite | Minimum size of the volume | "10GiB"
  maxSize      | sizeOrPercent | Maximum size of the volume, negative to leave space free; omit for no limit
    = "100GiB"
    = "50%"
`;

/** Requirements of a kind of volume for `provisioning`. */
export interface ProvisioningNeeds {
  /** True if the volume does not exist without it. */
  readonly required: boolean;
  /** True if it has a size instead of taking a whole disk. */
  readonly sized: boolean;
}

/** Checks the key `provisioning`. */
export function* provisioningRules(
  block: Cursor,
  needs: ProvisioningNeeds,
): Iterable<Problem> {
  const match = block.get("diskSelector", "match");
  if (needs.required && isEmpty(match)) {
    yield match.error(
      '"diskSelector" is missing',
      "Give a match expression, such as !system_disk",
    );
  }
  yield* needs.sized ? sizeRules(block, needs) : wholeDiskRules(block);
}

/** Reports whether `provisioning` is empty. */
export function isUnprovisioned(block: Cursor): boolean {
  return block.get("grow").node === undefined &&
    ["minSize", "maxSize"].every((key) => isEmpty(block.get(key))) &&
    isEmpty(block.get("diskSelector", "match"));
}

function* sizeRules(
  block: Cursor,
  needs: ProvisioningNeeds,
): Iterable<Problem> {
  const [least, most] = [block.get("minSize"), block.get("maxSize")];
  if (isEmpty(least) && isEmpty(most) && needs.required) {
    yield block.error(
      'Neither "minSize" nor "maxSize" is given',
      "Give at least one of them",
    );
  }
  if (least.text()?.startsWith("-")) {
    yield least.error(
      `Minimum size "${least.text()}" is negative`,
      "Give a size such as 10GiB",
    );
  }
  const [low, high] = [least, most].map((size) => parseSize(size.text() ?? ""));
  if (low !== undefined && high !== undefined && low > high) {
    yield least.error(
      `Minimum size "${least.text()}" is greater than the maximum size "${most.text()}"`,
      "Lower minSize or raise maxSize",
    );
  }
}

function* wholeDiskRules(block: Cursor): Iterable<Problem> {
  for (const key of ["grow", "minSize", "maxSize"]) {
    const given = block.get(key);
    if (isEmpty(given)) continue;
    yield given.error(
      `"${key}" cannot be used with volume type "disk"`,
      "Remove it",
    );
  }
}

function isEmpty(given: Cursor): boolean {
  return (given.text() ?? "") === "";
}

/** Longest partition label in characters, without the two-character prefix. */
const longest = 34;

/** Checks the name of a volume with its own partition. */
export function* partitionNameRules(document: Cursor): Iterable<Problem> {
  const given = document.get("name");
  const text = given.text() ?? "";
  if (text.length > longest) {
    yield given.error(
      `Name "${text}" has ${text.length} characters`,
      `At most ${longest} fit into the label of a partition`,
    );
  }
  yield* volumeNameRules(document);
}

/** Checks the characters in the name of a volume. */
export function* volumeNameRules(document: Cursor): Iterable<Problem> {
  const given = document.get("name");
  const [wrong] = /[^A-Za-z0-9-]/u.exec(given.text() ?? "") ?? [];
  if (wrong !== undefined) {
    yield given.error(
      `Name "${given.text()}" contains "${wrong}"`,
      "Use letters, digits and hyphens only",
    );
  }
}
