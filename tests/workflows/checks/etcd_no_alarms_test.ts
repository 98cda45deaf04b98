import assert from "node:assert/strict";
import { etcdNoAlarms } from "../../../workflows/checks/etcd_no_alarms.ts";
import { siteOf } from "./_site.ts";

const members = [{ id: "1", name: "c1", learner: false }];

Deno.test("etcd.noAlarms names alarms, and is not fooled by silence", async () => {
  const look = (etcd: Parameters<typeof siteOf>[0]["etcd"]) =>
    etcdNoAlarms.look(siteOf(etcd === undefined ? {} : { etcd }), {});
  assert.deepEqual(await look({ members }), { ok: true, seen: "no alarms" });
  assert.deepEqual(await look({ members, alarms: ["NOSPACE"] }), {
    ok: false,
    reason: "etcd has the alarm NOSPACE",
  });
  assert.deepEqual(await look(undefined), {
    ok: false,
    reason: "no control plane tells how etcd is",
  });
});
