import assert from "node:assert/strict";
import { type RpcCode, RpcError } from "../../../errors.ts";
import {
  type Follow,
  follow,
  type FollowAttempt,
  gapLine,
  opened,
} from "../../../transport/stream/follow.ts";

interface Script {
  readonly items?: readonly (string | typeof opened)[];
  readonly fails?: RpcCode;
}

/** Follows scripted attempts; after the last one the user interrupts. */
async function run(
  scripts: readonly Script[],
  options: Partial<Follow<string>> = {},
) {
  const stop = new AbortController();
  const attempts: FollowAttempt[] = [];
  const pauses: number[] = [];
  const losses: unknown[] = [];
  const seen: string[] = [];
  let minute = 0;

  async function* open(attempt: FollowAttempt) {
    const script = scripts[attempts.length];
    attempts.push(attempt);
    await Promise.resolve();
    if (script === undefined) return stop.abort();
    yield* script.items ?? [];
    if (script.fails) throw new RpcError(script.fails, "scripted");
  }

  async function collect() {
    const followed = follow({
      open,
      signal: stop.signal,
      lost: (error) => losses.push(error),
      checkMs: 0,
      wait(ms) {
        pauses.push(ms);
        minute++;
        return Promise.resolve();
      },
      now: () => new Date(Date.UTC(2026, 0, 1, 0, minute)),
      ...options,
    });
    for await (const one of followed) {
      seen.push(
        one.kind === "item"
          ? one.item
          : `-- ${one.reason} ${time(one.since)}-${time(one.at)}`,
      );
    }
  }

  const error = await collect().then(() => undefined, (error) => error);
  return { seen, attempts, pauses, losses, code: error?.code };
}

function time(date: Date): string {
  return date.toISOString().slice(11, 16);
}

Deno.test("follow continues after a break and shows the gap", async () => {
  const { seen, code } = await run([
    { items: ["a", "b"], fails: "UNAVAILABLE" },
    { fails: "UNAVAILABLE" },
    { items: ["c"] },
    { items: ["d"] },
  ]);
  assert.deepEqual(seen, [
    "a",
    "b",
    "-- connection lost 00:00-00:02",
    "c",
    "-- connection lost 00:02-00:03",
    "d",
  ]);
  assert.equal(code, undefined);
});

Deno.test("follow shows the gap as soon as the stream is open again", async () => {
  const { seen } = await run([
    { items: [opened], fails: "UNAVAILABLE" },
    { items: [opened] },
  ]);
  assert.deepEqual(seen, ["-- connection lost 00:00-00:01"]);
});

Deno.test("follow tells attempts what happened", async () => {
  const { attempts } = await run([
    { items: ["a"], fails: "DATA_LOSS" },
    { items: ["b"] },
  ]);
  assert.deepEqual(
    attempts.map(({ reason, error }) => [
      reason,
      error instanceof RpcError ? error.code : error,
    ]),
    [
      [undefined, undefined],
      ["connection lost", "DATA_LOSS"],
      ["connection lost", undefined],
    ],
  );
});

Deno.test("follow names a reboot", async () => {
  const boots = ["one", "one", "two", "two"];
  const { seen, attempts } = await run([
    { items: ["a"] },
    { items: ["b"] },
    { items: ["c"] },
  ], { bootId: () => Promise.resolve(boots.shift()) });
  assert.deepEqual(seen, [
    "a",
    "-- connection lost 00:00-00:01",
    "b",
    "-- node rebooted 00:01-00:02",
    "c",
  ]);
  assert.deepEqual(attempts.map(({ reason }) => reason), [
    undefined,
    "connection lost",
    "node rebooted",
    "connection lost",
  ]);
});

Deno.test("follow pauses longer and longer until something comes", async () => {
  const away: Script = { fails: "UNAVAILABLE" };
  const { pauses, losses } = await run([
    { items: ["a"] },
    ...Array(6).fill(away),
    { items: ["b"] },
    away,
  ]);
  assert.deepEqual(pauses, [250, 500, 1000, 2000, 4000, 5000, 5000, 250, 500]);
  assert.equal(losses.length, 2);
});

Deno.test("follow pauses longer and longer while streams open and give nothing", async () => {
  const empty: Script = { items: [opened] };
  const { pauses, code } = await run([
    ...Array(4).fill(empty),
    { items: ["a"] },
    empty,
  ]);
  assert.deepEqual(pauses, [250, 500, 1000, 2000, 250, 500]);
  assert.equal(code, undefined);
});

Deno.test("follow fails at once when the first attempt does not open", async () => {
  for (const code of ["UNAVAILABLE", "UNKNOWN", "NOT_FOUND"] as const) {
    const found = await run([{ fails: code }]);
    assert.equal(found.code, code);
    assert.equal(found.attempts.length, 1);
  }
});

Deno.test("follow waits for a node that is down at first where it is asked to, and for no other", async () => {
  const scripts = [{ fails: "UNAVAILABLE" }, { items: ["a"] }] as const;
  const waiting = await run(scripts, { awaits: () => true });
  assert.deepEqual(waiting.seen, ["-- connection lost 00:00-00:01", "a"]);
  assert.equal(waiting.code, undefined);
  const unknown = await run(scripts, { awaits: () => false });
  assert.equal(unknown.code, "UNAVAILABLE");
  const refused = await run([{ fails: "NOT_FOUND" }], { awaits: () => true });
  assert.equal(refused.code, "NOT_FOUND");
});

Deno.test("follow waits for a first stream of a node that answered otherwise", async () => {
  const { seen, code } = await run([
    { fails: "UNAVAILABLE" },
    { items: ["a"] },
  ], { bootId: () => Promise.resolve(undefined) });
  assert.deepEqual(seen, ["-- connection lost 00:00-00:01", "a"]);
  assert.equal(code, undefined);
});

Deno.test("follow does not try again what is refused for good", async () => {
  const codes = [
    "PERMISSION_DENIED",
    "NOT_FOUND",
    "INVALID_ARGUMENT",
    "UNIMPLEMENTED",
  ] as const;
  for (const code of codes) {
    const found = await run([{ items: ["a"], fails: code }]);
    assert.deepEqual([found.seen, found.code], [["a"], code]);
  }
});

Deno.test("follow bears refusals of a booting node, but not for ever", async () => {
  const refused: Script = { fails: "UNKNOWN" };
  const patient = await run([
    { items: ["a"] },
    ...Array(4).fill(refused),
    { items: ["b"] },
  ]);
  assert.deepEqual(patient.seen, ["a", "-- connection lost 00:00-00:05", "b"]);
  const tooLong = await run([{ items: ["a"] }, ...Array(6).fill(refused)]);
  assert.equal(tooLong.code, "UNKNOWN");
  assert.equal(tooLong.attempts.length, 6);
});

Deno.test("follow counts its patience again after every break", async () => {
  const refused: Script = { fails: "UNKNOWN" };
  const { seen, code } = await run([
    { items: ["a"] },
    ...Array(4).fill(refused),
    { items: [opened] },
    ...Array(4).fill(refused),
    { items: ["b"] },
  ]);
  assert.equal(code, undefined);
  assert.deepEqual(seen, [
    "a",
    "-- connection lost 00:00-00:05",
    "-- connection lost 00:05-00:10",
    "b",
  ]);
});

Deno.test("follow reopens a stream that does not notice a reboot", async () => {
  let boot = "one";
  const checks: (() => void)[] = [];
  const seen: string[] = [];
  const stop = new AbortController();
  async function* open({ reason, signal }: FollowAttempt) {
    yield reason ?? "first";
    if (reason) return stop.abort();
    boot = "two";
    checks.forEach((check) => check());
    await new Promise<void>((resolve) =>
      signal.addEventListener("abort", () => resolve())
    );
    throw new RpcError("CANCELLED", "by us");
  }
  const followed = follow({
    open,
    signal: stop.signal,
    bootId: () => Promise.resolve(boot),
    wait: (ms) =>
      ms === 20_000
        ? new Promise((resolve) => checks.push(resolve))
        : Promise.resolve(),
  });
  for await (const one of followed) {
    seen.push(one.kind === "item" ? one.item : one.reason);
  }
  assert.deepEqual(seen, ["first", "node rebooted", "node rebooted"]);
});

Deno.test("follow closes the stream when the reader leaves", async () => {
  let signal: AbortSignal | undefined;
  async function* open(attempt: FollowAttempt) {
    await Promise.resolve();
    signal = attempt.signal;
    while (true) yield "a";
  }
  const never = new AbortController().signal;
  for await (const _ of follow({ open, signal: never })) break;
  assert.equal(signal?.aborted, true);
});

Deno.test("follow does not spin when interrupted while its reader is busy", async () => {
  const stop = new AbortController();
  let asked = 0;
  async function* open() {
    await Promise.resolve();
    yield "a";
  }
  const followed = follow({
    open,
    signal: stop.signal,
    bootId: (signal) => {
      asked++;
      return signal.aborted
        ? Promise.reject(signal.reason)
        : Promise.resolve("one");
    },
  });
  await followed.next();
  stop.abort();
  // A timer only comes when nothing spins before it.
  await new Promise((resolve) => setTimeout(resolve));
  assert.equal(asked, 1);
  assert.deepEqual(await followed.next(), { done: true, value: undefined });
});

Deno.test("follow ends at once when interrupted while it waits", async () => {
  const stop = new AbortController();
  async function* open() {
    await Promise.resolve();
    yield "a";
    throw new RpcError("UNAVAILABLE", "gone");
  }
  const seen: string[] = [];
  const lost = () => queueMicrotask(() => stop.abort());
  for await (const one of follow({ open, signal: stop.signal, lost })) {
    seen.push(one.kind);
  }
  assert.deepEqual(seen, ["item"]);
});

Deno.test("gapLine names the node, what happened and when", () => {
  assert.equal(
    gapLine("10.0.0.2", {
      kind: "gap",
      reason: "node rebooted",
      since: new Date("2026-01-02T03:04:05Z"),
      at: new Date("2026-01-02T03:05:00.5Z"),
    }),
    "--- 10.0.0.2: node rebooted, gap from 2026-01-02T03:04:05.000Z to 2026-01-02T03:05:00.500Z ---",
  );
});
