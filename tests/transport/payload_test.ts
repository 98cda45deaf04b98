import assert from "node:assert/strict";
import { RpcError } from "../../errors.ts";
import { type DataMessage, payload } from "../../transport/payload.ts";

async function* of(...messages: DataMessage[]) {
  for (const message of messages) {
    await Promise.resolve();
    yield message;
  }
}

function data(text: string, error = ""): DataMessage {
  const bytes = new TextEncoder().encode(text);
  return { bytes, metadata: { error } };
}

Deno.test("payload gives the bytes of messages that have some", async () => {
  const chunks = await Array.fromAsync(
    payload(of(data("a"), data(""), data("b"))),
  );
  assert.deepEqual(chunks.map((chunk) => new TextDecoder().decode(chunk)), [
    "a",
    "b",
  ]);
});

Deno.test("payload raises what a message reports, after its bytes", async () => {
  const seen: number[] = [];
  await assert.rejects(async () => {
    const chunks = payload(of(data("ab"), data("c", "went wrong"), data("d")));
    for await (const chunk of chunks) seen.push(chunk.length);
  }, new RpcError("UNKNOWN", "went wrong"));
  assert.deepEqual(seen, [2, 1]);
});

Deno.test("payload hands reports to who asks for them and goes on", async () => {
  const failures: string[] = [];
  const chunks = await Array.fromAsync(
    payload(of(data("", "one"), data("b"), data("", "two")), {
      reported: ({ message }) => failures.push(message),
    }),
  );
  assert.equal(chunks.length, 1);
  assert.deepEqual(failures, ["one", "two"]);
});

Deno.test("payload takes the status of a report over its text", async () => {
  const message = {
    bytes: new Uint8Array(),
    metadata: { error: "text", status: { code: 7, message: "not allowed" } },
  };
  await assert.rejects(
    Array.fromAsync(payload(of(message))),
    new RpcError("PERMISSION_DENIED", "not allowed"),
  );
});
