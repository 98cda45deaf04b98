import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { ConnectError } from "../../errors.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import { formatFingerprint } from "../../transport/connect/trust.ts";
import { newCa, serverPair } from "./_certificates.ts";
import { cluster, endpoint, open, pair, routes, versions } from "./_nodes.ts";
import { httpProxy, socksProxy } from "./_proxy.ts";
import { startServer } from "./_server.ts";

Deno.test("openNodes in maintenance mode asks all nodes themselves, without certificate and node", async () => {
  const stranger = await newCa();
  const own = await serverPair(stranger);
  await using one = await startServer({ pair: own, routes });
  await using two = await startServer({ pair: own, routes });
  using nodes = open({
    endpoints: ["10.0.0.1"],
    nodes: [one.endpoint, two.endpoint],
    maintenance: { fingerprints: [] },
  });
  assert.deepEqual(await versions(nodes), {
    seen: { [one.endpoint]: "none", [two.endpoint]: "none" },
    failures: new Map(),
  });
  assert.equal((await nodes.endpoint()).node, one.endpoint);
});

Deno.test("openNodes in maintenance mode fails only for nodes with another fingerprint", async () => {
  const known = await serverPair(cluster);
  await using one = await startServer({ pair: known, routes });
  await using two = await startServer({ pair, routes });
  const print = (crt: string) => formatFingerprint(new X509Certificate(crt));
  using nodes = open({
    nodes: [one.endpoint, two.endpoint],
    maintenance: { fingerprints: [await print(known.crt)] },
  });
  const { seen, failures } = await versions(nodes);
  assert.deepEqual(seen, { [one.endpoint]: "none" });
  const error = failures.get(two.endpoint);
  assert.ok(error instanceof ConnectError);
  assert.equal(error.reason, "fingerprint");
  assert.ok(error.message.includes(await print(pair.crt)), error.message);
});

Deno.test("openNodes finds a node that has lost its configuration, beside those that have one", async () => {
  await using configured = await endpoint();
  const own = await serverPair(await newCa());
  await using lost = await startServer({ pair: own, routes });
  using nodes = open({ endpoints: [configured.endpoint], nodes: ["a"] });
  const version = async ({ machine }: NodeClient) =>
    (await machine.version({})).messages[0]?.version?.tag;
  assert.equal(await version(await nodes.at("a")), "a");
  assert.equal(await version(await nodes.unconfigured(lost.endpoint)), "none");
  // One that has a configuration wants to know who asks.
  await assert.rejects(
    nodes.unconfigured(configured.endpoint).then(version),
    ConnectError,
  );
});

Deno.test("openNodes in maintenance mode knows no selectors", async () => {
  using nodes = open({ nodes: ["@all"], maintenance: { fingerprints: [] } });
  await assert.rejects(nodes.names(), {
    name: "UsageError",
    message: 'Selector "@all" needs a cluster, and these nodes are in none yet',
  });
});

for (const maintenance of [undefined, { fingerprints: [] }]) {
  for (const kind of ["http", "socks5"] as const) {
    const mode = maintenance ? "in maintenance mode " : "";
    Deno.test(`openNodes ${mode}goes through the ${kind} proxy of the environment`, async () => {
      await using server = maintenance
        ? await startServer({ pair, routes })
        : await endpoint();
      const targets = { "node1.test:50000": server.endpoint };
      await using proxy = kind === "http"
        ? httpProxy(targets)
        : socksProxy(targets);
      const env: Record<string, string> = {
        HTTPS_PROXY: `${kind}://${proxy.address}`,
      };
      using nodes = open({
        endpoints: ["node1.test"],
        nodes: ["node1.test"],
        maintenance,
        env: (name) => env[name],
      });
      assert.deepEqual((await versions(nodes)).seen, {
        "node1.test": maintenance ? "none" : "node1.test",
      });
    });
  }
}
