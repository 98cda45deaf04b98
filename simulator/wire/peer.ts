/** Who is at the other end of a connection. */

import type { TLSSocket } from "node:tls";
import { inspectCertificate } from "../../pki/inspect.ts";
import type { SimulatedNode } from "../node/node.ts";
import type { Roles } from "../node/roles.ts";

/**
 * Finds out what a client may do.
 *
 * @param socket Handshake done; TLS has checked signatures and validity.
 * @returns Roles in its certificate; `undefined` when that is not for clients only: nodes end such a connection.
 */
export function clientRoles(
  node: SimulatedNode,
  socket: TLSSocket,
): Roles | undefined {
  if (!node.disk.configured) return maintenanceRoles;
  const { raw } = socket.getPeerCertificate();
  if (!raw) return undefined;
  const { extendedKeyUsage, subject } = inspectCertificate(raw);
  if (extendedKeyUsage?.join() !== "clientAuth") return undefined;
  return new Set(subject.organizations);
}

/** Roles of everybody while a node has no configuration. */
export const maintenanceRoles: Roles = new Set(["os:reader"]);
