import assert from "node:assert/strict";
import { runOn } from "../../../_run.ts";

const env = { OS_HOME: "/nowhere" };

/** A member with an alarm until it is disarmed. */
function alarmed() {
  let memberAlarms: readonly unknown[] = [{ memberId: 1n, alarm: 1 }];
  return {
    etcdAlarmList: () => ({ messages: [{ memberAlarms }] }),
    etcdAlarmDisarm() {
      memberAlarms = [];
      return { messages: [{}] };
    },
  };
}

Deno.test("etcd alarm disarm ends when the alarms are gone", async () => {
  const { out, err, status } = await runOn("etcd alarm disarm", {
    a: alarmed(),
    b: { etcdAlarmList: () => ({ messages: [{}] }) },
  }, { env });
  assert.equal(
    out,
    `NODE   OUTCOME     REASON
a      done        no alarms
b      unchanged   nothing to do
`,
  );
  assert.equal(err, "03:04:05 a: disarmed\n");
  assert.equal(status, 0);
});
