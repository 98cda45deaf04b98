import assert from "node:assert/strict";
import { findAll } from "../../../../workflows/runbooks/language/lookup.ts";
import { finders } from "./_finders.ts";

Deno.test("findAll looks for each module once", async () => {
  const asked: string[] = [];
  const found = await findAll(["etcd.status", "x", "etcd.status"], {
    ...finders,
    module: (name) => {
      asked.push(name);
      return finders.module(name);
    },
  });
  assert.deepEqual(asked, ["etcd.status", "x"]);
  assert.equal(found.module("etcd.status")?.name, "etcd.status");
  assert.equal(found.module("x"), undefined);
  assert.equal(found.check("node.ready")?.scope, "node");
});
