import assert from "node:assert/strict";
import {
  mergeFollowed,
  type TimedRow,
} from "../../../commands/_streams/merge_followed.ts";

/** A clock that a test moves; what sleeps longer is forgotten. */
function moveClock() {
  let at = 0;
  const sleepers = new Map<() => void, number>();
  return {
    now: () => at,
    sleep(ms: number) {
      const { promise, resolve } = Promise.withResolvers<void>();
      sleepers.set(resolve, at + ms);
      return { over: promise, forget: () => void sleepers.delete(resolve) };
    },
    pass(ms: number) {
      at += ms;
      for (const [wake, due] of sleepers) {
        if (due > at) continue;
        sleepers.delete(wake);
        wake();
      }
    },
    asleep: () => sleepers.size,
  };
}

const row = (source: string, time: number): TimedRow<string> => ({
  source,
  time,
  row: `${source}${time}`,
});

/** Everything that is due has run. */
async function settle(): Promise<void> {
  for (let turns = 0; turns < 20; turns++) await Promise.resolve();
}

Deno.test("followed rows come in the order of time, and wait no longer for a silent log than half a second", async () => {
  const clock = moveClock();
  const input = new TransformStream<TimedRow<string> | { other: string }>();
  const writer = input.writable.getWriter();
  const shown: string[] = [];
  const merged = (async () => {
    const rows = mergeFollowed<string, string>(input.readable, {
      sources: ["a", "b"],
      clock,
    });
    for await (const some of rows) shown.push(...some);
  })();
  const say = async (...rows: readonly TimedRow<string>[]) => {
    for (const one of rows) await writer.write(one);
    await settle();
  };

  await say(row("a", 1), row("a", 4));
  assert.deepEqual(shown, []);
  await say(row("b", 2), row("b", 3));
  assert.deepEqual(shown, ["a1", "b2", "b3"]);
  // A gap is no line of a log.
  await writer.write({ other: "gap" });
  await settle();
  assert.deepEqual(shown.splice(0), ["a1", "b2", "b3", "gap"]);
  clock.pass(499);
  await settle();
  assert.deepEqual(shown, []);
  clock.pass(100);
  await settle();
  assert.deepEqual(shown.splice(0), ["a4"]);
  // Events of the same time on two nodes may come in any order.
  clock.pass(5_000);
  await say(row("a", 9));
  assert.deepEqual(shown, []);
  await say(row("b", 8));
  assert.deepEqual(shown.splice(0), ["b8"]);
  clock.pass(500);
  await settle();
  assert.deepEqual(shown.splice(0), ["a9"]);
  // A clock that was set back keeps the order of its log; the end shows what is left.
  await say(row("b", 12), row("b", 2), row("b", 13));
  await writer.close();
  await merged;
  assert.deepEqual(shown, ["b12", "b2", "b13"]);
  assert.equal(clock.asleep(), 0);
});

Deno.test("a failure of followed rows comes after the rows that waited", async () => {
  const shown: string[] = [];
  await assert.rejects(async () => {
    const rows = mergeFollowed<string, never>(
      (async function* () {
        yield await Promise.resolve(row("a", 7));
        throw new Error("gone");
      })(),
      { sources: ["a", "b"], clock: moveClock() },
    );
    for await (const some of rows) shown.push(...some);
  }, /^Error: gone$/);
  assert.deepEqual(shown, ["a7"]);
});
