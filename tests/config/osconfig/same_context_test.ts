import assert from "node:assert/strict";
import type { ClientContext } from "../../../config/osconfig/osconfig.ts";
import { parseOsconfig } from "../../../config/osconfig/osconfig_file.ts";
import { sameCluster } from "../../../config/osconfig/same_context.ts";

async function context(fields: string): Promise<ClientContext> {
  const { contexts } = await parseOsconfig(`contexts: {a: {${fields}}}\n`, "f");
  const found = contexts.get("a");
  if (found === undefined) throw new Error("expected a context");
  return found;
}

Deno.test("one CA means one cluster, whatever else differs", async () => {
  const a = await context("ca: LS0tCmEKLS0tCg==, endpoints: [x]");
  const b = await context("ca: 'LS0t IAph Ci0t LQ==', endpoints: [y]");
  assert.equal(sameCluster(a, b), true);
});
