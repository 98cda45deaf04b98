/** Invariants of nodes: restarts, bootable images, schedulable pods, and credentials. */

import type { JournalRecord } from "../../runbooks/journal/record.ts";
import type { Evidence, SeenNode } from "./evidence.ts";
import { matchesNode } from "../faults/matches.ts";
import { parseFault } from "../faults/parse_fault.ts";
import { foundFrom, type InvariantFinding, unchecked } from "./invariant.ts";

const restarting: ReadonlySet<string> = new Set([
  "reboot",
  "rollback",
  "upgrade",
  "reset",
  "shutdown",
  "apply-config",
  "config.initial",
  "node.resetEphemeral",
]);

const shaking: ReadonlySet<string> = new Set(["never-returns", "rolled-back"]);

/** I3: each node is restarted at most once, or for a reason in the journal. */
export function restartedOnce(evidence: Evidence): InvariantFinding {
  const { before, after, records, injected } = evidence;
  const wrong = after.nodes.flatMap((node) => {
    const earlier = nodeIn(before.nodes, node.name);
    if (earlier === undefined) return [];
    const reasons = reasonsFor(node, records);
    const shaken = injected.filter(({ fault, at }) => {
      const { where, what } = parseFault(fault);
      return at !== undefined && where.kind === "node" && shaking.has(what) &&
        matchesNode(where.glob, node.name);
    }).length;
    const count = node.reboots - earlier.reboots;
    const allowed = reasons + shaken;
    return count <= allowed
      ? []
      : [`${node.name} restarted ${times(count)}, with reasons for ${allowed}`];
  });
  return foundFrom(wrong);
}

/** Number of restarts explained by the journal: one for each step, and one more for each of its failures. */
function reasonsFor(
  { name, address }: Pick<SeenNode, "name" | "address">,
  records: readonly JournalRecord[],
): number {
  const steps = new Map<string, number>();
  for (const record of records) {
    const { path = "" } = record;
    if ((record.node ?? name) !== name) continue;
    const known = steps.get(path);
    switch (record.type) {
      case "intent":
        if (!restarting.has(record.data.operation)) break;
        // A node that is no member yet is named by its address alone.
        if ((Object(record.data.input).address ?? address) !== address) break;
        steps.set(path, known ?? 1);
        break;
      case "step":
        // An installation in doubt is resolved by a restart.
        if (!/restart|reboot/.test(record.data.step)) break;
        steps.set(path, known ?? 1);
        break;
      case "result":
        if (record.data.state !== "failed" || known === undefined) break;
        steps.set(path, known + 1);
        break;
      case "decision":
        if (record.data.verdict !== "redo" || known === undefined) break;
        steps.set(path, known + 1);
    }
  }
  return [...steps.values()].reduce((sum, one) => sum + one, 0);
}

/** I4: every node has a bootable image that is known to be good. */
export function bootable(
  { before, between, after, records }: Evidence,
): InvariantFinding {
  const wrong = [...between, after].flatMap(({ nodes }) =>
    nodes.flatMap((node) => {
      const earlier = nodeIn(before.nodes, node.name);
      if (earlier === undefined || !node.isPart) return [];
      const { name, nextVersion, slots } = node;
      // A new node has nothing to boot until it is installed.
      if (earlier.nextVersion === "") return [];
      if (isWiped(name, records)) return [];
      if (nextVersion === "") return [`${name} has nothing to boot`];
      // The earlier version is known to be good, and so is the current one if the node is ready.
      const good = [earlier.version, ...node.isReady ? [node.version] : []];
      return slots.some((slot) => good.includes(slot)) ? [] : [
        `${name} has ${slots.join(", ")}, and none of them has ever run there`,
      ];
    })
  );
  return foundFrom(wrong);
}

/** Reports whether a step reset the node; a step outside fan-outs does not say which node. */
function isWiped(node: string, records: readonly JournalRecord[]): boolean {
  return records.some((record) =>
    record.type === "intent" && (record.node ?? node) === node &&
    record.data.operation === "reset"
  );
}

/** States of runs that will be resumed. */
const unfinished: ReadonlySet<string> = new Set(["stopped", "interrupted"]);

/** I5: the run leaves no healthy node cordoned. */
export function findCordoned(
  { before, after, report }: Evidence,
): InvariantFinding {
  if (report === undefined || unfinished.has(report.state)) return unchecked;
  return foundFrom(
    after.nodes.flatMap(({ name, isCordoned, isReady, isPart }) => {
      const earlier = nodeIn(before.nodes, name);
      const isOurs = isCordoned && earlier?.isCordoned === false;
      return isOurs && isReady && isPart ? [`${name} is left cordoned`] : [];
    }),
  );
}

/** I6: at any time every node accepts some credential in the vault. */
export function alwaysOpen({ shutOut }: Evidence): InvariantFinding {
  return shutOut === undefined ? unchecked : foundFrom(shutOut);
}

function nodeIn(
  nodes: readonly SeenNode[],
  wanted: string,
): SeenNode | undefined {
  return nodes.find(({ name }) => name === wanted);
}

function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}
