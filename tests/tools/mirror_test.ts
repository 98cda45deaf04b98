import assert from "node:assert/strict";
import { findUnmirrored } from "../../tools/mirror.ts";

/** Sources by path. */
function check(files: Readonly<Record<string, string>>): string[] {
  return findUnmirrored(
    Object.entries(files).map(([path, text]) => ({ path, text })),
  );
}

Deno.test("unmirrored names tests of rooms that do not exist", () => {
  assert.deepEqual(
    check({
      "pki/keys/rsa.ts": "",
      "tests/pki/keys/moved_test.ts": "",
      "tests/pki/pem_test.ts": "",
      "tests/pki/curves/nist_test.ts": "",
      "tests/pki/curves/_nist.ts": "",
      "tests/e2e/start_test.ts": "",
      "tests/errors_test.ts": "",
    }),
    ["tests/pki/curves/nist_test.ts: it tests no room, there is no pki/curves"],
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
