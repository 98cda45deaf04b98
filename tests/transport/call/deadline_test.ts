import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import { withDeadline, withSilence } from "../../../transport/call/deadline.ts";

function waitForAbort(signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve) =>
    signal.addEventListener("abort", () => resolve(signal.reason))
  );
}

Deno.test("withDeadline aborts when time is up", async () => {
  const { signal } = withDeadline({ deadlineMs: 20 });
  const reason = await waitForAbort(signal);
  assert.ok(reason instanceof RpcError);
  assert.equal(reason.code, "DEADLINE_EXCEEDED");
  assert.equal(reason.message, "No complete answer within 0.02 s");
  assert.equal(reason.hint, "Allow more time with --node-timeout");
});

Deno.test("withDeadline raises what it is asked to", async () => {
  const { signal } = withDeadline({
    deadlineMs: 1,
    late: (deadlineMs) => `${deadlineMs} ms`,
  });
  assert.equal(await waitForAbort(signal), "1 ms");
});

Deno.test("withDeadline aborts with the other signal, before or after it was made", () => {
  const early = withDeadline({ signal: AbortSignal.abort("early") });
  assert.equal(early.signal.reason, "early");
  const controller = new AbortController();
  const { signal } = withDeadline({ signal: controller.signal });
  assert.equal(signal.aborted, false);
  controller.abort("later");
  assert.equal(signal.reason, "later");
});

const watched = { sanitizeOps: true }; // a timer left behind fails the test

Deno.test(
  "withDeadline lets go of clock and signal when cleared",
  watched,
  () => {
    const controller = new AbortController();
    const { signal, clear } = withDeadline({
      signal: controller.signal,
      deadlineMs: 60_000,
    });
    clear();
    controller.abort();
    assert.equal(signal.aborted, false);
  },
);

Deno.test(
  "withSilence aborts when nothing comes, and not while the reader is at it",
  watched,
  async () => {
    const silence = withSilence(20);
    silence.heard();
    // A reader that takes its time.
    await new Promise((resolve) => setTimeout(resolve, 60));
    assert.equal(silence.signal.aborted, false);
    silence.wait();
    const reason = await waitForAbort(silence.signal);
    assert.ok(reason instanceof RpcError);
    assert.equal(reason.code, "DEADLINE_EXCEEDED");
    assert.equal(reason.message, "No data for 0.02 s");
    assert.equal(reason.hint, "Allow more time with --node-timeout");
    silence.clear();
  },
);
