import assert from "node:assert/strict";
import {
  openWork,
  receiving,
  working,
  workingOn,
} from "../../../transport/call/open_calls.ts";

function texts(): readonly string[] {
  return [...openWork].map(({ text }) => text());
}

Deno.test("work is named until it ends, however it does", async () => {
  assert.equal(
    await working("outer", () =>
      working(() => "inner", () => {
        assert.deepEqual(texts(), ["outer", "inner"]);
        return Promise.resolve(7);
      })),
    7,
  );
  await assert.rejects(
    working("failing", () => Promise.reject(new Error("no"))),
    /^Error: no$/,
  );
  async function* items() {
    yield* ["a", "b"];
  }
  for await (const item of workingOn("listing", items())) {
    assert.deepEqual([item, texts()], ["a", ["listing"]]);
    break;
  }
  assert.deepEqual(texts(), []);
});

Deno.test("openCalls: counts received messages", async () => {
  async function* sent() {
    yield new Uint8Array(1_200_000);
    yield new Uint8Array(300_000);
  }
  const seen: string[] = [];
  for await (const _ of receiving("a file from 10.0.0.2", sent())) {
    seen.push(...texts());
  }
  assert.deepEqual(seen, [
    "receiving a file from 10.0.0.2: 1.2 MB",
    "receiving a file from 10.0.0.2: 1.5 MB",
  ]);
  assert.deepEqual(texts(), []);
});
