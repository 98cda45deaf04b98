import assert from "node:assert/strict";
import { ConfigError, OsctlError } from "../../../errors.ts";
import { loadSite } from "../../../workflows/site/load_site.ts";
import { fakeSiteEnvironment, smallSite, withFiles } from "./_site.ts";
import { needs, posix } from "../../_needs.ts";

/** An error with these lines. */
const siteError = (lines: string) => ({
  name: "SiteError",
  message: `Cannot use the site:${lines}`,
  status: 2,
});

const environment = fakeSiteEnvironment();

Deno.test("a TOPF directory is one value", async () => {
  const topf = `
clusterName: prod
clusterEndpoint: https://10.0.0.10:6443
kubernetesVersion: v1.36.3
talosVersion: 1.13.9
schematicId: ${"a".repeat(64)}
factory: factory.example.com
platform: nocloud
secureboot: true
patchesDir: patches
secretsPath: keys/bundle.yaml
data: {region: eu}
nodes:
  - host: w-1
    role: worker
    talosVersion: 1.13.8
    schematicId: "@w.yaml"
    data: {rack: 7}
  - {host: cp-1, ip: 10.0.0.2, role: control-plane, platform: metal}
`;
  await withFiles({ "topf.yaml": topf }, async (folder) => {
    const { site, warnings } = await loadSite(folder, environment);
    const { nodes, data: _, ...rest } = site;
    assert.deepEqual(warnings, []);
    assert.deepEqual(rest, {
      file: `${folder}/topf.yaml`,
      folder,
      isTopf: true,
      clusterName: "prod",
      clusterEndpoint: "https://10.0.0.10:6443",
      kubernetesVersion: "v1.36.3",
      talosVersion: "1.13.9",
      patchesFolder: `${folder}/patches`,
      secrets: { path: `${folder}/keys/bundle.yaml` },
      kubernetes: {},
      upgrade: null,
      checks: null,
    });
    const [first, second] = nodes.map(({ data: _, place: __, ...node }) =>
      node
    );
    assert.deepEqual(first, {
      host: "cp-1",
      ip: "10.0.0.2",
      role: "controlplane",
      groups: [],
      labels: {},
      talosVersion: "v1.13.9",
      factory: "factory.example.com",
      platform: "metal",
      secureBoot: true,
      schematic: { id: "a".repeat(64) },
    });
    assert.equal(second?.talosVersion, "v1.13.8");
    assert.deepEqual(second?.schematic, { path: "w.yaml" });
  });
});

Deno.test("groups and the cluster give nodes labels, extensions and data", async () => {
  const text = `${smallSite}  - host: w-2
    role: worker
    groups: [storage, gpu]
    labels: {zone: b}
    extensions: [util-linux-tools]
extensions: [iscsi-tools]
kernelArgs: [quiet]
labels: {zone: a, site: x}
groups:
  storage: {labels: {disk: ssd}, extensions: [iscsi-tools, siderolabs/zfs]}
  gpu: {talosVersion: 1.13.7, labels: {disk: none}}
`;
  await withFiles({ "site.yaml": text }, async (folder) => {
    const { site: { nodes } } = await loadSite(`${folder}/`, environment);
    const node = nodes.find(({ host }) => host === "w-2");
    assert.deepEqual(node?.labels, { zone: "b", site: "x", disk: "none" });
    assert.equal(node?.talosVersion, "v1.13.7");
    assert.deepEqual(node?.schematic, {
      parts: {
        extensions: [
          "siderolabs/iscsi-tools",
          "siderolabs/zfs",
          "siderolabs/util-linux-tools",
        ],
        kernelArgs: ["quiet"],
      },
    });
  });
});

Deno.test("every problem of the file has its line and column", async () => {
  const text = `clusterName: lab
clusterEndpoint: http://10.0.0.10
talosVersion: 9.9
clusterNam: x
configDir: here
nodes:
  - {host: a, role: master, ip: nowhere}
  - role: worker
upgrade: {batch: [1, 25%]}
order: [zone]
`;
  await withFiles({ "site.yaml": text }, async (folder) => {
    const file = `${folder}/site.yaml`;
    await assert.rejects(
      loadSite(file, environment),
      siteError(`
  ${file}:1:1: This site has no "kubernetesVersion" (Give a version such as 1.36.3)
  ${file}:2:18: Cannot use cluster endpoint "http://10.0.0.10": its scheme is http, not https (Give the URL of the Kubernetes API such as https://10.0.0.10:6443)
  ${file}:3:15: "9.9" is not a version (Give a version such as 1.13.9)
  ${file}:4:1: Unknown key "clusterNam" (Did you mean "clusterName"?)
  ${file}:5:1: "configDir" is an old name (Write patchesDir)
  ${file}:7:21: "master" is not one of the allowed values (Known: control-plane, worker)
  ${file}:7:33: "nowhere" is not an IP address (Give an IP address such as 10.0.0.2)
  ${file}:8:5: This node has no "host" (Give a name such as cp-1)
  ${file}:9:18: This is a list (Give a number such as 2, or a percentage such as 25%)
  ${file}:10:1: Unknown key "order" (Known: clusterName, clusterEndpoint, kubernetesVersion, talosVersion, schematicId, factory, platform, secureboot, patchesDir, secretsPath, secretsProvider, nodesProvider, data, extensions, kernelArgs, overlay, labels, nodes, groups, kubernetes, …)`),
    );
  });
});

Deno.test("nodes of one name, and groups that do not exist, are refused", async () => {
  const text = `${smallSite}  - {host: w-1, role: worker, groups: [storag]}
groups: {storage: {}}
extensions: [a]
schematicId: ${"a".repeat(64)}
`;
  await withFiles({ "site.yaml": text }, async (folder) => {
    const file = `${folder}/site.yaml`;
    await assert.rejects(
      loadSite(folder, environment),
      siteError(`
  ${file}:8:5: There are two nodes "w-1"
  ${file}:8:39: Unknown group "storag" (Did you mean "storage"?)
  ${file}:11:14: "schematicId" cannot be combined with "extensions", "kernelArgs" or "overlay" (Keep one of them)`),
    );
  });
});

Deno.test("keys that TOPF does not know are ignored in topf.yaml, and said", async () => {
  const text = `${smallSite}labels: {a: b}
x-common: 1
`;
  await withFiles({ "topf.yaml": text }, async (folder) => {
    const { site, warnings } = await loadSite(folder, environment);
    assert.equal(site.nodes.length, 2);
    assert.deepEqual(
      warnings.map(({ place, message, hint }) => [place.line, message, hint]),
      [
        [8, `Key "labels" is ignored`, "It is a key of site.yaml"],
        [
          9,
          `Key "x-common" is ignored`,
          "Known: clusterName, clusterEndpoint, kubernetesVersion, talosVersion, schematicId, factory, platform, secureboot, patchesDir, secretsPath, secretsProvider, nodesProvider, data, nodes",
        ],
      ],
    );
  });
});

Deno.test("a directory has one of the two files", async () => {
  await withFiles({}, async (folder) => {
    await assert.rejects(
      loadSite(folder, environment),
      new ConfigError(`"${folder}" has neither site.yaml nor topf.yaml`, {
        hint: `Create a site with: osctl site init ${folder}`,
      }),
    );
    await assert.rejects(
      loadSite(`${folder}/nowhere`, environment),
      new ConfigError(`There is no site "${folder}/nowhere"`, {
        hint: `Create a site with: osctl site init ${folder}/nowhere`,
      }),
    );
  });
  const both = { "site.yaml": smallSite, "topf.yaml": smallSite };
  await withFiles(both, async (folder) => {
    await assert.rejects(
      loadSite(folder, environment),
      new ConfigError(`"${folder}" has both site.yaml and topf.yaml`, {
        hint: "Keep one of them; site.yaml has all keys of topf.yaml",
      }),
    );
  });
});

Deno.test({
  name: "a program gives further nodes",
  ...needs(posix),
  async fn() {
    const program = `#!/bin/sh
test "$1 $2" = "nodes lab" || exit 9
test -n "$TOKEN" || { echo "no token" >&2; exit 3; }
echo '[{host: w-9, role: worker}]'
`;
    await withFiles({ "nodes.sh": program }, async (folder) => {
      const path = `${folder}/nodes.sh`;
      await Deno.chmod(path, 0o755);
      await Deno.writeTextFile(
        `${folder}/site.yaml`,
        `${smallSite}nodesProvider: ${path}\n`,
      );
      await assert.rejects(
        loadSite(folder, environment),
        new OsctlError(
          `"${path} nodes lab" failed with status 3: no token`,
        ),
      );
      Deno.env.set("TOKEN", "x");
      const { site: { nodes } } = await loadSite(folder, environment);
      Deno.env.delete("TOKEN");
      assert.deepEqual(nodes.map(({ host }) => host), ["cp-1", "w-1", "w-9"]);
    });
  },
});
