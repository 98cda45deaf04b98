import assert from "node:assert/strict";
import { RpcError } from "../../errors.ts";
import { withCluster } from "../_cluster.ts";
import { testClient } from "./_client.ts";

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
    using nobody = testClient({ endpoint });
    await assert.rejects(nobody.machine.version({}), { code: "UNAVAILABLE" });
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

Deno.test("server says so when nodes have a method and the simulator has not", async () => {
  await withCluster({}, async (cluster) => {
    using client = testClient({
      endpoint: cluster.endpoints[0]!,
      identity: cluster.adminIdentity,
    });
    await assert.rejects(
      client.machine.netstat({}),
      new RpcError("UNIMPLEMENTED", "method Netstat not implemented"),
    );
    await assert.rejects(
      client.security.certificate({}),
      new RpcError(
        "UNIMPLEMENTED",
        "unknown service securityapi.SecurityService",
      ),
    );
  });
});
