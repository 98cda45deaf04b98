import assert from "node:assert/strict";
import { run } from "../_run.ts";

Deno.test("health hands on which nodes there have to be", async () => {
  let asked: unknown;
  const a = {
    etcdAlarmList: () => ({ messages: [{ memberAlarms: [] }] }),
    async *healthCheck({ clusterInfo }: { readonly clusterInfo: unknown }) {
      asked = await Promise.resolve(clusterInfo);
      yield* [];
    },
  };
  const line = "health --control-plane-nodes 10.0.0.2,10.0.0.3 " +
    "--init-node 10.0.0.4 --worker-nodes 10.0.0.9 --k8s-endpoint lab:443";
  assert.equal((await run(line, { a })).status, 0);
  assert.deepEqual(asked, {
    controlPlaneNodes: ["10.0.0.2", "10.0.0.3", "10.0.0.4"],
    workerNodes: ["10.0.0.9"],
    forceEndpoint: "lab:443",
  });
});
