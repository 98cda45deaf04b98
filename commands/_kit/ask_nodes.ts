/** Asks before a command changes the default nodes of the context. */

import { OsctlError, RefusedError } from "../../errors.ts";
import {
  type ClusterView,
  viewCluster,
} from "../../workflows/operations/cluster_view.ts";
import { type Member, memberNamed } from "../../transport/node/members.ts";
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
  { name, target, names, yes }: {
    readonly name: string;
    /** What the nodes are changed to: `to v1.13.4`; absent if the name says it. */
    readonly target?: string | undefined;
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
  const what = [`Run "${name}"`, target, `on ${these}`]
    .filter((part) => part !== undefined).join(" ");
  if (await confirm(prompts, what, "Pass --yes")) return;
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
  note(layOut(await describeNodes(names, view), { gap: 3 }).text.trimEnd());
}

/**
 * Describes nodes for a confirmation: name, host name, role and version, as far as they add something.
 *
 * @returns Header and a row for each node.
 */
export async function describeNodes(
  names: readonly string[],
  view: Pick<ClusterView, "readRole" | "members">,
): Promise<readonly (readonly string[])[]> {
  const members = await readMembers(view);
  const rows = await Promise.all(names.map(async (node) => {
    const { hostname = node, version = "-" } = memberNamed(members, node) ?? {};
    return { node, hostname, role: await findRole(node, view), version };
  }));
  const hasHosts = rows.some(({ node, hostname }) => node !== hostname);
  const hasVersions = rows.some(({ version }) => version !== "-");
  const cells = (node: string, host: string, role: string, version: string) => [
    node,
    ...hasHosts ? [host] : [],
    role,
    ...hasVersions ? [version] : [],
  ];
  return [
    cells("NODE", "HOST", "ROLE", "VERSION"),
    ...rows.map((one) => cells(one.node, one.hostname, one.role, one.version)),
  ];
}

/** Members of the cluster; none if no node lists them. */
async function readMembers(
  { members }: Pick<ClusterView, "members">,
): Promise<readonly Member[]> {
  try {
    return await members();
  } catch (error) {
    if (error instanceof OsctlError) return [];
    throw error;
  }
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
