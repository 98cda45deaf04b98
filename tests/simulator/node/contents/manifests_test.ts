import assert from "node:assert/strict";
import { manifestObjects } from "../../../../simulator/node/contents/manifests.ts";

Deno.test("manifests are objects as an API server takes them, the proxy with its image", () => {
  const objects = manifestObjects("registry.example/kube-proxy:v1.35.0");
  assert.equal(objects.length, 19);
  const proxy = objects.find(({ kind, metadata }) =>
    kind === "DaemonSet" && metadata.name === "kube-proxy"
  );
  assert.equal(proxy?.apiVersion, "apps/v1");
  assert.match(
    JSON.stringify(proxy),
    /registry\.example\/kube-proxy:v1\.35\.0/,
  );
});
