import assert from "node:assert/strict";
import { poll } from "../../lib/poll.ts";

/** A clock that only sleeping moves. */
function clockFrom(start: number) {
  let now = start;
  return {
    now: () => now,
    sleep(ms: number) {
      now += ms;
      return Promise.resolve();
    },
  };
}

const { signal } = new AbortController();

Deno.test("poll begins no look when the time is up", async () => {
  const clock = clockFrom(0);
  const looks = await Array.fromAsync(
    poll({ clock, signal }, { timeoutMs: 1_500 }),
  );
  assert.deepEqual(looks, [0, 500, 1_000]);
});

Deno.test("poll ends when the signal aborts, also amid a pause", async () => {
  const stop = new AbortController();
  let looks = 0;
  const pace = { signal: stop.signal };
  for await (const _ of poll(pace, { everyMs: 60_000 })) {
    looks++;
    queueMicrotask(() => stop.abort());
  }
  assert.equal(looks, 1);
  assert.deepEqual(await Array.fromAsync(poll(pace)), []);
});
