import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import type { FakeNode } from "../../_fake.ts";
import { runOn } from "../../_run.ts";
import { imageList } from "../../workflows/operations/_images.ts";

const name = "registry.k8s.io/pause:3.10.1";

/** A node without the newer service, that has the image once it was pulled. */
function pulling(handlers: FakeNode = {}): FakeNode {
  let there = false;
  return {
    imageList: () => imageList(there ? { [name]: "sha256:aa" } : {})(),
    // deno-lint-ignore require-yield
    async *pull() {
      throw await Promise.resolve(new RpcError("UNIMPLEMENTED", "no"));
    },
    imagePull() {
      there = true;
      return { messages: [{}] };
    },
    ...handlers,
  };
}

Deno.test("image pull shows the digest of what was pulled", async () => {
  const { out, err, status } = await runOn(`image pull ${name}`, {
    a: pulling(),
  });
  assert.equal(
    out,
    `NODE   OUTCOME   REASON
a      done      sha256:aa
`,
  );
  assert.equal(err, `03:04:05 a: pulling ${name}\n`);
  assert.equal(status, 0);
});

Deno.test("image pull -o jsonl carries node, outcome and reason", async () => {
  const { out } = await runOn(`images p ${name} -o jsonl`, { a: pulling() });
  assert.deepEqual(JSON.parse(out), {
    node: "a",
    outcome: "done",
    reason: "sha256:aa",
  });
});
