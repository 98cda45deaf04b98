import assert from "node:assert/strict";
import { etcdMemberHealthy } from "../../../workflows/checks/etcd_member_healthy.ts";
import { siteOf } from "./_site.ts";

const members = [
  { id: "1", name: "c1", learner: false },
  { id: "2", name: "c2", learner: true },
  { id: "3", name: "c3", learner: false },
];
const memberOf = { c1: "1", c2: "2", c3: "3" };

Deno.test("etcd.memberHealthy looks at the node's own member", async () => {
  const site = siteOf({
    etcd: { members, healthy: ["1"] },
    memberOf,
    node: "c1",
  });
  const look = (node?: string) =>
    etcdMemberHealthy.look(site, node === undefined ? {} : { node });
  assert.deepEqual(await look(), { ok: true, seen: "member 1 is healthy" });
  assert.deepEqual(await look("c2"), {
    ok: false,
    reason: "member 2 of c2 is still a learner",
  });
  assert.deepEqual(await look("c3"), {
    ok: false,
    reason: "member 3 of c3 has no leader, or reports errors",
  });
  assert.deepEqual(await look("c4"), {
    ok: false,
    reason: "etcd of c4 does not answer",
  });
});
