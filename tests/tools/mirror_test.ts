import assert from "node:assert/strict";
import { unmirrored } from "../../tools/mirror.ts";

/** Sources by path. */
function check(files: Readonly<Record<string, string>>): string[] {
  return unmirrored(
    Object.entries(files).map(([path, text]) => ({ path, text })),
  );
}

Deno.test("unmirrored names sources without a test", () => {
  assert.deepEqual(
    check({
      "pki/key.ts": "export async function generateKey() {}\n",
      "pki/pem.ts": "export function encodePem() {}\n",
      "tests/pki/pem_test.ts": "",
      "commands/dashboard.tsx":
        'export const command: Command = { summary: "x" };\n',
      "transport/connect/pool.ts": "class Pool {}\n",
    }),
    [
      "pki/key.ts: its test is missing: tests/pki/key_test.ts",
      "commands/dashboard.tsx: its test is missing: tests/commands/dashboard_test.ts",
      "transport/connect/pool.ts: its test is missing: tests/transport/connect/pool_test.ts",
    ],
  );
});

Deno.test("unmirrored wants no test of what holds no code", () => {
  assert.deepEqual(
    check({
      "mod.ts": "function interrupt() {}\n",
      "commands/_groups.ts": "export const groups = {};\n",
      "simulator/state/roles.ts": "export interface Roles {}\n",
      "commands/_kit/mod.ts": 'export { table } from "./view.ts";\n',
      "dialect.ts": 'export const runtimeName = "x";\n',
      "tests/_run.ts": "export function run() {}\n",
    }),
    [],
  );
});

Deno.test("unmirrored names files of more than 400 lines, tests too", () => {
  assert.deepEqual(
    check({
      "pki/long.ts": "//\n".repeat(401),
      "tests/pki/long_test.ts": "//\n".repeat(500),
      "pki/just.ts": "//\n".repeat(400),
    }),
    [
      "pki/long.ts: 401 lines, at most 400 are allowed",
      "tests/pki/long_test.ts: 500 lines, at most 400 are allowed",
    ],
  );
});

Deno.test("unmirrored lets the test of the only importer stand for a file", () => {
  const files = {
    "pki/key.ts": 'import { a } from "./curve.ts";\nexport function k() {}\n',
    "pki/curve.ts": 'import { b } from "./point.ts";\nexport function a() {}\n',
    "pki/point.ts": "export function b() {}\n",
    "tests/pki/key_test.ts": "",
  };
  assert.deepEqual(check(files), []);
  const second = { "pki/pem.ts": 'import { b } from "./point.ts";\n' };
  assert.deepEqual(check({ ...files, ...second }), [
    "pki/point.ts: its test is missing: tests/pki/point_test.ts",
  ]);
});
