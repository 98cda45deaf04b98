import assert from "node:assert/strict";
import { run, runOn } from "../../../_run.ts";

const env = { OS_HOME: "/nowhere" };

Deno.test("etcd downgrade cancel takes it back", async () => {
  const { out, status } = await runOn("etcd downgrade cancel -o jsonl", {
    a: {
      etcdStatus: () => ({ messages: [{}] }),
      etcdDowngradeCancel: () => ({
        messages: [{ clusterDowngrade: { clusterVersion: "3.6.0" } }],
      }),
    },
  }, { env });
  assert.deepEqual(JSON.parse(out), {
    node: "a",
    outcome: "done",
    reason: "cancelled",
  });
  assert.equal(status, 0);
});

Deno.test("etcd downgrade cancel takes no version", async () => {
  const { status } = await run("etcd downgrade cancel 3.5");
  assert.equal(status, 2);
});
