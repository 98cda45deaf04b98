import assert from "node:assert/strict";
import {
  caAllServe,
  caNoRotationInProgress,
} from "../../../workflows/checks/ca.ts";
import { trusting, twoCas } from "./_trust.ts";
import { makeContext } from "./_check_context.ts";
import { RpcError } from "../../../errors.ts";

Deno.test("ca.allServe wants the CA to issue on control planes, and others to know it", async () => {
  const [one, two] = await twoCas();
  const look = (nodes: Parameters<typeof makeContext>[0]["nodes"]) =>
    caAllServe.run(makeContext({ nodes: nodes! }), {
      kind: "os",
      ca: { secret: "new", fingerprint: two.fingerprint },
    });
  const good = await look({
    c1: trusting("controlplane", two, [one]),
    w1: trusting("worker", two, []),
    w2: trusting("worker", undefined, [one, two]),
  });
  assert.deepEqual(good, { ok: true, seen: "3 nodes with the CA" });
  const bad = await look({
    c1: trusting("controlplane", one, [two]),
    w1: trusting("worker", undefined, [one]),
  });
  assert.deepEqual(bad, {
    ok: false,
    reason: "c1: another CA issues; w1: it does not accept the CA",
  });
});

Deno.test("ca.allServe takes a fingerprint as text, of either kind of CA", async () => {
  const [one] = await twoCas();
  const context = makeContext({
    nodes: { c1: trusting("controlplane", one, []) },
  });
  const ca = one.fingerprint.toUpperCase().replace(/../g, "$&:").slice(0, -1);
  const look = (kind: string, ca: string | null) =>
    caAllServe.run(context, { kind, ca });
  assert.equal((await look("os", ca)).ok, true);
  assert.equal((await look("talos", ca)).ok, true);
  assert.equal((await look("kubernetes", ca)).ok, true);
  await assert.rejects(look("etcd", ca), {
    name: "UsageError",
    message: 'Unknown kind of CA "etcd"',
  });
  await assert.rejects(look("os", null), { name: "UsageError" });
});

const look = (nodes: Parameters<typeof makeContext>[0]["nodes"]) =>
  caNoRotationInProgress.run(makeContext({ nodes: nodes! }), {});

Deno.test("ca.noRotationInProgress sees a rotation that has stopped half-way", async () => {
  const [one, two] = await twoCas();
  assert.deepEqual(
    await look({
      c1: trusting("controlplane", one, [two]),
      c2: trusting("controlplane", one, []),
    }),
    {
      ok: false,
      reason:
        "nodes accept different CAs in addition to the CA of the node API; nodes accept different CAs in addition to the CA of Kubernetes",
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
        "c3: gone; nodes differ in the CA of the node API; nodes differ in the CA of Kubernetes",
    },
  );
});
