import assert from "node:assert/strict";
import { ConfigError, ConnectError, RpcError } from "../../../errors.ts";
import { serverPair } from "../_certificates.ts";
import {
  blackhole,
  cluster,
  endpoint,
  open,
  pair,
  routes,
  versions,
} from "../_nodes.ts";
import {
  dataReply,
  type Incoming,
  readPath,
  type Routes,
  startServer,
  versionPath,
  versionReply,
} from "../_server.ts";

Deno.test("openNodes asks every node once through the endpoint", async () => {
  await using server = await endpoint();
  using nodes = open({
    endpoints: [server.endpoint],
    nodes: ["10.0.0.1", "node2", "10.0.0.1"],
  });
  assert.deepEqual(await nodes.names(), ["10.0.0.1", "node2"]);
  assert.deepEqual(await versions(nodes), {
    seen: { "10.0.0.1": "10.0.0.1", node2: "node2" },
    failures: new Map(),
  });
});

Deno.test("openNodes streams from all nodes, in order per node", async () => {
  await using server = await endpoint();
  using nodes = open({ endpoints: [server.endpoint], nodes: ["a", "b"] });
  const seen: Record<string, number[]> = { a: [], b: [] };
  const chunks = nodes.stream((client) => client.machine.read({ path: "/x" }));
  for await (const { node, value } of chunks) seen[node]?.push(...value.bytes);
  assert.deepEqual(seen, { a: [1, 2], b: [1, 2] });
});

Deno.test("openNodes sends no node to the endpoint itself", async () => {
  await using server = await endpoint();
  using nodes = open({ endpoints: [server.endpoint], nodes: ["a"] });
  const client = await nodes.endpoint();
  assert.equal(client.node, "127.0.0.1");
  const { messages } = await client.machine.version({});
  assert.equal(messages[0]?.version?.tag, "none");
});

Deno.test("openNodes gives the only node, and refuses several", async () => {
  await using server = await endpoint();
  using one = open({ endpoints: [server.endpoint], nodes: ["a"] });
  assert.equal((await one.only("dashboard")).node, "a");
  using two = open({ endpoints: [server.endpoint], nodes: ["a", "b"] });
  await assert.rejects(two.only("read"), {
    name: "UsageError",
    message: 'Command "read" works on one node, and 2 are selected',
  });
});

Deno.test("openNodes without nodes is a usage error, without endpoints a configuration error", async () => {
  using unreachable = open({ endpoints: ["127.0.0.1"] });
  await assert.rejects(unreachable.names(), {
    name: "UsageError",
    message: "No nodes are selected",
    hint:
      "Use --nodes, or set them in the context with: osctl config node ADDRESS",
  });
  using nowhere = open({ nodes: ["a"] });
  await assert.rejects(
    nowhere.call(() => Promise.resolve()).next(),
    { name: "ConfigError", message: "No endpoints are known" },
  );
});

Deno.test("openNodes names a wrong endpoint before anything is sent", async () => {
  using nodes = open({ endpoints: ["10.0.0.1:x"], nodes: ["a"] });
  await assert.rejects(nodes.call(() => Promise.resolve()).next(), ConfigError);
});

Deno.test("openNodes reports a failing node beside those that answer", async () => {
  await using server = await endpoint({
    async *[versionPath]({ metadata }) {
      if (metadata["node"] === "bad") throw new RpcError("NOT_FOUND", "gone");
      yield await Promise.resolve(versionReply("v1"));
    },
  });
  using nodes = open({
    endpoints: [server.endpoint],
    nodes: ["a", "bad", "c"],
  });
  const { seen, failures } = await versions(nodes);
  assert.deepEqual(seen, { a: "v1", c: "v1" });
  const error = failures.get("bad");
  assert.ok(error instanceof RpcError);
  assert.equal(error.code, "NOT_FOUND");
  assert.equal(error.message, "gone");
});

Deno.test("openNodes gives every node its own deadline, for all its calls together", async () => {
  await using server = await endpoint({
    async *[versionPath]({ metadata, signal }) {
      if (metadata["node"] === "slow") {
        await new Promise((done) => signal.addEventListener("abort", done));
      }
      yield await Promise.resolve(versionReply("v1"));
    },
  });
  using nodes = open({
    endpoints: [server.endpoint],
    nodes: ["slow", "fast"],
    nodeTimeoutMs: 1_000,
  });
  const { seen, failures } = await versions(nodes);
  assert.deepEqual(seen, { fast: "v1" });
  const error = failures.get("slow");
  assert.ok(error instanceof RpcError);
  assert.equal(error.code, "DEADLINE_EXCEEDED");
  assert.equal(error.message, "No complete answer within 1 s");
});

for (const place of [0, 1, 2]) {
  Deno.test(`openNodes answers while endpoint ${place + 1} of 3 is silent`, async () => {
    await using silent = blackhole();
    await using one = await endpoint();
    await using two = await endpoint();
    const endpoints = [one.endpoint, two.endpoint];
    endpoints.splice(place, 0, silent.endpoint);
    using nodes = open({ endpoints, nodes: ["a", "b", "c", "d"] });
    const { seen } = await versions(nodes);
    assert.deepEqual(seen, { a: "a", b: "b", c: "c", d: "d" });
    await silent.reached;
    assert.equal(silent.left(), 0);
  });
}

Deno.test("openNodes moves to another endpoint when one goes away", async () => {
  const one = await endpoint();
  await using two = await endpoint();
  using nodes = open({
    endpoints: [one.endpoint, two.endpoint],
    nodes: ["a", "b"],
  });
  assert.equal(Object.keys((await versions(nodes)).seen).length, 2);
  one.stop();
  for (let round = 0; round < 3; round++) {
    const { seen, failures } = await versions(nodes);
    assert.deepEqual(failures, new Map());
    assert.deepEqual(seen, { a: "a", b: "b" });
  }
});

Deno.test("openNodes connects again when its only endpoint comes back", async () => {
  const first = await endpoint();
  using nodes = open({ endpoints: [first.endpoint], nodes: ["a"] });
  await versions(nodes);
  first.stop();
  await using _second = await startServer({
    pair,
    clients: cluster,
    routes,
    port: first.port,
  });
  assert.deepEqual((await versions(nodes)).seen, { a: "a" });
});

Deno.test("openNodes tells that an endpoint moves between nodes", async () => {
  const first = await endpoint();
  using nodes = open({ endpoints: [first.endpoint], nodes: ["a"] });
  await versions(nodes);
  first.stop();
  await using _second = await startServer({
    pair: await serverPair(cluster, { commonName: "node2" }),
    clients: cluster,
    routes,
    port: first.port,
  });
  await versions(nodes);
  assert.deepEqual(nodes.notes, [
    `warning: Endpoint "${first.endpoint}" leads to different nodes, "node1" before and "node2" now: use the addresses of nodes as endpoints`,
  ]);
});

Deno.test("openNodes does not wait for a lone answer longer than for that of many nodes", async () => {
  await using server = await endpoint({
    async *[versionPath]({ signal }) {
      await new Promise((done) => signal.addEventListener("abort", done));
      yield versionReply("v1");
    },
    async *[readPath]() {
      yield dataReply(new Uint8Array([1]));
      await new Promise((done) => setTimeout(done, 150));
      yield dataReply(new Uint8Array([2]));
    },
  });
  using nodes = open({
    endpoints: [server.endpoint],
    nodes: ["a"],
    nodeTimeoutMs: 100,
  });
  for (const client of [await nodes.only("x"), await nodes.endpoint()]) {
    const late = { code: "DEADLINE_EXCEEDED" };
    await assert.rejects(client.machine.version({}), late);
    const bytes: number[] = [];
    for await (const chunk of client.machine.read({ path: "/x" })) {
      bytes.push(...chunk.bytes);
    }
    assert.deepEqual(bytes, [1, 2]);
  }
});

const wrongNames = [
  ["", "it is empty"],
  ["10.0.0.1:50000", "it has a port"],
  ["node1:", "it has a port"],
  ["[fd00::1]:50000", "it has a port"],
] as const;

for (const [name, why] of wrongNames) {
  Deno.test(`openNodes refuses the node "${name}"`, async () => {
    using nodes = open({ endpoints: ["127.0.0.1"], nodes: ["a", name] });
    await assert.rejects(nodes.names(), {
      name: "UsageError",
      message: `Cannot use node "${name}": ${why}`,
    });
  });
}

Deno.test("openNodes says of every node that no endpoint answers", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  using nodes = open({ endpoints: [`127.0.0.1:${port}`], nodes: ["a", "b"] });
  const { failures } = await versions(nodes);
  assert.deepEqual([...failures.keys()], ["a", "b"]);
  for (const error of failures.values()) {
    assert.ok(error instanceof ConnectError);
    assert.equal(error.reason, "refused");
  }
});

Deno.test("openNodes spreads calls over the endpoints that are up", async () => {
  const counts = [0, 0];
  const counted = (index: number): Routes => ({
    async *[versionPath]() {
      counts[index]!++;
      yield await Promise.resolve(versionReply("v1"));
    },
  });
  await using one = await endpoint(counted(0));
  await using two = await endpoint(counted(1));
  using nodes = open({
    endpoints: [one.endpoint, two.endpoint],
    nodes: Array.from({ length: 20 }, (_, index) => `n${index}`),
  });
  // The first that is up serves alone until the other one is.
  do await versions(nodes); while (Math.min(...counts) === 0);
  counts.fill(0);
  await versions(nodes);
  assert.deepEqual(counts, [10, 10]);
});

Deno.test("openNodes ends all streams when their reader leaves", async () => {
  const ended = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let started = 0;
  await using server = await endpoint({
    async *[readPath]({ signal }: Incoming) {
      const { promise, resolve } = ended[started++]!;
      signal.addEventListener("abort", () => resolve());
      yield dataReply(new Uint8Array([1]));
      await promise;
    },
  });
  using nodes = open({ endpoints: [server.endpoint], nodes: ["a", "b"] });
  const seen = new Set<string>();
  for await (
    const { node } of nodes.stream((one) => one.machine.read({ path: "/x" }))
  ) {
    if (seen.add(node).size === 2) break;
  }
  await Promise.all(ended.map(({ promise }) => promise));
});

Deno.test("openNodes ends streams quietly when the user interrupts", async () => {
  await using server = await endpoint({
    async *[readPath]({ signal }: Incoming) {
      yield dataReply(new Uint8Array([1]));
      await new Promise((done) => signal.addEventListener("abort", done));
    },
  });
  const controller = new AbortController();
  const { signal } = controller;
  using nodes = open({ endpoints: [server.endpoint], nodes: ["a"], signal });
  const seen: number[] = [];
  for await (
    const { value } of nodes.stream((one) => one.machine.read({ path: "/x" }))
  ) {
    seen.push(...value.bytes);
    controller.abort(new Error("interrupted"));
  }
  assert.deepEqual(seen, [1]);
});

/** `ListResponse` of one member. */
function memberReply(address: string, role: string): Uint8Array {
  const text = new TextEncoder().encode(
    `addresses: [${address}]\nmachineType: ${role}`,
  );
  const yaml = [0x12, text.length, ...text]; // Spec.yaml_spec
  const resource = [0x12, yaml.length, ...yaml]; // Resource.spec
  return new Uint8Array([0x0a, resource.length, ...resource]);
}

const controlPlane = memberReply("10.0.0.1", "controlplane");

const members: Routes = {
  ...routes,
  async *"/cosi.resource.State/List"({ metadata }) {
    assert.equal(metadata["node"], undefined);
    yield controlPlane;
    yield memberReply("10.0.0.2", "worker");
    yield await Promise.resolve(memberReply("10.0.0.3", "worker"));
  },
};

Deno.test("openNodes resolves selectors from the members, once, and notes them", async () => {
  await using server = await endpoint(members);
  using nodes = open({
    endpoints: [server.endpoint],
    nodes: ["@workers", "10.0.0.3", "@controlplane"],
  });
  assert.deepEqual((await versions(nodes)).seen, {
    "10.0.0.2": "10.0.0.2",
    "10.0.0.3": "10.0.0.3",
    "10.0.0.1": "10.0.0.1",
  });
  await nodes.names();
  assert.deepEqual(nodes.notes, [
    "@workers: 10.0.0.2, 10.0.0.3",
    "@controlplane: 10.0.0.1",
  ]);
});

Deno.test("openNodes does not wait for members longer than for a node", async () => {
  await using server = await endpoint({
    async *"/cosi.resource.State/List"({ signal }) {
      await new Promise((done) => signal.addEventListener("abort", done));
      yield controlPlane;
    },
  });
  using nodes = open({
    endpoints: [server.endpoint],
    nodes: ["@all"],
    nodeTimeoutMs: 100,
  });
  await assert.rejects(nodes.names(), { code: "DEADLINE_EXCEEDED" });
});

Deno.test("openNodes refuses unknown selectors without a request", async () => {
  for (const name of ["@masters", "@", "@toString"]) {
    using nodes = open({ endpoints: ["127.0.0.1:1"], nodes: [name] });
    await assert.rejects(nodes.names(), {
      name: "UsageError",
      message: `Unknown node selector "${name}"`,
      hint: "Known selectors: @all, @controlplane, @workers",
    });
  }
});

Deno.test("openNodes refuses a selector that matches no member", async () => {
  await using server = await endpoint({
    async *"/cosi.resource.State/List"() {
      yield await Promise.resolve(controlPlane);
    },
  });
  using nodes = open({ endpoints: [server.endpoint], nodes: ["@workers"] });
  await assert.rejects(nodes.names(), {
    name: "UsageError",
    message: 'No member of the cluster matches "@workers"',
  });
});
