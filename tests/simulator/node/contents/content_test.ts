import assert from "node:assert/strict";
import { toKey } from "../../../../simulator/node/contents/content.ts";

Deno.test("a resource is stored in the namespace of its type unless another is named", () => {
  assert.deepEqual(toKey({ type: "Disks.block", id: "vda" }), {
    namespace: "runtime",
    type: "Disks.block.talos.dev",
    id: "vda",
  });
  const raw = toKey({
    type: "Members.cluster",
    id: "a",
    namespace: "cluster-raw",
  });
  assert.equal(raw.namespace, "cluster-raw");
  assert.throws(
    () => toKey({ type: "Nothings", id: "x" }),
    /Nothings\.talos\.dev/,
  );
});
