import assert from "node:assert/strict";
import plugin from "../../tools/lint_plugin.ts";

function findAll(path: string, code: string): string[] {
  return Deno.lint.runPlugin(plugin, path, code).map(({ id, range }) =>
    `${id}: ${code.slice(...range)}`
  );
}

/** Finds the same as in a checkout, where paths are absolute. */
function findInTree(path: string, code: string): string[] {
  return findAll(new URL(`../../${path}`, import.meta.url).pathname, code);
}

Deno.test("house/exit lets only mod.ts end the process", () => {
  const code = "Deno.exit(1);";
  assert.deepEqual(findAll("commands/logs.ts", code), [
    "house/exit: Deno.exit",
  ]);
  assert.deepEqual(findInTree("commands/mod.ts", code), [
    "house/exit: Deno.exit",
  ]);
  assert.deepEqual(findInTree("mod.ts", code), []);
  assert.deepEqual(findInTree("tools/demo.ts", code), []);
});

Deno.test("house/lazy-import lets only the index import on demand", () => {
  const code = 'const { parse } = await import("yaml");';
  assert.deepEqual(findAll("config/osconfig/merge.ts", code), [
    'house/lazy-import: import("yaml")',
  ]);
  assert.deepEqual(findAll("commands/_index.ts", code), []);
  assert.deepEqual(
    findAll("config/osconfig/merge.ts", 'import { parse } from "yaml";'),
    [],
  );
});

Deno.test("house/inherited-keys finds words that are looked up among inherited keys", () => {
  const code = 'word in table; "kind" in table; Object.hasOwn(table, word);';
  assert.deepEqual(findAll("commands/logs.ts", code), [
    "house/inherited-keys: word in table",
  ]);
  assert.deepEqual(findAll("tests/a_test.ts", code), []);
});

Deno.test("house/environment keeps streams, environment and arguments in one file", () => {
  const code =
    'Deno.stdout; Deno.stderr; Deno.stdin; Deno.env.get("HOME"); Deno.args;';
  assert.deepEqual(findAll("commands/logs.ts", code), [
    "house/environment: Deno.stdout",
    "house/environment: Deno.stderr",
    "house/environment: Deno.stdin",
    "house/environment: Deno.env",
    "house/environment: Deno.args",
  ]);
  assert.deepEqual(findAll("terminal/environment.ts", code), []);
  assert.deepEqual(
    findAll("commands/logs.ts", "Deno.build; world.stdout;"),
    [],
  );
});

Deno.test("house/clock makes the present a parameter", () => {
  const code = "new Date(); Date.now(); const clock = { now: Date.now };";
  assert.deepEqual(findAll("config/renew.ts", code), [
    "house/clock: new Date()",
    "house/clock: Date.now",
    "house/clock: Date.now",
  ]);
  assert.deepEqual(findAll("simulator/clock/clock.ts", code), []);
  assert.deepEqual(findAll("config/renew.ts", "new Date(0); world.now();"), []);
});

Deno.test("house/files keeps files to the layers that own them", () => {
  const code =
    'Deno.readTextFile("x"); Deno.openSync("x"); Deno.lstat("x"); Deno.makeTempDir();';
  const wrong = [
    "house/files: Deno.readTextFile",
    "house/files: Deno.openSync",
    "house/files: Deno.lstat",
    "house/files: Deno.makeTempDir",
  ];
  for (
    const path of [
      "commands/logs.ts",
      "config/osconfig/merge.ts",
      "workflows/health.ts",
      "transport/connect/dial.ts",
      "simulator/state/node.ts",
    ]
  ) {
    assert.deepEqual(findAll(path, code), wrong);
  }
  for (
    const path of [
      "commands/_kit/signing.ts",
      "config/osconfig/update_osconfig.ts",
      "provisioners/state.ts",
      "commands/_copy/extract.ts",
    ]
  ) {
    assert.deepEqual(findAll(path, code), []);
  }
  assert.deepEqual(
    findAll("pki/pem.ts", 'import { rm } from "node:fs/promises";'),
    ['house/files: import { rm } from "node:fs/promises";'],
  );
  assert.deepEqual(findAll("pki/pem.ts", "Deno.connect({}); pool.open();"), []);
});

Deno.test("house/vendor keeps the vendor's words out of sentences", () => {
  const code = 'const a = "talos.config=x"; const b = `x ${a} of sidero`;';
  assert.deepEqual(findAll("config/osconfig/merge.ts", code), [
    "house/vendor:  of sidero",
  ]);
  assert.deepEqual(findAll("talos.ts", code), []);
  assert.deepEqual(
    findAll("config/osconfig/merge.ts", 'const a = "osconfig";'),
    [],
  );
});

Deno.test("house/default-export wants names", () => {
  assert.deepEqual(findAll("pki/key.ts", "export default 1;"), [
    "house/default-export: export default 1;",
  ]);
  assert.deepEqual(findAll("pki/key.ts", "export const one = 1;"), []);
});

Deno.test("house/strict-assert allows only the assert that compares strictly", () => {
  const path = "tests/pki/key_test.ts";
  for (
    const code of [
      'import { deepEqual } from "node:assert/strict";',
      'import assert, { equal } from "node:assert/strict";',
      'import * as assert from "node:assert/strict";',
      'import assert from "node:assert";',
    ]
  ) {
    assert.deepEqual(findAll(path, code), [`house/strict-assert: ${code}`]);
  }
  assert.deepEqual(
    findAll(path, 'import assert from "node:assert/strict";'),
    [],
  );
});
