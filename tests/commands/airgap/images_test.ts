import assert from "node:assert/strict";
import { withFolder } from "../../_folder.ts";
import { upstream } from "../../_registries.ts";
import { run } from "../../_run.ts";
import { renderSecrets } from "../../../config/generate/secrets_file.ts";
import { someSecrets } from "../../config/generate/_bundle.ts";
import { smallSite } from "../../workflows/site/_site.ts";
import { withWire } from "../../_wire.ts";

Deno.test("airgap images lists what all nodes of the cluster run and are configured with, with their digests", async () => {
  await withWire({ workers: 1 }, async ({ osctl, cluster }) => {
    const upgrade = "--to-os v1.13.9 --to-kubernetes v1.35.0";
    const { out, err, status } = await osctl(
      `airgap images ${upgrade} -o jsonl`,
    );
    assert.deepEqual([err, status], ["", 0]);
    const rows = out.trim().split("\n").map((line) => JSON.parse(line));
    // Purpose of each, in the order of the nodes.
    const sources = (image: string) =>
      rows.find((row) => row.image === image)?.sources;
    assert.deepEqual(sources("ghcr.io/siderolabs/installer:v1.13.9"), [
      "10.5.0.2: upgrade to v1.13.9",
      "10.5.0.3: upgrade to v1.13.9",
    ]);
    assert.deepEqual(sources("registry.k8s.io/etcd:v3.6.12"), [
      "10.5.0.2: upgrade to v1.13.9: etcd (default of v1.13.9)",
    ]);
    assert.deepEqual(sources("registry.k8s.io/kube-apiserver:v1.35.0"), [
      "10.5.0.2: upgrade to v1.35.0: kube-apiserver",
    ]);
    const [kubelet] = rows.filter(({ image }) => image.endsWith("let:v1.34.1"));
    assert.deepEqual(kubelet, {
      image: "ghcr.io/siderolabs/kubelet:v1.34.1",
      digest:
        "sha256:d2e6597cebc4ee8b0d7750e30a488887595160452b11094a7628bf38698903b3",
      sources: [
        "10.5.0.2: kubelet",
        "10.5.0.2: runs kubelet",
        "10.5.0.3: kubelet",
        "10.5.0.3: runs kubelet",
      ],
    });
    const names = rows.map(({ image }) => image);
    for (
      const wanted of [
        "ghcr.io/siderolabs/flannel:v0.27.4",
        "ghcr.io/siderolabs/flannel:0.28.8",
        "ghcr.io/siderolabs/installer:v1.12.11",
        "ghcr.io/siderolabs/kubelet:v1.35.0",
        "registry.k8s.io/coredns/coredns:v1.14.6",
        "registry.k8s.io/kube-controller-manager:v1.34.1",
        "registry.k8s.io/kube-proxy:v1.35.0",
        "registry.k8s.io/kube-scheduler:v1.35.0",
        "registry.k8s.io/pause:3.10.1",
      ]
    ) assert.ok(names.includes(wanted), wanted);

    const tables = await osctl("airgap images --nodes 10.5.0.3");
    assert.match(
      tables.out,
      /^IMAGE +DIGEST +SOURCE\nghcr\.io\/\S+flannel:\S+ +sha256:\w+ +10\.5\.0\.3: runs kube-system\/kube-flannel-\w+\n/,
    );
    assert.doesNotMatch(tables.out, /kube-apiserver/);

    await cluster.setFault("10.5.0.3", "rbac-reader");
    const reader = await osctl("airgap images --nodes 10.5.0.3");
    assert.match(
      reader.out,
      /kubelet:v1\.34\.1 +sha256:\w+ +10\.5\.0\.3: in its image store/,
    );
    assert.match(
      reader.err,
      /^warning: 10\.5\.0\.3: reading its configuration needs/,
    );

    await cluster.setFault("10.5.0.3", "unavailable");
    const partial = await osctl("airgap images --node-timeout 2s --list=tags");
    assert.match(partial.out, /^registry\.k8s\.io\/kube-apiserver:v1\.34\.1$/m);
    assert.match(partial.err, /10\.5\.0\.3/);
    assert.equal(partial.status, 3);
  });
});

Deno.test("airgap images asks registries for digests only when told, and says which do not answer", async () => {
  await using registry = upstream();
  registry.missing.add("gone");
  const list = `${registry.host}/team/app:v1\n${registry.host}/gone:v1\n`;
  await withFolder({ list }, async (folder) => {
    const line = `airgap images --image-list ${folder}/list --list`;
    const digest = registry.findDigest("team/app:v1");
    const app = `${registry.host}/team/app`;
    const found = await run(`${line} --digests`);
    assert.equal(
      found.out,
      `${registry.host}/gone:v1\n${app}:v1@${digest}\n`,
    );
    assert.match(
      found.err,
      /^warning: Digest of \S+\/gone:v1 is unknown: .* returned HTTP 404 for gone\/manifests\/v1/,
    );
    const digests = await run(
      `${line}=digests --mirror http://${registry.host}`,
    );
    assert.match(digests.out, new RegExp(`^${app}@${digest}$`, "m"));
    assert.equal(registry.blobs.length, 0);
    // With tag and digest, as other commands take it.
    const cached = await run(
      `image cache-create --images - --image-cache-path ${folder}/cache`,
      {},
      { stdin: `${app}:v1@${digest}\n`, env: { DOCKER_CONFIG: folder } },
    );
    assert.deepEqual([cached.status, cached.out], [0, ""], cached.err);
    const { out } = await run(line);
    assert.equal(out, list.split("\n").toSorted().join("\n").trim() + "\n");
    const refused = await run(`${line} --mirror ./images`);
    assert.match(refused.err, /"\.\/images" is not a registry/);
    assert.equal(refused.status, 2);
  });
});

Deno.test("airgap images of a site lists the installer of each node's schematic, and Kubernetes", async () => {
  const files = {
    "site.yaml": `${smallSite}  - host: w-2
    role: worker
    talosVersion: v1.12.11
    platform: nocloud
    extensions: [iscsi-tools]
`,
    "secrets.yaml": renderSecrets(someSecrets),
    "worker/disk.yaml": "machine: {install: {disk: /dev/sda}}\n",
  };
  await withFolder(files, async (folder) => {
    const { out, err, status } = await run(
      `airgap images ${folder} --list=tags`,
    );
    assert.deepEqual([err, status], ["", 0]);
    const images = out.trim().split("\n");
    for (
      const wanted of [
        "factory.talos.dev/metal-installer/376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba:v1.13.9",
        "factory.talos.dev/nocloud-installer/c9078f9419961640c712a8bf2bb9174933dfcf1da383fd8ea2b7dc21493f8bac:v1.12.11",
        "ghcr.io/siderolabs/kubelet:v1.36.3",
        "registry.k8s.io/kube-apiserver:v1.36.3",
      ]
    ) assert.ok(images.includes(wanted), `${wanted} in ${out}`);
  });
});
