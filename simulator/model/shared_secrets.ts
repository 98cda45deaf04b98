/** Keys and certificates of model clusters: all have the same ones, since making them takes longer than a whole rehearsal. */

import type { Authority } from "../../pki/certificate.ts";
import { type ClientIdentity, clientIdentity } from "../identities.ts";
import { newCluster } from "../make_cluster.ts";
import { noStore, type SavedCluster } from "../saved_state.ts";

/** When every model cluster begins: 2026-03-01T12:00:00Z, in milliseconds since 1970. */
export const beginning = 1_772_366_400_000;

let shared: Promise<SavedCluster> | undefined;
const clients = new Map<string, Promise<ClientIdentity>>();

/** Keys, certificates and tokens of every model cluster. */
export function sharedSecrets(): Promise<SavedCluster> {
  return shared ??= newCluster(noStore, { now: () => beginning });
}

/**
 * A client of the authority that every model cluster begins with.
 *
 * @param roles Its roles.
 */
export async function sharedClient(
  roles: readonly string[],
): Promise<ClientIdentity> {
  const { authority } = await sharedSecrets();
  const key = roles.join();
  const known = clients.get(key) ?? newClient(authority, roles);
  clients.set(key, known);
  return await known;
}

function newClient(
  authority: Authority,
  roles: readonly string[],
): Promise<ClientIdentity> {
  // Nodes whose clocks differ a little must take it.
  const notBefore = new Date(beginning - 3_600_000);
  return clientIdentity(authority, roles, { notBefore });
}
