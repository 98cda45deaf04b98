import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import type { NodeClient } from "../../../transport/call/client.ts";
import type { Feed } from "../../../workflows/dashboard/feed.ts";
import { createSource, pollFeed } from "../../../workflows/dashboard/source.ts";

/** A source whose waits a test ends, by their length. */
function pause(nodes: readonly string[] = ["a"]) {
  const waits: { ms: number; go: () => void }[] = [];
  let changes = 0;
  const clock = { ms: 0 };
  let changed = Promise.withResolvers<void>();
  const source = createSource({
    nodes,
    at: (node, signal) =>
      // Feeds of this test ask for nothing else.
      Promise.resolve({ node, signal } as NodeClient),
    everyMs: 3_000,
    now: () => clock.ms,
    changed() {
      changes++;
      changed.resolve();
      changed = Promise.withResolvers<void>();
    },
    wait: (ms, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve();
        waits.push({ ms, go: resolve });
        signal.addEventListener("abort", () => resolve(), { once: true });
      }),
  });
  /** Waits until something is waited for. */
  async function waited(): Promise<{ ms: number; go: () => void }> {
    for (;;) {
      const [first] = waits.splice(0, 1);
      if (first !== undefined) return first;
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
  }
  return {
    source,
    clock,
    waited,
    next: () => changed.promise,
    count: () => changes,
  };
}

/** Gives numbers; fails with what is given instead. */
function numbers(given: (number | Error)[], name = "numbers"): Feed<number> {
  return pollFeed(name, () => {
    const value = given.shift() ?? 0;
    return value instanceof Error
      ? Promise.reject(value)
      : Promise.resolve(value);
  });
}

Deno.test("a value that is requested again is late when the node does not answer, until it does", async () => {
  const { source, clock, waited, next } = pause();
  const answers = [
    Promise.withResolvers<number>(),
    Promise.withResolvers<number>(),
  ];
  const asked = Promise.withResolvers<void>();
  const pending = [...answers];
  const feed = pollFeed("numbers", () => {
    const answer = pending.shift()!;
    if (answer === answers[1]) asked.resolve();
    return answer.promise;
  });
  source.want([{ node: "a", feed }]);
  answers[0]!.resolve(1);
  const first = await waited();
  // While nothing is requested, nothing is late.
  clock.ms = 60_000;
  assert.deepEqual(source.of("a", feed), { value: 1 });
  first.go();
  await asked.promise;
  clock.ms += 2_999;
  assert.deepEqual(source.of("a", feed), { value: 1 });
  clock.ms += 1_001;
  assert.deepEqual(source.of("a", feed), { value: 1, lateMs: 4_000 });
  const changed = next();
  answers[1]!.resolve(2);
  await changed;
  assert.deepEqual(source.of("a", feed), { value: 2 });
  await source.close();
});

Deno.test("a refresh opens the feeds again, and keeps their values until there are new ones", async () => {
  const { source, waited } = pause();
  const feed = numbers([1, 2]);
  source.want([{ node: "a", feed }], 0);
  await waited();
  source.want([{ node: "a", feed }], 1);
  assert.deepEqual(source.of("a", feed), { value: 1 });
  await waited();
  assert.deepEqual(source.of("a", feed), { value: 2 });
  // Once.
  source.want([{ node: "a", feed }], 1);
  assert.deepEqual(source.open(), ["a numbers"]);
  await source.close();
});

Deno.test("a feed is open as long as it is needed, and keeps its last value", async () => {
  const { source, waited } = pause();
  const feed = numbers([1, 2, 3]);
  assert.deepEqual(source.of("a", feed), {});
  source.want([{ node: "a", feed }]);
  const first = await waited();
  assert.equal(first.ms, 3_000);
  assert.deepEqual(source.of("a", feed), { value: 1 });
  // Nothing is opened twice.
  source.want([{ node: "a", feed }]);
  first.go();
  await waited();
  assert.deepEqual(source.of("a", feed), { value: 2 });
  source.want([]);
  assert.deepEqual(source.open(), []);
  assert.deepEqual(source.of("a", feed), { value: 2 });
  await source.close();
});

Deno.test("dashboard source: drops large values that no page needs", async () => {
  const { source, waited } = pause();
  const feed = { ...numbers([1]), isLarge: true } as const;
  source.want([{ node: "a", feed }]);
  await waited();
  assert.deepEqual(source.of("a", feed), { value: 1 });
  source.want([]);
  assert.deepEqual(source.of("a", feed), {});
  await source.close();
});

Deno.test("a node that refuses is not away, and is asked again after a long while", async () => {
  const { source, waited } = pause();
  const feed = numbers([new RpcError("PERMISSION_DENIED", "not authorized")]);
  source.want([{ node: "a", feed }]);
  assert.equal((await waited()).ms, 30_000);
  const { problem, isAway } = source.of("a", feed);
  assert.deepEqual([problem, isAway], ["not authorized", false]);
  await source.close();
});

Deno.test("the reason why a node is down does not repeat its address, but names another endpoint", async () => {
  const lost = (at: string) =>
    new RpcError("UNAVAILABLE", `cannot connect to ${at}: connection refused`);
  for (
    const [at, expected] of [
      ["10.0.0.2:50000", "connection refused"],
      [
        "10.0.0.23:50000",
        "cannot connect to 10.0.0.23:50000: connection refused",
      ],
    ] as const
  ) {
    const { source, waited } = pause();
    const feed = numbers([lost(at)]);
    source.want([{ node: "10.0.0.2", feed }]);
    await waited();
    assert.equal(source.of("10.0.0.2", feed).problem, expected);
    await source.close();
  }
});

Deno.test("a lost stream is a problem until its next value", async () => {
  const { source, next } = pause();
  const back = Promise.withResolvers<void>();
  const feed: Feed<number> = {
    name: "stream",
    async *open({ lost, signal }) {
      yield 1;
      lost(undefined);
      await back.promise;
      yield 2;
      await new Promise<void>((resolve) =>
        signal.addEventListener("abort", () => resolve(), { once: true })
      );
    },
  };
  source.want([{ node: "a", feed }]);
  while (source.of("a", feed).problem === undefined) await next();
  assert.deepEqual(source.of("a", feed), {
    value: 1,
    problem: "disconnected",
    isAway: true,
  });
  back.resolve();
  await next();
  assert.deepEqual(source.of("a", feed), { value: 2 });
  await source.close();
});
