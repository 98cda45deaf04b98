import assert from "node:assert/strict";
import { withWire } from "../../_wire.ts";
import { testIdentity, testRecipient } from "../../config/_sops_files.ts";
import { withFiles } from "../../workflows/site/_site.ts";

/** Files of a directory by path, without the schema and the secrets. */
async function readFiles(
  folder: string,
  paths: string,
): Promise<Readonly<Record<string, string>>> {
  const texts: Record<string, string> = {};
  for (const path of paths.trim().split("\n")) {
    if (/(schema.json|\/secrets.yaml)$/.test(path)) continue;
    texts[path.slice(folder.length + 1)] = await Deno.readTextFile(path);
  }
  return texts;
}

function hostname(name: string): string {
  return `apiVersion: v1alpha1\nkind: HostnameConfig\nhostname: ${name}\n`;
}

Deno.test("site init --from-live writes what each node has, and what nodes share once", async () => {
  await withWire({ controlplanes: 2, workers: 2 }, async (wire) => {
    const { names, osctl } = wire;
    const [cp1 = "", cp2 = "", w1 = "", w2 = ""] = names;
    const patch = async (nodes: readonly string[], text: string) => {
      const words = "patch machineconfig --mode no-reboot -n".split(" ");
      const { err, status } = await osctl([
        ...words,
        nodes.join(","),
        "-p",
        text,
      ]);
      assert.equal(status, 0, err);
    };
    await patch(names, "machine: {sysctls: {kernel.core_pattern: '${{ x }}'}}");
    await patch(
      [w1, w2],
      "machine: {nodeLabels: {disk: fast}, nodeTaints: {gpu: 'true:NoSchedule'}}",
    );
    await patch([cp2], "machine: {certSANs: [10.9.9.9]}");
    await patch([w1], "machine: {sysctls: {net.core.somaxconn: '65535'}}");
    await withFiles({}, async (folder) => {
      const site = `${folder}/lab`;
      const line = `site init ${site} --from-live -n`;
      const { out, err, status } = await osctl(`${line} ${cp1}`);
      assert.deepEqual(
        [err, status],
        ["The site renders to exactly these configurations\n", 0],
      );
      assert.deepEqual(await readFiles(site, out), {
        "site.yaml": `# yaml-language-server: $schema=site.schema.json
# A cluster in git. All keys: osctl explain site
clusterName: simulated
clusterEndpoint: https://10.5.0.2:6443
kubernetesVersion: 1.34.1
talosVersion: v1.12.11
nodes:
    - host: simulated-controlplane-1
      ip: 10.5.0.2
      role: control-plane
    - host: simulated-controlplane-2
      ip: 10.5.0.3
      role: control-plane
    - host: simulated-worker-1
      ip: 10.5.0.4
      role: worker
      labels:
        disk: fast
    - host: simulated-worker-2
      ip: 10.5.0.5
      role: worker
      labels:
        disk: fast
`,
        "all/configuration.yaml": `machine:
    install:
        disk: /dev/vda
        image: ghcr.io/siderolabs/installer:v1.12.11
    sysctls:
        kernel.core_pattern: $\${{ x }}
---
apiVersion: v1alpha1
kind: HostnameConfig
auto: "off"
`,
        "node/simulated-controlplane-1/configuration.yaml": hostname(
          "simulated-controlplane-1",
        ),
        "node/simulated-controlplane-2/configuration.yaml":
          `machine:\n    certSANs:\n        - 10.9.9.9\n---\n${
            hostname("simulated-controlplane-2")
          }`,
        "worker/configuration.yaml":
          "machine:\n    nodeTaints:\n        gpu: true:NoSchedule\n",
        "node/simulated-worker-1/configuration.yaml":
          `machine:\n    sysctls:\n        net.core.somaxconn: "65535"\n---\n${
            hostname("simulated-worker-1")
          }`,
        "node/simulated-worker-2/configuration.yaml": hostname(
          "simulated-worker-2",
        ),
        ".gitignore": "# Not encrypted.\nsecrets.yaml\n",
      });
      // The files say the same when they are read again.
      await osctl(`site render --site ${site} -o ${folder}/out`);
      for (const [host, node] of [["controlplane-2", cp2], ["worker-1", w1]]) {
        const file = `${folder}/out/simulated-${host}.yaml`;
        const diff = await osctl(
          `machineconfig diff ${file} --live -n ${node}`,
        );
        assert.deepEqual([diff.out, diff.err, diff.status], ["", "", 0]);
      }
      const again = await osctl(`${line} ${cp1}`);
      assert.match(again.err, /^error: Cannot create a site: ".*" exists\n/);
      await wire.cluster.setFault(w2, "unavailable");
      const partial = await osctl(
        `site init ${folder}/b --from-live -n ${cp1}`,
      );
      assert.ok(partial.err.includes(w2), partial.err);
      assert.equal(partial.status, 3);
      await assert.rejects(Deno.stat(`${folder}/b`));
    });
  });
});

Deno.test("site init --from-live keeps secrets of single nodes out of git", async () => {
  const release = { tag: "v1.14.0-rc.1" };
  await withWire({ release, workers: 1 }, async ({ names, osctl }) => {
    const [, worker = ""] = names;
    const key = "cGFzc3dvcmQtb2YtYS1yZWdpc3RyeS1vZi1vdXJzISE=";
    const patched = await osctl([
      ..."patch machineconfig --mode no-reboot -n".split(" "),
      worker,
      "-p",
      `{apiVersion: v1alpha1, kind: RegistryAuthConfig, name: r.example, username: a, password: ${key}}`,
    ]);
    assert.equal(patched.status, 0, patched.err);
    await withFiles({}, async (folder) => {
      const site = `${folder}/lab`;
      const { out, err, status } = await osctl(
        `site init ${site} --from-live -n ${names.join(",")}`,
      );
      const path = "node/simulated-worker-1/configuration.yaml";
      assert.deepEqual([err, status], [
        `warning: "${site}/${path}" has secrets: it is ignored by git
The site renders to exactly these configurations
`,
        0,
      ]);
      const files = await readFiles(site, out);
      assert.equal(
        files[".gitignore"],
        `# Not encrypted.\nsecrets.yaml\n${path}\n`,
      );
      assert.ok(files[path]?.includes(key));
      // With a rule, both are encrypted, and nothing is ignored.
      const rule = `creation_rules:\n  - age: ${testRecipient}\n`;
      await Deno.writeTextFile(`${folder}/.sops.yaml`, rule);
      const line = `site init ${folder}/b --from-live -n ${names.join(",")}`;
      const env = { SOPS_AGE_KEY: testIdentity };
      const encrypted = await osctl(line, { env });
      assert.equal(
        encrypted.err,
        "The site renders to exactly these configurations\n",
      );
      assert.doesNotMatch(encrypted.out, /gitignore/);
      for (const name of [path, "secrets.yaml"]) {
        const text = await Deno.readTextFile(`${folder}/b/${name}`);
        assert.match(text, /^sops:$/m);
        assert.ok(!text.includes(key));
      }
      const unread = await osctl(line.replace("/b ", "/c "));
      assert.match(
        unread.err,
        /^Not rendered: Cannot decrypt ".*": there is no private key for/,
      );
      assert.equal(unread.status, 0);
    });
  });
});

Deno.test("site init --from-live refuses flags of new clusters", async () => {
  await withWire({}, async ({ osctl }) => {
    const { err, status } = await osctl(
      "site init lab --from-live --endpoint https://10.0.0.1:6443",
    );
    assert.match(
      err,
      /^error: Flag --endpoint cannot be used with --from-live\nhint: The cluster has one\n/,
    );
    assert.equal(status, 2);
  });
});
