import assert from "node:assert/strict";
import {
  manifestChanges,
  takeManifests,
} from "../../../workflows/modules/kubernetes_manifests.ts";
import { withView } from "../_view.ts";

Deno.test("nodes since v1.13 apply their manifests on the server's side", async () => {
  const options = { release: { tag: "v1.13.9" } };
  await withView(options, async ({ cluster, signal }) => {
    const { objects, serverSide } = await takeManifests(cluster);
    assert.equal(objects.length, 19);
    assert.equal(serverSide, true);
    const kubernetes = await cluster.kubernetes();
    const path = "/api/v1/namespaces/kube-system/services/kube-dns";
    await kubernetes.request(path, { method: "DELETE", body: {}, signal });
    const choice = { prune: true, force: false } as const;
    const changes = await manifestChanges(
      { cluster, signal },
      { ...choice, inventoryPolicy: "AdoptIfNoInventory" },
    );
    const created = changes.filter(({ action }) => action === "create");
    assert.deepEqual(created.map(({ object }) => object), [
      "v1.Service/kube-system/kube-dns",
    ]);
  });
});
