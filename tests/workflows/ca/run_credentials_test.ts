import assert from "node:assert/strict";
import { testCa } from "../../_test_ca.ts";
import { withCluster } from "../../_cluster.ts";
import { withFolder } from "../../_folder.ts";
import { type Runner, withRunner } from "../_step_context.ts";
import { ConfigError, ConnectError, RpcError } from "../../../errors.ts";
import type { Json } from "../../../lib/json.ts";
import type { RunningCluster } from "../../../simulator/cluster/cluster.ts";
import type { Transport } from "../../../transport/call/call.ts";
import { nodeClient } from "../../../transport/call/client.ts";
import { createRunCredentials } from "../../../workflows/ca/run_credentials.ts";
import { openVault } from "../../../workflows/vault/vault.ts";

/** Steps that bring a node from one state to the next. */
const steps = ["ca.accept", "ca.issue", "ca.drop"] as const;

async function answers(
  { ring, context }: Runner,
  { nodes, listening }: RunningCluster,
) {
  const all = await Promise.all(nodes.map(async ({ identity: { address } }) => {
    const { client } = await context(address);
    await client.machine.version({}, { deadlineMs: 5_000 });
    // Each node by itself, past the endpoints.
    const direct = await Promise.all(
      ring.names().map(async (name) => {
        const there = await ring.at(name, address, true);
        return await there.machine.version({}, { deadlineMs: 5_000 })
          .then(() => [name], () => []);
      }),
    );
    assert.ok(listening.has(address));
    return direct.flat();
  }));
  return all;
}

Deno.test("run credentials: some credential opens each node in any mix of states, also for a new process", async () => {
  await withFolder({}, async (folder) => {
    await withCluster({ controlplanes: 2, workers: 1 }, async (cluster) => {
      const place = { cluster, folder };
      let mixes = 0;
      await withRunner(place, async (runner) => {
        const { ca } = await runner.read("ca.generate", { kind: "os" });
        await runner.read("osconfig.issue", { ca: ca! });
      });
      for (const name of steps) {
        for (const { identity: { address } } of cluster.nodes) {
          // Each in a process of its own, as after a crash.
          await withRunner(place, async (runner) => {
            assert.deepEqual(runner.ring.names(), [
              "final",
              "transitional",
              "context",
            ]);
            const input: Record<string, Json> = name === "ca.drop"
              ? { kind: "os", which: "old" }
              : { kind: "os", ca: { secret: "ca.os" } };
            const { outcome, reason } = await runner.change(
              name,
              input,
              address,
            );
            assert.equal(outcome, "done", reason);
            await cluster.settled();
            const opened = await answers(runner, cluster);
            assert.ok(opened.every((names) => names.length > 0));
            mixes++;
          });
        }
      }
      assert.equal(mixes, 9);
    });
  });
});

/** A transport that answers, or turns away. */
function fake(
  log: string[],
  name: string,
  failure: () => Error | undefined,
): Transport {
  const ask = () => {
    log.push(name);
    const error = failure();
    if (error !== undefined) throw error;
  };
  return {
    unary(method) {
      ask();
      return Promise.resolve(method.responseType.decode(new Uint8Array()));
    },
    async *stream(method) {
      ask();
      yield method.responseType.decode(new Uint8Array());
    },
    close: () => void log.push(`close ${name}`),
  };
}

async function withFakeRing(
  failures: Record<string, () => Error | undefined>,
  test: (
    ring: ReturnType<typeof createRunCredentials>,
    log: string[],
  ) => Promise<void>,
) {
  await withFolder({}, async (folder) => {
    const vault = await openVault(folder, {
      passphrase: "correct horse",
      rounds: 10,
    });

    const { key: pem } = await testCa();
    const key = await vault.put("client-key", new TextEncoder().encode(pem));
    const log: string[] = [];
    const ring = createRunCredentials({
      home: { name: "home", endpoints: ["10.0.0.2"], nodes: [] },
      identity: { ca: "context", crt: "context" },
      connect: (endpoints, { ca, crt }) =>
        fake(
          log,
          `${crt}@${ca}@${endpoints}`,
          failures[crt ?? ""] ?? (() => undefined),
        ),
      vault,
      signal: new AbortController().signal,
    });
    for (const name of ["a", "b"]) {
      ring.add({ name, ca: name, crt: name, key });
    }
    await test(ring, log);
  });
}

const stranger = () => new ConnectError("client-wrong-ca", "not known");

Deno.test("a call continues with the next credential when one is turned away", async () => {
  await withFakeRing({ b: stranger, a: stranger }, async (ring, log) => {
    const client = nodeClient("x", ring.transport, {});
    await client.machine.version({});
    for await (const _ of client.machine.list({ root: "/" })) break;
    const each = ["b@b@10.0.0.2", "a@a@10.0.0.2", "context@context@10.0.0.2"];
    assert.deepEqual(log, [...each, ...each]);
    ring.transport.close();
    await Promise.resolve();
    assert.equal(log.filter((line) => line.startsWith("close")).length, 3);
  });
});

Deno.test("a call that all credentials were turned away with fails", async () => {
  const all = { a: stranger, b: stranger, context: stranger };
  await withFakeRing(all, async (ring) => {
    const client = nodeClient("x", ring.transport, {});
    await assert.rejects(() => client.machine.version({}), ConnectError);
    await assert.rejects(async () => {
      for await (const _ of client.machine.list({ root: "/" })) break;
    }, ConnectError);
  });
});

Deno.test("a call that was sent, or whose endpoint is not there, is not sent with another credential", async () => {
  for (
    const error of [
      new RpcError("UNAVAILABLE", "gone"),
      new ConnectError("refused", "connection refused"),
    ]
  ) {
    await withFakeRing({ b: () => error }, async (ring, log) => {
      const client = nodeClient("x", ring.transport, {});
      await assert.rejects(() => client.machine.version({}), error);
      await assert.rejects(async () => {
        for await (const _ of client.machine.list({ root: "/" })) break;
      }, error);
      assert.deepEqual(log, ["b@b@10.0.0.2", "b@b@10.0.0.2"]);
    });
  }
});

Deno.test("a node is shown one credential only, over a connection for each call", async () => {
  await withFakeRing({}, async (ring, log) => {
    const direct = await ring.at("a", "10.0.0.9", true, "b");
    await direct.machine.version({});
    const proxied = await ring.at("context", "10.0.0.9");
    for await (const _ of proxied.machine.list({ root: "/" })) break;
    assert.deepEqual(log, [
      "a@b@10.0.0.9",
      "close a@b@10.0.0.9",
      "context@context@10.0.0.2",
      "close context@context@10.0.0.2",
    ]);
    await assert.rejects(() => ring.at("c", "10.0.0.9"), ConfigError);
  });
});

Deno.test("a credential of the same name takes the place of the one before", async () => {
  await withFakeRing({}, async (ring, log) => {
    await nodeClient("x", ring.transport, {}).machine.version({});
    ring.add({ name: "b", ca: "c", crt: "c", key: { secret: "client-key" } });
    assert.deepEqual(ring.names(), ["b", "a", "context"]);
    await nodeClient("x", ring.transport, {}).machine.version({});
    assert.deepEqual(log, [
      "b@b@10.0.0.2",
      "close b@b@10.0.0.2",
      "c@c@10.0.0.2",
    ]);
  });
});
