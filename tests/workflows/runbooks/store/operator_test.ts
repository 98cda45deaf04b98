import assert from "node:assert/strict";
import { findOperator } from "../../../../workflows/runbooks/store/operator.ts";

Deno.test("findOperator is user and host, by the first variable that says so", () => {
  const of = (values: Readonly<Record<string, string>>) =>
    findOperator({ env: (name) => values[name] });
  const host = Deno.hostname();
  assert.equal(of({ USER: "eve", LOGNAME: "x" }), `eve@${host}`);
  assert.equal(of({ LOGNAME: "ann" }), `ann@${host}`);
  assert.equal(of({ USERNAME: "bob" }), `bob@${host}`);
  assert.equal(of({}), `unknown@${host}`);
});
