/** Where a call goes: what the endpoint does with the `node` and `nodes` metadata. */

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
  /** Values of the `node` metadata key, if it was sent. */
  readonly node: readonly string[] | undefined;
  /** Values of the `nodes` metadata key, if it was sent. */
  readonly nodes: readonly string[] | undefined;
}

/**
 * Answers a call, from one node or from many. Throws `RpcError` when the endpoint or the one node
 * refuses; failures among many nodes are messages.
 */
export function answerCall(
  endpoint: SimulatedNode,
  incoming: IncomingCall,
): AsyncIterable<unknown> {
  const { route } = incoming;
  // Nothing is forwarded before there is a configuration.
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

/** Workers answer calls that name only themselves as if no node was named. */
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

/** Host name, IPv4 or bare IPv6 address: nothing with a port. */
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

/** How long a node tries to connect to another, in milliseconds. */
const timeoutMs = 20_000;

/**
 * Finds the node a call is to be forwarded to. Throws `RpcError`: UNAVAILABLE when there is no such
 * node, or it does not answer.
 */
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

/** Whether the resolver of a node knows the name of a member: by `/etc/hosts` its own, and others where it is told to. */
function resolves(from: SimulatedNode, name: string): boolean {
  return name === from.identity.hostname || readSettings(from).resolvesMembers;
}

/** Whether the fault `no-route` keeps one node from another. */
function isCutOff(from: SimulatedNode, { faults }: SimulatedNode): boolean {
  const fault = faults.get("no-route");
  if (fault === undefined) return false;
  const { address, hostname } = from.identity;
  return fault.node === undefined
    ? from === from.cluster.nodes[0]
    : fault.node === address || fault.node === hostname;
}

/** Why other nodes end the handshake with this one. */
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
