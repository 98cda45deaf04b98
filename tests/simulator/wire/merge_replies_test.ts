import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import {
  mergeStreams,
  mergeUnary,
} from "../../../simulator/wire/merge_replies.ts";

const denied = {
  hostname: "b",
  error: "rpc error: code = PermissionDenied desc = not authorized",
  status: { code: 7, message: "not authorized", details: [] },
};

Deno.test("unary replies become one; each message says whose it is, or what went wrong", async () => {
  const answered = Promise.withResolvers<void>();
  const replies = await Array.fromAsync(
    mergeUnary(["a", "b"], async function* (node) {
      if (node === "a") yield { messages: [{ text: "hello" }] };
      if (node === "a") return answered.resolve();
      await answered.promise;
      throw new RpcError("PERMISSION_DENIED", "not authorized");
    }),
  );
  assert.deepEqual(replies, [{
    messages: [
      {
        text: "hello",
        metadata: { hostname: "a", error: "", status: undefined },
      },
      { metadata: denied },
    ],
  }]);
});

Deno.test("streams are distinguished; an error of one ends none of the others", async () => {
  const failed = Promise.withResolvers<void>();
  const seen: unknown[] = [];
  const merged = mergeStreams(["a", "b"], async function* (node) {
    if (node === "b") throw new RpcError("PERMISSION_DENIED", "not authorized");
    await failed.promise;
    yield { text: "late", metadata: { error: "own" } };
  });
  for await (const message of merged) {
    seen.push(message);
    failed.resolve();
  }
  assert.deepEqual(seen, [
    { metadata: denied },
    {
      text: "late",
      metadata: { hostname: "a", error: "own", status: undefined },
    },
  ]);
});
