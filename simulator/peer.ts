/** Who is at the other end of a connection. */

import type { TLSSocket } from "node:tls";
import { inspectCertificate } from "../pki/inspect.ts";
import type { Roles } from "./roles.ts";

/**
 * Reads the roles out of a client's certificate.
 *
 * @param socket Handshake done; TLS has checked signatures and validity.
 * @returns `undefined` when the certificate is not one for clients only; nodes end such a connection.
 */
export function clientRoles(socket: TLSSocket): Roles | undefined {
  const { raw } = socket.getPeerCertificate();
  if (!raw) return undefined;
  const { extendedKeyUsage, subject } = inspectCertificate(raw);
  if (extendedKeyUsage?.join() !== "clientAuth") return undefined;
  return new Set(subject.organizations);
}
