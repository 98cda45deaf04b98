import assert from "node:assert/strict";
import { withWire } from "../_wire.ts";
import { pace, withWorkers } from "./_workers.ts";
import { minor, tag } from "../_version.ts";

/** Nodes without a configuration are asked directly, at the port that all nodes have. */
function ownPorts(): (index: number) => { host: string; port: number } {
  const network = `127.${20 + Math.floor(Math.random() * 200)}.0`;
  return (index) => ({ host: `${network}.${10 + index}`, port: 50000 });
}

Deno.test("shutdown ends when the node is off", async () => {
  await withWorkers(1, async ({ on, names, cluster }) => {
    const { out, status, err } = await on([1], "shutdown --yes -o jsonl");
    assert.equal(status, 0, err);
    assert.deepEqual(JSON.parse(out), {
      node: names[1],
      outcome: "done",
      reason: "the node no longer answers",
    });
    assert.equal(cluster.nodes[1]?.boot.reachable, false);
  });
});

Deno.test("reset without a reboot ends when the node is off, and it has no configuration then", async () => {
  await withWorkers(1, async ({ on, cluster }) => {
    const { out, err, status } = await on([1], "reset --yes -o jsonl");
    assert.equal(status, 0, err);
    assert.equal(JSON.parse(out).outcome, "done");
    assert.match(
      err,
      /everything on \/dev\/vda \(EFI, META, STATE, EPHEMERAL\)/,
    );
    await cluster.settled();
    assert.equal(cluster.nodes[1]?.disk.configured, false);
  });
});

Deno.test("reset of partitions with a reboot ends when the node runs again", async () => {
  await withWorkers(1, async ({ on, names }) => {
    const { out, err, status } = await on(
      [1],
      "reset --yes --reboot --system-labels-to-wipe EPHEMERAL -o jsonl",
    );
    assert.equal(status, 0, err);
    assert.deepEqual(JSON.parse(out), {
      node: names[1],
      outcome: "done",
      reason: `ready, ${tag}, with its configuration`,
    });
  });
});

Deno.test("reset with a reboot ends when the node itself is in maintenance mode", async () => {
  await withWire({ workers: 2, pace, addresses: ownPorts() }, async (wire) => {
    const { osctl, names, cluster } = wire;
    const [, first = "", second = ""] = names;
    await cluster.setFault(second, "never-returns");
    const { out, err, status } = await osctl(
      `reset --yes --reboot --timeout 6s -n ${first},${second} -o jsonl`,
    );
    const [good, bad] = out.trimEnd().split("\n").map((row) => JSON.parse(row));
    assert.deepEqual(good, {
      node: first,
      outcome: "done",
      // Later nodes say which version they run without a configuration, too.
      reason: `is in maintenance mode${minor < 13 ? "" : `, ${tag}`}`,
    });
    // One that waits does not speak for the other.
    assert.deepEqual([bad.node, bad.error.code], [second, "never-returned"]);
    assert.equal(status, 3, err);
  });
});

Deno.test("reboot of a node that loses its configuration says that the node waits for one", async () => {
  await withWire({ workers: 1, pace, addresses: ownPorts() }, async (wire) => {
    const { osctl, names: [, worker = ""], cluster } = wire;
    await cluster.setFault(worker, "returns-unconfigured");
    const line = `reboot --timeout 4s -n ${worker} -o jsonl`;
    const { out, err, status } = await osctl(line);
    assert.equal(
      JSON.parse(out).error.message,
      "never-returned: the node lost its configuration and is in maintenance mode",
    );
    assert.equal(status, 4, err);
  });
});
