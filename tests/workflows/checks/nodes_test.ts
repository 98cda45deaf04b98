import assert from "node:assert/strict";
import {
  nodeKubeletHealthy,
  nodeReady,
  nodesAllReachable,
  nodeServices,
  nodesMembershipUnchanged,
  nodesNoInitType,
  nodesTimeInSync,
  nodesVersion,
} from "../../../workflows/checks/nodes.ts";
import {
  makeContext,
  resource,
  serviceReply,
  versionReply,
} from "./_check_context.ts";
import { RpcError } from "../../../errors.ts";

Deno.test("node.kubeletHealthy wants the kubelet to say so itself", async () => {
  const look = (state: string) => {
    const w1 = { serviceList: () => serviceReply({ kubelet: state }) };
    return nodeKubeletHealthy.run(
      makeContext({ nodes: { w1 }, node: "w1" }),
      {},
    );
  };
  assert.deepEqual(await look("Running"), {
    ok: true,
    seen: "kubelet healthy",
  });
  assert.deepEqual(await look("?Running"), {
    ok: false,
    reason: "kubelet is not healthy",
  });
});

function look(stage: string, ready: boolean) {
  const unmetConditions = [{ name: "services", reason: "kubelet" }];
  // Nothing else is asked.
  const w1 = {
    get: () =>
      resource({
        stage,
        status: { ready, unmetConditions: ready ? [] : unmetConditions },
      }),
  };
  return nodeReady.run(makeContext({ nodes: { w1 } }), { node: "w1" });
}

Deno.test("node.ready wants the stage and the word of the node", async () => {
  assert.deepEqual(await look("running", true), {
    ok: true,
    seen: "running and ready",
  });
  assert.deepEqual(await look("running", false), {
    ok: false,
    reason: "not ready; services: kubelet",
  });
  assert.deepEqual(await look("booting", false), {
    ok: false,
    reason: "stage is booting",
  });
  assert.deepEqual(await look("", false), {
    ok: false,
    reason: "stage is not known",
  });
});

Deno.test("node.ready wants a node", async () => {
  await assert.rejects(nodeReady.run(makeContext({}), {}), {
    name: "UsageError",
  });
});

function lookAtServices(
  states: Readonly<Record<string, string>>,
  services?: readonly string[],
) {
  const w1 = { serviceList: () => serviceReply(states) };
  return nodeServices.run(
    makeContext({ nodes: { w1 }, node: "w1" }),
    services === undefined ? {} : { services },
  );
}

Deno.test("node.services looks for those that are named", async () => {
  assert.deepEqual(
    await lookAtServices({ cri: "Failed", apid: "Running" }, ["apid"]),
    { ok: true, seen: "1 service healthy" },
  );
  assert.deepEqual(await lookAtServices({}, ["etcd"]), {
    ok: false,
    reason: "etcd does not exist",
  });
});

const up = { version: () => versionReply("v1.12.11") };
const down = {
  version: () => Promise.reject(new RpcError("UNAVAILABLE", "gone")),
};

Deno.test("nodes.allReachable names nodes that do not answer, the first three of them", async () => {
  assert.deepEqual(
    await nodesAllReachable.run(makeContext({ nodes: { a: up, b: up } }), {}),
    { ok: true, seen: "2 nodes answered" },
  );
  const nodes = { a: down, b: up, c: down, d: down, e: down, f: down };
  assert.deepEqual(await nodesAllReachable.run(makeContext({ nodes }), {}), {
    ok: false,
    reason: "a, c, d, and 2 more: gone",
  });
});

/** A control plane that lists these members. */
function listing(...names: readonly string[]) {
  return {
    async *list() {
      for (const name of names) {
        const hostname = `${name}.lab`;
        const spec = { addresses: [name], hostname, machineType: "worker" };
        yield await Promise.resolve(resource(spec));
      }
    },
  };
}

const silent = {
  async *list() {
    yield await Promise.reject(new RpcError("UNAVAILABLE", "gone"));
  },
};

Deno.test("nodes.membershipUnchanged names who has joined and who has left", async () => {
  const same = makeContext({ nodes: { c1: silent, c2: listing("c1", "c2") } });
  assert.deepEqual(await nodesMembershipUnchanged.run(same, {}), {
    ok: true,
    seen: "2 nodes",
  });
  const other = makeContext({ nodes: { c1: listing("c1", "w2"), w1: {} } });
  assert.deepEqual(await nodesMembershipUnchanged.run(other, {}), {
    ok: false,
    reason: "w1 has left; w2.lab has joined",
  });
});

const node = (type: string) => ({ get: () => resource({ machine: { type } }) });

Deno.test("nodes.noInitType names nodes that begin clusters, and those that do not show what they are", async () => {
  const good = makeContext({
    nodes: { a: node("controlplane"), b: node("worker") },
  });
  assert.deepEqual(await nodesNoInitType.run(good, {}), {
    ok: true,
    seen: "2 nodes without",
  });
  const get = () => Promise.reject(new RpcError("PERMISSION_DENIED", "no"));
  const bad = makeContext({ nodes: { a: node("init") } });
  assert.deepEqual(await nodesNoInitType.run(bad, {}), {
    ok: false,
    reason: "a: its machine type is init; set it to controlplane",
    final: true,
  });
  const open = makeContext({ nodes: { a: node("init"), b: { get } } });
  assert.deepEqual(await nodesNoInitType.run(open, {}), {
    ok: false,
    reason:
      "b: its configuration cannot be read; a: its machine type is init; set it to controlplane",
  });
});

/** A node whose clock is so many seconds ahead; a text is how its time server is refused. */
function clockNode(
  synced: boolean,
  ahead: number | "UNKNOWN" | "UNAVAILABLE",
) {
  return {
    get: () => resource({ synced }),
    time() {
      if (typeof ahead === "string") throw new RpcError(ahead, "no server");
      const remotetime = { seconds: 1_000n, nanos: 0 };
      const localtime = { seconds: 1_000n + BigInt(ahead), nanos: 0 };
      return { messages: [{ localtime, remotetime }] };
    },
  };
}

Deno.test("nodes.timeInSync believes the time server, and the node where there is none to ask", async () => {
  const good = makeContext({
    nodes: { a: clockNode(true, 2), b: clockNode(true, "UNKNOWN") },
  });
  assert.deepEqual(await nodesTimeInSync.run(good, {}), {
    ok: true,
    seen: "2 nodes in sync",
  });
  const bad = makeContext({
    nodes: {
      a: clockNode(true, 600),
      b: clockNode(true, -7),
      c: clockNode(false, 0),
    },
  });
  assert.deepEqual(await nodesTimeInSync.run(bad, {}), {
    ok: false,
    reason:
      "a: the clock is 600 s ahead; b: the clock is 7 s behind; c: the clock is not in sync yet",
  });
  const away = makeContext({ nodes: { a: clockNode(true, "UNAVAILABLE") } });
  assert.deepEqual(await nodesTimeInSync.run(away, {}), {
    ok: false,
    reason: "a: no server",
  });
});

const nodes = {
  a: { version: () => versionReply("v1.12.11") },
  b: { version: () => versionReply("v1.12.10") },
};

Deno.test("nodes.version names nodes with another version", async () => {
  const context = makeContext({ nodes, groups: { new: ["a"] } });
  assert.deepEqual(await nodesVersion.run(context, { version: "1.12.11" }), {
    ok: false,
    reason: "b: runs v1.12.10",
  });
  assert.deepEqual(
    await nodesVersion.run(context, { version: "v1.12.11", group: "new" }),
    { ok: true, seen: "1 node with v1.12.11" },
  );
});
