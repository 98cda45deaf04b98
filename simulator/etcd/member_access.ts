import { toCursor } from "../../config/documents/cursor.ts";
import { loadDocuments, mainKind } from "../../config/documents/load.ts";
import type { EncodedCa } from "../../config/generate/secrets.ts";
import type { CertificateAuthority } from "../../pki/certificate.ts";
import { RpcError } from "../../errors.ts";
import { sameBytes } from "../../pki/der.ts";
import { inRealTime } from "../clock/clock.ts";
import type { SimulatedNode } from "../state/node.ts";
import { caIn } from "../state/trust.ts";
import type { EtcdClient } from "../state/etcd.ts";
import { EtcdError, notRunningError } from "./etcd_error.ts";

/**
 * Calls any serving member of the cluster's etcd.
 *
 * @param ask Makes the call; if it rejects with UNAVAILABLE, the next member is tried.
 * @throws {EtcdError} If no member serves, or the serving one refuses.
 */
export async function askMember<T>(
  node: SimulatedNode,
  ask: (client: EtcdClient) => Promise<T>,
): Promise<T> {
  let failure = notRunningError(node.etcd.server.endpoint());
  for (const other of await membersAround(node)) {
    try {
      // Try the next member only if this one does not serve.
      return await ask(other.etcd.server.client);
    } catch (error) {
      const isAbsent = error instanceof EtcdError &&
        error.code === "UNAVAILABLE";
      if (!isAbsent) throw error;
      failure = error;
    }
  }
  throw failure;
}

/**
 * Waits until the etcd of a node serves, like the client in a node: it retries until its caller disconnects.
 *
 * @param signal Aborts when the caller disconnects.
 * @throws {RpcError} CANCELLED, in that case.
 */
export function untilServing(
  { cluster, etcd: { server } }: SimulatedNode,
  signal: AbortSignal,
): Promise<void> {
  return until(cluster, signal, () => Promise.resolve(server.isRunning()));
}

/** Waits until any member reachable from the node serves. */
export function untilAnyServes(
  node: SimulatedNode,
  signal: AbortSignal,
): Promise<void> {
  const { cluster } = node;
  return until(
    cluster,
    signal,
    async () => (await membersAround(node)).length > 0,
  );
}

async function until(
  { etcd: { backend: { changes } } }: SimulatedNode["cluster"],
  signal: AbortSignal,
  isServing: () => Promise<boolean>,
): Promise<void> {
  while (true) {
    const count = changes.count();
    if (await isServing()) return;
    await changes.after(count, signal);
    if (signal.aborted) throw new RpcError("CANCELLED", "context canceled");
  }
}

/** Control planes running an etcd that this node trusts, healthy ones first. */
async function membersAround(
  node: SimulatedNode,
): Promise<readonly SimulatedNode[]> {
  const { certificate } = await etcdCa(node);
  const running = node.cluster.nodes.filter(({ etcd }) =>
    etcd.server.isRunning()
  );
  const trusted = await Promise.all(running.map(async (one) => {
    const other = await etcdCa(one);
    return sameBytes(other.certificate, certificate) ? [one] : [];
  }));
  const isHealthy = ({ boot: { services } }: SimulatedNode) =>
    services.get("etcd")?.health.healthy ?? false;
  return trusted.flat().toSorted((a, b) =>
    Number(isHealthy(b)) - Number(isHealthy(a))
  );
}

/** Parsed CAs by configuration or secrets. */
const known = new WeakMap<
  SimulatedNode | SimulatedNode["cluster"],
  { readonly from: unknown; readonly issuer: Promise<CertificateAuthority> }
>();

/** Finds the CA of a control plane's etcd. Throws ConfigError if its configuration has none. */
export function etcdCa(node: SimulatedNode): Promise<CertificateAuthority> {
  const { cluster } = node;
  const configuration = node.boot.liveConfiguration ?? node.disk.configuration;
  const owner = configuration === undefined ? cluster : node;
  const from = configuration ?? cluster.secrets;
  const before = known.get(owner);
  if (before?.from === from) return before.issuer;
  const issuer = caIn(
    configuration === undefined
      ? cluster.secrets.certs.etcd
      : encodedIn(configuration),
  );
  known.set(owner, { from, issuer });
  return inRealTime(node.clock, issuer);
}

function encodedIn(configuration: string): EncodedCa {
  const { documents } = loadDocuments(configuration, "config.yaml");
  const main = documents.find(({ kind }) => kind === mainKind);
  const cursor = toCursor(main?.root ?? { kind: "map", entries: [] });
  const ca = cursor.get("cluster", "etcd", "ca");
  return { crt: ca.get("crt").text() ?? "", key: ca.get("key").text() ?? "" };
}
