import assert from "node:assert/strict";
import { readFields } from "../../simulator/state/kubernetes_objects.ts";
import { manifestObjects } from "../../simulator/node/contents/manifests.ts";
import {
  type KubernetesObject,
  openKubernetes,
} from "../../workflows/kubernetes/client.ts";
import { applyManifests } from "../../workflows/kubernetes/manifests.ts";
import { run } from "../_run.ts";
import { machineConfig } from "../../simulator/state/machine_config.ts";
import { withWire } from "../_wire.ts";
import { adminAccess } from "../simulator/kubernetes/_access.ts";

Deno.test("upgrade-k8s shows what it would do, does it, and has nothing left to do", async () => {
  await withWire({ workers: 1 }, async ({ cluster, osctl, names }) => {
    const [plane = ""] = names;
    // One image comes from a mirror whose registry has a port.
    const mirror = "mirror.example:5000/k8s/kube-apiserver";
    const image = { cluster: { apiServer: { image: `${mirror}:v1.34.1` } } };
    const patched = await osctl([
      ...["patch", "--nodes", plane, "--mode", "no-reboot"],
      ...["--patch", JSON.stringify(image)],
    ]);
    assert.equal(patched.status, 0, patched.err);
    const servers = await osctl(
      "upgrade-k8s --to 1.35.0 --phase control-plane --dry-run",
    );
    assert.deepEqual(servers.out.split("\n").slice(0, 12), [
      `${plane}: kube-apiserver ${mirror}:v1.34.1 -> ${mirror}:v1.35.0`,
      ...["kube-controller-manager", "kube-scheduler"].map((name) =>
        `${plane}: ${name} registry.k8s.io/${name}:v1.34.1 -> registry.k8s.io/${name}:v1.35.0`
      ),
      `${plane}: v1alpha1 changes`,
      servers.out.split("\n")[4],
      "     serviceAccount:",
      "         key: '******'",
      "     apiServer:",
      `-        image: ${mirror}:v1.34.1`,
      `+        image: ${mirror}:v1.35.0`,
      "         admissionControl:",
      "             - name: PodSecurity",
    ]);
    const documented = await osctl(
      "upgrade-k8s --to 1.35.0 --phase proxy --dry-run --with-docs --with-examples",
    );
    const notes = documented.err.replaceAll(/^waiting for .*\n/gm, "");
    assert.deepEqual(notes.split("\n"), [
      "Configurations that change also get comments, which the diffs omit",
      "Nothing was changed. To upgrade, omit --dry-run",
      "",
    ]);
    const planned = await osctl(
      "upgrade-k8s --to 1.35.0 --phase proxy,manifests --dry-run --exit-code",
    );
    assert.equal(planned.status, 6, planned.err);
    assert.equal(
      // A busy machine waits long enough for it to be said.
      planned.err.replaceAll(/^waiting for Kubernetes at .*\n/gm, ""),
      "Nothing was changed. To upgrade, omit --dry-run\n",
    );
    const [old, now] = ["v1.34.1", "v1.35.0"].map((tag) =>
      `registry.k8s.io/kube-proxy:${tag}`
    );
    const lines = planned.out.split("\n");
    assert.deepEqual(
      lines.filter((line) => /^\S/.test(line) && !line.startsWith("@@")),
      [
        `${plane}: kube-proxy ${old} -> ${now}`,
        `${plane}: v1alpha1 changes`,
        `-        image: ${old}`,
        `+        image: ${now}`,
        "change apps/v1.DaemonSet/kube-system/kube-proxy",
        `-                - image: ${old}`,
        `+                - image: ${now}`,
      ],
    );
    const one = await osctl(
      `upgrade-k8s --to 1.35.0 --phase control-plane,kubelet --nodes ${plane} --dry-run -o jsonl`,
    );
    assert.deepEqual(
      one.out.trimEnd().split("\n").map((line) => JSON.parse(line))
        .map(({ node, component, document }) =>
          `${node} ${component ?? document}`
        ),
      [
        `${plane} kube-apiserver`,
        `${plane} kube-controller-manager`,
        `${plane} kube-scheduler`,
        `${plane} kubelet`,
        `${plane} v1alpha1`,
      ],
    );
    const done = await osctl("upgrade-k8s --to 1.35.0 --yes");
    assert.equal(done.status, 0, done.err);
    assert.match(done.out, /2 nodes: 2 done/);
    const path = "/version";
    const { body } = cluster.kubernetes.request({ method: "GET", path });
    assert.equal(readFields(body).gitVersion, "v1.35.0");
    const again = await osctl("upgrade-k8s --to 1.35.0 --dry-run --exit-code");
    assert.deepEqual([again.status, again.out, again.err], [
      0,
      "",
      "Kubernetes is at v1.35.0 already\n",
    ]);
    const older = await osctl("upgrade-k8s --to 1.34.0 --yes");
    assert.equal(older.status, 5);
    assert.match(
      older.err,
      /^error: Cannot upgrade Kubernetes to v1\.34\.0: .*v1\.34\.0 is older than v1\.35\.0.*\nhint: To override the rule, pass: --allow=version-path\n$/,
    );
    const ready = { type: "Ready", status: "True" };
    const foreign = {
      metadata: { name: "edge-1" },
      status: { conditions: [ready] },
    };
    cluster.kubernetes.request({
      ...{ method: "POST", path: "/api/v1/nodes", body: foreign },
    });
    const allowed = await osctl(
      "upgrade-k8s --to 1.34.1 --allow=version-path --phase proxy --yes --with-docs",
    );
    assert.equal(allowed.status, 0, allowed.err);
    const [config = ""] = cluster.nodes.map(machineConfig);
    assert.match(config, /^# Settings of this node\nmachine:$/m);
    assert.match(
      allowed.err,
      /^Skipping edge-1: it is not a member of the cluster$/m,
    );
  });
});

Deno.test("upgrade-k8s skips a node that is down, and prunes what is in no manifest any more", async () => {
  const release = { tag: "v1.13.9" };
  await withWire({ workers: 2, release }, async ({ cluster, osctl, names }) => {
    const down = names[2] ?? "";
    const role = "/apis/rbac.authorization.k8s.io/v1/clusterroles/extra";
    const readStatus = (path: string) =>
      cluster.kubernetes.request({ method: "GET", path }).code;
    using kubernetes = openKubernetes(await adminAccess(cluster));
    const extra: KubernetesObject = {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name: "extra" },
    };
    const objects = manifestObjects("registry.k8s.io/kube-proxy:v1.34.1")
      .map((object) => ({ ...object }));
    const { signal } = new AbortController();
    await Array.fromAsync(applyManifests(
      kubernetes,
      [...objects, extra],
      { serverSide: true, prune: false, signal },
    ));
    assert.equal(readStatus(role), 200);

    await cluster.setFault(down, "unavailable");
    const all = "upgrade-k8s --to 1.35.0 --prune";
    const refused = await osctl(`${all} --yes`);
    assert.equal(refused.status, 5, refused.err);
    assert.match(
      refused.err,
      /hint: To skip nodes that do not answer, pass: --skip-unreachable\n$/,
    );
    const planned = await osctl(`${all} --skip-unreachable --dry-run`);
    assert.match(planned.out, /^10\.5\.0\.4: skipped: /m);
    assert.match(planned.out, /^prune \S+\.ClusterRole\/extra$/m);
    const ofTalosctl = all.replace("--prune", "--manifests-no-prune=false");
    assert.deepEqual(
      await osctl(`${ofTalosctl} --skip-unreachable --dry-run`),
      planned,
    );
    const kept = await osctl(
      "upgrade-k8s --to 1.35.0 --manifests-no-prune --dry-run --skip-unreachable",
    );
    assert.doesNotMatch(kept.out, /^prune /m);
    // Its objects are in the inventory already.
    const choice =
      "--manifests-inventory-policy MustMatch --manifests-reconcile-timeout 10m";
    const done = await osctl(`${all} ${choice} --skip-unreachable --yes`);
    assert.equal(done.status, 0, done.err);
    assert.match(
      done.err,
      /kube-proxy: 0 of 3 pods updated, 2 ready; Kubernetes continues when unavailable nodes are back$/m,
    );
    assert.equal(readStatus(role), 404);
    const left = await osctl(
      "upgrade-k8s --to 1.35.0 --dry-run --skip-unreachable",
    );
    assert.match(left.out, /^10\.5\.0\.4: skipped: .*\n$/);
    await cluster.setFault(down, "unavailable", false);
    const again = await osctl("upgrade-k8s --to 1.35.0 --dry-run");
    assert.match(again.out, /^10\.5\.0\.4: kubelet \S+:v1\.34\.1 -> /m);
    assert.doesNotMatch(again.out, /^10\.5\.0\.[23]: /m);
  });
});

Deno.test("upgrade-k8s refuses an inventory of nodes before v1.13, before it changes anything", async () => {
  await withWire({}, async ({ osctl }) => {
    for (
      const [flag, what] of [
        ["--prune", "Pruning"],
        ["--manifests-inventory-policy AdoptAll", "Inventory policy AdoptAll"],
      ]
    ) {
      const line = `upgrade-k8s --to 1.35.0 ${flag}`;
      for (const last of ["--yes", "--dry-run"]) {
        const { err, status } = await osctl(`${line} ${last}`);
        assert.match(
          err,
          RegExp(
            `^error: ${what} needs nodes of v1\\.13 or later: earlier ones keep no inventory$`,
            "m",
          ),
        );
        assert.equal(status, 5);
      }
      const others = await osctl(`${line} --phase proxy --dry-run`);
      assert.equal(others.status, 0, others.err);
    }
  });
});

Deno.test("upgrade-k8s refuses flags that make no sense", async () => {
  for (
    const [line, message] of [
      ["upgrade-k8s --exit-code", /--exit-code needs --dry-run/],
      ["upgrade-k8s --to newest", /must be a version such as "1\.34\.1"/],
      [
        "upgrade-k8s --phase kubelets",
        /"kubelets" is not one of control-plane/,
      ],
      [
        "upgrade-k8s --manifests-inventory-policy Mine",
        /must be one of AdoptIfNoInventory, MustMatch, AdoptAll/,
      ],
      ["upgrade-k8s --allow all", /"all" is not one of version-path/],
      [
        "upgrade-k8s --proxy-image r/kube-proxy:v1",
        /--proxy-image: it has a tag or digest; give registry and path/,
      ],
    ] as const
  ) {
    const { status, err } = await run(line);
    assert.equal(status, 2);
    assert.match(err, message);
  }
});
