/** Shared by commands that create local clusters: version check, rows and final notes. */

import { ConfigError, LockedError } from "../../errors.ts";
import {
  type ClusterAccess,
  type ClusterLocation,
  type LocalNode,
  readState,
} from "../../provisioners/mod.ts";
import type { StartContext } from "./_start_cluster.ts";
import { kubernetesProblem } from "../../workflows/upgrade/kubernetes_range.ts";
import { type Context, textual, type View } from "../_kit/mod.ts";
import {
  type ClusterInputs,
  clusterInputs,
  locateCluster,
} from "./_cluster.ts";
import { nodeTable } from "./_node_table.ts";

/** A created cluster. */
export interface CreatedRow {
  readonly name: string;
  /** `host:port` or host of each control plane. */
  readonly endpoints: readonly string[];
  readonly nodes: readonly string[];
  /** Machines, control planes first; CPUs in billionths, sizes in bytes. */
  readonly machines: readonly LocalNode[];
  /** Client configuration with the new context. */
  readonly osconfig: string;
  readonly context: string;
}

/** The node table, and the location of the context. */
export const createdView: View<CreatedRow> = textual((row, _, columns) =>
  `${nodeTable(row.machines, { columns })}
Cluster "${row.name}" is ready: ${row.nodes.length} nodes; context "${row.context}" in ${row.osconfig}
`
);

/** Suggests the next two commands. */
export function sayNext(
  name: string,
  { note }: Pick<Context<Record<never, never>>, "note">,
): void {
  const which = name === clusterInputs.name.initial ? "" : ` --name ${name}`;
  note("hint: Check it with: osctl health");
  note(`hint: Destroy it with: osctl cluster destroy${which}`);
}

/** Reports leftovers of an interrupted or failed creation, but not those of another process. */
export async function sayUnfinished(
  error: unknown,
  place: ClusterLocation,
  { note }: Pick<Context<Record<never, never>>, "note">,
): Promise<void> {
  if (error instanceof LockedError) return;
  const phase = (await readState(place).catch(() => undefined))?.phase;
  if (phase === undefined) return;
  const { name } = place;
  note(
    `Cluster "${name}" is unfinished: it stopped while ${phase}; to continue, repeat the command; to remove it: osctl cluster destroy --name ${name}`,
  );
}

/** Row of a cluster whose context exists. */
export async function createdRow(
  { input, environment }: Pick<
    Context<ClusterInputs>,
    "input" | "environment"
  >,
  { endpoints, nodes }: ClusterAccess,
  { osconfig, context }: Pick<CreatedRow, "osconfig" | "context">,
): Promise<CreatedRow> {
  const state = await readState(locateCluster(input, environment));
  const machines = state?.clusterinfo.nodes ?? [];
  return { name: input.name, endpoints, nodes, machines, osconfig, context };
}

/**
 * Parses a Kubernetes version.
 *
 * @param version As typed, with or without its v.
 * @param system Version of Talos.
 * @param hint Next step if Talos does not support it.
 * @returns The version without its v.
 * @throws {ConfigError} If it is invalid, or Talos does not support it.
 */
export function parseKubernetes(
  version: string,
  system: string,
  hint: string,
): string {
  const bare = version.replace(/^v/, "");
  if (!/^\d+\.\d+\.\d+([-+][\w.+-]+)?$/.test(bare)) {
    throw new ConfigError(
      `Invalid value "${version}" for --kubernetes-version`,
      { hint: "Give a version such as 1.34.1" },
    );
  }
  const problem = kubernetesProblem(`v${bare}`, system);
  if (problem !== undefined) throw new ConfigError(problem, { hint });
  return bare;
}

/** Context for starting a cluster. */
export function makeStartContext(
  { environment: { env, now }, note, signal }: Pick<
    Context<unknown>,
    "environment" | "note" | "signal"
  >,
): StartContext {
  return { env, now, note, signal };
}
