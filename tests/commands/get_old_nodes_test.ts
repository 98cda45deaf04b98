import assert from "node:assert/strict";
import { RpcError } from "../../errors.ts";
import { olderThan, warnOfOldNodes } from "../../commands/get.ts";
import { fakeNodes } from "../_fake.ts";

Deno.test("olderThan compares by number, and a pre-release comes before its release", () => {
  const older = ["v1.7.9", "v0.99.0", "1.7.0", "v1.8.0-alpha.1"];
  const notOlder = ["v1.8.0", "v1.8.1", "v1.10.0", "v2.0.0", "v1.8.0+dirty"];
  for (const tag of older) assert.equal(olderThan(tag, "v1.8.0"), true, tag);
  for (const tag of notOlder) {
    assert.equal(olderThan(tag, "v1.8.0"), false, tag);
  }
});

Deno.test("olderThan says no to what is not a version", () => {
  for (const tag of ["", "latest", "v1.7", "abc1.2.3"]) {
    assert.equal(olderThan(tag, "v1.8.0"), false, tag);
  }
});

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
