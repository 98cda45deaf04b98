import assert from "node:assert/strict";
import { RpcError } from "../../errors.ts";
import { warnOfOldNodes } from "../../commands/get.ts";
import { fakeNodes } from "../_fake.ts";

Deno.test("warnOfOldNodes warns of old nodes and passes over those that fail", async () => {
  const tagged = (tag: string) => ({
    version: () => ({ messages: [{ version: { tag } }] }),
  });
  const { nodes } = fakeNodes({
    a: tagged("v1.12.0"),
    b: tagged("v1.6.0"),
    c: { version: () => Promise.reject(new RpcError("UNAVAILABLE", "gone")) },
  });
  const notes: string[] = [];
  await warnOfOldNodes(nodes, (text) => notes.push(text));
  assert.deepEqual(notes, [
    "warning: b: server version v1.6.0 is older than v1.8.0, so some of its answers may not be understood",
  ]);
});
