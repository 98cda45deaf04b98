import assert from "node:assert/strict";
import {
  etcdMemberHealthy,
  etcdMembersEqualControlPlane,
  etcdNoAlarms,
  etcdNoMembersAnywhere,
  etcdQuorum,
} from "../../../workflows/checks/etcd.ts";
import { makeContext, resource, serviceReply } from "./_check_context.ts";

const members = [
  { id: "1", name: "c1", learner: false },
  { id: "2", name: "c2", learner: true },
  { id: "3", name: "c3", learner: false },
];
const memberOf = { c1: "1", c2: "2", c3: "3" };

Deno.test("etcd.memberHealthy looks at the node's own member", async () => {
  const context = makeContext({
    etcd: { members, healthy: ["1"] },
    memberOf,
    node: "c1",
  });
  const look = (node?: string) =>
    etcdMemberHealthy.run(context, node === undefined ? {} : { node });
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

const membersEtcdMembersEqualControlPlane = [
  { id: "1", name: "c1", learner: false },
  { id: "2", name: "c2", learner: true },
];
const nodes = { c1: {}, c2: {}, w1: {} };

Deno.test("etcd.membersEqualControlPlane holds when each control plane has a member, and each member a control plane", async () => {
  const context = makeContext({
    nodes,
    etcd: { members: membersEtcdMembersEqualControlPlane },
    memberOf: { c1: "1", c2: "2" },
  });
  assert.deepEqual(
    await etcdMembersEqualControlPlane.run(context, { learners: 1 }),
    { ok: true, seen: "2 members, one on each control plane" },
  );
  assert.deepEqual(await etcdMembersEqualControlPlane.run(context, {}), {
    ok: false,
    reason: "1 learner, 0 allowed",
  });
});

Deno.test("etcd.membersEqualControlPlane names what is missing, and what is too much", async () => {
  const context = makeContext({
    nodes,
    etcd: { members: membersEtcdMembersEqualControlPlane },
    memberOf: { c1: "1" },
    groups: { alive: ["c1"] },
  });
  assert.deepEqual(
    await etcdMembersEqualControlPlane.run(context, { learners: 1 }),
    {
      ok: false,
      reason:
        "etcd of c2 does not answer; member c2 belongs to no control plane",
    },
  );
  assert.deepEqual(
    await etcdMembersEqualControlPlane.run(context, {
      group: "alive",
      learners: 1,
    }),
    { ok: false, reason: "member c2 belongs to no control plane" },
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
    etcdMembersEqualControlPlane.run(
      makeContext({
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
  const right = { ok: true, seen: "2 members, one on each control plane" };
  assert.deepEqual(await look("c2"), right);
  assert.deepEqual(await look("10.0.0.c2"), right);
  assert.deepEqual(await look("c2", true), {
    ok: false,
    reason: "1 learner, 0 allowed",
  });
  assert.deepEqual(await look("c3"), {
    ok: false,
    reason: "c2 is not an etcd member; member c3 belongs to no control plane",
  });
});

const membersEtcdNoAlarms = [{ id: "1", name: "c1", learner: false }];

Deno.test("etcd.noAlarms names alarms, and is not fooled by silence", async () => {
  const look = (etcd: Parameters<typeof makeContext>[0]["etcd"]) =>
    etcdNoAlarms.run(makeContext(etcd === undefined ? {} : { etcd }), {});
  assert.deepEqual(await look({ members: membersEtcdNoAlarms }), {
    ok: true,
    seen: "no alarms",
  });
  assert.deepEqual(
    await look({ members: membersEtcdNoAlarms, alarms: ["NOSPACE"] }),
    {
      ok: false,
      reason:
        "etcd has the alarm NOSPACE; run osctl etcd defrag and osctl etcd alarm disarm",
    },
  );
  assert.deepEqual(await look(undefined), {
    ok: false,
    reason: "no control plane reports its etcd state",
  });
});

const controlPlane = (state: string, names: readonly string[]) => ({
  serviceList: () => serviceReply({ etcd: state }),
  async *list() {
    for (const relativeName of [".", ...names]) {
      yield await Promise.resolve({ relativeName });
    }
  },
});

Deno.test("etcd.noMembersAnywhere wants neither a running etcd nor its data, on control planes", async () => {
  const empty = makeContext({
    nodes: { c1: controlPlane("Preparing", []), w1: {} },
  });
  assert.deepEqual(await etcdNoMembersAnywhere.run(empty, {}), {
    ok: true,
    seen: "1 control plane without",
  });
  const used = makeContext({
    nodes: {
      c1: controlPlane("Running", []),
      c2: controlPlane("Preparing", ["member"]),
      c3: {
        ...controlPlane("Preparing", []),
        async *list() {
          yield await Promise.resolve({ error: "no" });
        },
      },
    },
  });
  assert.deepEqual(await etcdNoMembersAnywhere.run(used, {}), {
    ok: false,
    reason:
      "c1: etcd is running; c2: there is etcd data; c3: it does not list the etcd data directory",
  });
});

const membersEtcdQuorum = ["1", "2", "3"].map((id) => ({
  id,
  name: id,
  learner: false,
}));

Deno.test("etcd.quorum counts healthy voters, and wants more when told", async () => {
  const context = makeContext({
    etcd: { members: membersEtcdQuorum, healthy: ["1", "2"] },
  });
  assert.deepEqual(await etcdQuorum.run(context, {}), {
    ok: true,
    seen: "2 of 3 voters healthy, 2 needed",
  });
  assert.deepEqual(await etcdQuorum.run(context, { spare: 1 }), {
    ok: false,
    reason: "2 of 3 voters healthy, 3 needed",
  });
});

Deno.test("etcd.quorum does not count learners, and says why nothing is known", async () => {
  const learner = { id: "4", name: "4", learner: true };
  const one = makeContext({
    etcd: { members: [members[0]!, learner], healthy: ["1"] },
  });
  assert.deepEqual(await etcdQuorum.run(one, {}), {
    ok: true,
    seen: "1 of 1 voters healthy, 1 needed",
  });
  const doubts = ["etcd of c1 does not answer"];
  assert.deepEqual(
    await etcdQuorum.run(makeContext({ etcd: { doubts } }), {}),
    {
      ok: false,
      reason: "etcd of c1 does not answer",
    },
  );
  assert.deepEqual(await etcdQuorum.run(makeContext({}), {}), {
    ok: false,
    reason: "no control plane reports its etcd state",
  });
});
