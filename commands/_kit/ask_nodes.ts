/** Asks before a command changes the default nodes of the context. */

import { OsctlError, RefusedError } from "../../errors.ts";
import {
  type ClusterView,
  viewCluster,
} from "../../workflows/operations/cluster_view.ts";
import type { NodeRole } from "../../transport/node/node_role.ts";
import { pause } from "../../lib/pause.ts";
import type { Context } from "./command.ts";
import { confirm, prompter } from "../../terminal/prompt.ts";
import { layOut } from "../../terminal/table.ts";

/**
 * Shows nodes with their roles, and asks for confirmation.
 *
 * @param question The planned change and its nodes.
 * @throws {RefusedError} If the answer is no; nothing is sent.
 */
export async function askNodes(
  context: Context<unknown>,
  { name, names, yes }: {
    readonly name: string;
    readonly names: readonly string[];
    readonly yes: boolean;
  },
): Promise<void> {
  await show(context, names);
  if (yes) return;
  using prompts = prompter(context);
  const these = names.length === 1
    ? "this node"
    : `these ${names.length} nodes`;
  if (await confirm(prompts, `Run "${name}" on ${these}`, "Pass --yes")) return;
  throw new RefusedError(`"${name}" was not confirmed`, {
    hint: "Nothing was sent",
  });
}

async function show(
  { nodes, environment, note }: Context<unknown>,
  names: readonly string[],
): Promise<void> {
  const now = () => environment.now().getTime();
  using view = viewCluster(nodes, { now, sleep: pause });
  const rows = await Promise.all(
    names.map(async (node) => [node, await findRole(node, view)]),
  );
  note(layOut([["NODE", "ROLE"], ...rows], { gap: 3 }).text.trimEnd());
}

/**
 * The role of a node for display.
 *
 * @param node Name or address.
 * @returns `controlplane`, `worker`, or `unknown` if neither the member list nor the node reports it.
 */
export async function findRole(
  node: string,
  view: Pick<ClusterView, "readRole">,
): Promise<NodeRole> {
  try {
    return await view.readRole(node);
  } catch (error) {
    if (!(error instanceof OsctlError)) throw error;
    return "unknown";
  }
}
