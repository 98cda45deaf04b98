import assert from "node:assert/strict";
import type { TLSSocket } from "node:tls";
import { RpcError } from "../../../errors.ts";
import { listenSilently } from "../../../simulator/wire/listen.ts";
import { pause } from "../../../lib/pause.ts";
import { withCluster } from "../../_cluster.ts";
import { testClient } from "../_client.ts";
import { decodePemAs } from "../../../pki/pem.ts";
import { clientCredentials } from "../../../simulator/state/identities.ts";
import { clientRoles } from "../../../simulator/server/server.ts";
import { makeNodes } from "../_node.ts";

Deno.test("server ends connections of certificates that are good for more than clients", async () => {
  await withCluster({}, async (cluster) => {
    const identity = await cluster.identify(["os:admin"], {}, [
      "clientAuth",
      "serverAuth",
    ]);
    using client = testClient({ endpoint: cluster.endpoints[0]!, identity });
    await assert.rejects(client.machine.version({}), { code: "UNAVAILABLE" });
  });
});

Deno.test("server takes the roles of a certificate for what they allow", async () => {
  await withCluster({}, async (cluster) => {
    const endpoint = cluster.endpoints[0]!;
    using reader = testClient({
      endpoint,
      identity: await cluster.identify(["os:reader"]),
    });
    assert.equal(
      (await reader.machine.hostname({})).messages[0]!.hostname,
      "simulated-controlplane-1",
    );
    await assert.rejects(
      reader.machine.reboot({}),
      new RpcError("PERMISSION_DENIED", "not authorized"),
    );
    using backup = testClient({
      endpoint,
      identity: await cluster.identify(["os:etcd:backup"]),
    });
    await assert.rejects(
      backup.machine.version({}),
      new RpcError("PERMISSION_DENIED", "not authorized"),
    );
    const impersonator = await cluster.identify(["os:impersonator"]);
    using as = testClient({
      endpoint,
      identity: impersonator,
      metadata: { "talos-role": ["os:reader"] },
    });
    assert.equal((await as.machine.hostname({})).messages.length, 1);
    await assert.rejects(
      as.machine.reboot({}),
      new RpcError("PERMISSION_DENIED", "not authorized"),
    );
  });
});

Deno.test("a node that comes back waits until its port is free again", async () => {
  await withCluster({}, async (cluster) => {
    const [node] = cluster.nodes;
    const [endpoint] = cluster.endpoints;
    const [host, port] = endpoint!.split(":") as [string, string];
    node!.network.down();
    const taker = await listenSilently({ host, port: Number(port) });
    const up = node!.network.up();
    assert.equal(
      await Promise.race([up, pause(200).then(() => "taken")]),
      "taken",
    );
    await taker.close();
    await up;
    using client = testClient({
      endpoint: endpoint!,
      identity: cluster.adminIdentity,
    });
    await client.machine.hostname({});
  });
});

function socketWith(raw?: Uint8Array): TLSSocket {
  // All that is asked of a socket here.
  return { getPeerCertificate: () => ({ raw }) } as unknown as TLSSocket;
}

Deno.test("a client has the roles in its certificate, if that is for clients only", async () => {
  const [node] = await makeNodes();
  const { osCa } = node!.cluster;
  const requiredRoles = async (...uses: ("clientAuth" | "serverAuth")[]) => {
    const { crt } = await clientCredentials(
      osCa,
      ["os:reader", "friends"],
      {},
      uses,
    );
    return clientRoles(node!, socketWith(decodePemAs("CERTIFICATE", crt)[0]));
  };
  assert.deepEqual(
    await requiredRoles("clientAuth"),
    new Set(["os:reader", "friends"]),
  );
  assert.equal(await requiredRoles("serverAuth"), undefined);
  assert.equal(await requiredRoles("clientAuth", "serverAuth"), undefined);
  assert.equal(clientRoles(node!, socketWith()), undefined);
});
