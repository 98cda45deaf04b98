import assert from "node:assert/strict";
import { keepAlive } from "../../transport/keep_alive.ts";

/** A session that answers pings or not, and tells when it was pinged and how it ended. */
function fakeSession(answers: boolean) {
  const pinged = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<unknown>();
  let pings = 0;
  return {
    pinged: pinged.promise,
    ended: ended.promise,
    count: () => pings,
    ping(callback: unknown) {
      if (answers) (callback as () => void)();
      if (++pings === 3) pinged.resolve();
      return true;
    },
    destroy: (error?: unknown) => ended.resolve(error),
  };
}

Deno.test("keepAlive pings once started, and keeps a session that answers", async () => {
  const session = fakeSession(true);
  const pings = keepAlive(session, { everyMs: 1, timeoutMs: 1 });
  pings.start();
  pings.start();
  await session.pinged;
  pings.stop();
  const ended = await Promise.race([session.ended, Promise.resolve("alive")]);
  assert.equal(ended, "alive");
});

Deno.test("keepAlive ends a session that does not answer", async () => {
  const session = fakeSession(false);
  const pings = keepAlive(session, { everyMs: 1, timeoutMs: 5 });
  pings.start();
  const error = await session.ended;
  pings.stop();
  assert.equal((error as Error).message, "No answer to a ping within 5 ms");
});

const watched = { sanitizeOps: true }; // a timer left behind fails the test

Deno.test(
  "keepAlive that was stopped leaves no timer behind",
  watched,
  async () => {
    const session = fakeSession(false);
    const pings = keepAlive(session, { everyMs: 1, timeoutMs: 60_000 });
    pings.start();
    await session.pinged;
    pings.stop();
    pings.stop();
  },
);
