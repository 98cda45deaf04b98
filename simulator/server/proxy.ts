/** Forwarding of calls by an endpoint, by the `node` and `nodes` metadata. */

import { addressFamily, urlHost } from "../../lib/ip.ts";
import { nodeAddresses } from "../node/contents/network.ts";
import { RpcError } from "../../errors.ts";
import { answeringNode } from "../state/node_address.ts";
import type { SimulatedNode } from "../state/node.ts";
import { readSettings } from "../state/node_settings.ts";
import { includesCa } from "../state/trust.ts";
import { type Invocation, invoke } from "./invoke.ts";
import { mergeStreams, mergeUnary } from "../wire/merge_replies.ts";

interface IncomingCall extends Invocation {
  /** Values of the `node` metadata key, if present. */
  readonly node: readonly string[] | undefined;
  /** Values of the `nodes` metadata key, if present. */
  readonly nodes: readonly string[] | undefined;
}

/**
 * Serves a call for one or many nodes. Throws `RpcError` if the endpoint or the only node
 * refuses; errors of one of many nodes are messages.
 */
export function answerCall(
  endpoint: SimulatedNode,
  incoming: IncomingCall,
): AsyncIterable<unknown> {
  const { route } = incoming;
  // Nodes without a configuration do not forward.
  if (!endpoint.disk.configured) return invoke(endpoint, incoming);
  const { node, nodes } = targets(endpoint, incoming);
  if (nodes) {
    if (route.path.startsWith("/cosi.")) {
      throw new RpcError(
        "INVALID_ARGUMENT",
        "one-2-many proxying is not supported for COSI methods",
      );
    }
    checkForwarding(endpoint, nodes);
    const merge = route.definition.responseStream ? mergeStreams : mergeUnary;
    return merge(nodes, (target) => forward(endpoint, target, incoming));
  }
  if (node === undefined) return invoke(endpoint, incoming);
  checkForwarding(endpoint, [node]);
  return forward(endpoint, node, incoming);
}

/** Workers serve calls with only themselves as the target like calls without a target. */
function targets(
  endpoint: SimulatedNode,
  { node, nodes }: IncomingCall,
): { readonly node?: string | undefined; readonly nodes?: readonly string[] } {
  if (node && node.length !== 1) {
    throw new RpcError(
      "INVALID_ARGUMENT",
      "node metadata must be single-valued",
    );
  }
  const { address, hostname } = endpoint.identity;
  const answersItself = (names: readonly string[] | undefined) =>
    !forwards(endpoint) && names?.length === 1 &&
    (names[0] === address || names[0] === hostname);
  if (nodes && !answersItself(nodes)) return { nodes };
  return answersItself(node) ? {} : { node: node?.[0] };
}

function checkForwarding(
  endpoint: SimulatedNode,
  names: readonly string[],
): void {
  if (!forwards(endpoint)) {
    throw new RpcError("PERMISSION_DENIED", "no request forwarding");
  }
  const wrong = names.find((name) => !validTarget.test(name));
  if (wrong !== undefined) {
    throw new RpcError("INTERNAL", `invalid target "${wrong}"`);
  }
}

/** Host name, IPv4 or IPv6 address without brackets or port. */
const validTarget = /^[^:[\]]+$|^[0-9a-f.]*:[0-9a-f.]*:[0-9a-f:.]*(%\w+)?$/i;

function forwards({ identity }: SimulatedNode): boolean {
  return identity.machineType === "controlplane";
}

async function* forward(
  endpoint: SimulatedNode,
  target: string,
  invocation: Invocation,
): AsyncGenerator<unknown> {
  yield* invoke(await dial(endpoint, target, invocation.signal), invocation);
}

const port = 50000;

/** Connection timeout between nodes, in milliseconds. */
const timeoutMs = 20_000;

/** Finds the target node of a call. Throws `RpcError`: UNAVAILABLE if there is no such node or it is unreachable. */
export async function dial(
  from: SimulatedNode,
  target: string,
  signal: AbortSignal,
): Promise<SimulatedNode> {
  const node = from.cluster.nodes.find((one) =>
    nodeAddresses(one).some((prefix) => prefix.split("/")[0] === target) ||
    one.identity.hostname === target && resolves(from, target)
  );
  if (!node && addressFamily(target) === undefined) {
    throw unavailable("name resolver error: produced zero addresses");
  }
  const host = urlHost(target);
  const failed = (why: string) => dialError(`dial tcp ${host}:${port}: ${why}`);
  if (!node || isCutOff(from, node)) {
    throw failed("connect: no route to host");
  }
  if (!node.boot.reachable) throw failed("connect: connection refused");
  if (node.faults.has("blackhole")) {
    await node.clock.sleep(timeoutMs, signal);
    throw failed("i/o timeout");
  }
  const mistrust = findMistrust(from, answeringNode(node));
  if (mistrust) throw unavailable(`connection error: desc = "${mistrust}"`);
  return answeringNode(node);
}

/** True if a node resolves the name of a member: its own by `/etc/hosts`, others if configured. */
function resolves(from: SimulatedNode, name: string): boolean {
  return name === from.identity.hostname || readSettings(from).resolvesMembers;
}

/** True if the fault `no-route` separates two nodes. */
function isCutOff(from: SimulatedNode, { faults }: SimulatedNode): boolean {
  const fault = faults.get("no-route");
  if (fault === undefined) return false;
  const { address, hostname } = from.identity;
  return fault.node === undefined
    ? from === from.cluster.nodes[0]
    : fault.node === address || fault.node === hostname;
}

/** Reason a TLS handshake between nodes fails. */
function findMistrust(
  { trust: own }: SimulatedNode,
  { trust, faults, disk: { configured } }: SimulatedNode,
): string | undefined {
  const failed =
    "transport: authentication handshake failed: tls: failed to verify certificate: x509:";
  const isStranger = !trust.issuer ||
    !includesCa(own.accepted, trust.issuer);
  if (!configured || isStranger || faults.has("server-ca-changed")) {
    return `${failed} certificate signed by unknown authority`;
  }
  if (
    faults.has("server-cert-expired") || faults.has("server-cert-not-yet-valid")
  ) {
    return `${failed} certificate has expired or is not yet valid`;
  }
  const isUnknown = !own.issuer ||
    !includesCa(trust.accepted, own.issuer);
  if (isUnknown || faults.has("client-cert-refused")) {
    return "error reading server preface: remote error: tls: unknown certificate authority";
  }
  return undefined;
}

function dialError(cause: string): RpcError {
  return unavailable(
    `connection error: desc = "transport: Error while dialing: ${cause}"`,
  );
}

function unavailable(message: string): RpcError {
  return new RpcError("UNAVAILABLE", message);
}
