import assert from "node:assert/strict";
import { CancelledError, RpcError } from "../../../errors.ts";
import { longCall } from "../../../workflows/operations/long_call.ts";

/** Waits for the signal it is given, and raises its reason. */
function silent({ signal }: { readonly signal?: AbortSignal }): Promise<never> {
  return new Promise((_, reject) =>
    signal?.addEventListener("abort", () => reject(signal.reason))
  );
}

Deno.test("longCall has no deadline of its own", async () => {
  const { signal } = new AbortController();
  assert.deepEqual(
    await longCall(signal, (options) => Promise.resolve(options)),
    {
      signal,
      deadlineMs: 0,
    },
  );
});

Deno.test("longCall says so when the time is up", async () => {
  await assert.rejects(longCall(AbortSignal.timeout(1), silent), {
    code: "DEADLINE_EXCEEDED",
    hint: "Allow more time with --timeout",
  });
});

Deno.test("longCall passes on interrupts, and what the node says", async () => {
  const stop = new AbortController();
  const call = longCall(stop.signal, silent);
  stop.abort(new CancelledError());
  await assert.rejects(call, CancelledError);
  const { signal } = new AbortController();
  const no = () => Promise.reject(new RpcError("UNKNOWN", "no"));
  await assert.rejects(longCall(signal, no), { message: "no" });
});
