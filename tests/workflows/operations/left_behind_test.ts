import assert from "node:assert/strict";
import { ConnectError } from "../../../errors.ts";
import type { Site, Verdict } from "../../../workflows/operation.ts";
import type { ClusterEtcd } from "../../../workflows/operations/etcd_facts.ts";
import {
  memberOf,
  tellingLeftBehind,
} from "../../../workflows/operations/left_behind.ts";
import { walked } from "./_walk.ts";

const etcd: ClusterEtcd = {
  facts: {
    members: ["1", "2", "3"].map((id) => ({ id, name: id, learner: false })),
    healthy: ["1", "2"],
    alarms: [],
    leader: "1",
    silent: [],
    doubts: [],
    readAt: 0,
  },
  memberOf: new Map([["a", "1"]]),
};

/** A cluster of one control plane, `a`, whose etcd is as given. */
function site(node: string, readEtcd = () => Promise.resolve(etcd)) {
  const cluster = {
    roleOf: (name: string) =>
      Promise.resolve(name === "a" ? "controlplane" : "worker"),
    readEtcd,
  };
  // Only what is looked at.
  return { node, cluster } as unknown as Site;
}

const lost = () => Promise.reject(new ConnectError("refused", "gone"));

async function* ending(outcome: Verdict["outcome"]) {
  yield { text: "waiting" };
  await Promise.resolve();
  return { outcome, reason: "off" };
}

async function told(
  member: string | undefined,
  outcome: Verdict["outcome"] = "done",
  readEtcd?: () => Promise<ClusterEtcd>,
) {
  const { steps, verdict } = await walked(
    tellingLeftBehind(site("a", readEtcd), member, ending(outcome)),
  );
  assert.deepEqual(steps, ["waiting"]);
  return verdict?.reason;
}

Deno.test("memberOf is the member of a control plane, when somebody tells", async () => {
  assert.equal(await memberOf(site("a")), "1");
  assert.equal(await memberOf(site("b")), undefined);
  assert.equal(await memberOf(site("a", lost)), undefined);
});

Deno.test("a member that stays in the list and is not well is named, with what takes it out", async () => {
  assert.equal(
    await told("3"),
    "off; etcd still lists its member, take it out with: osctl etcd remove-member 3",
  );
});

Deno.test("nothing is said of members that are well or gone, nodes that are not done, and where nobody tells", async () => {
  assert.equal(await told("2"), "off");
  assert.equal(await told("4"), "off");
  assert.equal(await told(undefined), "off");
  assert.equal(await told("3", "never-rebooted"), "off");
  assert.equal(await told("3", "done", lost), "off");
});
