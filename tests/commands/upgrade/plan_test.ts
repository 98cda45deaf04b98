import assert from "node:assert/strict";

import { run } from "../../_run.ts";
import { otherSchematic } from "../../workflows/operations/_system.ts";
import { upgradable } from "../../workflows/operations/_upgrades.ts";
import { only } from "./_node_queries.ts";

const extended = {
  version: "v1.12.1",
  schematic: otherSchematic,
  extraInfo: "customization: {systemExtensions: {}}",
  extensions: { zfs: "2.4.0" },
  installImage: `registry.example/metal-installer/${otherSchematic}:v1.12.0`,
};

Deno.test("upgrade plan shows what would be done, and what speaks against it", async () => {
  const { out, err, status } = await run("upgrade plan", {
    a: only(upgradable({ version: "v1.12.11" })),
    b: only(upgradable({ version: "v1.12.1" })),
    c: only(upgradable(extended)),
  });
  assert.equal(
    out,
    `NODE   VERSION    TARGET     ACTIONS           IMAGE                                   BLOCKED BY
a      v1.12.11   v1.12.11   -                 ghcr.io/siderolabs/installer:v1.12.11   -
b      v1.12.1    v1.12.11   install, reboot   ghcr.io/siderolabs/installer:v1.12.11   -
c      v1.12.1    v1.12.11   install, reboot   ghcr.io/siderolabs/installer:v1.12.11   the image does not contain zfs
`,
  );
  assert.equal(
    err,
    "Only the registry of ghcr.io/siderolabs/installer:v1.12.11 knows whether the image exists, and for which architectures\n",
  );
  assert.equal(status, 0);
});

Deno.test("upgrade plan says when the image does not support the Kubernetes of a node", async () => {
  const { out } = await run("upgrade plan --to v1.13.1 -o jsonl", {
    a: only(upgradable({ version: "v1.12.11", kubernetes: "v1.30.4" })),
  });
  const { kubernetes, findings } = JSON.parse(out);
  assert.equal(kubernetes, "v1.30.4");
  assert.deepEqual(findings, [{
    rule: "S8",
    text:
      "Kubernetes v1.30.4 is too old for v1.13.1, which supports v1.31 to v1.36",
    allowance: "version-path",
  }]);
});

Deno.test("upgrade plan says what no flag allows", async () => {
  const a = upgradable({ version: "v1.13.0" }, { exitCode: 1 });
  const image = "ghcr.io/siderolabs/installer:v1.13.1";
  await Array.fromAsync(a.node.upgrade?.({ source: { imageName: image } }));
  const { out, status } = await run("upgrade plan --to v1.13.1 -o jsonl", {
    a: only(a, "logs"),
  });
  const { actions, refused, call } = JSON.parse(out);
  assert.deepEqual([call, actions, refused], [
    "lifecycle",
    [],
    "An installer failed in this boot (exit status 1); reboot first (S7)",
  ]);
  assert.equal(status, 0);
});
