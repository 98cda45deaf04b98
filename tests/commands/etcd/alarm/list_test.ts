import assert from "node:assert/strict";
import { run } from "../../../_run.ts";

function alarms(...memberAlarms: readonly unknown[]) {
  return { etcdAlarmList: () => ({ messages: [{ memberAlarms }] }) };
}

Deno.test("etcd alarm list shows alarms of all nodes, and nothing without any", async () => {
  const { out } = await run("etcd alarm list", {
    a: alarms({ memberId: 1n, alarm: 1 }),
    b: alarms({ memberId: 1n, alarm: 1 }, { memberId: 2n, alarm: 2 }),
  });
  assert.equal(
    out,
    `NODE   MEMBER             ALARM
a      0000000000000001   NOSPACE
b      0000000000000001   NOSPACE
b      0000000000000002   CORRUPT
`,
  );
  const none = await run("etcd alarm list", { a: alarms() });
  assert.equal(none.out, "");
});
