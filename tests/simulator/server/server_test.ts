import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import type { TLSSocket } from "node:tls";
import { RpcError } from "../../../errors.ts";
import { listenSilently } from "../../../simulator/wire/listening.ts";
import { powerCycle } from "../../../simulator/boot/power.ts";
import { pause } from "../../../lib/pause.ts";
import { allRoutes } from "../../../simulator/services/mod.ts";
import { withCluster } from "../../_cluster.ts";
import { testClient } from "../_client.ts";
import { decodePemAs } from "../../../pki/pem.ts";
import { clientCredentials } from "../../../simulator/state/identities.ts";
import { clientRoles } from "../../../simulator/server/server.ts";
import { madeNodes } from "../_node.ts";

Deno.test("server lets no client in whose certificate is missing, foreign or out of date", async () => {
  await withCluster({}, async (cluster) => {
    const endpoint = cluster.endpoints[0]!;
    const past = {
      notBefore: new Date("2020-01-01"),
      notAfter: new Date("2021-01-01"),
    };
    const expired = await cluster.identify(["os:admin"], past);
    using late = testClient({ endpoint, identity: expired });
    await assert.rejects(late.machine.version({}), { code: "UNAVAILABLE" });
    using stranger = testClient({ endpoint });
    await assert.rejects(stranger.machine.version({}), { code: "UNAVAILABLE" });
    await withCluster({}, async (other) => {
      const foreign = await other.identify(["os:admin"]);
      using stranger = testClient({
        endpoint,
        identity: { ...foreign, ca: cluster.ca },
      });
      await assert.rejects(stranger.machine.version({}), {
        code: "UNAVAILABLE",
      });
    });
  });
});

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

Deno.test("server answers every method that nodes have, and says so of others", async () => {
  const silent = allRoutes.filter(({ isKnown, handler }) =>
    isKnown && handler === undefined
  );
  assert.deepEqual(silent.map(({ path }) => path), []);
  await withCluster({ release: { tag: "v1.13.9" } }, async (cluster) => {
    using client = testClient({
      endpoint: cluster.endpoints[0]!,
      identity: cluster.adminIdentity,
    });
    await assert.rejects(
      client.security.certificate({}),
      new RpcError(
        "UNIMPLEMENTED",
        "unknown service securityapi.SecurityService",
      ),
    );
  });
});

Deno.test("a node that listens at its address is where that moves, with a certificate for it", async () => {
  const addresses = () => ({ host: "127.0.0.5", port: 0 });
  await withCluster({ addresses }, async (cluster) => {
    const [node] = cluster.nodes;
    const [endpoint] = cluster.endpoints;
    const port = endpoint!.split(":")[1]!;
    const identity = cluster.adminIdentity;
    using before = testClient({ endpoint: endpoint!, identity });
    await before.machine.hostname({});
    await node!.network.renew();
    using again = testClient({ endpoint: endpoint!, identity });
    await again.machine.hostname({});
    node!.identity = { ...node!.identity, address: "127.0.0.6" };
    await node!.network.renew();
    // Connections that are there continue.
    await before.machine.hostname({});
    using after = testClient({ endpoint: `127.0.0.6:${port}`, identity });
    await after.machine.hostname({});
    const listens = (hostname: string) =>
      Deno.connect({ hostname, port: Number(port) });
    await assert.rejects(listens("127.0.0.5"), Deno.errors.ConnectionRefused);
    // An address that this machine does not have leads nowhere.
    node!.identity = { ...node!.identity, address: "192.0.2.1" };
    await node!.network.renew();
    await assert.rejects(listens("127.0.0.6"), Deno.errors.ConnectionRefused);
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

Deno.test("a node becomes a black hole although clients are connected, and they hear nothing more", async () => {
  await withCluster({}, async (cluster) => {
    const node = "10.5.0.2";
    using client = testClient({
      endpoint: cluster.endpoints[0]!,
      identity: cluster.adminIdentity,
    });
    await client.machine.hostname({});
    const stop = new AbortController();
    const frozen = cluster.setFault(node, "blackhole").then(() => "frozen");
    const stuck = pause(5_000, stop.signal).then(() => "waits for clients");
    assert.equal(await Promise.race([frozen, stuck]), "frozen");
    stop.abort();
    const asked = client.machine.hostname({}).catch(({ code }) => code);
    const silence = pause(100).then(() => "silence");
    assert.equal(await Promise.race([asked, silence]), "silence");
    await cluster.setFault(node, "blackhole", false);
    // Also INTERNAL: as this client sees a break, by what it was doing at the moment.
    assert.match(await asked, /^(UNAVAILABLE|INTERNAL)$/);
    assert.equal((await client.machine.hostname({})).messages.length, 1);
  });
});

Deno.test("a node that goes down closes connections that have only started", async () => {
  await withCluster({ pace: { downMs: 0 } }, async (cluster) => {
    const [node] = cluster.nodes;
    const [host, port] = cluster.endpoints[0]!.split(":");
    const socket = connect({ host: host!, port: Number(port) });
    socket.on("error", () => {});
    await once(socket, "connect");
    const left = once(socket, "close");
    await powerCycle(node!);
    await left;
    using client = testClient({
      endpoint: cluster.endpoints[0]!,
      identity: cluster.adminIdentity,
    });
    assert.equal((await client.machine.version({})).messages.length, 1);
  });
});

function socketWith(raw?: Uint8Array): TLSSocket {
  // All that is asked of a socket here.
  return { getPeerCertificate: () => ({ raw }) } as unknown as TLSSocket;
}

Deno.test("a client has the roles in its certificate, if that is for clients only", async () => {
  const [node] = await madeNodes();
  const { osCa } = node!.cluster;
  const rolesOf = async (...uses: ("clientAuth" | "serverAuth")[]) => {
    const { crt } = await clientCredentials(
      osCa,
      ["os:reader", "friends"],
      {},
      uses,
    );
    return clientRoles(node!, socketWith(decodePemAs("CERTIFICATE", crt)[0]));
  };
  assert.deepEqual(
    await rolesOf("clientAuth"),
    new Set(["os:reader", "friends"]),
  );
  assert.equal(await rolesOf("serverAuth"), undefined);
  assert.equal(await rolesOf("clientAuth", "serverAuth"), undefined);
  assert.equal(clientRoles(node!, socketWith()), undefined);
});

Deno.test("everybody is a reader of a node without configuration", async () => {
  const [node] = await madeNodes({ unconfigured: () => true });
  assert.deepEqual(clientRoles(node!, socketWith()), new Set(["os:reader"]));
});
