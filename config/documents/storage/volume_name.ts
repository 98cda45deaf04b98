/** Names of volumes, which become labels of partitions and paths of mounts. */

import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";

/** Characters a partition label holds beside the prefix of two. */
const longest = 34;

/** Checks the name of a volume that has a partition of its own. */
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
