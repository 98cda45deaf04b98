import assert from "node:assert/strict";
import { onCluster } from "../_step_context.ts";
import { ConnectError, RpcError } from "../../../errors.ts";
import type { Transport } from "../../../transport/call/call.ts";
import { nodeClient } from "../../../transport/call/client.ts";
import { verifyClients } from "../../../workflows/modules/ca_verify.ts";

Deno.test("ca.verify is for the node API, and self is for nodes", async () => {
  await onCluster({}, async ({ read }) => {
    await assert.rejects(
      () => read("ca.verify", { kind: "kubernetes" }),
      /does not work with the CA of Kubernetes/,
    );
    await assert.rejects(() => read("ca.verify"), /no new CA/);
    await read("ca.generate", { kind: "os" });
    await assert.rejects(
      () => read("ca.verify", {}),
      /inside a fan-out/,
    );
  });
});

function makeRing(failures: Record<string, Error>, asked: string[] = []) {
  return {
    at(
      name: string,
      node: string,
      direct?: boolean,
      trusted?: string,
    ) {
      const way = `${node} ${direct ? "direct" : "proxied"}`;
      asked.push(`${name} ${trusted} ${way}`);
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
  trusted: "context",
  routes: ["direct", "proxied"],
  expect: "accepted",
} as const;

Deno.test("verifyClients: names unexpected results", async () => {
  const ring = makeRing({
    "a direct": new ConnectError("client-wrong-ca", "not known"),
    "a proxied": new ConnectError("refused", "connection refused"),
    "b direct": new RpcError("UNAVAILABLE", "gone"),
  });
  assert.deepEqual(await verifyClients(ring, ["a", "b"], expectation), {
    ok: 1,
    total: 4,
    failures: [
      "a (direct): not known",
      "a (proxied): connection refused",
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
        "a (proxied): connection refused",
        "b (direct): gone",
        "b (proxied): the client is accepted",
      ],
    },
  );
});

Deno.test("bugs are not refusals", async () => {
  const ring = makeRing({ "a direct": new TypeError("a bug") });
  await assert.rejects(
    () => verifyClients(ring, ["a"], expectation),
    TypeError,
  );
});
