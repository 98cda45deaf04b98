import assert from "node:assert/strict";
import type { ClusterView } from "../../../../workflows/operations/cluster_view.ts";
import {
  etcdLeave,
  etcdRemoveMember,
} from "../../../../workflows/operations/etcd/leave.ts";
import { fakeContext } from "../_node_context.ts";

const id = "0000000000000001";

/** A node whose cluster lists members as given, one list for each look; the last one stays. */
async function contextWith(...lists: readonly (readonly string[])[]) {
  const { context } = await fakeContext([], 60_000, {
    etcdStatus: () => ({ messages: [{ memberStatus: { memberId: 1n } }] }),
  });
  let at = 0;
  const cluster: ClusterView = {
    ...context.cluster,
    readEtcd() {
      const ids = lists[Math.min(at++, lists.length - 1)] ?? [];
      const members = ids.map((id) => ({ id, name: `n${id}`, learner: false }));
      const facts = {
        members,
        healthy: ids,
        alarms: [],
        leader: "",
        silent: [],
        doubts: [],
        readAt: 0,
      };
      return Promise.resolve({ facts, memberOf: new Map() });
    },
  };
  return { ...context, cluster };
}

Deno.test("leaving concerns the member of the node, removing the one that is named", async () => {
  const seen = await etcdLeave.observe(await contextWith([id, "b"]), null);
  assert.deepEqual(seen, { member: id, name: `n${id}` });
  assert.deepEqual(etcdLeave.plan(seen, null), [{
    action: `remove member ${id}`,
    loses: `etcd data of n${id}`,
  }]);
  assert.deepEqual(etcdLeave.key(seen, null), { member: id });
  const input = { member: "b" };
  assert.equal(etcdRemoveMember.member?.(input), "b");
  const other = await etcdRemoveMember.observe(
    await contextWith([id, "b"]),
    input,
  );
  assert.deepEqual(other, { member: "b", name: "nb" });
});

Deno.test("there is nothing to do for a member that is not listed", async () => {
  const input = { member: "c" };
  const seen = await etcdRemoveMember.observe(await contextWith([id]), input);
  assert.deepEqual(etcdRemoveMember.plan(seen, input), []);
});

Deno.test("the list of members tells what became of an attempt, when a node reports it", async () => {
  const found = async (...lists: readonly (readonly string[])[]) =>
    await etcdLeave.reconcile(await contextWith(...lists), null, {
      member: id,
    });
  assert.equal(await found(["b"]), "done");
  assert.equal(await found([id, "b"]), "not-started");
  assert.equal(await found([], [], ["b"]), "done");
  assert.equal(await found([]), "unknown");
});

Deno.test("it is done when the member is listed no more", async () => {
  const context = await contextWith([], [id, "b"], ["b"]);
  const waiting = etcdLeave.verify(context, null, { member: id });
  const steps: string[] = [];
  while (true) {
    const { done, value } = await waiting.next();
    if (done) {
      assert.deepEqual(value, {
        outcome: "done",
        reason: `member ${id} is removed, 1 remaining`,
      });
      break;
    }
    steps.push(value.text);
  }
  assert.deepEqual(steps, [
    "no control plane lists the members",
    `member ${id} is still listed`,
  ]);
});
