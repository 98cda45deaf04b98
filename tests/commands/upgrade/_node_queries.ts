/** Queries to a node during its upgrade. */

import type { FakeNode } from "../../_fake.ts";
import type { Upgradable } from "../../workflows/operations/_upgrades.ts";

/**
 * Takes the handlers that a test expects to be used; fakes complain of others.
 *
 * @param node The node.
 * @param more Methods beside those by which a node is checked.
 */
export function only(
  { node }: Pick<Upgradable, "node">,
  ...more: readonly string[]
): FakeNode {
  const wanted = ["version", "get", "list", "read", ...more];
  return Object.fromEntries(
    Object.entries(node).filter(([name]) => wanted.includes(name)),
  );
}
