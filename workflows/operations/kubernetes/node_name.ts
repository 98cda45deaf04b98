import { domain } from "../../../talos.ts";
import { ConnectError, OsctlError, RpcError } from "../../../errors.ts";
import { failureKind } from "../../../transport/call/retryable.ts";
import { memberNamed } from "../../../transport/node/members.ts";
import { readSpec } from "../../../transport/node/read_resource.ts";
import type { NodeContext } from "../operation.ts";
import type { Kubernetes } from "../../kubernetes/client.ts";
import { listNodes } from "../../kubernetes/nodes.ts";

/**
 * Finds the name of a node in Kubernetes.
 *
 * Looks up the address of a node that does not answer, or has just booted and does not have its name yet.
 *
 * @throws {OsctlError} If it has no name there.
 */
export async function nodeName(
  context: Pick<NodeContext, "node" | "client" | "cluster" | "signal">,
  kubernetes: Kubernetes,
): Promise<string> {
  try {
    const spec = await readSpec(context.client, {
      namespace: "k8s",
      type: `Nodenames.kubernetes.${domain}`,
      id: "nodename",
    });
    const { nodename } = spec ?? {};
    if (typeof nodename === "string" && nodename !== "") return nodename;
  } catch (error) {
    const isOfNode = error instanceof RpcError || error instanceof ConnectError;
    if (!isOfNode || failureKind(error) !== "away") throw error;
    return await nameByAddress(context, kubernetes) ?? fail(error);
  }
  return await nameByAddress(context, kubernetes)
    .catch((cause) => fail(unnamedError(context.node, cause))) ??
    fail(unnamedError(context.node));
}

function unnamedError(node: string, cause?: unknown): OsctlError {
  return new OsctlError(
    `Node ${node} is not a Kubernetes node: it has no name there`,
    cause === undefined ? {} : { cause },
  );
}

async function nameByAddress(
  { node, cluster, signal }: Pick<NodeContext, "node" | "cluster" | "signal">,
  kubernetes: Kubernetes,
): Promise<string | undefined> {
  const address = memberNamed(await cluster.members(), node)?.address ?? node;
  const all = await listNodes(kubernetes, signal);
  return all.find(({ addresses }) => addresses.includes(address))?.name;
}

function fail(error: unknown): never {
  throw error;
}
