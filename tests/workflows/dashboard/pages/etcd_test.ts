import assert from "node:assert/strict";
import {
  etcd,
  type EtcdView,
  logTail,
} from "../../../../workflows/dashboard/feeds/all.ts";
import { etcdPage } from "../../../../workflows/dashboard/pages/etcd.ts";
import { makeData, pageContext, renderPage } from "../_data.ts";

const node = "10.0.0.2";

const member = {
  id: "0000000000000001",
  hostname: "cp-1",
  address: "10.0.0.2",
  isLearner: false,
  status: {
    leader: "0000000000000001",
    size: 20_000,
    used: 10_000,
    raftIndex: 90,
    raftTerm: 2,
    errors: ["memberID:1 alarm:NOSPACE "],
  },
};

const away = {
  id: "0000000000000002",
  hostname: "cp-2",
  address: "10.0.0.3",
  isLearner: false,
  problem: "cannot connect to 10.0.0.3:50000: connection refused",
};

const data = makeData([
  [node, etcd, { value: { node, members: [member, away], alarms: [] } }],
  ["10.0.0.3", logTail("etcd"), { value: { lines: ["one"], dropped: 0 } }],
]);

Deno.test("etcd shows one member with the log of its own node", () => {
  const context = pageContext(data, { path: [away.id] });
  assert.deepEqual(renderPage(etcdPage, context), [
    "HOSTNAME cp-2   TERM    -",
    "STATE    down   ADDRESS 10.0.0.3",
    "DB SIZE  -      MEMBER  0000000000000002",
    "IN USE   -      NOTE    connection refused",
    "BEHIND   -",
    "Log of etcd",
    "one",
  ]);
  assert.deepEqual(etcdPage.needs(context), [
    { node, feed: etcd },
    { node: "10.0.0.3", feed: logTail("etcd") },
  ]);
  assert.equal(etcdPage.opens!(context), false);
  const removed = pageContext(data, { path: ["0000000000000009"] });
  assert.deepEqual(renderPage(etcdPage, removed), [
    "etcd has no member 0000000000000009",
  ]);
});

Deno.test("the alarms of etcd are shown once, not as errors of every member", () => {
  const alarms = [{ name: "NOSPACE", member: member.id }];
  const context = (more: Partial<EtcdView>) =>
    pageContext(makeData([
      [node, etcd, { value: { node, members: [member], ...more } }],
    ]));
  assert.deepEqual(renderPage(etcdPage, context({ alarms })).slice(1), [
    "Alarms NOSPACE on cp-1",
    "HOSTNAME  STATE   DB SIZE  IN USE  BEHIND  TERM  ADDRESS   MEMBER",
    "cp-1      leader  20 kB    50.0%   0       2     10.0.0.2  0000000000000001",
  ]);
  assert.equal(
    renderPage(etcdPage, context({}))[1],
    "Alarms unknown: the client certificate has no access to them",
  );
});
