import assert from "node:assert/strict";
import { OsctlError } from "../../../../errors.ts";
import { damaged } from "../../../../workflows/etcd/snapshot/damage.ts";

Deno.test("damaged names file, fault and next step", () => {
  const error = damaged({
    path: "/x/a.db.part",
    subject: 'Snapshot "a.db"',
    hint: "Again",
  }, "page 3: it is gone");
  assert.ok(error instanceof OsctlError);
  assert.equal(error.message, 'Snapshot "a.db" is damaged: page 3: it is gone');
  assert.equal(error.hint, "Again");
  assert.equal(error.status, 1);
});
