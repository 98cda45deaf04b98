import assert from "node:assert/strict";
import { RpcError } from "../../errors.ts";
import { pathFailure } from "../../commands/_path_failure.ts";

function readFailure(error: unknown, path: string) {
  const failure = pathFailure(error, "Cannot read it", path);
  assert.ok(failure instanceof RpcError);
  const { code, message, hint } = failure;
  return { code, message, hint };
}

Deno.test("pathFailure says what was tried and where to look", () => {
  assert.deepEqual(
    readFailure(new RpcError("UNKNOWN", "no such file\n"), "/a/b/"),
    {
      code: "UNKNOWN",
      message: "Cannot read it: no such file",
      hint: 'List files with "osctl list /a"',
    },
  );
  assert.equal(
    readFailure(new RpcError("NOT_FOUND", "no such file"), "/a").hint,
    'List files with "osctl list /"',
  );
});
