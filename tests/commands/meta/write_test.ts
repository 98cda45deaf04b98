import assert from "node:assert/strict";
import { runOn } from "../../_run.ts";
import { metaNode } from "./_node.ts";

const metaWrite = () => ({ messages: [{}] });

Deno.test("meta write writes where the value is another, and says so per node", async () => {
  const { out, err, status } = await runOn("meta write 0x0a abc", {
    a: metaNode(undefined, { metaWrite }),
    b: metaNode("abc"),
  });
  assert.equal(
    out,
    `NODE   OUTCOME     REASON
a      done        META key 0x0a is written
b      unchanged   nothing to do
`,
  );
  assert.equal(err, "03:04:05 a: writing META key 0x0a\n");
  assert.equal(status, 0);
});
