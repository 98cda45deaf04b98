import assert from "node:assert/strict";
import { setFault } from "../../../simulator/faults/set_fault.ts";
import { withControlPlanes } from "./_control_planes.ts";

Deno.test("etcd leave takes the member of one node out, when the others keep a quorum", async () => {
  await withControlPlanes(3, async ({ osctl, rows, names }) => {
    const [first = "", , third = ""] = names;
    const members = await rows(`etcd members -n ${first}`);
    const { out, err, status } = await osctl(`etcd leave -n ${third} --yes`);
    const left = members.find(({ hostname }) => hostname.endsWith("-3"));
    assert.equal(
      out,
      `NODE       OUTCOME   REASON
${third}   done      member ${left.id} is removed, 2 remaining
`,
    );
    assert.match(err, /^NODE +HOST +ROLE +VERSION +ETCD +LOST$/m);
    assert.match(err, /leaves-forever +etcd data of simulated-controlplane-3/);
    assert.equal(status, 0);
    assert.equal((await rows(`etcd members -n ${first}`)).length, 2);
  });
});

Deno.test("etcd leave refuses the only member, and asks before anything", async () => {
  await withControlPlanes(1, async ({ osctl, names }) => {
    const refused = await osctl(`etcd leave -n ${names[0]} --yes`);
    assert.match(refused.err, /it is the only etcd member/);
    assert.equal(refused.status, 5);
    const unasked = await osctl(`etcd leave -n ${names[0]}`);
    assert.match(
      unasked.err,
      /error: "etcd leave" needs a confirmation, and there is no terminal to ask on\nhint: Pass --yes\n/,
    );
    assert.equal(unasked.status, 5);
    const unnamed = await osctl("etcd leave --yes");
    assert.match(unnamed.err, /does not run on the default nodes/);
  });
});

Deno.test("etcd leave finds out what a lost reply meant, and sends nothing twice", async () => {
  await withControlPlanes(3, async ({ osctl, rows, cluster, names }) => {
    const [first = "", , third = ""] = names;
    const [, , node] = cluster.nodes;
    assert.ok(node);
    await setFault(node, "reply-lost", { method: "EtcdLeaveCluster" });
    const { out, err, status } = await osctl(
      `etcd leave -n ${third} --yes -o jsonl`,
    );
    assert.equal(JSON.parse(out).outcome, "done", err);
    assert.equal(status, 0);
    assert.equal((await rows(`etcd members -n ${first}`)).length, 2);
  });
});

Deno.test("without discovery etcd leave knows the member of its node, and all others", async () => {
  await withControlPlanes(3, async ({ osctl, rows, cluster, names }) => {
    for (const name of names) await cluster.setFault(name, "discovery-down");
    const [first = "", , third = ""] = names;
    const { out, err, status } = await osctl(
      `etcd leave -n ${third} --yes -o jsonl`,
    );
    assert.match(err, /etcd has 3 voters, 3 healthy, quorum 2; without this/);
    assert.equal(JSON.parse(out).outcome, "done", err);
    assert.equal(status, 0);
    assert.equal((await rows(`etcd members -n ${first}`)).length, 2);
  });
});

Deno.test("without discovery @controlplane is what etcd lists, and workers are unknown", async () => {
  await withControlPlanes(3, async ({ osctl, cluster, names }) => {
    for (const name of names) await cluster.setFault(name, "discovery-down");
    const known = await osctl("version --short -n @controlplane");
    assert.equal(known.status, 0, known.err);
    assert.match(known.err, new RegExp(`@controlplane: ${names.join(", ")}`));
    const unknown = await osctl("version --short -n @workers");
    assert.equal(
      unknown.err,
      `error: The workers of the cluster are unknown: discovery is off or does not work
hint: Use node addresses
`,
    );
    assert.equal(unknown.status, 1);
  });
});
