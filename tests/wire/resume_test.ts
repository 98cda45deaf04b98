import assert from "node:assert/strict";
import { counting } from "../_node_counts.ts";
import { type Wire, withWire } from "../_wire.ts";

/** Nodes that take longer to boot than anybody waits for here. */
const slow = { bootMs: 5_000, stopMs: 50, downMs: 100, installMs: 50 };

/** The only operation that is listed. */
async function list({ osctl }: Wire) {
  const { out } = await osctl("operation list -o jsonl");
  return JSON.parse(out);
}

Deno.test("an operation that ran out of time is listed, and resumed to its end without a second call", async () => {
  await withWire({ workers: 1, pace: slow }, async (wire) => {
    const { osctl, cluster, names } = wire;
    const [, worker] = cluster.nodes;
    assert.ok(worker);
    const counts = await counting(worker, "Reboot");
    const ran = await osctl(`reboot --timeout 3s -n ${names[1]}`);
    assert.equal(ran.status, 4, ran.err);
    const { id, state, finished } = await list(wire);
    assert.deepEqual([state, finished], ["unfinished", 0]);
    assert.match(
      ran.err,
      new RegExp(`^Resume with: osctl operation resume ${id}$`, "m"),
    );
    const resumed = await osctl(`operation resume ${id} -o jsonl`);
    assert.equal(resumed.status, 0, resumed.err);
    assert.equal(JSON.parse(resumed.out).outcome, "done");
    assert.deepEqual(counts(), { calls: 1, boots: 1 });
    assert.equal((await osctl("operation list -o jsonl")).out, "");
    const again = await osctl(`operation resume ${id}`);
    assert.equal(again.status, 2);
    await cluster.settled();
  });
});

Deno.test("a node that took a call and continues as before is waited for when resumed, and not called again", async () => {
  const release = { tag: "v1.12.1" };
  await withWire({ workers: 1, pace: slow, release }, async (wire) => {
    const { osctl, cluster, names } = wire;
    const [, worker] = cluster.nodes;
    assert.ok(worker);
    await cluster.setFault(names[1] ?? "", "never-reboots");
    const counts = await counting(worker, "Upgrade");
    const line = `upgrade --to v1.12.2 --timeout 3s -n ${names[1]}`;
    const ran = await osctl(line);
    assert.match(ran.err, /never-rebooted/);
    const { id, state } = await list(wire);
    assert.equal(state, "unfinished");
    const resumed = await osctl(`operation resume ${id} --timeout 4s`);
    assert.match(resumed.err, /never-rebooted/);
    assert.equal(resumed.status, 4, resumed.err);
    assert.equal(counts().calls, 1);
    assert.equal((await list(wire)).state, "unfinished");
  });
});

Deno.test("an upgrade whose time is up amid its installer is resumed behind it, and installs once", async () => {
  const pace = { ...slow, bootMs: 100, installMs: 8_000 };
  const release = { tag: "v1.13.0" };
  await withWire({ workers: 2, pace, release }, async (wire) => {
    const { osctl, cluster, names } = wire;
    const [, worker] = cluster.nodes;
    assert.ok(worker);
    const before = worker.counts.installs;
    const line = `upgrade --to v1.13.1 --timeout 5s -n ${names[1]}`;
    const ran = await osctl(line);
    assert.equal(ran.status, 4, ran.err);
    const { id, state } = await list(wire);
    assert.equal(state, "unfinished");
    const resumed = await osctl(`operation resume ${id} -o jsonl`);
    assert.equal(resumed.status, 0, resumed.err);
    assert.equal(
      JSON.parse(resumed.out).reason,
      "ready, v1.13.1; simulated-worker-1 is uncordoned",
    );
    assert.equal(worker.counts.installs - before, 1);
  });
});
