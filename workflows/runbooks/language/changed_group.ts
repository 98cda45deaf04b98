/** Built-in group `changed`: nodes that a block has changed. */

import type { MapNode } from "../../../config/tree/node.ts";
import type { NodeGroup, SourcePosition } from "../runbook.ts";
import { coreValue } from "../../../config/tree/core_value.ts";

/** Its name. */
export const changedName = "changed";

/** Matches references to it: in a fan-out or group, a check or module, or an expression. */
const named =
  /"changed"(?!:)|\bgroups\s*(\.\s*changed\b|\[\s*\\?['"]changed\b)/;

/** Adds the group `changed` if a runbook refers to it without declaring a group of that name. */
export function withChanged(
  groups: Readonly<Record<string, NodeGroup>>,
  root: MapNode,
  place: SourcePosition,
): Readonly<Record<string, NodeGroup>> {
  const isNamed = named.test(JSON.stringify(coreValue(root)));
  if (!isNamed || Object.hasOwn(groups, changedName)) return groups;
  const changed: NodeGroup = {
    except: [],
    order: ["etcdLeaderLast", "name"],
    at: "entry",
    changed: true,
    place,
  };
  // First, since any other group may derive from it.
  return { [changedName]: changed, ...groups };
}
