/** One server of the real etcd, for tests where it is installed. */

import type { CertificateAuthority } from "../../../pki/certificate.ts";
import { etcdCa } from "../../../simulator/etcd/member_access.ts";
import type {
  EtcdBackend,
  EtcdRun,
  EtcdServer,
} from "../../../simulator/state/etcd.ts";
import { realEtcd } from "../../../simulator/etcd/real/real_backend.ts";
import type { NodeIdentity } from "../../../simulator/state/node_identity.ts";
import { pause } from "../../../lib/pause.ts";
import * as here from "../../_etcd.ts";
import { needs } from "../../_needs.ts";
import { makeNodes } from "../_node.ts";

export interface Real {
  readonly backend: EtcdBackend;
  /** The server; it was not started yet. */
  readonly server: EtcdServer;
  readonly issuer: CertificateAuthority;
  readonly identity: NodeIdentity;
  /** Starts it as the only member of a new cluster, or with the data it has, and waits until it leads. */
  readonly start: () => Promise<EtcdRun>;
}

/** Registers a test with a server of the real etcd. */
export function testReal(name: string, test: (real: Real) => Promise<void>) {
  Deno.test({
    name,
    ...needs(...here.realNeeds),
    async fn() {
      const [node] = await makeNodes({ controlplanes: 1 });
      const { identity } = node!;
      const hosts = new Map([[identity.address, "127.0.0.1"]]);
      const backend = await realEtcd(here.realEtcd, hosts);
      const server = backend.openServer(identity);
      const issuer = await etcdCa(node!);
      const runs: EtcdRun[] = [];
      try {
        await test({
          backend,
          server,
          issuer,
          identity,
          async start() {
            const name = identity.hostname;
            const initial = await server.hasData() ? undefined : {
              isNew: true,
              members: [{ name, peerUrl: await server.peerUrl() }],
            };
            const options = { name, issuer, initial, log: () => {} };
            const run = await server.start(options);
            runs.push(run);
            await untilLed(server);
            return run;
          },
        });
      } finally {
        for (const run of runs) await run.kill();
        await backend.close();
      }
    },
  });
}

async function untilLed({ client }: EtcdServer): Promise<void> {
  const signal = AbortSignal.timeout(30_000);
  while (true) {
    try {
      return await client.checkQuorum(signal);
    } catch (error) {
      if (signal.aborted) throw error;
      await pause(50, signal);
    }
  }
}
