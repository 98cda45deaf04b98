/** Selects the node for a command that needs a single one, or only control planes. */

import { namesNodes } from "./globals.ts";
import { OsctlError } from "../../errors.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import { clusterMembers, memberNamed } from "../../transport/node/members.ts";
import { selectNodes } from "../../transport/node/select_nodes.ts";
import { ownRole } from "../../transport/node/node_role.ts";
import type { Nodes } from "../../transport/node/nodes.ts";
import type { Context } from "./command.ts";

type NodeChoice = Pick<Context<unknown>, "nodes" | "globals" | "note">;

/**
 * The node of a command: the selected one, or a healthy control plane if the context names several.
 *
 * @param command Name of the command, for errors.
 * @throws {UsageError} If several are named on the command line.
 * @throws {NodesError} If no node answers.
 */
export async function oneNode(
  context: NodeChoice,
  command: string,
): Promise<NodeClient> {
  const chosen = await chosenNode(context);
  return chosen === undefined
    ? await context.nodes.only(command)
    : await context.nodes.at(chosen);
}

/**
 * Selects a node if the context names several, and prints its name.
 *
 * @returns The first control plane that answers, else the first node; `undefined` if there is nothing to choose.
 * @throws {NodesError} If no node answers.
 */
export async function chosenNode(
  { nodes, globals, note }: NodeChoice,
): Promise<string | undefined> {
  if (namesNodes(globals)) return undefined;
  const names = await nodes.names();
  if (names.length === 1) return undefined;
  let other: string | undefined;
  try {
    const answers = nodes.call(async (client) => {
      // Any role may call `version`, so a node that denies access to its type
      // still counts as up.
      await client.machine.version({});
      return await ownRole(client);
    });
    for await (const { node, value: role } of answers) {
      if (role === "controlplane") {
        return noteChoice(note, node, "control plane");
      }
      other ??= node;
    }
  } catch (error) {
    if (other === undefined || !(error instanceof OsctlError)) throw error;
  }
  return other === undefined ? undefined : noteChoice(note, other, "node");
}

function noteChoice(
  note: (text: string) => void,
  node: string,
  kind: string,
): string {
  note(`Using ${kind} ${node}; choose another with --nodes`);
  return node;
}

/**
 * The selected nodes without workers, for features of control planes.
 *
 * Nodes named explicitly are all kept; workers of `@all` and of the context are left out.
 */
export async function readControlPlanes(
  { nodes, globals, note }: NodeChoice,
): Promise<Nodes> {
  const named = globals.selector !== undefined ||
    globals.nodes.some((node) => !node.startsWith("@"));
  if (named) return nodes;
  const names = await nodes.names();
  if (names.length === 1) return nodes;
  const members = await nodes.endpoint()
    .then((client) => clusterMembers(client, 2_000))
    .catch((error) => {
      // The calls to the nodes will report the problem.
      if (error instanceof OsctlError) return [];
      throw error;
    });
  const kept = names.filter((name) =>
    memberNamed(members, name)?.controlPlane !== false
  );
  const left = names.length - kept.length;
  if (left === 0 || kept.length === 0) return nodes;
  note(
    `Asking ${kept.length} control ${
      kept.length === 1 ? "plane" : "planes"
    }; ${left} ${left === 1 ? "worker has" : "workers have"} no etcd`,
  );
  return selectNodes(nodes, kept);
}
