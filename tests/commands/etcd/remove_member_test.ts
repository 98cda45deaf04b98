import assert from "node:assert/strict";
import { setFault } from "../../../simulator/faults/set_fault.ts";
import { withControlPlanes } from "./_control_planes.ts";

Deno.test("etcd remove-member asks a healthy control plane to take out one that is gone", async () => {
  await withControlPlanes(3, async ({ osctl, rows, cluster, names }) => {
    const [first = ""] = names;
    const members = await rows(`etcd members -n ${first}`);
    const [, , gone] = cluster.nodes;
    assert.ok(gone);
    await setFault(gone, "etcd-stopped");
    const lost = members.find(({ hostname }) => hostname.endsWith("-3"));
    const { out, err, status } = await osctl(
      `etcd remove-member ${lost.id} --yes -o jsonl`,
    );
    assert.equal(status, 0, err);
    assert.match(err, /^asking 10\.5\.0\.[23]\n/m);
    assert.equal(
      JSON.parse(out).reason,
      `member ${lost.id} is removed, 2 remaining`,
    );
  });
});

Deno.test("etcd remove-member knows members by host name, and names them when it does not", async () => {
  await withControlPlanes(3, async ({ osctl, rows, names }) => {
    const [first = ""] = names;
    const { err, status } = await osctl("etcd remove-member nobody --yes");
    assert.match(err, /error: "nobody" is not an etcd member\nhint: Members: /);
    assert.equal(status, 2);
    const named = await osctl(
      "etcd remove-member simulated-controlplane-2 --yes -n 10.5.0.2",
    );
    assert.equal(named.status, 0, named.err);
    assert.equal((await rows(`etcd members -n ${first}`)).length, 2);
  });
});

Deno.test("etcd remove-member refuses what would lose the quorum", async () => {
  await withControlPlanes(1, async ({ osctl, rows, names }) => {
    const [only] = await rows(`etcd members -n ${names[0]}`);
    const { err, status } = await osctl(
      `etcd remove-member ${only.id} --yes -n ${names[0]}`,
    );
    assert.match(err, /it is the only etcd member/);
    assert.equal(status, 5);
  });
});
