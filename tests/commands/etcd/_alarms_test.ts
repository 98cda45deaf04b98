import assert from "node:assert/strict";
import { alarmRows } from "../../../commands/etcd/_alarms.ts";

Deno.test("alarmRows names alarms, and numbers nobody knows", () => {
  const rows = alarmRows("a", [
    { memberId: 1n, alarm: 0 },
    { memberId: 0xabn, alarm: 2 },
  ]);
  assert.deepEqual(rows, [
    { node: "a", member: "0000000000000001", alarm: "NONE" },
    { node: "a", member: "00000000000000ab", alarm: "CORRUPT" },
  ]);
});
