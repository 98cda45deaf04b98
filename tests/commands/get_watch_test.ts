import assert from "node:assert/strict";
import { CancelledError, RpcError } from "../../errors.ts";
import { run } from "../_run.ts";
import { lists, resource } from "./_resources.ts";

const version = () => ({ messages: [{ version: { tag: "v1.12.1" } }] });

/** Answers `Watch` once per attempt; after the last one the user interrupts. */
function watches(attempts: readonly (() => Iterable<unknown>)[]) {
  const stop = new AbortController();
  let attempt = 0;
  return {
    signal: stop.signal,
    node: {
      list: lists(),
      version,
      read: () => [{ bytes: new TextEncoder().encode("one-boot\n") }],
      *watch() {
        const answers = attempts[attempt++];
        if (answers === undefined) stop.abort(new CancelledError());
        else yield* answers();
      },
    },
  };
}

function change(eventType: number, id: string, spec: string) {
  return { eventType, resource: resource({ id, spec: `type: ${spec}\n` }) };
}

const bootstrapped = { eventType: 3, resource: resource({ id: "", spec: "" }) };

Deno.test("get --watch marks what was created, updated and destroyed", async () => {
  const { node, signal } = watches([() => [
    { event: [] },
    { event: [change(0, "eth0", "ether"), bootstrapped] },
    { event: [change(1, "eth0", "bond"), change(2, "eth0", "bond")] },
  ]]);
  const { out, status } = await run("get links -w", { a: node }, { signal });
  assert.equal(
    out,
    `NODE   *   NAMESPACE   TYPE   ID     VERSION   LINK TYPE   ADDRESSES   BROKEN
a      +   network     Link   eth0   1         ether
a          network     Link   eth0   1         bond
a      -   network     Link   eth0   1         bond
`,
  );
  assert.equal(status, 130);
});

Deno.test("get --watch -o jsonl names the event", async () => {
  const { node, signal } = watches([() => [
    { event: [] },
    { event: [change(0, "eth0", "ether")] },
  ]]);
  const { out } = await run("get links eth0 -w -o jsonl", { a: node }, {
    signal,
  });
  const { event, metadata, spec } = JSON.parse(out);
  assert.deepEqual([event, metadata.id, spec], ["created", "eth0", {
    type: "ether",
  }]);
});

Deno.test("get --watch continues after a lost connection and tells the gap", async () => {
  const { node, signal } = watches([
    function* () {
      yield { event: [] };
      yield { event: [change(0, "eth0", "ether"), bootstrapped] };
      throw new RpcError("UNAVAILABLE", "gone");
    },
    () => [
      { event: [] },
      { event: [change(0, "eth0", "ether"), change(0, "eth1", "ether")] },
    ],
  ]);
  const { out, err } = await run(
    "get links -w -o jsonpath=.metadata.id",
    { a: node },
    { signal },
  );
  assert.equal(out, "eth0\neth1\n");
  const time = "2026-01-02T03:04:05.000Z";
  const lost = "--- a: connection lost, reconnecting ---\n";
  assert.equal(
    err,
    `${lost}--- a: connection lost, gap from ${time} to ${time} ---\n${lost}`,
  );
});

Deno.test("get --watch ends a node that refuses and continues with the others", async () => {
  const { node, signal } = watches([() => [
    { event: [] },
    { event: [change(0, "eth0", "ether"), bootstrapped] },
  ]]);
  const { out, err, status } = await run("get links -w -o jsonpath=.node", {
    a: {
      version,
      read: node.read,
      watch() {
        throw new RpcError("PERMISSION_DENIED", "not authorized");
      },
      list: lists(),
    },
    b: { version, read: node.read, watch: node.watch },
  }, { signal });
  assert.equal(out, "b\n");
  assert.match(err, /^--- a: no longer following: not authorized ---\n/);
  assert.equal(status, 130);
});
