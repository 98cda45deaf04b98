import assert from "node:assert/strict";
import { nodesVersion } from "../../../workflows/checks/nodes_version.ts";
import { siteOf, versionOf } from "./_site.ts";

const nodes = {
  a: { version: () => versionOf("v1.12.11") },
  b: { version: () => versionOf("v1.12.10") },
};

Deno.test("nodes.version names nodes with another version", async () => {
  const site = siteOf({ nodes, groups: { new: ["a"] } });
  assert.deepEqual(await nodesVersion.look(site, { version: "1.12.11" }), {
    ok: false,
    reason: "b: runs v1.12.10",
  });
  assert.deepEqual(
    await nodesVersion.look(site, { version: "v1.12.11", group: "new" }),
    { ok: true, seen: "1 node with v1.12.11" },
  );
});
