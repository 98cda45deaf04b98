import assert from "node:assert/strict";
import { RpcError } from "../../errors.ts";
import { type ReplyMessage, single } from "../../transport/reply.ts";

Deno.test("single gives the message", () => {
  const plain = { metadata: undefined, value: 1 };
  assert.equal(single([plain]), plain);
  const named = { metadata: { error: "", status: undefined }, value: 2 };
  assert.equal(single([named]), named);
  const fine = { metadata: { error: "", status: { code: 0, message: "" } } };
  assert.equal(single([fine]), fine);
});

const failures = [
  {
    title: "an empty reply",
    messages: [],
    code: "INTERNAL",
    message: "The answer holds no message",
  },
  {
    title: "a message with a status",
    messages: [{
      metadata: {
        error: "rpc error: code = NotFound desc = no such file",
        status: { code: 5, message: "no such file" },
      },
    }],
    code: "NOT_FOUND",
    message: "no such file",
  },
  {
    title: "a message with an error only",
    messages: [{ metadata: { error: "no such file", status: undefined } }],
    code: "UNKNOWN",
    message: "no such file",
  },
] as const;

for (const { title, messages, code, message } of failures) {
  Deno.test(`single raises the error of ${title}`, () => {
    assert.throws(() => single<ReplyMessage>(messages), (error) => {
      assert.ok(error instanceof RpcError);
      assert.equal(error.code, code);
      assert.equal(error.message, message);
      return true;
    });
  });
}
