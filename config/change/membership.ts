/** Which machine of which cluster a configuration is for. */

import { type Cursor, cursorOf } from "../documents/cursor.ts";
import { type ConfigDocument, mainKind } from "../documents/load.ts";

/** What a node is in its cluster. */
export type MemberRole = "controlplane" | "worker";

/** Reports what a configuration makes of a node. Returns `undefined` when it does not say so. */
export function roleIn(
  documents: readonly ConfigDocument[],
): MemberRole | undefined {
  const type = mainOf(documents)?.get("machine", "type").text();
  if (type === undefined) return undefined;
  return type === "controlplane" || type === "init" ? "controlplane" : "worker";
}

/**
 * Tells in what a configuration would take a node to another cluster.
 *
 * A CA may be replaced by one that the node accepts already, or that continues
 * accepting the old one: that is how CAs are rotated.
 *
 * @returns What is different: `cluster.id`, `machine.ca`; empty for the same cluster.
 */
export function clusterDifferences(
  from: readonly ConfigDocument[],
  to: readonly ConfigDocument[],
): readonly string[] {
  const [old, now] = [mainOf(from), mainOf(to)];
  if (old === undefined || now === undefined) return [];
  return [
    ...(differ(old.get("cluster", "id"), now.get("cluster", "id"))
      ? ["cluster.id"]
      : []),
    ...(isForeign(old.get("machine"), now.get("machine"))
      ? ["machine.ca"]
      : []),
  ];
}

function mainOf(documents: readonly ConfigDocument[]): Cursor | undefined {
  const main = documents.find(({ kind }) => kind === mainKind);
  return main && cursorOf(main.root);
}

function differ(a: Cursor, b: Cursor): boolean {
  return (a.text() ?? "") !== (b.text() ?? "");
}

function isForeign(old: Cursor, now: Cursor): boolean {
  const [before, after] = [old, now].map((machine) =>
    machine.get("ca", "crt").text() ?? ""
  );
  if (before === after) return false;
  const knows = (machine: Cursor, crt = "") =>
    machine.get("acceptedCAs").items().some((item) =>
      item.get("crt").text() === crt
    );
  return !knows(old, after) && !knows(now, before);
}
