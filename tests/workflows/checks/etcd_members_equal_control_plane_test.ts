import assert from "node:assert/strict";
import { etcdMembersEqualControlPlane } from "../../../workflows/checks/etcd_members_equal_control_plane.ts";
import { resource, siteOf } from "./_site.ts";

const members = [
  { id: "1", name: "c1", learner: false },
  { id: "2", name: "c2", learner: true },
];
const nodes = { c1: {}, c2: {}, w1: {} };

Deno.test("etcd.membersEqualControlPlane holds when each control plane has a member, and each member a control plane", async () => {
  const site = siteOf({
    nodes,
    etcd: { members },
    memberOf: { c1: "1", c2: "2" },
  });
  assert.deepEqual(
    await etcdMembersEqualControlPlane.look(site, { learners: 1 }),
    { ok: true, seen: "2 members on as many control planes" },
  );
  assert.deepEqual(await etcdMembersEqualControlPlane.look(site, {}), {
    ok: false,
    reason: "1 member without a vote",
  });
});

Deno.test("etcd.membersEqualControlPlane names what is missing, and what is too much", async () => {
  const site = siteOf({
    nodes,
    etcd: { members },
    memberOf: { c1: "1" },
    groups: { alive: ["c1"] },
  });
  assert.deepEqual(
    await etcdMembersEqualControlPlane.look(site, { learners: 1 }),
    {
      ok: false,
      reason:
        "etcd of c2 does not answer; member c2 is on none of the control planes",
    },
  );
  assert.deepEqual(
    await etcdMembersEqualControlPlane.look(site, {
      group: "alive",
      learners: 1,
    }),
    { ok: false, reason: "member c2 is on none of the control planes" },
  );
});

/** A control plane that lists control planes, and a worker. */
function listing(...names: readonly string[]) {
  return {
    async *list() {
      for (const name of [...names, "w1"]) {
        const machineType = name === "w1" ? "worker" : "controlplane";
        const spec = {
          addresses: [`10.0.0.${name}`],
          hostname: name,
          machineType,
        };
        yield await Promise.resolve(resource(spec));
      }
    },
  };
}

Deno.test("etcd.membersEqualControlPlane counts those that are there now where a machine is exchanged", async () => {
  const look = (gone: string, learner = false) =>
    etcdMembersEqualControlPlane.look(
      siteOf({
        nodes: { c1: listing("c1", "c2", "c3") },
        etcd: {
          members: [
            { id: "1", name: "c1", learner: false },
            { id: "3", name: "c3", learner },
          ],
        },
      }),
      { gone },
    );
  const right = { ok: true, seen: "2 members on as many control planes" };
  assert.deepEqual(await look("c2"), right);
  assert.deepEqual(await look("10.0.0.c2"), right);
  assert.deepEqual(await look("c2", true), {
    ok: false,
    reason: "1 member without a vote",
  });
  assert.deepEqual(await look("c3"), {
    ok: false,
    reason:
      "c2 is no member of etcd; member c3 is on none of the control planes",
  });
});
