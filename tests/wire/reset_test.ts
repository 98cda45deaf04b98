import assert from "node:assert/strict";
import { pause } from "../../lib/pause.ts";
import { powerCycle, reboot, shutDown } from "../../simulator/boot/power.ts";
import type { SimulatedNode } from "../../simulator/state/node.ts";
import { type Wire, withWire } from "../_wire.ts";
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

/** Nodes that take their time to stop. */
const slow = { ...pace, stopMs: 1_500, downMs: 300 };

function readLog(logs: SimulatedNode["boot"]["logs"], word: string) {
  const log = logs.get("machined")!;
  return Array.from({ length: log.end() }, (_, at) => log.at(at))
    .map((line) => line.slice(line.indexOf("] ") + 2))
    .filter((line) => line.startsWith(word))
    .map((line) => line.replace(/: [0-9a-f-]{36}$/, ""));
}

/** Runs a command; another user is quicker in the moment in which its call of a method arrives. */
async function overtaken(
  { osctl, cluster, names: [, worker = ""] }: Wire,
  line: string,
  { method, by }: {
    readonly method: string;
    readonly by: (node: SimulatedNode) => Promise<void>;
  },
) {
  const node = cluster.nodes[1]!;
  await cluster.setFault(worker, "slow", { method, ms: 200, calls: 1 });
  const running = osctl(`${line} -n ${worker} -o jsonl`);
  while (node.faults.get("slow")!.remaining > 0) await pause(5);
  node.work(by(node));
  const { out, err, status } = await running;
  return { ...JSON.parse(out), err, status };
}

for (
  const [what, by] of [["shuts down", shutDown], ["reboots", reboot]] as const
) {
  Deno.test(`a reset that a node acknowledges and refuses because it ${what} is not done`, async () => {
    await withWire({ workers: 1, pace: slow }, async (wire) => {
      const node = wire.cluster.nodes[1]!;
      const { boot: { logs } } = node;
      const { error, err, status } = await overtaken(
        wire,
        "reset --yes --timeout 20s",
        { method: "Reset", by },
      );
      assert.deepEqual(readLog(logs, "reset "), [
        "reset request received. actorID",
        "reset failed: locked",
      ]);
      assert.deepEqual([error?.code, status], ["refused", 5], err);
      assert.match(error.message, /took the request and then refused it/);
      assert.equal(node.disk.configured, true);
    });
  });
}

Deno.test("a reset of a node that reboots or shuts down is not sent", async () => {
  for (const by of [shutDown, reboot]) {
    await withWire({ workers: 1, pace: slow }, async (wire) => {
      const node = wire.cluster.nodes[1]!;
      const { boot: { logs } } = node;
      node.work(by(node));
      const { out, err, status } = await wire.osctl(
        `reset --yes -n ${wire.names[1]} -o jsonl`,
      );
      assert.equal(status, 5, err);
      assert.match(
        JSON.parse(out).error.message,
        /The node is (rebooting|shutting down)/,
      );
      assert.deepEqual(readLog(logs, "reset "), []);
    });
  }
});

Deno.test("a control plane is not rebooted while another one is about to stop, although its etcd still answers", async () => {
  const longest = { ...pace, stopMs: 60_000 };
  await withWire({ controlplanes: 3, pace: longest }, async (wire) => {
    const [one, , three] = wire.cluster.nodes;
    one!.work(reboot(one!));
    assert.equal(one!.etcd.server.isRunning(), true);
    const { out, err, status } = await wire.osctl(
      `reboot -n ${wire.names[2]} --timeout 500ms -o jsonl`,
    );
    assert.equal(
      JSON.parse(out).error.message,
      `refused: etcd would lose its quorum: 3 voters, 3 healthy, quorum 2; without this one 1; ${
        wire.names[0]
      } is rebooting (S1; --allow etcd-quorum)`,
    );
    assert.deepEqual([status, three!.boot.sequence], [5, undefined], err);
  });
});

Deno.test("a shutdown that a rebooting node never got is not done", async () => {
  await withWire({ workers: 1, pace: slow }, async (wire) => {
    const node = wire.cluster.nodes[1]!;
    const { boot: { logs } } = node;
    const { error, err, status } = await overtaken(
      wire,
      "shutdown --yes --timeout 20s",
      // The call that comes before.
      { method: "Events", by: powerCycle },
    );
    assert.deepEqual(readLog(logs, "shutdown "), []);
    assert.deepEqual([error?.code, status], ["failed", 1], err);
    await wire.cluster.settled();
    assert.deepEqual(readLog(node.boot.logs, "shutdown "), []);
  });
});
