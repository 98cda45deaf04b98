import assert from "node:assert/strict";
import { entries } from "../../../commands/_index.ts";

import {
  referenceEntries,
  referenceNamed,
} from "../../../commands/_kit/runbook_reference.ts";

const all = await referenceEntries(entries);

Deno.test("referenceNamed finds entries and fields of values, and suggests what is called almost that", () => {
  const [snapshot] = referenceNamed(all, "etcd.snapshot");
  assert.equal(snapshot?.kind, "module");
  assert.ok(snapshot.outputs.some(({ name }) => name === "revision"));
  const [etcd] = referenceNamed(all, "node.etcd");
  assert.ok(etcd?.outputs.some(({ name }) => name === "etcd.leader"));
  assert.deepEqual(
    referenceNamed(all, "node.etcd.leader")[0]?.outputs.map(({ type }) => type),
    ["bool"],
  );
  assert.throws(() => referenceNamed(all, "etcd.snapshoot"), {
    message: 'Runbooks have nothing named "etcd.snapshoot"',
    hint: 'Did you mean "etcd.snapshot"?',
  });
});
