import assert from "node:assert/strict";
import { headOf } from "../../../../../workflows/runbooks/language/loading/head.ts";
import { withFolder } from "../../../../_folder.ts";

Deno.test("headOf reads the beginning of a runbook, whatever the rest is", async () => {
  const files = { "a.yaml": "title: A\nper: node\nx: 1\n", "b.yaml": "- a\n" };
  await withFolder(files, async (folder) => {
    assert.deepEqual(await headOf(`${folder}/a.yaml`), {
      title: "A",
      per: "node",
    });
    assert.deepEqual(await headOf(`${folder}/b.yaml`), {
      title: "",
      per: "cluster",
    });
  });
  assert.equal((await headOf("builtin:node-reboot")).per, "node");
  assert.deepEqual(await headOf("a.ts"), { title: "", per: "cluster" });
});

Deno.test("headOf says when a runbook is gone", async () => {
  await assert.rejects(headOf("/nowhere/a.yaml"), {
    name: "ConfigError",
    message: 'Cannot read "/nowhere/a.yaml": no such file',
  });
});
