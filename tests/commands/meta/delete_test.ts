import assert from "node:assert/strict";
import { runOn } from "../../_run.ts";
import { metaNode } from "./_node.ts";

const metaDelete = () => ({ messages: [{}] });

Deno.test("meta delete deletes where the key is", async () => {
  const { out, status } = await runOn("meta delete 0b1010", {
    a: metaNode("abc", { metaDelete }),
    b: metaNode(undefined),
  });
  assert.equal(
    out,
    `NODE   OUTCOME     REASON
a      done        META key 0x0a is deleted
b      unchanged   nothing to do
`,
  );
  assert.equal(status, 0);
});
