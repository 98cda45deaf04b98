/** The page of an upgrade of Kubernetes: each of its command lines, in their order, on a cluster that is upgraded by them. */

import assert from "node:assert/strict";
import { withFolder } from "../_folder.ts";
import { withWire } from "../_wire.ts";

const page = await Deno.readTextFile(
  new URL("../../docs/runbooks/upgrade-kubernetes.md", import.meta.url),
);

/** Command lines of the page without `osctl`, and what they show. */
const shown: readonly (readonly [line: string, expected: RegExp])[] = [
  [
    "upgrade-k8s --to 1.35.0 --dry-run",
    /^10\.5\.0\.2: kube-apiserver \S+:v1\.34\.1 -> \S+:v1\.35\.0$[^]*^10\.5\.0\.3: kubelet [^]*^change apps\/v1\.DaemonSet\/kube-system\/kube-proxy$[^]*Nothing was changed/m,
  ],
  ["upgrade-k8s --to 1.35.0", /succeeded/],
  [
    "runbook run builtin:upgrade-kubernetes --input version=1.35.0",
    /succeeded/,
  ],
  [
    "get kubeletspecs -o yaml --nodes @all",
    /image: ghcr\.io\/\S+\/kubelet:v1\.35\.0[^]*image: ghcr\.io\/\S+\/kubelet:v1\.35\.0/,
  ],
  ["health --run-e2e", /tests in Kubernetes to succeed +ok/],
  ["conformance kubernetes", /^parallel: passed .*\n^serial: passed /m],
];

Deno.test("each command line in docs/runbooks/upgrade-kubernetes.md does what the page says, until the cluster is upgraded", async () => {
  // Other lines of the page are for when something goes wrong.
  const text = page.replace(/^## When something[^]*?(?=^## )/m, "")
    .replaceAll(/`osctl([^`]*)`/g, "\nosctl$1\n");
  const lines = [...text.matchAll(/^osctl (.*)$/gm)].map(([, line]) => line);
  assert.deepEqual(lines, shown.map(([line]) => line));
  await withFolder(
    {},
    (folder) =>
      withWire({ workers: 1 }, async ({ osctl }) => {
        for (const [line, expected] of shown) {
          const asks = /^(upgrade-k8s|runbook run)/.test(line) &&
            !line.includes("--dry-run");
          const ran = await osctl([
            ...line.split(" "),
            ...asks ? ["--yes"] : [],
            ...line.startsWith("conformance") ? ["--results", folder] : [],
          ]);
          const said = `${ran.out}${ran.err}`;
          assert.match(said, expected, `${line}\n${said}`);
          assert.equal(ran.status, 0, `${line}\n${said}`);
        }
      }),
  );
});
