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

Deno.test("the reason of a check that failed wraps at spaces", async () => {
  const memberAlarms = [{ alarm: 1, memberId: 1n }];
  const a = {
    etcdAlarmList: () => ({ messages: [{ memberAlarms }] }),
    async *healthCheck() {
      yield* await Promise.resolve([]);
    },
  };
  const shown = async (columns: number) => {
    const { out } = await run(
      "health --wait-timeout 1ms --color never",
      { a },
      { columns },
    );
    return out.split("\n").slice(1, 4);
  };
  const check = "etcd to have no alarms" + " ".repeat(24);
  assert.deepEqual(await shown(80), [
    `${check}failed    0s`,
    "  etcd has the alarm NOSPACE; run osctl etcd defrag and osctl etcd alarm disarm",
    "",
  ]);
  assert.deepEqual(await shown(120), [
    `${check}failed    0s       etcd has the alarm NOSPACE; run osctl etcd defrag and`,
    " ".repeat(65) + "osctl etcd alarm disarm",
    "",
  ]);
});
