/** The page of an air-gapped upgrade: each of its command lines, in their order, on a cluster that is upgraded by them. */

import assert from "node:assert/strict";
import { imagesIn } from "../../simulator/node/images.ts";
import type { NodeImageStore } from "../../simulator/state/node_disk.ts";
import { needs } from "../_needs.ts";
import {
  registryPrograms,
  upstream,
  withDebianRegistry,
} from "../_registries.ts";
import { withWire } from "../_wire.ts";

const page = await Deno.readTextFile(
  new URL("../../docs/runbooks/air-gapped-upgrade.md", import.meta.url),
);

const upgrade = "--to-os v1.13.9 --to-kubernetes v1.35.0";
const registry = "--mirror registry.example.com:5000 --ca-file ca.crt";
const list = "--image-list /media/usb/images.txt";

/** Command lines of the page without `osctl`, and what they show. */
const shown: readonly (readonly [line: string, expected: RegExp])[] = [
  [
    `airgap images ${upgrade}`,
    /^ghcr\.io\/\S+\/installer:v1\.13\.9 +10\.5\.0\.2: upgrade to v1\.13\.9/m,
  ],
  [
    `airgap images ${upgrade} --list > /media/usb/images.txt`,
    /^registry\.k8s\.io\/kube-proxy:v1\.34\.1@sha256:\w{64}\nregistry\.k8s\.io\/kube-proxy:v1\.35\.0$/m,
  ],
  [
    `airgap mirror ${list} --to /media/usb/images`,
    /^registry\.k8s\.io\/pause:3\.10\.1 +sha256:\w+ +copied .* linux\/amd64,linux\/arm64$/m,
  ],
  [
    `airgap verify ${list} --mirror /media/usb/images --pull never`,
    /^\S+\/images +registry\.k8s\.io\/kube-apiserver:v1\.35\.0 +sha256:\w+ +ok$/m,
  ],
  [
    "airgap mirror --from /media/usb/images --to registry.example.com:5000 --ca-file ca.crt",
    /^registry\.k8s\.io\/etcd:v3\.6\.12 +sha256:\w+ +copied /m,
  ],
  [
    `airgap verify ${list} ${registry} --pull never`,
    /^\S+ +registry\.k8s\.io\/etcd:v3\.6\.12 +sha256:\w+ +ok$/m,
  ],
  [
    "patch machineconfig --patch @mirrors.yaml --nodes @all",
    /^10\.5\.0\.5: patched$/m,
  ],
  [
    `airgap verify ${list} --pull keep --nodes @all`,
    /^10\.5\.0\.5 +registry\.k8s\.io\/kube-apiserver:v1\.35\.0 +pulled$/m,
  ],
  [
    "runbook run builtin:rolling-upgrade --input version=v1.13.9 --yes",
    /succeeded/,
  ],
  ["upgrade-k8s --to v1.35.0 --yes", /succeeded/],
  ["airgap images", /^registry\.k8s\.io\/kube-proxy:v1\.35\.0 +sha256:/m],
  ["health --server=false", /^\S.* ok /m],
];

/** Nobody has to wait here. */
const quick = "--input=soak=0s";

const three = { controlplanes: 3, workers: 1, etcd: "model" } as const;

const stores: readonly NodeImageStore[] = ["cri/k8s.io", "cri/system"];

Deno.test({
  name:
    "each command line in docs/runbooks/air-gapped-upgrade.md does what the page says, until the cluster is upgraded",
  ...needs(...registryPrograms),
  async fn() {
    const lines = [...page.matchAll(/^osctl (.*)$/gm)].map(([, line]) => line);
    assert.deepEqual(lines, shown.map(([line]) => line));
    await using internet = upstream();
    await withDebianRegistry(({ host, folder, env }) =>
      withWire({ ...three, release: { tag: "v1.12.11" } }, async (wire) => {
        // What nodes run is what registries have.
        for (const node of wire.cluster.nodes) {
          for (const store of stores) {
            const images = await imagesIn(node, store);
            for (const [name, image] of images) {
              const [, own = ""] = /^[^/]+\/(.+)$/.exec(image.source) ?? [];
              images.set(name, { ...image, digest: internet.digestOf(own) });
            }
          }
        }
        const [, mirrors = ""] = /```yaml\n([^]*?)```/.exec(page) ?? [];
        const placed = (text: string) =>
          text.replaceAll("registry.example.com:5000", host)
            .replaceAll("/media/usb", folder)
            .replaceAll(/(?<= |@)(?=ca\.crt|mirrors\.yaml)/g, `${folder}/`);
        await Deno.writeTextFile(`${folder}/mirrors.yaml`, placed(mirrors));
        for (const [line, expected] of shown) {
          const [command = "", file] = placed(line).split(" > ");
          const words = command.split(" ");
          if (line.includes("--to /media")) {
            words.push("--from", `http://${internet.host}`);
          }
          if (line.startsWith("runbook run")) words.push(quick);
          const ran = await wire.osctl(words, { env });
          const said = `${ran.out}${ran.err}`;
          assert.match(said, expected, `${line}\n${said}`);
          assert.equal(ran.status, 0, `${line}\n${said}`);
          if (file !== undefined) await Deno.writeTextFile(file, ran.out);
        }
        // What runs now was on the disk.
        const carried = await Deno.readTextFile(`${folder}/images.txt`);
        const { out } = await wire.osctl("airgap images --list=tags");
        const missing = out.trim().split("\n").filter((image) =>
          !carried.split("\n").some((line) => line.split("@")[0] === image)
        );
        assert.deepEqual(missing, []);
      })
    );
  },
});
