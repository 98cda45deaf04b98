import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import { caNoRotationInProgress } from "../../../workflows/checks/ca_no_rotation_in_progress.ts";
import { authorities, trusting } from "./_trust.ts";
import { siteOf } from "./_site.ts";

const look = (nodes: Parameters<typeof siteOf>[0]["nodes"]) =>
  caNoRotationInProgress.look(siteOf({ nodes: nodes! }), {});

Deno.test("ca.noRotationInProgress holds while all nodes agree, however many they accept", async () => {
  const [one, two] = await authorities();
  assert.deepEqual(
    await look({
      c1: trusting("controlplane", one, [two]),
      w1: trusting("worker", undefined, [two, one]),
    }),
    { ok: true, seen: "2 nodes agree" },
  );
});

Deno.test("ca.noRotationInProgress sees a rotation that has stopped half-way", async () => {
  const [one, two] = await authorities();
  assert.deepEqual(
    await look({
      c1: trusting("controlplane", one, [two]),
      c2: trusting("controlplane", one, []),
    }),
    {
      ok: false,
      reason:
        "nodes do not accept the same besides the authority of the nodes' API; nodes do not accept the same besides the authority of Kubernetes",
    },
  );
  const get = () => Promise.reject(new RpcError("UNAVAILABLE", "gone"));
  assert.deepEqual(
    await look({
      c1: trusting("controlplane", one, [two]),
      c2: trusting("controlplane", two, [one]),
      c3: { get },
    }),
    {
      ok: false,
      reason:
        "c3: gone; nodes do not agree who is the authority of the nodes' API; nodes do not agree who is the authority of Kubernetes",
    },
  );
});
