import assert from "node:assert/strict";
import { RpcError } from "../../errors.ts";
import { run } from "../_run.ts";
import { boots, texts, untilAborted, user } from "./_following.ts";

Deno.test("logs joins chunks into lines with the node in front", async () => {
  const { out, err, status } = await run("logs kubelet", {
    "10.0.0.2": { logs: () => texts("one\ntw", "o\n", "thr", "ee") },
  });
  assert.equal(
    out,
    `10.0.0.2: one
10.0.0.2: two
10.0.0.2: three
`,
  );
  assert.deepEqual({ err, status }, { err: "", status: 0 });
});

Deno.test("logs -o json gives a row for each line", async () => {
  const { out } = await run("logs kubelet -o json", {
    a: { logs: () => texts('{"msg":"x"}\n') },
  });
  assert.equal(
    out,
    `{
    "node": "a",
    "line": "{\\"msg\\":\\"x\\"}"
}
`,
  );
});

Deno.test("logs has no limit for the length of a line", async () => {
  const piece = "x".repeat(100_000);
  const { out } = await run("logs kubelet", {
    a: { logs: () => texts(piece, piece, "\nend\n") },
  });
  assert.equal(out.length, "a: ".length * 2 + 200_000 + "\nend\n".length);
});

Deno.test("logs asks for what was typed", async () => {
  const requests: unknown[] = [];
  const nodes = {
    a: {
      logs(request: unknown) {
        requests.push(request);
        return texts("x\n");
      },
    },
  };
  const id = "kube-system/p:c:0123";
  await run("logs etcd", nodes);
  await run("logs etcd --tail 5", nodes);
  await run(`logs -k ${id} --tail=0`, nodes);
  const system = { namespace: "system", driver: 0, id: "etcd", follow: false };
  assert.deepEqual(requests, [
    { ...system, tailLines: -1 },
    { ...system, tailLines: 5 },
    { namespace: "k8s.io", driver: 1, id, follow: false, tailLines: 0 },
  ]);
});

Deno.test("logs still shows the healthy nodes when one fails", async () => {
  const { out, err, status } = await run("logs nope", {
    a: { logs: () => texts("from a\n") },
    b: {
      // deno-lint-ignore require-yield
      async *logs() {
        await Promise.resolve();
        throw new RpcError("UNKNOWN", 'log "nope" was not registered');
      },
    },
    c: { logs: () => texts("from c\n") },
  });
  assert.deepEqual(out.trimEnd().split("\n").sort(), [
    "a: from a",
    "c: from c",
  ]);
  assert.equal(
    err,
    `error: b: log "nope" was not registered
hint: List the names with "osctl service" and "osctl containers"
`,
  );
  assert.equal(status, 3);
});

Deno.test("logs fails a node whose answer carries an error, after its lines", async () => {
  const { out, err, status } = await run("logs -k x", {
    a: {
      async *logs() {
        yield* texts("one\n");
        yield { metadata: { error: "went away" } };
      },
    },
  });
  assert.equal(out, "a: one\n");
  assert.equal(
    err,
    `error: a: went away
hint: List the names with "osctl containers --kubernetes"
`,
  );
  assert.equal(status, 1);
});

/** Breaks in the middle of a line; a user leaves after the last line. */
function breaking(requests: unknown[], interrupt: () => void) {
  return async function* (
    request: { readonly follow: boolean },
    signal?: AbortSignal,
  ) {
    requests.push(request);
    if (requests.length === 1) {
      yield* texts("one\ntwo\nthr");
      throw new RpcError("UNAVAILABLE", "connection reset");
    }
    yield* texts("one\ntwo\nthree\n");
    if (!request.follow) return;
    yield* texts("four\n");
    interrupt();
    await untilAborted(signal);
  };
}

Deno.test("logs --follow continues after a lost connection without a line twice", async () => {
  const { signal, interrupt } = user();
  const logs = breaking([], interrupt);
  const { out, err, status } = await run("logs -f etcd", {
    a: { logs, read: boots("1") },
  }, { signal });
  assert.equal(out, "a: one\na: two\na: three\na: four\n");
  const time = "2026-01-02T03:04:05.000Z";
  assert.equal(
    err,
    `--- a: connection lost, reconnecting ---
--- a: connection lost, gap from ${time} to ${time} ---
`,
  );
  assert.equal(status, 130);
});

Deno.test("logs --follow -o jsonl gives the gap as a row", async () => {
  const { signal, interrupt } = user();
  const logs = breaking([], interrupt);
  const { out, status } = await run("logs -f etcd -o jsonl", {
    a: { logs, read: boots("1") },
  }, { signal });
  const time = "2026-01-02T03:04:05.000Z";
  assert.equal(
    out,
    `{"node":"a","line":"one"}
{"node":"a","line":"two"}
{"node":"a","gap":"connection lost","since":"${time}","until":"${time}"}
{"node":"a","line":"three"}
{"node":"a","line":"four"}
`,
  );
  assert.equal(status, 130);
});

Deno.test("logs --follow starts over after a reboot and keeps the half line", async () => {
  const { signal, interrupt } = user();
  let calls = 0;
  const { out, err } = await run("logs -f etcd", {
    a: {
      async *logs(_: unknown, signal?: AbortSignal) {
        if (calls++ === 0) {
          yield* texts("one\ntw");
          throw new RpcError("UNAVAILABLE", "connection reset");
        }
        yield* texts("one\n");
        interrupt();
        await untilAborted(signal);
      },
      read: boots("1", "2"),
    },
  }, { signal });
  assert.equal(out, "a: one\na: tw\na: one\n");
  assert.match(err, /\n--- a: node rebooted, gap from /);
});

Deno.test("logs --follow --tail starts with the last lines", async () => {
  const { signal, interrupt } = user();
  const { out } = await run("logs -f --tail 1 etcd", {
    a: {
      async *logs({ follow }: { follow: boolean }, signal?: AbortSignal) {
        yield* texts("one\ntwo\n");
        if (!follow) return;
        yield* texts("three\n");
        interrupt();
        await untilAborted(signal);
      },
      read: boots("1"),
    },
  }, { signal });
  assert.equal(out, "a: two\na: three\n");
});

Deno.test("logs --follow tells at once when one node of several fails", async () => {
  const { signal, interrupt } = user();
  const { out, err, status } = await run("logs -f etcd", {
    a: {
      async *logs(_: unknown, signal?: AbortSignal) {
        yield* texts("one\n");
        await untilAborted(signal);
      },
      read: boots("1"),
    },
    b: {
      // deno-lint-ignore require-yield
      async *logs() {
        await Promise.resolve();
        setTimeout(interrupt, 0);
        throw new RpcError("PERMISSION_DENIED", "not authorized");
      },
      read: boots("1"),
    },
  }, { signal });
  assert.equal(out, "a: one\n");
  assert.equal(err, "--- b: no longer following: not authorized ---\n");
  assert.equal(status, 130);
});

Deno.test("logs names the argument that is missing", async () => {
  const { err, status } = await run("logs --follow");
  assert.equal(
    err,
    `error: Argument <service> is missing: name of a service, container or log
Usage: osctl logs <service> [flags]
Run "osctl logs --help" for its flags
`,
  );
  assert.equal(status, 2);
});
