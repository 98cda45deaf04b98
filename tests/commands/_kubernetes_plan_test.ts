import assert from "node:assert/strict";
import { OsctlError } from "../../errors.ts";
import {
  type KubernetesUpgrade,
  planUpgrade,
  upgradePhases,
} from "../../commands/_kubernetes_plan.ts";
import { withView } from "../workflows/_view.ts";

const keep = {
  "kube-apiserver": "keep",
  "kube-controller-manager": "keep",
  "kube-scheduler": "keep",
  "kube-proxy": "keep",
  kubelet: "keep",
};

const upgrade: KubernetesUpgrade = {
  version: "v1.35.0",
  phases: upgradePhases,
  images: keep,
  nodes: [],
  skipUnreachable: false,
  manifests: {
    prune: false,
    force: false,
    inventoryPolicy: "AdoptIfNoInventory",
  },
};

Deno.test("an upgrade of Kubernetes is planned by node, component, document and manifest", async () => {
  await withView({ workers: 2 }, async ({ cluster, signal, names }) => {
    const [plane = "", first = "", second = ""] = names;
    const rows = (more: Partial<KubernetesUpgrade>, view = cluster) =>
      Array.fromAsync(
        planUpgrade({ cluster: view, signal }, { ...upgrade, ...more }),
        (row) => {
          switch (row.kind) {
            case "component":
              return `${row.node} ${row.component} ${row.to}`;
            case "document":
              return `${row.node} ${row.document}`;
            case "manifest":
              return `${row.action} ${row.object}`;
            case "skipped":
              return `${row.node}: ${row.reason}`;
            case "removed":
              return row.use.name;
          }
        },
      );
    const proxy = "change apps/v1.DaemonSet/kube-system/kube-proxy";
    assert.deepEqual(await rows({}), [
      `${plane} kube-apiserver registry.k8s.io/kube-apiserver:v1.35.0`,
      `${plane} kube-controller-manager registry.k8s.io/kube-controller-manager:v1.35.0`,
      `${plane} kube-scheduler registry.k8s.io/kube-scheduler:v1.35.0`,
      `${plane} kube-proxy registry.k8s.io/kube-proxy:v1.35.0`,
      `${plane} kubelet ghcr.io/siderolabs/kubelet:v1.35.0`,
      `${plane} v1alpha1`,
      `${first} kubelet ghcr.io/siderolabs/kubelet:v1.35.0`,
      `${first} v1alpha1`,
      `${second} kubelet ghcr.io/siderolabs/kubelet:v1.35.0`,
      `${second} v1alpha1`,
      proxy,
    ]);
    assert.deepEqual(
      await rows({
        phases: ["kubelet"],
        nodes: [second],
        images: { ...keep, kubelet: "mirror.example/kubelet" },
      }),
      [
        `${second} kubelet mirror.example/kubelet:v1.35.0`,
        `${second} v1alpha1`,
      ],
    );
    assert.deepEqual(await rows({ version: "v1.34.1" }), []);
    // Another node that is in Kubernetes alone, and one that is away.
    const kubernetes = await cluster.kubernetes();
    await kubernetes.request("/api/v1/nodes", {
      method: "POST",
      body: { metadata: { name: "foreign" } },
      signal,
    });
    const away = {
      ...cluster,
      at: (node: string) =>
        node === first
          ? Promise.reject(new OsctlError("no answer"))
          : cluster.at(node),
    };
    const kubelets = { phases: ["kubelet"] as const };
    await assert.rejects(rows(kubelets, away), { message: "no answer" });
    assert.deepEqual(await rows({ ...kubelets, skipUnreachable: true }, away), [
      `${plane} kubelet ghcr.io/siderolabs/kubelet:v1.35.0`,
      `${plane} v1alpha1`,
      `${first}: no answer`,
      `${second} kubelet ghcr.io/siderolabs/kubelet:v1.35.0`,
      `${second} v1alpha1`,
      "foreign: it is not a member of the cluster",
    ]);
  });
});
