import assert from "node:assert/strict";
import {
  injectIntoModel,
  modelFaults,
  nodesIn,
} from "../../../../workflows/rehearsal/model/model_faults.ts";
import type { ModelFault } from "../../../../workflows/rehearsal/model/model_cluster.ts";
import { parseFault } from "../../../../workflows/rehearsal/faults/parse_fault.ts";
import { withModel } from "../_model.ts";

const nodes = {
  all: ["demo-controlplane-1", "demo-worker-1", "demo-worker-2"],
  controlPlanes: ["demo-controlplane-1"],
};
const [plane, first, second] = nodes.all as [string, string, string];

Deno.test("every fault of the grammar is one of model clusters, or concerns the process", () => {
  const faults: Readonly<Record<string, readonly ModelFault[]>> = {
    "runner: kill": [],
    "disk: read-only": [],
    "clock: skew 1m": [],
    "registry: down": [{ what: "registry-down" }],
    "registry: not-found": [{ what: "registry-not-found" }],
    "k8s: down": [{ what: "kubernetes-down" }],
    "k8s: pdb-blocks": [{ what: "pdb-blocks" }],
    "k8s: lease-lost": [{ what: "lease-lost" }],
    "node/worker-*: never-returns": [
      { what: "never-returns", node: first },
      { what: "never-returns", node: second },
    ],
    "node/worker-1: skew 1m": [{ what: "skew", node: first, ms: 60_000 }],
    "node/worker-1: slow 2s times 3": [
      { what: "slow", ms: 2_000, node: first, times: 3 },
    ],
    "node/worker-1: error ABORTED": [
      { what: "error", code: "ABORTED", node: first },
    ],
    "node/worker-1: drop-before-send": [
      { what: "drop-before-send", node: first },
    ],
    "node/worker: joins": [{ what: "joins", role: "worker" }],
    "etcd/*: unhealthy": [{ what: "unhealthy", node: plane }],
    "etcd/cp-1: alarm CORRUPT": [
      { what: "alarm", node: plane, kind: "CORRUPT" },
    ],
    "rpc/*: slow 1s": [{ what: "slow", ms: 1_000 }],
    "rpc/Reboot/worker-2: drop-after-send times 1": [
      { what: "drop-after-send", method: "Reboot", node: second, times: 1 },
    ],
  };
  for (const [text, expected] of Object.entries(faults)) {
    assert.deepEqual(modelFaults(parseFault(text), nodes), expected, text);
  }
});

Deno.test("a fault of a node that is not there names those that are", () => {
  for (const text of ["node/w-9: down", "etcd/worker-1: unhealthy"]) {
    assert.throws(() => modelFaults(parseFault(text), nodes), (error) => {
      assert.ok(error instanceof Error);
      const [, name] = /\/([^:]+):/.exec(text)!;
      assert.equal(
        error.message,
        `Cannot use fault "${text}": there is no node "${name}"`,
      );
      return true;
    });
  }
});

Deno.test("a fault is done to all its nodes, and taken back", async () => {
  await withModel({ workers: 2 }, async (cluster) => {
    const reachable = () =>
      cluster.observe().nodes.map(({ isReachable }) => isReachable);
    const lift = await injectIntoModel(
      cluster,
      parseFault("node/worker-*: down"),
    );
    assert.deepEqual(reachable(), [true, false, false]);
    await lift();
    assert.deepEqual(reachable(), [true, true, true]);
    await injectIntoModel(cluster, parseFault("node/worker-2: leaves"));
    assert.deepEqual(nodesIn(cluster), {
      all: [plane, first],
      controlPlanes: [plane],
    });
  });
});
