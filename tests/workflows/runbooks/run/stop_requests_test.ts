import assert from "node:assert/strict";
import { stopRequests } from "../../../../workflows/runbooks/run/stop_requests.ts";

/** Wishes, and what began with the first of them. */
function build({ graceMs = 60_000, detach = false } = {}) {
  const startedAt: string[] = [];
  const stop = stopRequests({
    graceMs,
    detach,
    requested: (why) => void startedAt.push(why),
  });
  const state = () => [stop.soft.aborted, stop.hard.aborted, stop.abandoned()];
  return { stop, startedAt, state, [Symbol.dispose]: stop[Symbol.dispose] };
}

Deno.test("stopRequests takes three interrupts: stop, wait for nothing, end", () => {
  using one = build();
  const { stop, startedAt, state } = one;
  assert.deepEqual(state(), [false, false, undefined]);
  assert.equal(stop.signalled("SIGINT"), undefined);
  assert.deepEqual(state(), [true, false, undefined]);
  assert.equal(stop.signalled("SIGINT"), undefined);
  assert.deepEqual(state(), [true, true, 130]);
  assert.equal(stop.signalled("SIGINT"), 130);
  assert.deepEqual(startedAt, ["interrupt"]);
});

Deno.test("stopRequests gives SIGTERM time, then waits for nothing: status 143", async () => {
  using one = build({ graceMs: 20 });
  const { stop, startedAt, state } = one;
  stop.signalled("SIGTERM");
  assert.deepEqual(state(), [true, false, undefined]);
  await new Promise((resolve) =>
    stop.hard.addEventListener("abort", resolve, { once: true })
  );
  assert.deepEqual(state(), [true, true, 143]);
  assert.equal(stop.signalled("SIGTERM"), 143);
  assert.deepEqual(startedAt, ["terminated"]);
});

Deno.test("stopRequests takes a closed terminal for SIGTERM, unless detached", () => {
  using one = build();
  one.stop.signalled("SIGHUP");
  assert.deepEqual(one.startedAt, ["the terminal was closed"]);
  assert.equal(one.stop.signalled("SIGHUP"), undefined);
  assert.equal(one.stop.abandoned(), 143);
  using other = build({ detach: true });
  assert.equal(other.stop.signalled("SIGHUP"), undefined);
  assert.deepEqual(other.state(), [false, false, undefined]);
});

Deno.test("stopRequests by another terminal is not a signal: no status of its own", () => {
  using one = build();
  one.stop.request("stop");
  assert.deepEqual(one.state(), [true, false, undefined]);
  one.stop.request("stop", true);
  assert.deepEqual(one.state(), [true, true, undefined]);
  assert.equal(one.stop.signalled("SIGINT"), 130);
});

Deno.test("stopRequests at once, as somebody wants it from elsewhere, waits for nothing from the start", () => {
  using one = build();
  one.stop.request("stop", true);
  assert.deepEqual(one.state(), [true, true, undefined]);
  assert.deepEqual(one.startedAt, ["stop"]);
});
