/** Order of the nodes in the rollouts of a site. */

import type { Plain } from "../../config/tree/node.ts";
import type { ComparedNode } from "./compare_site.ts";
import type { Site } from "./site.ts";

/** A step as in a file. */
export type Step = Readonly<Record<string, Plain>>;

/** A part of an apply. */
export interface Stage {
  readonly line: string;
  readonly step: Step;
  /** Safety rules that its runbook can override; true for those that it does. */
  readonly allow: Readonly<Record<string, boolean>>;
}

/** Settings of the site for its rollouts. */
export interface Rollout {
  readonly batch: Plain;
  readonly soak: string;
  readonly drain: boolean;
  readonly drainTimeout: string;
  readonly canary: string | undefined;
  readonly windows: Plain | undefined;
}

/** Reads the settings. */
export function readRollout({ upgrade }: Site): Rollout {
  const given = Object(upgrade) as Partial<Rollout>;
  const { batch = 1, soak = "0s", drain = true, drainTimeout = "5m" } = given;
  const { canary, windows } = given;
  return { batch, soak, drain, drainTimeout, canary, windows };
}

/** Names by which a run knows nodes. */
export function listNames(nodes: readonly ComparedNode[]): readonly string[] {
  return nodes.map(({ row, facts }) => facts?.name ?? row.node);
}

/** Reports whether etcd has a single member. */
export function hasOneControlPlane({ nodes }: Site): boolean {
  return nodes.filter(isControlPlane).length === 1;
}

/** Reports whether a node is a control plane. */
export function isControlPlane({ role }: { readonly role: string }): boolean {
  return role === "controlplane";
}

/** Reports whether a new configuration reboots a node. */
export function reboots({ row }: ComparedNode): boolean {
  return row.differences.some(({ needs }) => needs === "reboot");
}

/** Nodes in the order of a rollout. */
interface RolloutOrder {
  readonly canary: readonly ComparedNode[];
  readonly workers: readonly ComparedNode[];
  readonly controlPlanes: readonly ComparedNode[];
}

/** Splits nodes; without a canary group, the first worker is the canary. */
export function splitNodes(
  nodes: readonly ComparedNode[],
  rollout: Pick<Rollout, "canary">,
): RolloutOrder {
  const all = nodes.filter(({ row }) => !isControlPlane(row));
  const canary = rollout.canary === undefined
    ? all.slice(0, 1)
    : all.filter(({ rendered }) =>
      rendered?.node.groups.includes(rollout.canary ?? "")
    );
  return {
    canary,
    workers: all.filter((one) => !canary.includes(one)),
    controlPlanes: nodes.filter(({ row }) => isControlPlane(row)),
  };
}

/** Names in order, for people. `planesFirst`: true if the other workers come last, as in upgrades. */
export function describeOrder(
  { canary, workers, controlPlanes }: RolloutOrder,
  planesFirst = false,
): string {
  const list = (nodes: readonly ComparedNode[], how: string) =>
    nodes.length === 0
      ? []
      : [`${
        nodes.map((one) => `${one.row.node}${reboots(one) ? " (reboot)" : ""}`)
          .join(", ")
      }${nodes.length > 1 ? how : ""}`];
  const rest = [list(workers, ""), list(controlPlanes, ", one at a time")];
  return [
    ...list(canary, ""),
    ...(planesFirst ? rest.toReversed() : rest).flat(),
  ].join("; then ");
}
