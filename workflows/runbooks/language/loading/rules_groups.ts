import type { NodeGroup, Runbook, SourcePosition } from "../../runbook.ts";
import { suggest } from "../match_shape.ts";
import type { SourceProblem } from "../problem.ts";
import { changedName } from "../changed_group.ts";
import { placeIn } from "../source_places.ts";

/**
 * Finds groups that refer to missing or later groups: groups are resolved in order.
 */
export function groupProblems(runbook: Runbook): readonly SourceProblem[] {
  const names = Object.keys(runbook.groups);
  return Object.entries(runbook.groups).flatMap(([name, group], index) => [
    ...changedProblems(name, group),
    ...listReferences(group).flatMap(([other, ...path]) => {
      const place = placeIn(group, ...path);
      if (other === changedName && group.at === "entry") return [];
      if (other === changedName) {
        return [{
          place,
          message:
            `Group "${name}" depends on "${changedName}", which is only known at run time`,
          hint: "Set at: entry",
        }];
      }
      const at = names.indexOf(other);
      if (at < 0) return [unknownGroup(other, names, place)];
      if (at < index) return [];
      return [{
        place,
        message: at === index
          ? `Group "${name}" depends on itself`
          : `Group "${other}" comes after "${name}", which depends on it`,
        hint: at === index
          ? "Use another group"
          : `Put "${other}" before "${name}"`,
      }];
    }),
  ]);
}

function changedProblems(
  name: string,
  group: NodeGroup,
): readonly SourceProblem[] {
  if (name !== changedName || group.changed) return [];
  return [{
    place: placeIn(group),
    message:
      `Every runbook has a group "${changedName}": the nodes that a block has changed`,
    hint: "Give this group another name",
  }];
}

/** Problem for an unknown group. */
export function unknownGroup(
  name: string,
  known: readonly string[],
  place: SourcePosition,
): SourceProblem {
  return {
    place,
    message: `There is no group "${name}"`,
    hint: suggest(name, known),
  };
}

/** Reports whether a group can only contain control planes. */
export function isControlPlane(
  name: string,
  runbook: Runbook,
  within: readonly string[] = [],
): boolean {
  const group = findGroup(name, runbook);
  if (group === undefined || within.includes(name)) return false;
  if (group.role !== undefined) return group.role === "controlplane";
  const narrower = (other: string) =>
    isControlPlane(other, runbook, [...within, name]);
  if (group.from !== undefined && narrower(group.from)) return true;
  return group.union !== undefined && group.union.length > 0 &&
    group.union.every(narrower);
}

type GroupReference = readonly [name: string, ...path: (string | number)[]];

function listReferences(group: NodeGroup): readonly GroupReference[] {
  return [
    ...(group.from === undefined ? [] : [[group.from, "from"] as const]),
    ...(group.union ?? []).map((name, index) =>
      [name, "union", index] as const
    ),
    ...group.except.map((name, index) => [name, "except", index] as const),
  ];
}

function findGroup(name: string, { groups }: Runbook): NodeGroup | undefined {
  return Object.hasOwn(groups, name) ? groups[name] : undefined;
}
