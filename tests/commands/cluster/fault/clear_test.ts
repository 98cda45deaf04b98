import assert from "node:assert/strict";
import { run } from "../../../_run.ts";

Deno.test("cluster fault clear refuses a name that is not a fault", async () => {
  const { err, status } = await run("cluster fault clear xyzzy");
  assert.match(
    err,
    /^error: Invalid value "xyzzy" for argument <fault>: must be one of /,
  );
  assert.equal(status, 2);
});

Deno.test("cluster fault clear names a cluster that does not exist", async () => {
  const { err, status } = await run(
    "cluster fault clear --state /nonexistent -n a",
  );
  assert.equal(
    err,
    `error: Cannot find cluster "os-default" in "/nonexistent"
hint: List the clusters with: osctl cluster show --all
`,
  );
  assert.equal(status, 2);
});
