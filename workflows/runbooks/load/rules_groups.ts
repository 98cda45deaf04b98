/** What has to hold between groups. */

import type { Group, Place, Runbook } from "../runbook.ts";
import { meant } from "./fit.ts";
import type { Mistake } from "./mistake.ts";
import { placeIn } from "./places.ts";

/**
 * Finds groups that name groups that do not exist, or themselves.
 *
 * @param runbook Any runbook.
 */
export function groupMistakes(runbook: Runbook): readonly Mistake[] {
  const names = Object.keys(runbook.groups);
  return Object.entries(runbook.groups).flatMap(([name, group]) => {
    const unknown = referencesOf(group).flatMap(([other, ...path]) =>
      Object.hasOwn(runbook.groups, other)
        ? []
        : [unknownGroup(other, names, placeIn(group, ...path))]
    );
    return containsItself(name, runbook)
      ? [...unknown, {
        place: group.place,
        message: `Group "${name}" is made from itself`,
        hint: "Break the circle of from, union and except",
      }]
      : unknown;
  });
}

/**
 * Says that there is no such group.
 *
 * @param name Name that was used.
 * @param known Names of the groups.
 * @param place Where it was used.
 */
export function unknownGroup(
  name: string,
  known: readonly string[],
  place: Place,
): Mistake {
  return {
    place,
    message: `There is no group "${name}"`,
    hint: meant(name, known),
  };
}

/**
 * Tells whether a group can only hold control planes.
 *
 * @param name Name of a group.
 * @param runbook Where it is declared.
 */
export function isControlPlane(
  name: string,
  runbook: Runbook,
  within: readonly string[] = [],
): boolean {
  const group = groupOf(name, runbook);
  if (group === undefined || within.includes(name)) return false;
  if (group.role !== undefined) return group.role === "controlplane";
  const narrower = (other: string) =>
    isControlPlane(other, runbook, [...within, name]);
  if (group.from !== undefined && narrower(group.from)) return true;
  return group.union !== undefined && group.union.length > 0 &&
    group.union.every(narrower);
}

type Reference = readonly [name: string, ...path: (string | number)[]];

function referencesOf(group: Group): readonly Reference[] {
  return [
    ...(group.from === undefined ? [] : [[group.from, "from"] as const]),
    ...(group.union ?? []).map((name, index) =>
      [name, "union", index] as const
    ),
    ...group.except.map((name, index) => [name, "except", index] as const),
  ];
}

function containsItself(name: string, runbook: Runbook): boolean {
  const seen = new Set<string>();
  const open = [name];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const group = groupOf(next, runbook);
    for (const [other] of group === undefined ? [] : referencesOf(group)) {
      if (other === name) return true;
      if (!seen.has(other)) open.push(other);
      seen.add(other);
    }
  }
  return false;
}

function groupOf(name: string, { groups }: Runbook): Group | undefined {
  return Object.hasOwn(groups, name) ? groups[name] : undefined;
}
