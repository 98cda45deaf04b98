import assert from "node:assert/strict";
import { onCluster } from "../_step_context.ts";
import { ConnectError, RpcError } from "../../../errors.ts";
import type { Transport } from "../../../transport/call/call.ts";
import { nodeClient } from "../../../transport/call/client.ts";
import { verifyClients } from "../../../workflows/modules/ca_verify.ts";

Deno.test("ca.verify tries the nodes of a group with one client, directly and through the endpoints", async () => {
  await onCluster({ workers: 1 }, async ({ read, changeAll }) => {
    const { ca } = await read("ca.generate", { kind: "os" });
    const clients = await read("osconfig.issue", { ca: ca! });
    const before = {
      kind: "os",
      group: "all",
      server: "old",
      client: clients.transitional!,
      routes: ["direct", "proxied"],
    };
    const refused = await read("ca.verify", {
      ...before,
      expect: "refused",
    });
    assert.deepEqual(refused, { ok: 4, total: 4, failures: [] });
    await changeAll("ca.accept", { kind: "os", ca: ca! });
    const accepted = await read("ca.verify", {
      ...before,
      expect: "accepted",
    });
    assert.deepEqual(accepted, { ok: 4, total: 4, failures: [] });
    const wrong = await read("ca.verify", {
      kind: "os",
      group: "self",
      server: "new",
      client: clients.final!,
      routes: ["direct"],
      expect: "accepted",
    }, "10.5.0.2");
    assert.equal(wrong.ok, 0);
    assert.equal(wrong.total, 1);
    assert.match(String(wrong.failures), /^10\.5\.0\.2 \(direct\): /);
    const own = await read("ca.verify", {
      group: "self",
      server: "old",
      expect: "accepted",
    }, "10.5.0.2");
    assert.deepEqual(own, { ok: 2, total: 2, failures: [] });
  });
});

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

Deno.test("ca.report reports all members, or of a group", async () => {
  await onCluster({ workers: 1 }, async ({ read }) => {
    await read("ca.generate", { kind: "os" });
    for (const input of [undefined, { group: "all" }]) {
      const { nodes } = await read("ca.report", input);
      assert.ok(Array.isArray(nodes));
      assert.deepEqual(
        nodes.map(({ node, kind, state, error }) => [
          node,
          kind,
          state,
          error,
        ]),
        [
          ["10.5.0.2", "os", "old", null],
          ["10.5.0.2", "kubernetes", null, null],
          ["10.5.0.3", "os", "old", null],
          ["10.5.0.3", "kubernetes", null, null],
        ],
      );
    }
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

Deno.test("every node is tried over every route", async () => {
  const asked: string[] = [];
  assert.deepEqual(
    await verifyClients(makeRing({}, asked), ["a", "b"], expectation),
    { ok: 4, total: 4, failures: [] },
  );
  assert.deepEqual(asked, [
    "final context a direct",
    "final context a proxied",
    "final context b direct",
    "final context b proxied",
  ]);
});

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
