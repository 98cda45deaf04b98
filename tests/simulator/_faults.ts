/** A cluster with a fault, for tests. */

import { connect } from "node:tls";
import type { RunningCluster } from "../../simulator/cluster/cluster.ts";
import type { FaultName, FaultOptions } from "../../simulator/state/faults.ts";
import { withCluster } from "../_cluster.ts";
import { testClient } from "./_client.ts";

/** Address of the worker. */
export const worker = "10.5.0.3";

/** Runs a test against one control plane and one worker; the client talks to the worker. */
export async function withFault(
  name: FaultName,
  options: FaultOptions,
  test: (
    client: ReturnType<typeof testClient>,
    cluster: RunningCluster,
  ) => Promise<void>,
): Promise<void> {
  await withCluster({ workers: 1 }, async (cluster) => {
    await cluster.setFault(worker, name, options);
    using client = openClient(cluster);
    await test(client, cluster);
  });
}

/** A client of one node, through the first endpoint; default the worker. */
export function openClient(
  { endpoints, adminIdentity: identity }: RunningCluster,
  node: string = worker,
) {
  return testClient({
    endpoint: endpoints[0]!,
    identity,
    metadata: { node: [node] },
  });
}

/** Certificate a server shows, and what TLS thinks of it. */
export function handshake(cluster: RunningCluster, address: string) {
  const [host, port] = cluster.listening.get(address)!.split(":");
  return new Promise<
    {
      error: string | undefined;
      names: string | undefined;
      from: number;
      to: number;
    }
  >((resolve, reject) => {
    const socket = connect({
      host: host!,
      port: Number(port),
      ca: cluster.ca,
      servername: "node",
      ALPNProtocols: ["h2"],
      rejectUnauthorized: false,
      checkServerIdentity: () => undefined,
    });
    socket.once("secureConnect", () => {
      const { subjectaltname, valid_from, valid_to } = socket
        .getPeerCertificate();
      resolve({
        error: socket.authorizationError?.toString(),
        names: subjectaltname,
        from: Date.parse(valid_from),
        to: Date.parse(valid_to),
      });
      socket.destroy();
    });
    socket.once("error", reject);
  });
}
