import assert from "node:assert/strict";
import { etcdQuorum } from "../../../workflows/checks/etcd_quorum.ts";
import { siteOf } from "./_site.ts";

const members = ["1", "2", "3"].map((id) => ({ id, name: id, learner: false }));

Deno.test("etcd.quorum counts healthy voters, and wants more when told", async () => {
  const site = siteOf({ etcd: { members, healthy: ["1", "2"] } });
  assert.deepEqual(await etcdQuorum.look(site, {}), {
    ok: true,
    seen: "2 of 3 voters healthy, 2 needed",
  });
  assert.deepEqual(await etcdQuorum.look(site, { spare: 1 }), {
    ok: false,
    reason: "2 of 3 voters healthy, 3 needed",
  });
});

Deno.test("etcd.quorum does not count learners, and says why nothing is known", async () => {
  const learner = { id: "4", name: "4", learner: true };
  const one = siteOf({
    etcd: { members: [members[0]!, learner], healthy: ["1"] },
  });
  assert.deepEqual(await etcdQuorum.look(one, {}), {
    ok: true,
    seen: "1 of 1 voters healthy, 1 needed",
  });
  const doubts = ["etcd of c1 does not answer"];
  assert.deepEqual(await etcdQuorum.look(siteOf({ etcd: { doubts } }), {}), {
    ok: false,
    reason: "etcd of c1 does not answer",
  });
  assert.deepEqual(await etcdQuorum.look(siteOf({}), {}), {
    ok: false,
    reason: "no control plane tells how etcd is",
  });
});
