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

Deno.test("meta write -o jsonl carries node, outcome and reason", async () => {
  const { out } = await runOn("meta write 10 abc -o jsonl", {
    a: metaNode("old", { metaWrite }),
  });
  assert.deepEqual(JSON.parse(out), {
    node: "a",
    outcome: "done",
    reason: "META key 0x0a is written",
  });
});

Deno.test("meta write --wait=false ends when accepted by the node", async () => {
  const { out } = await runOn(
    "meta write 10 abc --wait=false -o jsonpath={.outcome}",
    {
      a: metaNode("old", { metaWrite }),
    },
  );
  assert.equal(out, "accepted\n");
});

Deno.test("meta write --insecure asks the maintenance service", async () => {
  const asked: boolean[] = [];
  await runOn("meta write 10 abc -i", { a: metaNode("old", { metaWrite }) }, {
    onOpen: ({ insecure }) => asked.push(insecure),
  });
  assert.deepEqual(asked, [true]);
});

Deno.test("meta write refuses keys that are not byte", async () => {
  const { err, status } = await runOn("meta write 256 abc");
  assert.match(err, /^error: .*"256".*must be a number from 0 to 255/);
  assert.equal(status, 2);
});
