/** Runbooks that are part of this program. */

import nodeUpgrade from "./node-upgrade.runbook.yaml" with { type: "text" };
import rollingUpgrade from "./rolling-upgrade.runbook.yaml" with {
  type: "text",
};

const texts: ReadonlyMap<string, string> = new Map([
  ["node-upgrade", nodeUpgrade],
  ["rolling-upgrade", rollingUpgrade],
]);

/** Names of all of them, in the order of the alphabet. */
export const builtinNames: readonly string[] = [...texts.keys()].sort();

/**
 * The text of one.
 *
 * @param name Name without `builtin:`.
 * @returns `undefined` when there is none of that name.
 */
export function builtinText(name: string): string | undefined {
  return texts.get(name);
}
