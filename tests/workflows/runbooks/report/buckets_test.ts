import assert from "node:assert/strict";
import {
  fillBuckets,
  nodeStates,
  reportDocument,
} from "../../../../workflows/runbooks/report/buckets.ts";
import { full } from "./_reports.ts";

Deno.test("fillBuckets puts every target into exactly one bucket", () => {
  const buckets = fillBuckets(full.targets);
  assert.deepEqual(Object.keys(buckets), [...nodeStates]);
  const names = Object.values(buckets).map((all) =>
    all.map(({ node }) => node).join()
  );
  assert.deepEqual(names, ["cp-1,w-1", "w-3", "w-2", "w-4", "w-5", "w-6,w-7"]);
});

Deno.test("reportDocument has the buckets in place of the targets", () => {
  const { buckets, ...rest } = reportDocument(full);
  const { targets, ...others } = full;
  assert.deepEqual(rest, others);
  assert.deepEqual(buckets, fillBuckets(targets));
});
