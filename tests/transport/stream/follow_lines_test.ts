import assert from "node:assert/strict";
import fc from "fast-check";
import { RpcError } from "../../../errors.ts";
import {
  type FollowLines,
  followLines,
} from "../../../transport/stream/follow_lines.ts";
import { type FakeLog, fakeLog } from "../_fake_log.ts";

/** Follows a fake log; what is seen is text, gaps as `-- reason[, missing]`. */
function watch(log: FakeLog, options: Partial<FollowLines> = {}) {
  const stop = new AbortController();
  const seen: string[] = [];
  async function collect() {
    const lines = followLines({
      read: log.read,
      bootId: log.bootId,
      signal: stop.signal,
      checkMs: 0,
      wait: () => Promise.resolve(),
      ...options,
    });
    for await (const line of lines) {
      seen.push(
        line.kind === "item"
          ? line.item
          : `-- ${line.reason}${line.missing ? ", missing" : ""}`,
      );
    }
  }
  const done = collect();
  done.catch(() => {}); // the test awaits it
  return {
    seen,
    done,
    async end() {
      await log.settled();
      stop.abort();
      await done;
      return seen;
    },
  };
}

Deno.test("followLines shows a log from its start and continues", async () => {
  const log = fakeLog();
  log.write("one\ntwo\nthr");
  const watched = watch(log);
  await log.settled();
  log.write("ee\nfour\n");
  assert.deepEqual(await watched.end(), ["one", "two", "three", "four"]);
});

Deno.test("followLines shows the last lines and continues", async () => {
  const log = fakeLog();
  for (let n = 1; n <= 500; n++) log.write(`line ${n}\n`);
  const watched = watch(log, { last: 2 });
  await log.settled();
  log.write("line 501\n");
  assert.deepEqual(await watched.end(), ["line 499", "line 500", "line 501"]);
  assert.deepEqual(log.requests, [
    { follow: false, last: 200 },
    { follow: true, last: 200 },
  ]);
});

Deno.test("followLines can show only lines to come", async () => {
  const log = fakeLog();
  log.write("one\ntwo\n");
  const watched = watch(log, { last: 0 });
  await log.settled();
  log.write("three\n");
  assert.deepEqual(await watched.end(), ["three"]);
});

Deno.test("followLines loses no line of a log that is written while it is opened", async () => {
  const log = fakeLog(() => 999);
  log.write("old\n".repeat(300));
  const burst = Array.from({ length: 300 }, (_, n) => `line ${n}`);
  const watched = watch(log, {
    last: 1,
    read(request) {
      if (log.requests.length === 1) log.write(`${burst.join("\n")}\n`);
      return log.read(request);
    },
  });
  assert.deepEqual(await watched.end(), [
    "old",
    "-- connection lost",
    ...burst,
  ]);
});

Deno.test("followLines continues after a lost connection, no line twice and none lost", async () => {
  const log = fakeLog();
  log.write("one\ntwo\n");
  const watched = watch(log);
  await log.settled();
  log.cutOff();
  log.write("three\nfour\n");
  assert.deepEqual(await watched.end(), [
    "one",
    "two",
    "-- connection lost",
    "three",
    "four",
  ]);
});

Deno.test("followLines reports a lost connection though nothing was written since", async () => {
  const log = fakeLog();
  log.write("one\n");
  const watched = watch(log);
  await log.settled();
  log.cutOff();
  assert.deepEqual(await watched.end(), ["one", "-- connection lost"]);
});

Deno.test("followLines shows a line cut by a break once and whole", async () => {
  const log = fakeLog();
  log.write("one\ntw");
  const watched = watch(log);
  await log.settled();
  log.cutOff();
  await log.settled();
  log.write("o\n");
  assert.deepEqual(await watched.end(), ["one", "-- connection lost", "two"]);
});

Deno.test("followLines shows a line cut by a reboot as far as it came", async () => {
  const log = fakeLog();
  log.write("one\ntw");
  const watched = watch(log);
  await log.settled();
  log.reboot();
  log.write("one\nnew\n");
  assert.deepEqual(await watched.end(), [
    "one",
    "tw",
    "-- node rebooted, missing",
    "one",
    "new",
  ]);
});

Deno.test("followLines shows a new log from its start though the boot is unknown", async () => {
  const log = fakeLog();
  log.write("one\ntwo\n");
  const watched = watch(log, { bootId: () => Promise.resolve(undefined) });
  await log.settled();
  log.reboot();
  log.write("three\nfour\n");
  assert.deepEqual(await watched.end(), [
    "one",
    "two",
    "-- connection lost, missing",
    "three",
    "four",
  ]);
});

Deno.test("followLines shows all a node has left when it lost the lines seen", async () => {
  const log = fakeLog();
  log.write("one\ntwo\n");
  const watched = watch(log);
  await log.settled();
  log.cutOff();
  log.write("three\nfour\n");
  log.rotate(10);
  assert.deepEqual(await watched.end(), [
    "one",
    "two",
    "-- connection lost, missing",
    "ree",
    "four",
  ]);
});

Deno.test("followLines stays with a log whose lines differ in each reading", async () => {
  const log = fakeLog(() => 999);
  log.write("one\ntwo\n");
  let readings = 0;
  const watched = watch(log, {
    last: 0,
    async *read(request) {
      const number = ++readings;
      for await (const chunk of log.read(request)) {
        const text = new TextDecoder().decode(chunk);
        yield new TextEncoder().encode(
          text.replaceAll(/^(?=.)/gm, `${number} `),
        );
      }
    },
  });
  await log.settled();
  log.write("three\n");
  assert.deepEqual(await watched.end(), [
    "-- connection lost, missing",
    ...["3 one", "3 two", "4 one", "4 two", "4 three"],
  ]);
});

Deno.test("followLines finds the place in a log of equal lines", async () => {
  for (const last of [undefined, 3]) {
    const log = fakeLog();
    log.write("tick\n".repeat(10));
    const watched = watch(log, last === undefined ? {} : { last });
    await log.settled();
    log.cutOff();
    log.write("tick\n".repeat(3));
    assert.deepEqual(await watched.end(), [
      ...Array(last ?? 10).fill("tick"),
      "-- connection lost",
      ...Array(3).fill("tick"),
    ]);
  }
});

Deno.test("followLines waits for a service that starts late after a reboot", async () => {
  const log = fakeLog();
  let refusals = 0;
  const watched = watch(log, {
    async *read(request) {
      if (refusals-- > 0) throw new RpcError("UNKNOWN", "log not registered");
      yield* log.read(request);
    },
  });
  await log.settled();
  log.write("one\n");
  await log.settled();
  refusals = 3;
  log.reboot();
  log.write("two\n");
  assert.deepEqual(await watched.end(), [
    "one",
    "-- node rebooted, missing",
    "two",
  ]);
});

Deno.test("followLines fails at once when there is no such log", async () => {
  const watched = watch(fakeLog(), {
    // deno-lint-ignore require-yield
    async *read() {
      throw new RpcError("UNKNOWN", "log not registered");
    },
  });
  await assert.rejects(watched.done, { code: "UNKNOWN" });
});

Deno.test("followLines shows the cut line before it fails for good", async () => {
  const log = fakeLog();
  log.write("one\ntw");
  const watched = watch(log);
  await log.settled();
  log.cutOff(new RpcError("NOT_FOUND", "container is gone"));
  await assert.rejects(watched.done, { code: "NOT_FOUND" });
  assert.deepEqual(watched.seen, ["one", "tw"]);
});

Deno.test("followLines starts from the end again when the first attempt broke before it", async () => {
  const log = fakeLog();
  for (let n = 1; n <= 9; n++) log.write(`line ${n}\n`);
  let broken = false;
  const watched = watch(log, {
    last: 1,
    async *read(request) {
      for await (const chunk of log.read(request)) {
        yield chunk;
        if (broken) continue;
        broken = true;
        throw new RpcError("UNAVAILABLE", "cut off");
      }
    },
  });
  assert.deepEqual(await watched.end(), ["-- connection lost", "line 9"]);
});

type Step =
  | { readonly do: "write"; readonly pieces: readonly string[] }
  | { readonly do: "settle" | "cut off" | "reboot" };

const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: write(fc.constantFrom("a", "b", "é", "\n")) },
    { weight: 3, arbitrary: fc.constant<Step>({ do: "settle" }) },
    { weight: 3, arbitrary: fc.constant<Step>({ do: "cut off" }) },
  ),
  { maxLength: 25 },
);

function write(piece: fc.Arbitrary<string>): fc.Arbitrary<Step> {
  return fc.array(piece, { minLength: 1, maxLength: 12 })
    .map((pieces) => ({ do: "write", pieces }));
}

async function play(log: FakeLog, all: readonly Step[]): Promise<void> {
  for (const step of all) {
    if (step.do === "write") log.write(step.pieces.join(""));
    if (step.do === "settle") await log.settled();
    if (step.do === "cut off") log.cutOff();
    if (step.do === "reboot") log.reboot();
  }
}

Deno.test("followLines never repeats or loses a line, wherever the stream is cut", async () => {
  const sizes = fc.infiniteStream(fc.integer({ min: 1, max: 9 }));
  await fc.assert(
    fc.asyncProperty(steps, sizes, async (all, size) => {
      const log = fakeLog(() => size.next().value ?? 1);
      const watched = watch(log);
      await play(log, all);
      log.write("\n");
      const seen = await watched.end();
      assert.deepEqual(
        seen.filter((line) => !line.startsWith("--")),
        log.text().split("\n").slice(0, -1),
      );
    }),
    { numRuns: 300 },
  );
});

Deno.test("followLines loses only lines the node lost, and says so", async () => {
  const drops = fc.array(
    fc.tuple(fc.nat({ max: 4 }), fc.nat({ max: 60 }), fc.boolean()),
    { maxLength: 8 },
  );
  await fc.assert(
    fc.asyncProperty(drops, async (all) => {
      const log = fakeLog();
      log.write("line 100\n");
      const watched = watch(log);
      await log.settled();
      let number = 101;
      for (const [count, bytes, connected] of all) {
        if (!connected) log.cutOff();
        for (let n = 0; n < count; n++) log.write(`line ${number++}\n`);
        if (connected) await log.settled();
        log.rotate(bytes);
      }
      log.write(`line ${number++}\n`);
      const seen = await watched.end();
      checkLosses(seen, log.text(), number);
    }),
    { numRuns: 300 },
  );
});

function checkLosses(seen: readonly string[], text: string, end: number) {
  const numbers = seen.filter((line) => /^line \d+$/.test(line));
  assert.deepEqual(numbers, [...new Set(numbers)].sort());
  for (const line of text.split("\n")) {
    if (/^line \d+$/.test(line)) assert.ok(numbers.includes(line), line);
  }
  let next = 100;
  for (const line of seen) {
    const number = /^line (\d+)$/.exec(line)?.[1];
    if (line.endsWith(", missing")) next = NaN;
    if (number === undefined) continue;
    if (!Number.isNaN(next)) assert.equal(Number(number), next);
    next = Number(number) + 1;
  }
  assert.equal(next, end);
}

Deno.test("followLines shows all of every boot that it could see", async () => {
  const reboots = fc.array(
    fc.oneof(
      write(fc.constantFrom("a", "b", "\n")),
      fc.constant<Step>({ do: "cut off" }),
      fc.constant<Step>({ do: "reboot" }),
    ),
    { maxLength: 20 },
  );
  await fc.assert(
    fc.asyncProperty(reboots, async (all) => {
      const log = fakeLog();
      const watched = watch(log);
      const expected: string[] = [];
      for (const step of all) {
        await log.settled();
        if (step.do === "reboot") expected.push(...log.text().split("\n"));
        await play(log, [step]);
      }
      log.write("\n");
      expected.push(...log.text().split("\n"));
      const seen = await watched.end();
      // An empty rest of a line cannot be distinguished from none.
      const words = (lines: readonly string[]) =>
        lines.filter((line) => line !== "" && !line.startsWith("--"));
      assert.deepEqual(words(seen), words(expected));
    }),
    { numRuns: 200 },
  );
});
