import assert from "node:assert/strict";
import { setFault } from "../../simulator/faults/set_fault.ts";
import { withWire } from "../_wire.ts";
import { minor } from "../_version.ts";
import { pace } from "./_workers.ts";

Deno.test("meta write and delete are seen in the resources of the node, and done once", async () => {
  await withWire({}, async ({ osctl, names: [node = ""] }) => {
    const outcome = async (line: string) => {
      const { out, err, status } = await osctl(
        `${line} --nodes ${node} -o jsonl`,
      );
      assert.equal(status, 0, err);
      return JSON.parse(out).outcome;
    };
    assert.equal(await outcome("meta write 0x0b hello"), "done");
    const { out } = await osctl("get meta 0x0b -o jsonpath={.spec.value}");
    assert.equal(out, "hello\n");
    assert.equal(await outcome("meta write 11 hello"), "unchanged");
    assert.equal(await outcome("meta delete 11"), "done");
    assert.equal(await outcome("meta delete 11"), "unchanged");
    const { err } = await osctl("get meta 0x0b");
    assert.match(err, new RegExp(node));
  });
});

const unsupported = {
  code: "failed",
  message:
    "failed: the node does not support BlockDeviceWipe: it needs v1.9 or later",
};

Deno.test("wipe disk shows what is on a disk, wipes it, and refuses what is a volume", async () => {
  await withWire({ userDisks: 1 }, async ({ osctl, names: [node = ""] }) => {
    const wiped = await osctl(`wipe disk vdb --yes -n ${node} -o jsonl`);
    if (minor < 9) {
      assert.deepEqual(JSON.parse(wiped.out).error, unsupported);
      return assert.equal(wiped.status, 1);
    }
    assert.match(wiped.err, /vdb: disk of 11 GB, gpt, with vdb1 \(xfs/);
    assert.deepEqual(JSON.parse(wiped.out), {
      node,
      outcome: "done",
      reason: "wiped vdb",
    });
    const { out } = await osctl(
      "get discoveredvolumes vdb -o jsonpath={.spec.name}",
    );
    assert.equal(out, "\n");
    const refused = await osctl(`wipe disk vda --yes -n ${node}`);
    assert.match(refused.err, /error: .*: failed: .*in use by volume/);
    assert.equal(refused.status, 1);
    const listed = await osctl("operation list --all -o jsonl");
    const startedAt = listed.out.trim().split("\n").map((row) =>
      JSON.parse(row)
    );
    assert.deepEqual(
      startedAt.map(({ operation, state }) => [operation, state]),
      [["wipe disk", "ended"], ["wipe disk", "ended"]],
    );
  });
});

Deno.test("wipe disk works in maintenance mode, without a journal", async () => {
  await withWire(
    { userDisks: 1, unconfigured: () => true },
    async ({ osctl, cluster }) => {
      const [address = ""] = cluster.listening.values();
      const ran = await osctl(`wipe disk vdb -i --yes -n ${address} -o jsonl`);
      const { outcome, error } = JSON.parse(ran.out);
      if (minor < 9) return assert.deepEqual(error, unsupported);
      assert.equal(outcome, "done", ran.err);
      assert.equal(
        (await osctl("operation list --all")).out.split("\n").length,
        2,
      );
    },
  );
});

Deno.test("service restarts what nodes let restart, and says what they do not", async () => {
  await withWire({ controlplanes: 3 }, async ({ osctl, names }) => {
    const restarted = await osctl(
      "service kubelet restart --nodes @all -o jsonl",
    );
    const rows = restarted.out.trim().split("\n").map((row) => JSON.parse(row));
    assert.deepEqual(
      rows.map(({ node, outcome }) => [node, outcome]).toSorted(),
      names.map((node) => [node, "done"]),
      restarted.err,
    );
    const started = await osctl(
      "service kubelet start --nodes @all -o jsonpath={.outcome}",
    );
    assert.equal(started.out, "unchanged\n".repeat(3));
    const refused = await osctl("service etcd stop --nodes @all");
    assert.match(
      refused.err,
      /failed: Cannot stop service "etcd": service "etcd" doesn't support stop/,
    );
    assert.match(refused.err, /waiting for other control planes/);
    assert.equal(refused.status, 1);
  });
});

Deno.test("a service whose node is down is named, the others are restarted", async () => {
  await withWire(
    { workers: 2 },
    async ({ osctl, cluster, names: [, up = "", down = ""] }) => {
      const worker = cluster.nodes[2];
      assert.ok(worker);
      await setFault(worker, "unavailable");
      const { out, err, status } = await osctl(
        `service kubelet restart -n ${up},${down} --timeout 20s -o jsonpath={.node}`,
      );
      assert.equal(out, `${up}\n`);
      assert.match(
        err,
        new RegExp(`^error: \\S+ \\(${down}\\): failed: `, "m"),
      );
      assert.equal(status, 3);
    },
  );
});

Deno.test("the status of a node says that it is cordoned, also after a reboot, until it is uncordoned", async () => {
  await withWire({ workers: 1, pace }, async ({ osctl, names: [, node] }) => {
    const isCordoned = async () => {
      const { out } = await osctl(
        `get nodestatus -o jsonpath={.spec.unschedulable} -n ${node}`,
      );
      return out.trim();
    };
    const run = async (line: string) => {
      const { err, status } = await osctl(`${line} -n ${node}`);
      assert.equal(status, 0, err);
    };
    assert.equal(await isCordoned(), "false");
    await run("node cordon");
    assert.equal(await isCordoned(), "true");
    await run("reboot --yes");
    assert.equal(await isCordoned(), "true");
    await run("node uncordon");
    assert.equal(await isCordoned(), "false");
  });
});
