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

Deno.test("cluster fault clear names a node the cluster does not have", async () => {
  const { err, status } = await run(
    "cluster fault clear --state /nonexistent -n a",
  );
  assert.equal(
    err,
    `error: Cannot find node "a" in cluster "os-default"
hint: List its nodes with: osctl cluster show --name os-default
Usage: osctl cluster fault clear [<fault>] [flags]
Run "osctl cluster fault clear --help" for its flags
`,
  );
  assert.equal(status, 2);
});
