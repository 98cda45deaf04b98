import assert from "node:assert/strict";
import type { CallOptions, Transport } from "../../../transport/call/call.ts";
import { nodeClient } from "../../../transport/call/client.ts";

function recorder(): { seen: CallOptions[]; transport: Transport } {
  const seen: CallOptions[] = [];
  return {
    seen,
    transport: {
      unary(_method, _request, options) {
        seen.push(options);
        return Promise.reject(new Error("not answered"));
      },
      stream(_method, _request, options) {
        seen.push(options);
        return ReadableStream.from([]);
      },
      close() {},
    },
  };
}

Deno.test("a call starts from the client's options and its own win", async () => {
  const { seen, transport } = recorder();
  const { signal } = new AbortController();
  const client = nodeClient("a", transport, {
    node: "a",
    signal,
    deadlineMs: 5,
  });
  await client.machine.version({}, { deadlineMs: 7 }).catch(() => {});
  assert.deepEqual(seen, [{ node: "a", signal, deadlineMs: 7 }]);
});

Deno.test("either signal ends a call that has one of its own", async () => {
  for (const which of ["client", "call"] as const) {
    const { seen, transport } = recorder();
    const stops = {
      client: new AbortController(),
      call: new AbortController(),
    };
    const client = nodeClient("a", transport, { signal: stops.client.signal });
    const options = { signal: stops.call.signal };
    await client.machine.version({}, options).catch(() => {});
    for await (const _ of client.machine.logs({}, options));
    assert.deepEqual(seen.map(({ signal }) => signal?.aborted), [false, false]);
    stops[which].abort();
    assert.deepEqual(seen.map(({ signal }) => signal?.aborted), [true, true]);
  }
});

Deno.test("a client shows the signal its calls end with", () => {
  const { transport } = recorder();
  const { signal } = new AbortController();
  assert.equal(nodeClient("a", transport, { signal }).signal, signal);
  assert.equal(nodeClient("a", transport, {}).signal.aborted, false);
});
