import assert from "node:assert/strict";
import { userInfo } from "node:os";
import { findOperator } from "../../../../workflows/runbooks/store/operator.ts";

Deno.test("findOperator takes the user of the environment, else the account of the process", () => {
  const host = Deno.hostname();
  const from = (env: Readonly<Record<string, string>>) =>
    findOperator({ env: (name) => env[name] });
  assert.equal(from({ USER: "ana", LOGNAME: "eve" }), `ana@${host}`);
  assert.equal(from({ USER: "", LOGNAME: "eve" }), `eve@${host}`);
  assert.equal(from({}), `${userInfo().username}@${host}`);
});
