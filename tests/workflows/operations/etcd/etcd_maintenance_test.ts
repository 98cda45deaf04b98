import assert from "node:assert/strict";
import type { AnyOperation } from "../../../../workflows/operations/operation.ts";
import {
  etcdAlarmDisarm,
  etcdDefrag,
  etcdDowngrade,
  etcdForfeit,
} from "../../../../workflows/operations/etcd/etcd_maintenance.ts";
import type { FakeNode } from "../../../_fake.ts";
import { fakeContext } from "../_node_context.ts";

async function look(operation: AnyOperation, handlers: FakeNode) {
  const { context } = await fakeContext([], 60_000, handlers);
  const input = { version: "3.5" };
  const seen = await operation.observe(context, input);
  return {
    plan: operation.plan(seen, input).map(({ action }) => action),
    reconciled: await operation.reconcile(context, input, { size: "0" }),
  };
}

Deno.test("alarms are disarmed by name, and nothing is done without any", async () => {
  const etcdAlarmList = () => ({
    messages: [{
      memberAlarms: [{ memberId: 1n, alarm: 1 }, { memberId: 2n, alarm: 2 }],
    }],
  });
  assert.deepEqual(await look(etcdAlarmDisarm, { etcdAlarmList }), {
    plan: [
      "disarm NOSPACE of 0000000000000001",
      "disarm CORRUPT of 0000000000000002",
    ],
    reconciled: "not-started",
  });
  const none = () => ({ messages: [{ memberAlarms: [] }] });
  assert.deepEqual(await look(etcdAlarmDisarm, { etcdAlarmList: none }), {
    plan: [],
    reconciled: "done",
  });
});

Deno.test("only the leader forfeits", async () => {
  const state = (leader: bigint) => ({
    etcdStatus: () => ({
      messages: [{ memberStatus: { memberId: 1n, leader } }],
    }),
  });
  assert.deepEqual(await look(etcdForfeit, state(1n)), {
    plan: ["forfeit leadership"],
    reconciled: "not-started",
  });
  assert.deepEqual(await look(etcdForfeit, state(2n)), {
    plan: [],
    reconciled: "done",
  });
});

Deno.test("defragmenting and downgrades are always done", async () => {
  const etcdStatus = () => ({ messages: [{ memberStatus: { dbSize: 7n } }] });
  assert.deepEqual(await look(etcdDefrag, { etcdStatus }), {
    plan: ["defragment"],
    reconciled: "not-started",
  });
  assert.deepEqual(await look(etcdDowngrade, { etcdStatus }), {
    plan: ["downgrade to 3.5"],
    reconciled: "unknown",
  });
  assert.deepEqual(etcdDowngrade.plan(null, { version: "" }), [{
    action: "cancel downgrade",
  }]);
});
