import assert from "node:assert/strict";
import { type NodesError, RpcError } from "../../../errors.ts";
import { type ReplyMessage, single } from "../../../transport/call/reply.ts";
import { fakeNodes } from "../../_fake.ts";
import { run } from "../../_run.ts";

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
    code: "DATA_LOSS",
    message: "The response has no message",
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
    assert.throws(() => single<ReplyMessage>(messages), {
      name: "RpcError",
      code,
      message,
    });
  });
}

Deno.test("a reply without a message, and one of failure, is a failure of every command that reads", async () => {
  const reading = [
    ["version", "version"],
    ["memory", "memory"],
    ["mounts", "mounts"],
    ["processes", "processes"],
    ["containers", "containers"],
    ["service", "serviceList"],
  ] as const;
  const error = "rpc error: code = Unavailable desc = no route";
  for (const [line, method] of reading) {
    const none = { [method]: () => ({ messages: [] }) };
    const failed = {
      [method]: () => ({ messages: [{ metadata: { error } }] }),
    };
    const { err, status } = await run(`${line} -o json`, {
      a: none,
      b: failed,
    });
    assert.deepEqual({ line, err, status }, {
      line,
      err: `error: a: The response has no message\nerror: b: no route\n`,
      status: 1,
    });
  }
  const empty = { memory: () => ({ messages: [{}] }) };
  assert.equal(
    (await run("memory", { a: empty })).err,
    "error: a: The response has no memory figures\n",
  );
});

Deno.test("a change that a node says it failed to make is a failure, whatever the command reads of the reply", async () => {
  const client = fakeNodes({
    a: {
      metaWrite: () => ({
        messages: [{ metadata: { status: { code: 7, message: "no" } } }],
      }),
    },
  });
  await assert.rejects(
    Array.fromAsync(client.nodes.call(({ machine }) => machine.metaWrite({}))),
    ({ failures }: NodesError) => {
      const error = failures.get("a");
      assert.ok(error instanceof RpcError);
      assert.deepEqual([error.code, error.message], [
        "PERMISSION_DENIED",
        "no",
      ]);
      return true;
    },
  );
});
