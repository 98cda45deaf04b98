import assert from "node:assert/strict";
import { RpcError } from "../../../../errors.ts";
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

Deno.test("etcd alarm list -o jsonl carries one alarm per row", async () => {
  const { out } = await run("etcd alarm list -o jsonl", {
    a: alarms({ memberId: 1n, alarm: 1 }),
  });
  assert.deepEqual(JSON.parse(out), {
    node: "a",
    member: "0000000000000001",
    alarm: "NOSPACE",
  });
});

Deno.test("etcd alarm list still shows other nodes when one fails", async () => {
  const gone = () => Promise.reject(new RpcError("UNAVAILABLE", "gone"));
  const { status } = await run("etcd alarm list", {
    a: alarms(),
    b: { etcdAlarmList: gone },
    c: alarms(),
  });
  assert.equal(status, 3);
});

Deno.test("etcd alarm list takes no arguments", async () => {
  const { status } = await run("etcd alarm list x");
  assert.equal(status, 2);
});

Deno.test("etcd alarm list names alarms, and shows the numbers of unknown ones", async () => {
  const { out } = await run("etcd alarm list -o jsonl", {
    a: alarms({ memberId: 1n, alarm: 0 }, { memberId: 0xabn, alarm: 2 }),
  });
  assert.deepEqual(out.trim().split("\n").map((row) => JSON.parse(row)), [
    { node: "a", member: "0000000000000001", alarm: "NONE" },
    { node: "a", member: "00000000000000ab", alarm: "CORRUPT" },
  ]);
});
