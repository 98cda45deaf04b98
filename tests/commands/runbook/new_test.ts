import assert from "node:assert/strict";
import { withFolder } from "../../_folder.ts";
import { run } from "../../_run.ts";

Deno.test("runbook new writes a runbook that is right, and the schema it names", async () => {
  await withFolder({}, async (folder) => {
    const path = `${folder}/restart.runbook.yaml`;
    const { out, err, status } = await run(`runbook new ${folder}/restart`);
    assert.equal(out, `${path}\n${folder}/runbook.schema.json\n`);
    assert.deepEqual([err, status], ["", 0]);
    const text = await Deno.readTextFile(path);
    const [first = ""] = text.split("\n");
    assert.equal(first, "# yaml-language-server: $schema=runbook.schema.json");
    assert.match(text, /^name: restart$/m);
    const schema = await Deno.readTextFile(`${folder}/runbook.schema.json`);
    assert.equal(JSON.parse(schema).title, "Runbook of osctl");
  });
});

Deno.test("runbook new leaves what is there as it is", async () => {
  const files = { "a.runbook.yaml": "mine", "runbook.schema.json": "{}" };
  await withFolder(files, async (folder) => {
    const taken = await run(`runbook new ${folder}/a.runbook.yaml`);
    assert.deepEqual([taken.out, taken.status], ["", 2]);
    assert.equal(
      taken.err,
      `error: Cannot write "${folder}/a.runbook.yaml": it already exists\nhint: Choose another name, or remove the file\n`,
    );
    const { out } = await run(`runbook new ${folder}/b`);
    assert.equal(out, `${folder}/b.runbook.yaml\n`);
    const kept = await Deno.readTextFile(`${folder}/runbook.schema.json`);
    assert.equal(kept, "{}");
  });
});

Deno.test("runbook new --typescript writes a program that is right, and the types it imports", async () => {
  await withFolder({}, async (folder) => {
    const path = `${folder}/zones.runbook.ts`;
    const { out, err, status } = await run(
      `runbook new ${path} --typescript`,
    );
    assert.equal(out, `${path}\n${folder}/osctl-runbook.d.ts\n`);
    assert.deepEqual([err, status], ["", 0]);
    const env = { HOME: folder };
    await run(`runbook trust ${path} --yes`, {}, { env });
    const checked = await run(`runbook check ${path}`, {}, { env });
    assert.equal(checked.status, 0, checked.err);
  });
});

Deno.test("runbook new says what a name is", async () => {
  const { err, status } = await run("runbook new Restart_All");
  assert.equal(status, 2);
  assert.match(err, /Cannot name a runbook "Restart_All"/);
  assert.match(err, /Give a name of lowercase letters, digits and dashes/);
});
