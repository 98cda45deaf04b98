import assert from "node:assert/strict";

import type { UpgradePlanRow } from "../../../commands/upgrade/plan.ts";
import { run } from "../../_run.ts";
import { otherSchematic } from "../../workflows/operations/_system.ts";
import { upgradable } from "../../workflows/operations/_upgrades.ts";
import { withWire } from "../../_wire.ts";
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
    `Only the registry of ghcr.io/siderolabs/installer:v1.12.11 knows whether the image exists and for which architectures
warning: b: the state of etcd is not known: no list
warning: c: the state of etcd is not known: no list
error: An upgrade of c is blocked
`,
  );
  assert.equal(status, 5);
});

Deno.test("upgrade plan says that there is nothing to do", async () => {
  const { err, status } = await run("upgrade plan", {
    a: only(upgradable({ version: "v1.12.11" })),
    b: only(upgradable({ version: "v1.12.11" })),
  });
  assert.match(err, /^Nothing to do: all nodes run v1\.12\.11$/m);
  assert.equal(status, 0);
});

Deno.test("upgrade plan names the minor version in between, and what the name of an image does not show", async () => {
  const { err, status } = await run("upgrade plan --to v1.99.0", {
    a: only(upgradable({ version: "v1.12.11" })),
  });
  assert.match(
    err,
    /^Only the registry of \S+:v1\.99\.0 knows whether the image exists and for which architectures\. The name of the image does not show which versions of Kubernetes it supports\.$/m,
  );
  assert.match(
    err,
    /^error: An upgrade of a is blocked\nhint: Upgrade to v1\.13\.x first$/m,
  );
  assert.equal(status, 5);
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
  assert.equal(status, 5);
});

Deno.test("upgrade plan names the first nodes that are blocked, and counts the others", async () => {
  const nodes = ["d", "a", "c", "b", "e"].map((name) =>
    [name, only(upgradable(extended))] as const
  );
  const { err } = await run("upgrade plan", Object.fromEntries(nodes));
  assert.match(err, /^error: An upgrade of d, a, c, and 2 more is blocked$/m);
});

Deno.test("upgrade plan blocks control planes while etcd has an alarm, as upgrade does, and ends with status 5", async () => {
  await withWire(
    { controlplanes: 3, workers: 1 },
    async ({ osctl, cluster, names }) => {
      const [first = "", , , worker = ""] = names;
      await cluster.setFault(first, "etcd-nospace");
      const line =
        `upgrade plan --to v1.13.1 -o jsonl --nodes ${first},${worker}`;
      const { out, err, status } = await osctl(line);
      const rows: readonly UpgradePlanRow[] = out.trim().split("\n")
        .map((row) => JSON.parse(row));
      assert.deepEqual(rows.map(({ findings }) => findings), [[{
        rule: "S1",
        text:
          "etcd has the alarm NOSPACE; run osctl etcd defrag and osctl etcd alarm disarm (3 voters, 3 healthy, quorum 2; without this one 2)",
        allowance: "degraded-etcd",
      }], []]);
      assert.match(err, /^error: An upgrade of 10\.5\.0\.2 is blocked$/m);
      assert.equal(status, 5);
    },
  );
});
