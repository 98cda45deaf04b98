import assert from "node:assert/strict";
import { systemName } from "../../../dialect.ts";
import { kindIn, trustOf } from "../../../workflows/checks/trust_lists.ts";
import { authorities, trusting } from "./_trust.ts";
import { siteOf } from "./_site.ts";

Deno.test("kindIn knows both kinds, one of them by two names", () => {
  assert.deepEqual([kindIn("os"), kindIn(systemName), kindIn("kubernetes")], [
    "os",
    "os",
    "kubernetes",
  ]);
  assert.throws(() => kindIn(undefined), { name: "UsageError" });
});

Deno.test("trustOf reads the lists of nodes", async () => {
  const [one, two] = await authorities();
  const site = siteOf({ nodes: { c1: trusting("controlplane", one, [two]) } });
  const { values, problems } = await trustOf(site, ["c1"], "kubernetes");
  assert.deepEqual(problems, []);
  const list = values.get("c1");
  assert.deepEqual(
    [list?.issuing?.fingerprint, list?.accepted.map((x) => x.fingerprint)],
    [one.fingerprint, [two.fingerprint]],
  );
});
