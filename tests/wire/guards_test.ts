import assert from "node:assert/strict";
import { counting } from "../_node_counts.ts";
import { type Wire, withWire } from "../_wire.ts";
import { nextTag } from "../_version.ts";

/** Commands that lose something, with the call that loses it. */
const lines = [
  ["reset", "Reset"],
  ["shutdown", "Shutdown"],
  [`upgrade --force --to ${nextTag}`, "Upgrade"],
  ["etcd leave", "EtcdLeaveCluster"],
  ["wipe disk vdb", "BlockDeviceWipe"],
] as const;

/** Runs a line on a control plane of a cluster of one, and tells how often it was asked for it. */
async function expectRefusal(
  { cluster, osctl }: Wire,
  [line, method]: readonly [string, string],
  options: Parameters<Wire["osctl"]>[1] = {},
) {
  const [node] = cluster.nodes;
  assert.ok(node);
  const count = await counting(node, method);
  const { err, status } = await osctl(line, options);
  assert.equal(status, 5, `${line}: ${err}`);
  assert.equal(count().calls, 0, line);
  return err;
}

Deno.test("guards: destructive commands refuse the default nodes of the context, also with --yes", async () => {
  await withWire({}, async (wire) => {
    for (const [line, method] of lines) {
      const err = await expectRefusal(wire, [`${line} --yes`, method]);
      assert.match(
        err,
        new RegExp(
          `^error: "[a-z ]+" does not run on the default nodes of the context\nhint: Type: osctl ${line} --yes --nodes 10\\.5\\.0\\.2\n$`,
          "m",
        ),
      );
    }
  });
});

/** Commands that change nodes without losing anything, with the call that does. */
const changes = [
  ["reboot", "Reboot"],
  ["rollback", "Rollback"],
  [`upgrade --to ${nextTag}`, "Upgrade"],
  ["restart kubelet", "Restart"],
  ["service kubelet restart", "ServiceRestart"],
  ["patch mc -p @/nowhere.yaml", "ApplyConfiguration"],
  ["meta write 10 x", "MetaWrite"],
  ["etcd defrag", "EtcdDefragment"],
  ["etcd forfeit-leadership", "EtcdForfeitLeadership"],
  ["image pull registry.k8s.io/pause:3.10", "Pull"],
] as const;

Deno.test("guards: changes to the default nodes send nothing without a terminal", async () => {
  await withWire({}, async (wire) => {
    for (const [line, method] of changes) {
      const err = await expectRefusal(wire, [line, method]);
      assert.match(
        err,
        /^error: "[a-z -]+" does not run on the default nodes of the context\nhint: Type: osctl .* --nodes 10\.5\.0\.2\n$/,
      );
    }
  });
});

Deno.test("OSCTL_COMPAT=peer, a selector and --yes let a change pass", async () => {
  await withWire({}, async ({ osctl, cluster: { nodes: [node] } }) => {
    assert.ok(node);
    const count = await counting(node, "MetaWrite");
    const write = (value: string) => `meta write 11 ${value} -o jsonl`;
    const peer = await osctl(write("a"), { env: { OSCTL_COMPAT: "peer" } });
    assert.deepEqual([peer.status, count().calls], [0, 1], peer.err);
    const named = await osctl(`${write("b")} -n @controlplane`);
    assert.deepEqual([named.status, count().calls], [0, 2], named.err);
    const yes = await osctl(`${write("c")} --yes`);
    assert.deepEqual([yes.status, count().calls], [0, 3], yes.err);
    assert.match(
      yes.err,
      /^NODE +HOST +ROLE +VERSION\n10\.5\.0\.2 +\S+ +controlplane +v1\.12\.11\n/,
    );
  });
});

Deno.test("guards: destructive commands show node, role, etcd and loss, and need --yes without a terminal", async () => {
  await withWire({}, async (wire) => {
    const [node = ""] = wire.names;
    for (const [line, method] of lines) {
      const err = await expectRefusal(wire, [`${line} -n ${node}`, method]);
      assert.match(
        err,
        /^NODE +HOST +ROLE +VERSION +ETCD +LOST\n10\.5\.0\.2 +\S+ +controlplane /,
      );
      assert.match(
        err,
        /^error: "[a-z ]+" needs a confirmation, and there is no terminal to ask on\nhint: Pass --yes\n$/m,
      );
    }
  });
});

Deno.test("guards: destructive commands ask for the name of the cluster on a terminal", async () => {
  await withWire({}, async (wire) => {
    const [node = ""] = wire.names;
    const terminal = { typed: true, columns: 200 };
    for (const [line, method] of lines) {
      const err = await expectRefusal(wire, [`${line} -n ${node}`, method], {
        ...terminal,
        stdin: "yes\n",
      });
      assert.match(
        err,
        /Type the cluster name \(simulated\) to continue: /,
      );
      assert.match(err, /was not confirmed\n/);
    }
    const { err, status } = await wire.osctl(
      `shutdown -n ${node} --allow single-member-downtime`,
      { ...terminal, stdin: "simulated\n" },
    );
    assert.equal(status, 0, err);
  });
});

Deno.test("OSCTL_COMPAT=peer turns the questions off, and not the rules of etcd", async () => {
  await withWire({}, async (wire) => {
    const env = { OSCTL_COMPAT: "peer" };
    for (const line of lines.slice(0, 4)) {
      const err = await expectRefusal(wire, line, { env });
      assert.match(
        err,
        /refused: (etcd has only one member: while it is down, so is the Kubernetes API|it is the only etcd member and has the only copy of the cluster's data) \(S3/,
      );
      assert.doesNotMatch(err, /LOST|Type the name/);
    }
    const line = "shutdown -o jsonl --allow single-member-downtime";
    const { out, err, status } = await wire.osctl(line, { env });
    assert.deepEqual([JSON.parse(out).outcome, status], ["done", 0], err);
  });
});

Deno.test("a member of etcd is taken out by its id, with the arithmetic shown before", async () => {
  await withWire({ controlplanes: 3 }, async ({ osctl, names, cluster }) => {
    const [first = "", , third = ""] = names;
    const listed = await osctl(`etcd members -n ${first} -o jsonl`);
    const members = listed.out.trimEnd().split("\n").map((row) =>
      JSON.parse(row)
    );
    const { id } = members.find(({ hostname }) => hostname.endsWith("-3"));
    const unasked = await osctl(`etcd remove-member ${id}`);
    assert.equal(unasked.status, 5);
    await cluster.setFault(third, "unavailable");
    const { out, err, status } = await osctl(
      `etcd remove-member ${id} --yes -o jsonl`,
    );
    assert.equal(status, 0, err);
    assert.match(
      err,
      new RegExp(
        `^member ${id}: etcd has 3 voters, 2 healthy, quorum 2; without this one 2 voters, 2 healthy, quorum 2$`,
        "m",
      ),
    );
    assert.equal(
      JSON.parse(out).reason,
      `member ${id} is removed, 2 remaining`,
    );
  });
});

Deno.test("a member without which etcd has no quorum is not taken out", async () => {
  await withWire({ controlplanes: 3 }, async ({ osctl, names, cluster }) => {
    const [first = "", second = "", third = ""] = names;
    await cluster.setFault(third, "etcd-stopped");
    const line = `etcd leave -n ${second} --yes --timeout 3s`;
    const { err, status } = await osctl(line);
    assert.match(
      err,
      /refused: the 2 remaining members would have no quorum: 3 voters, 2 healthy, quorum 2; without this one 1; etcd is not running on (\S+): start it with "osctl service etcd start -n \1" \(S1; --allow etcd-quorum\)/,
    );
    assert.equal(status, 5);
    const members = await osctl(`etcd members -n ${first} -o jsonl`);
    assert.equal(members.out.trimEnd().split("\n").length, 3);
  });
});
