/** A local cluster that was created: how every command that creates one ends. */

import type { LocalNode } from "../../provisioners/mod.ts";
import { type Context, lines, type View } from "../_kit/mod.ts";
import { clusterInputs } from "./_cluster.ts";
import { nodeTable } from "./_node_table.ts";

/** A cluster that was created. */
export interface CreatedRow {
  /** Name of the cluster. */
  readonly name: string;
  /** `host:port` or host of every control plane. */
  readonly endpoints: readonly string[];
  /** Address of every node. */
  readonly nodes: readonly string[];
  /** Machines, control planes first; processor time in billionths, sizes in bytes. */
  readonly machines: readonly LocalNode[];
  /** Client configuration that got the context. */
  readonly osconfig: string;
  /** Name of the context. */
  readonly context: string;
}

/** The node table, and where the context is. */
export const createdView: View<CreatedRow> = lines((row) =>
  `${nodeTable(row.machines)}
Cluster "${row.name}" is ready: ${row.nodes.length} nodes; context "${row.context}" in ${row.osconfig}`
);

/** Names the two commands that come next. */
export function sayNext(
  name: string,
  { note }: Pick<Context<Record<never, never>>, "note">,
): void {
  const which = name === clusterInputs.name.initial ? "" : ` --name ${name}`;
  note("hint: Check it with: osctl health");
  note(`hint: Destroy it with: osctl cluster destroy${which}`);
}
