import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import { requireControlPlane } from "../../../simulator/services/control_plane.ts";
import { madeNodes } from "../_node.ts";

Deno.test("a worker refuses what only control planes answer, in its own words", async () => {
  const [controlplane, worker] = await madeNodes({ workers: 1 });
  requireControlPlane(controlplane!, "etcd status");
  assert.throws(
    () => requireControlPlane(worker!, "etcd status"),
    new RpcError(
      "UNIMPLEMENTED",
      "etcd status is only available on control plane nodes",
    ),
  );
});
