import assert from "node:assert/strict";
import { type Wire, withWire } from "../_wire.ts";
import { pace } from "./_workers.ts";

/** Runs a test with three control planes. */
function withControlPlanes(test: (wire: Wire) => Promise<void>): Promise<void> {
  return withWire({ controlplanes: 3, pace }, test);
}

async function readMemberIds(
  { osctl, names }: Wire,
): Promise<readonly string[]> {
  const { out } = await osctl(`etcd members -n ${names[0]} -o jsonl`);
  return out.trimEnd().split("\n").map((row) => JSON.parse(row).id).toSorted();
}

/** Row of the only node, and status. */
async function ran({ osctl }: Wire, line: string) {
  const { out, err, status } = await osctl(`${line} -o jsonl`);
  return { row: JSON.parse(out), err, status };
}

Deno.test("reset that leaves a member of etcd behind names it, and remove-member takes it out", async () => {
  await withControlPlanes(async (wire) => {
    const [, , third = ""] = wire.names;
    const before = await readMemberIds(wire);
    const reset = await ran(wire, `reset --graceful=false --yes -n ${third}`);
    assert.deepEqual([reset.row.outcome, reset.status], ["done", 0], reset.err);
    const [, left = ""] =
      /^the node no longer answers; etcd still lists its member, remove it with: osctl etcd remove-member ([0-9a-f]{16})$/
        .exec(reset.row.reason) ?? assert.fail(reset.row.reason);
    assert.deepEqual(await readMemberIds(wire), before);
    const removal = await ran(wire, `etcd remove-member ${left} --yes`);
    assert.equal(removal.status, 0, removal.err);
    assert.equal(removal.row.reason, `member ${left} is removed, 2 remaining`);
    assert.deepEqual(
      await readMemberIds(wire),
      before.filter((id) => id !== left),
    );
  });
});

Deno.test("reset that leaves etcd first is zero behind, and says nothing of it", async () => {
  await withControlPlanes(async (wire) => {
    const [, , third = ""] = wire.names;
    const { row, err, status } = await ran(wire, `reset --yes -n ${third}`);
    assert.equal(status, 0, err);
    assert.equal(row.reason, "the node no longer answers");
    assert.equal((await readMemberIds(wire)).length, 2);
  });
});

Deno.test("while a member is left behind, no other is disturbed", async () => {
  await withControlPlanes(async (wire) => {
    const [, second = "", third = ""] = wire.names;
    await wire.cluster.setFault(third, "unavailable");
    const line = `reboot -n ${second} --timeout 3s`;
    const { row, status } = await ran(wire, line);
    assert.deepEqual([row.error.code, status], ["refused", 5]);
    assert.match(
      row.error.message,
      /etcd would lose its quorum: 3 voters, 2 healthy, quorum 2; without this one 1 \(S1/,
    );
  });
});

Deno.test("etcd leave and remove-member are done once when it is not said that they were", async () => {
  await withControlPlanes(async (wire) => {
    const { cluster, names } = wire;
    const [, , third = ""] = names;
    await cluster.setFault(third, "member-change-ambiguous", { calls: 1 });
    const { row, err, status } = await ran(
      wire,
      `etcd leave --yes -n ${third}`,
    );
    assert.equal(status, 0, err);
    assert.match(row.reason, /^member [0-9a-f]{16} is removed, 2 remaining$/);
    assert.match(err, /the reply was lost/);
    assert.equal((await readMemberIds(wire)).length, 2);
  });
  await withControlPlanes(async (wire) => {
    const { cluster, names } = wire;
    const [first = "", , third = ""] = names;
    await cluster.setFault(third, "unavailable");
    await cluster.setFault(first, "member-change-ambiguous", { calls: 1 });
    const line =
      `etcd remove-member simulated-controlplane-3 --yes -n ${first}`;
    const { row, err, status } = await ran(wire, line);
    assert.equal(status, 0, err);
    assert.match(row.reason, /^member [0-9a-f]{16} is removed, 2 remaining$/);
    assert.match(err, /the reply was lost/);
  });
});
