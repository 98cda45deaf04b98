/** Keys and certificates shared by all model clusters, since creating them takes longer than a rehearsal. */

import type { CertificateAuthority } from "../../../pki/certificate.ts";
import {
  type ClientCredentials,
  clientCredentials,
} from "../../../simulator/state/identities.ts";
import { newClusterSecrets } from "../../../simulator/cluster/make_cluster.ts";
import {
  noStore,
  type SavedCluster,
} from "../../../simulator/cluster/saved_state.ts";

/** Start of their validity: 2026-01-01T00:00:00Z, in milliseconds since 1970. */
const validFrom = 1_767_225_600_000;

/** Lifetime of client certificates, in milliseconds: nine years. */
const lifetimeMs = 9 * 365 * 24 * 3_600_000;

let shared: Promise<SavedCluster> | undefined;
const clients = new Map<string, Promise<ClientCredentials>>();

/** Keys, certificates and tokens of every model cluster. */
export function sharedSecrets(): Promise<SavedCluster> {
  return shared ??= newClusterSecrets(noStore, { now: () => validFrom });
}

/** Client certificate of the first CA of every model cluster. */
export async function sharedClient(
  roles: readonly string[],
): Promise<ClientCredentials> {
  const { osCa } = await sharedSecrets();
  const key = roles.join();
  const known = clients.get(key) ?? newClient(osCa, roles);
  clients.set(key, known);
  return await known;
}

function newClient(
  osCa: CertificateAuthority,
  roles: readonly string[],
): Promise<ClientCredentials> {
  return clientCredentials(osCa, roles, {
    notBefore: new Date(validFrom),
    notAfter: new Date(validFrom + lifetimeMs),
  });
}
