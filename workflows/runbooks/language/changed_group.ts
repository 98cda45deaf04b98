/** The group that every runbook has: nodes that a block has changed. */

import type { MapNode } from "../../../config/tree/node.ts";
import type { NodeGroup, SourcePosition } from "../runbook.ts";
import { coreValue } from "../../../config/tree/core_value.ts";

/** Its name. */
export const changedName = "changed";

/** Where it is named: by a fan-out or another group, by a check or a module, in an expression. */
const named =
  /"changed"(?!:)|\bgroups\s*(\.\s*changed\b|\[\s*\\?['"]changed\b)/;

/** Adds the group of changed nodes, where a runbook names it and has none of that name itself. */
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
  // It comes first: any other group may be made from it.
  return { [changedName]: changed, ...groups };
}
