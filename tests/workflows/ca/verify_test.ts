import assert from "node:assert/strict";
import { ConnectError, RpcError } from "../../../errors.ts";
import type { Transport } from "../../../transport/call/call.ts";
import { nodeClient } from "../../../transport/call/client.ts";
import { verifyClients } from "../../../workflows/ca/verify.ts";

function ringOf(failures: Record<string, Error>, asked: string[] = []) {
  return {
    at(
      name: string,
      node: string,
      direct?: boolean,
      authorities?: string,
    ) {
      const way = `${node} ${direct ? "direct" : "proxied"}`;
      asked.push(`${name} ${authorities} ${way}`);
      const transport: Transport = {
        unary: (method) =>
          failures[way] === undefined
            ? Promise.resolve(method.responseType.decode(new Uint8Array()))
            : Promise.reject(failures[way]),
        async *stream() {},
        close() {},
      };
      return Promise.resolve(nodeClient(node, transport, {}));
    },
  };
}

const expectation = {
  client: "final",
  authorities: "context",
  routes: ["direct", "proxied"],
  expect: "accepted",
} as const;

Deno.test("every node is tried over every route", async () => {
  const asked: string[] = [];
  assert.deepEqual(
    await verifyClients(ringOf({}, asked), ["a", "b"], expectation),
    { ok: 4, total: 4, failures: [] },
  );
  assert.deepEqual(asked, [
    "final context a direct",
    "final context a proxied",
    "final context b direct",
    "final context b proxied",
  ]);
});

Deno.test("what is not as expected is named", async () => {
  const ring = ringOf({
    "a direct": new ConnectError("client-wrong-ca", "not known"),
    "a proxied": new ConnectError("refused", "nobody there"),
    "b direct": new RpcError("UNAVAILABLE", "gone"),
  });
  assert.deepEqual(await verifyClients(ring, ["a", "b"], expectation), {
    ok: 1,
    total: 4,
    failures: [
      "a (direct): not known",
      "a (proxied): nobody there",
      "b (direct): gone",
    ],
  });
  assert.deepEqual(
    await verifyClients(ring, ["a", "b"], {
      ...expectation,
      expect: "refused",
    }),
    {
      ok: 1,
      total: 4,
      failures: [
        "a (proxied): nobody there",
        "b (direct): gone",
        "b (proxied): the client is let in",
      ],
    },
  );
});

Deno.test("bugs are no refusals", async () => {
  const ring = ringOf({ "a direct": new TypeError("a bug") });
  await assert.rejects(
    () => verifyClients(ring, ["a"], expectation),
    TypeError,
  );
});
