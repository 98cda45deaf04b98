import assert from "node:assert/strict";
import { likeLive } from "../../../workflows/rehearsal/like_live.ts";
import type { NodeFacts } from "../../../workflows/runbooks/facts.ts";

function node(
  role: NodeFacts["role"],
  version: string,
  bootloader = "",
): NodeFacts {
  // Nothing else is checked.
  return { role, version, bootloader } as NodeFacts;
}

Deno.test("a simulated cluster has the size and the versions of a real one", () => {
  const nodes = [
    node("worker", "v1.12.1"),
    node("controlplane", "v1.13.4"),
    node("controlplane", "v1.13.4", "grub"),
    node("worker", "v1.13.4"),
    node("worker", ""),
  ];
  assert.deepEqual(likeLive(nodes), {
    spec: { controlPlanes: 2, workers: 3, version: "v1.13.4", grub: false },
    different: {
      "demo-controlplane-2": { bootLoader: "grub" },
      "demo-worker-1": { version: "v1.12.1" },
    },
  });
});

Deno.test("a cluster of which too little is known cannot be simulated", () => {
  const message = "Cannot simulate the cluster: no node reports enough";
  for (const nodes of [[node("worker", "v1")], [node("controlplane", "")]]) {
    assert.throws(() => likeLive(nodes), { message });
  }
});
