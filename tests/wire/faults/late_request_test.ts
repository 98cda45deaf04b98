import assert from "node:assert/strict";
import { pause } from "../../../lib/pause.ts";
import type { ClusterOptions } from "../../../simulator/cluster/cluster.ts";
import { startService } from "../../../simulator/node/system_services.ts";
import type { SimulatedNode } from "../../../simulator/state/node.ts";
import { counting } from "../../_node_counts.ts";
import { type Wire, withWire } from "../../_wire.ts";
import { pace } from "../_workers.ts";

/** A command that must happen once, although its request arrives late. */
interface Trial {
  readonly line: string;
  /** Method whose request is late. */
  readonly method: string;
  readonly tag: string;
  readonly installs: number;
}

const trials: readonly Trial[] = [
  { line: "reboot", method: "Reboot", tag: "v1.12.1", installs: 0 },
  {
    line: "upgrade --to v1.12.2",
    method: "Upgrade",
    tag: "v1.12.1",
    installs: 1,
  },
  {
    line: "upgrade --to v1.13.1",
    method: "Reboot",
    tag: "v1.13.0",
    installs: 1,
  },
  {
    line: "reset --yes --reboot --system-labels-to-wipe EPHEMERAL",
    method: "Reset",
    tag: "v1.12.1",
    installs: 0,
  },
];

/** Arrival of the request, in milliseconds: clients of these tests have found the node steady long before. */
const lateMs = 3_000;

const faster = 10;

/** Runs a command whose request arrives late by `ms`, interrupts it once the request is sent, and resumes it at once. */
async function interruptAndResume(
  wire: Wire,
  node: SimulatedNode,
  { line, method, ms }: Record<"line" | "method", string> & { ms: number },
) {
  const counts = await counting(node, method);
  const { address } = node.identity;
  const fault = { method, calls: 1, ms };
  await wire.cluster.setFault(address, "request-lost", fault);
  const startedAt = Date.now();
  const now = () => new Date(startedAt + (Date.now() - startedAt) * faster);
  const interrupted = new AbortController();
  const first = wire.osctl(`${line} -n ${address}`, {
    now,
    signal: interrupted.signal,
  });
  while (counts().calls === 0) await pause(10);
  interrupted.abort();
  await first;
  assert.deepEqual(counts(), { calls: 1, boots: 0 });
  const listed = await wire.osctl("operation list -o jsonl", { now });
  const { id } = JSON.parse(listed.out);
  const resumed = await wire.osctl(`operation resume ${id}`, { now });
  return { counts, resumed };
}

for (const { line, method, tag, installs } of trials) {
  Deno.test(`${line}: the request ${method} that arrives after its client has ended happens once, also if it is resumed before`, async () => {
    const cluster: ClusterOptions = { workers: 2, pace, release: { tag } };
    await withWire(cluster, async (wire) => {
      const node = wire.cluster.nodes.at(-1) ?? assert.fail();
      const before = node.counts.installs;
      const { counts, resumed } = await interruptAndResume(wire, node, {
        line,
        method,
        ms: lateMs,
      });
      await wire.cluster.settled();
      assert.deepEqual(counts(), { calls: 1, boots: 1 }, resumed.err);
      assert.equal(node.counts.installs - before, installs);
      assert.equal(resumed.status, 0, resumed.err);
    });
  });
}

Deno.test("a reboot of an upgrade that arrives late happens once, also when its client does not give up", async () => {
  const cluster: ClusterOptions = {
    workers: 2,
    pace: { ...pace, installMs: 1_500 },
    release: { tag: "v1.13.0" },
  };
  await withWire(cluster, async (wire) => {
    const node = wire.cluster.nodes.at(-1) ?? assert.fail();
    const counts = await counting(node, "Reboot");
    const { address } = node.identity;
    const fault = { method: "Reboot", calls: 1, ms: 900 };
    await wire.cluster.setFault(address, "request-lost", fault);
    const startedAt = Date.now();
    // A minute of this clock, which the installer alone takes, is 1.5 s.
    const now = () =>
      new Date(startedAt + (Date.now() - startedAt) * 4 * faster);
    const ran = await wire.osctl(`upgrade --to v1.13.1 -n ${address}`, { now });
    await wire.cluster.settled();
    assert.deepEqual(counts(), { calls: 1, boots: 1 }, ran.err);
  });
});

/** A change without a boot of its own that must happen once, although its request arrives late. */
interface Change {
  readonly line: string;
  readonly method: string;
  readonly cluster: ClusterOptions;
  /** Number of requests; default one. */
  readonly calls?: number;
  readonly check: (node: SimulatedNode) => void;
}

const changes: readonly Change[] = [
  {
    line: "service kubelet restart",
    method: "ServiceRestart",
    cluster: { workers: 1 },
    check({ boot }) {
      const events = boot.services.get("kubelet")?.events ?? [];
      const stops = events.filter(({ state }) => state === "Stopping");
      assert.equal(stops.length, 1);
    },
  },
  {
    line: "service ext-hello stop",
    method: "ServiceStop",
    cluster: { workers: 1 },
    // A node ignores a stop of what does not run.
    calls: 2,
    check({ boot }) {
      const { state, events = [] } = boot.services.get("ext-hello") ?? {};
      const stops = events.filter(({ state }) => state === "Stopping");
      assert.deepEqual([state, stops.length], ["Finished", 1]);
    },
  },
  {
    line: "wipe disk vdb --yes",
    method: "BlockDeviceWipe",
    cluster: { workers: 1, userDisks: 1, release: { tag: "v1.12.1" } },
    check: ({ disk }) => assert.deepEqual(disk.userDisks[0]?.partitions, []),
  },
  {
    line: "bootstrap",
    method: "Bootstrap",
    cluster: { bootstrapped: false },
    check: ({ boot }) =>
      assert.equal(boot.services.get("etcd")?.state, "Running"),
  },
];

for (const { line, method, cluster, calls = 1, check } of changes) {
  Deno.test(`${line}: the request ${method} that arrives after its client has ended happens once, also if it is resumed before`, async () => {
    await withWire({ ...cluster, pace }, async (wire) => {
      const node = wire.cluster.nodes.at(-1) ?? assert.fail();
      startService(node, "ext-hello");
      const { counts, resumed } = await interruptAndResume(wire, node, {
        line,
        method,
        ms: 1_000,
      });
      assert.equal(resumed.status, 0, resumed.err);
      check(node);
      await wire.cluster.settled();
      check(node);
      assert.equal(counts().calls, calls);
    });
  });
}

Deno.test("meta write: a request that arrives soon after its connection broke is seen to be done, and sent once", async () => {
  await withWire({ workers: 1, pace }, async (wire) => {
    const node = wire.cluster.nodes.at(-1) ?? assert.fail();
    const counts = await counting(node, "MetaWrite");
    const { address } = node.identity;
    const fault = { method: "MetaWrite", calls: 1, ms: 1_000 };
    await wire.cluster.setFault(address, "request-lost", fault);
    const ran = await wire.osctl(`meta write 11 x -n ${address}`);
    assert.equal(ran.status, 0, ran.err);
    assert.match(ran.err, /the reply was lost/);
    assert.equal(counts().calls, 1);
    const written = new TextDecoder().decode(node.disk.meta.get(11));
    assert.equal(written, "x");
  });
});
