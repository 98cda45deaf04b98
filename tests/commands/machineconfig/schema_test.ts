import assert from "node:assert/strict";
import { run } from "../../_run.ts";

function kinds(schema: string): readonly string[] {
  return JSON.parse(schema).properties.kind.enum;
}

Deno.test("machineconfig schema prints the schema of the newest version", async () => {
  const { out, err, status } = await run("machineconfig schema");
  assert.equal(status, 0);
  assert.equal(err, "");
  assert.ok(out.startsWith(`{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "Machine configuration",
`));
  assert.ok(out.endsWith("\n}\n"));
  assert.ok(kinds(out).includes("HostnameConfig"));
});

Deno.test("machineconfig schema omits what an older version does not know", async () => {
  const { out, status } = await run("mc schema --os-version v1.8.4");
  assert.equal(status, 0);
  assert.equal(JSON.parse(out).title, "Machine configuration, version 1.8");
  assert.ok(!kinds(out).includes("HostnameConfig"));
});

Deno.test("machineconfig schema --patch requires nothing", async () => {
  const { out, status } = await run("mc schema --patch");
  assert.equal(status, 0);
  const { title, $defs } = JSON.parse(out);
  assert.equal(title, "Patch of a machine configuration");
  assert.equal($defs.v1alpha1.required, undefined);
});

Deno.test("machineconfig schema -o writes a file and prints nothing", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const path = `${folder}/machine.json`;
    const { out, err, status } = await run(`mc schema -o ${path}`);
    assert.deepEqual({ out, err, status }, { out: "", err: "", status: 0 });
    assert.equal(
      await Deno.readTextFile(path),
      (await run("mc schema")).out,
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("machineconfig schema refuses versions that are none or not known", async () => {
  const cases = {
    "new": 'Cannot read OS version "new"',
    "v1.99": 'OS version "v1.99" is not known to this osctl',
  };
  for (const [version, message] of Object.entries(cases)) {
    const { out, err, status } = await run(`mc schema --os-version ${version}`);
    assert.equal(out, "");
    assert.ok(err.includes(message), err);
    assert.equal(status, 2);
  }
});
