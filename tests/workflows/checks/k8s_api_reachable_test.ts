import assert from "node:assert/strict";
import { OsctlError } from "../../../errors.ts";
import { k8sApiReachable } from "../../../workflows/checks/k8s_api_reachable.ts";
import { answering } from "../kubernetes/_answers.ts";
import { withView } from "../_view.ts";
import { siteOf } from "./_site.ts";

function look(answers: Readonly<Record<string, unknown>>) {
  const kubernetes = () => Promise.resolve(answering(answers));
  return k8sApiReachable.look(siteOf({ cluster: { kubernetes } }), {});
}

Deno.test("k8s.apiReachable asks whether the server is ready, or only there where it cannot tell", async () => {
  const ok = { ok: true, seen: "Kubernetes answers" };
  assert.deepEqual(await look({ "/readyz": {} }), ok);
  assert.deepEqual(await look({ "/version": {} }), ok);
  await assert.rejects(look({ "/readyz": 500, "/version": {} }), { code: 500 });
});

Deno.test("k8s.apiReachable with both trusts also takes the kubeconfigs of now", async () => {
  await withView({ controlplanes: 3 }, async (viewed) => {
    const site = { ...viewed, group: () => Promise.resolve(viewed.names) };
    const trust = "both";
    assert.deepEqual(await k8sApiReachable.look(site, { trust }), {
      ok: true,
      seen: "answers 3 kubeconfigs of now",
    });
    const at = (node: string) =>
      node === "10.5.0.3"
        ? Promise.reject(new OsctlError("gone"))
        : viewed.cluster.at(node);
    const broken = { ...site, cluster: { ...viewed.cluster, at } };
    assert.deepEqual(await k8sApiReachable.look(broken, { trust }), {
      ok: false,
      reason: "10.5.0.3: gone",
    });
    const own = { ...broken, node: "10.5.0.2" };
    assert.deepEqual(await k8sApiReachable.look(own, { trust }), {
      ok: true,
      seen: "answers 1 kubeconfig of now",
    });
  });
});
