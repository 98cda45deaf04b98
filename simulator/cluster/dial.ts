/** How one node reaches another. */

import { RpcError } from "../../errors.ts";
import type { SimulatedNode } from "../node/node.ts";
import { standIn } from "./shared_address.ts";
import { includes } from "../node/trust.ts";

const port = 50000;

/** How long a node tries to connect to another, in milliseconds. */
const timeoutMs = 20_000;

/**
 * Finds the node a call is to be forwarded to.
 *
 * @param from Node that forwards.
 * @param target Address or host name.
 * @param signal Aborts when the caller has gone.
 * @throws {RpcError} UNAVAILABLE when there is no such node, or it does not answer.
 */
export async function dial(
  from: SimulatedNode,
  target: string,
  signal: AbortSignal,
): Promise<SimulatedNode> {
  const node = from.cluster.nodes.find(({ identity }) =>
    identity.address === target || identity.hostname === target
  );
  if (!node && !isAddress(target)) {
    throw unavailable("name resolver error: produced zero addresses");
  }
  const host = target.includes(":") ? `[${target}]` : target;
  const failed = (why: string) => dialError(`dial tcp ${host}:${port}: ${why}`);
  if (!node) throw failed("connect: no route to host");
  if (!node.boot.reachable) throw failed("connect: connection refused");
  if (node.faults.has("blackhole")) {
    await node.clock.sleep(timeoutMs, signal);
    throw failed("i/o timeout");
  }
  const mistrust = mistrustOf(from, standIn(node));
  if (mistrust) throw unavailable(`connection error: desc = "${mistrust}"`);
  return standIn(node);
}

/** Why other nodes end the handshake with this one. */
function mistrustOf(
  { trust: own }: SimulatedNode,
  { trust, faults, disk: { configured } }: SimulatedNode,
): string | undefined {
  const failed =
    "transport: authentication handshake failed: tls: failed to verify certificate: x509:";
  const isStranger = !trust.issuer || !includes(own.accepted, trust.issuer);
  if (!configured || isStranger || faults.has("server-ca-changed")) {
    return `${failed} certificate signed by unknown authority`;
  }
  if (
    faults.has("server-cert-expired") || faults.has("server-cert-not-yet-valid")
  ) {
    return `${failed} certificate has expired or is not yet valid`;
  }
  const isUnknown = !own.issuer || !includes(trust.accepted, own.issuer);
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

function isAddress(target: string): boolean {
  return target.includes(":") || /^[0-9.]+$/.test(target);
}
