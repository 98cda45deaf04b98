import assert from "node:assert/strict";
import { RpcError } from "../../../../errors.ts";
import {
  discoveredNodes,
  kubernetesAt,
} from "../../../../workflows/checks/health/health_context.ts";
import { makeContext } from "../_check_context.ts";
import { withView } from "../../_view.ts";

Deno.test("discoveredNodes makes do with one address, and wants a control plane", async () => {
  const c1 = {
    async *list() {
      yield await Promise.reject(new RpcError("UNAVAILABLE", "gone"));
    },
  };
  const { cluster } = makeContext({ nodes: { c1 } });
  const found = await discoveredNodes(cluster);
  assert.deepEqual(found.controlPlanes[0]?.addresses, ["c1"]);
  await assert.rejects(
    discoveredNodes(makeContext({ nodes: { w1: {} } }).cluster),
    { name: "OsctlError" },
  );
});

Deno.test("kubernetesAt connects once, and to the address that is named", async () => {
  await withView({}, async ({ cluster, signal }) => {
    const nodes = await discoveredNodes(cluster);
    using usual = kubernetesAt(cluster, nodes, undefined);
    const kubernetes = await usual.open();
    assert.equal(await usual.open(), kubernetes);
    const { gitVersion } = await kubernetes.request("/version", { signal });
    assert.equal(gitVersion, "v1.34.1");
    for (
      const [endpoint, server] of [
        ["https://127.0.0.1:1", "https://127.0.0.1:1"],
        ["127.0.0.1", "https://127.0.0.1:6443"],
        ["::1", "https://[::1]:6443"],
        ["[::1]:1", "https://[::1]:1"],
      ] as const
    ) {
      using forced = kubernetesAt(cluster, nodes, endpoint);
      const asked = (await forced.open()).request("/version", { signal });
      await assert.rejects(
        asked,
        ({ message }: Error) =>
          message.startsWith(`Cannot reach Kubernetes at ${server}: `),
      );
    }
    using never = kubernetesAt(cluster, nodes, undefined);
    assert.ok(never);
  });
});
