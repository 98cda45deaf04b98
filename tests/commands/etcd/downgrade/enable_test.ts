import assert from "node:assert/strict";
import { runOn } from "../../../_run.ts";

const env = { OS_HOME: "/nowhere" };

Deno.test("etcd downgrade enable tells what etcd is ready for", async () => {
  const asked: unknown[] = [];
  const { out, err, status } = await runOn("etcd downgrade enable 3.5", {
    a: {
      etcdStatus: () => ({ messages: [{}] }),
      etcdDowngradeEnable(request: unknown) {
        asked.push(request);
        return {
          messages: [{ clusterDowngrade: { clusterVersion: "3.6.0" } }],
        };
      },
    },
  }, { env });
  assert.equal(
    out,
    "NODE   OUTCOME   REASON\na      done      enabled to 3.5\n",
  );
  assert.equal(err, "03:04:05 a: cluster version 3.6.0\n");
  assert.deepEqual(asked, [{ version: "3.5" }]);
  assert.equal(status, 0);
});
