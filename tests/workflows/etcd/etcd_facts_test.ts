import assert from "node:assert/strict";
import { ConnectError, RpcError } from "../../../errors.ts";
import { fakeNodes } from "../../_fake.ts";
import {
  hexadecimal,
  membersNamed,
  readEtcd,
} from "../../../workflows/etcd/etcd_facts.ts";
import type { EtcdFacts } from "../../../workflows/etcd/quorum.ts";

const listed = [
  { id: 1n, hostname: "one" },
  { id: 2n, hostname: "two" },
  { id: 3n, hostname: "new", isLearner: true },
];

function member(
  id: bigint,
  changes: {
    readonly members?: typeof listed;
    readonly errors?: string[];
    readonly alarm?: number;
    readonly leader?: bigint;
  } = {},
) {
  const { members = listed, errors = [], alarm, leader = 1n } = changes;
  return {
    etcdMemberList: () => ({ messages: [{ members }] }),
    etcdStatus: () => ({
      messages: [{ memberStatus: { memberId: id, leader, errors } }],
    }),
    etcdAlarmList: () => ({
      messages: [{
        memberAlarms: alarm === undefined ? [] : [{ memberId: id, alarm }],
      }],
    }),
  };
}

async function read(nodes: Parameters<typeof fakeNodes>[0]) {
  const { nodes: opened } = fakeNodes(nodes);
  const clients = await Promise.all(
    Object.keys(nodes).map((node) => opened.at(node)),
  );
  return await readEtcd(clients, 7);
}

Deno.test("readEtcd puts the answers of all control planes together", async () => {
  const { facts, memberOf } = await read({
    a: member(1n),
    b: member(2n),
    c: member(3n),
  });
  assert.deepEqual(facts, {
    members: [
      { id: "0000000000000001", name: "one", learner: false },
      { id: "0000000000000002", name: "two", learner: false },
      { id: "0000000000000003", name: "new", learner: true },
    ],
    healthy: ["0000000000000001", "0000000000000002"],
    alarms: [],
    leader: "0000000000000001",
    silent: [],
    doubts: [],
    readAt: 7,
  });
  assert.deepEqual([...memberOf], [
    ["a", "0000000000000001"],
    ["b", "0000000000000002"],
    ["c", "0000000000000003"],
    ["one", "0000000000000001"],
    ["two", "0000000000000002"],
    ["new", "0000000000000003"],
  ]);
});

Deno.test("readEtcd counts voters with the alarm NOSPACE as healthy, and those with damaged data not", async () => {
  const healthy = async (alarm: number, name: string) => {
    const errors = [`memberID:2 alarm:${name} `];
    const { facts } = await read({
      a: member(1n, { errors }),
      b: member(2n, { errors, alarm }),
      c: member(3n, { errors: [...errors, "etcdserver: no leader"] }),
    });
    return [facts.healthy, facts.alarms];
  };
  assert.deepEqual(await healthy(1, "NOSPACE"), [
    ["0000000000000001", "0000000000000002"],
    ["NOSPACE"],
  ]);
  assert.deepEqual(await healthy(2, "CORRUPT"), [
    ["0000000000000001"],
    ["CORRUPT"],
  ]);
});

Deno.test("readEtcd names members whose nodes are about to stop", async () => {
  const at = (stage: string) => () => ({
    resource: { spec: { yamlSpec: `stage: ${stage}` } },
  });
  const { facts } = await read({
    a: { ...member(1n), get: at("running") },
    b: { ...member(2n), get: at("shutting down") },
    c: {
      ...member(3n),
      get: () => Promise.reject(new RpcError("PERMISSION_DENIED", "no")),
    },
  });
  assert.deepEqual(facts.leaving, [
    { id: "0000000000000002", node: "b", stage: "shutting down" },
  ]);
  assert.deepEqual(facts.healthy, ["0000000000000001", "0000000000000002"]);
});

Deno.test("readEtcd names who does not answer, and counts who has errors as ill", async () => {
  const gone = () => Promise.reject(new ConnectError("refused", "gone"));
  const { facts } = await read({
    a: member(1n, { errors: ["no leader"] }),
    b: { etcdMemberList: gone, etcdStatus: gone, etcdAlarmList: gone },
  });
  assert.deepEqual(facts.healthy, []);
  assert.deepEqual(facts.silent, ["b"]);
});

Deno.test("readEtcd counts who follows no leader as ill, even without errors", async () => {
  const { facts } = await read({
    a: member(1n),
    b: member(2n, { leader: 0n }),
  });
  assert.deepEqual(facts.healthy, ["0000000000000001"]);
  assert.deepEqual(facts.silent, []);
});

Deno.test("readEtcd tells alarms once, and that lists differ", async () => {
  const { facts } = await read({
    a: member(1n, { alarm: 1 }),
    b: member(2n, { alarm: 1, members: listed.slice(0, 2) }),
  });
  assert.deepEqual(facts.alarms, ["NOSPACE"]);
  assert.deepEqual(facts.doubts, [
    "the control planes report different etcd members",
  ]);
});

Deno.test("hexadecimal writes ids as etcd's own tools do", () => {
  assert.equal(hexadecimal(0xa85ab7d5a2e6b3c7n), "a85ab7d5a2e6b3c7");
  assert.equal(hexadecimal(1n), "0000000000000001");
});

const namedMembers: EtcdFacts["members"] = [
  { id: "00000000000000aa", name: "cp-1", learner: false },
  { id: "00000000000000bb", name: "cp-2", learner: false },
  { id: "00000000000000cc", name: "cp-2", learner: true },
  { id: "00000000000000dd", name: "bb", learner: false },
];

Deno.test("members are found by their id in any spelling, before any name", () => {
  const facts = {
    members: namedMembers,
    healthy: [],
    alarms: [],
    leader: "",
    silent: [],
    doubts: [],
    readAt: 0,
  };
  const found = (text: string) =>
    membersNamed(text, facts).map(({ id }) => id.slice(-2));
  assert.deepEqual(found("00000000000000aa"), ["aa"]);
  assert.deepEqual(found("0xAA"), ["aa"]);
  assert.deepEqual(found("bb"), ["bb"]);
  assert.deepEqual(found("cp-1"), ["aa"]);
  assert.deepEqual(found("cp-2"), ["bb", "cc"]);
  assert.deepEqual(found("cp-3"), []);
  assert.throws(() => membersNamed("cp-1", { ...facts, members: [] }), {
    message: "Cannot read the etcd members",
    hint: "See: osctl etcd members",
  });
});
