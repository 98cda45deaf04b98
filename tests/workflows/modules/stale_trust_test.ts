import assert from "node:assert/strict";
import { stalePods } from "../../../workflows/modules/stale_trust.ts";

const since = "2026-01-02T03:04:05Z";

function pod(name: string, startTime: string, rest: object = {}) {
  return {
    metadata: { namespace: "default", name },
    spec: { nodeName: "worker-1" },
    status: { startTime, phase: "Running" },
    ...rest,
  };
}

const projected = (source: object) => ({
  spec: { volumes: [{}, { projected: { sources: [source] } }] },
});

Deno.test("pods from before the exchange that have a token are listed", async () => {
  const before = "2026-01-02T03:00:00Z";
  const asked: string[] = [];
  const items = [
    pod("old", before),
    pod("later", "2026-01-02T03:04:05Z"),
    pod("over", before, { status: { startTime: before, phase: "Succeeded" } }),
    pod("waiting", before, { status: { phase: "Pending" } }),
    pod("with-token", before, projected({ serviceAccountToken: {} })),
    pod("with-other", before, projected({ configMap: {} })),
    pod("without", before, { spec: { volumes: [] } }),
  ];
  const request = (path: string) => {
    asked.push(path);
    return Promise.resolve({ items });
  };
  const found = await stalePods(
    { request },
    since,
    new AbortController().signal,
  );
  assert.deepEqual(found, [
    {
      namespace: "default",
      name: "old",
      node: "worker-1",
      startedAt: before,
    },
    { namespace: "default", name: "with-token", node: "", startedAt: before },
  ]);
  assert.deepEqual(asked, ["/api/v1/pods"]);
});

Deno.test("no pods are not stale pods", async () => {
  const request = () => Promise.resolve({});
  const { signal } = new AbortController();
  assert.deepEqual(await stalePods({ request }, since, signal), []);
});
