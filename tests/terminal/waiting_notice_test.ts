import assert from "node:assert/strict";
import {
  type SilenceOptions,
  waitedFor,
  withWaitingNotice,
} from "../../terminal/waiting_notice.ts";
import { realEnvironment, type Sink } from "../../terminal/environment.ts";
import type { OpenCall } from "../../transport/call/open_calls.ts";

function call(
  node: string,
  isConnected = false,
  timeoutMs = Infinity,
): OpenCall {
  return { node, isConnected, timeoutMs };
}

Deno.test("waitedFor names the node, and what it is at", () => {
  assert.equal(waitedFor([]), "");
  assert.equal(
    waitedFor([call("10.0.0.6")], new Map([["10.0.0.6", "w-2 (10.0.0.6)"]])),
    "waiting for w-2 (10.0.0.6): connecting",
  );
  assert.equal(
    waitedFor([call("w-2", true), call("w-3"), call("w-2"), call("")]),
    "waiting for w-2 and 1 more node: no answer yet",
  );
  assert.equal(waitedFor([call("")]), "waiting for the endpoint: connecting");
});

/** A terminal, or with `isPipe` two pipes, whose time is told by the test. */
function quiet(
  options: Pick<SilenceOptions, "calls" | "work" | "findNames">,
  isPipe = false,
) {
  const drawn: (readonly string[])[] = [];
  const written: string[] = [];
  const sink = {
    terminal: !isPipe,
    columns: () => 80,
    write(bytes: Uint8Array) {
      written.push(new TextDecoder().decode(bytes));
      return Promise.resolve();
    },
  };
  const live = {
    size: () => ({ columns: 80, rows: 24 }),
    draw: (lines: readonly string[]) => Promise.resolve(void drawn.push(lines)),
    paint: (text: string) => text,
    color() {},
    leave: () => Promise.resolve(),
    alone: <T>(work: (stderr: Sink) => Promise<T>) => {
      drawn.push(["a question"]);
      return work(sink);
    },
  };
  let ms = 0;
  let look = Promise.withResolvers<void>();
  const given = {
    ...realEnvironment(),
    stdout: sink,
    stderr: sink,
    ...isPipe ? {} : { live },
    now: () => new Date(ms),
  };
  const silence = withWaitingNotice(given, {
    calls: [],
    work: [],
    ...options,
    wait: (_, signal) => {
      signal.addEventListener("abort", () => look.resolve(), { once: true });
      if (signal.aborted) look.resolve();
      return look.promise;
    },
  });
  /** Lets time pass, and has the next look. */
  async function pass(to: number) {
    ms = to;
    const before = look;
    look = Promise.withResolvers();
    before.resolve();
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  }
  return { silence, pass, drawn, written };
}

Deno.test("after two seconds without a word the line says what is waited for, and goes with the next word", async () => {
  const { silence, pass, drawn } = quiet({ calls: [call("w-2")] });
  await pass(500);
  await pass(1_500);
  assert.deepEqual(drawn, []);
  await pass(2_000);
  await pass(3_000);
  assert.deepEqual(drawn, [
    ["waiting for w-2: connecting, 1s"],
    ["waiting for w-2: connecting, 2s"],
  ]);
  await silence.environment.stdout.write(new Uint8Array());
  await pass(3_500);
  assert.deepEqual(drawn.at(-1), []);
  await pass(5_500);
  assert.equal(drawn.length, 4);
  await silence.end();
  assert.deepEqual(drawn.at(-1), []);
});

Deno.test("nothing is drawn over what a command draws itself", async () => {
  for (const own of ["live", "screen"] as const) {
    const { silence, pass, drawn } = quiet({ calls: [call("w-2")] });
    const { live, stdout } = silence.environment;
    if (own === "live") await live?.draw(["its own"]);
    else await stdout.write(new TextEncoder().encode("\x1b[?1049h"));
    await pass(9_000);
    await silence.end();
    assert.deepEqual(drawn, own === "live" ? [["its own"]] : []);
  }
});

Deno.test("where nothing can be drawn, a line is written when what is waited for changes, and now and then", async () => {
  const calls = [call("10.0.0.6", false, 60_000)];
  const { silence, pass, written } = quiet({
    calls,
    findNames: (nodes) =>
      Promise.resolve(new Map(nodes.map((node) => [node, `w-2 (${node})`]))),
  }, true);
  for (let ms = 500; ms <= 6_000; ms += 500) await pass(ms);
  const [first] = calls;
  if (first !== undefined) first.isConnected = true;
  for (let ms = 6_500; ms <= 40_000; ms += 500) await pass(ms);
  await silence.environment.stdout.write(new TextEncoder().encode("a row\n"));
  for (let ms = 40_500; ms <= 43_000; ms += 500) await pass(ms);
  await silence.end();
  assert.deepEqual(written, [
    "waiting for w-2 (10.0.0.6): connecting, 1s (timeout 1m0s)\n",
    "waiting for w-2 (10.0.0.6): no answer yet, 6s (timeout 1m0s)\n",
    "waiting for w-2 (10.0.0.6): no answer yet, 14s (timeout 1m0s)\n",
    "waiting for w-2 (10.0.0.6): no answer yet, 34s (timeout 1m0s)\n",
    "a row\n",
    "waiting for w-2 (10.0.0.6): no answer yet, 41s (timeout 1m0s)\n",
  ]);
});

Deno.test("work without calls is named, and how much of it is done alone is no news", async () => {
  let text = "receiving a snapshot: 1.0 MB";
  const { silence, pass, written } = quiet(
    { work: [{ text: () => "outer" }, { text: () => text }] },
    true,
  );
  await pass(2_000);
  text = "receiving a snapshot: 7.0 MB";
  for (let ms = 2_500; ms <= 10_000; ms += 500) await pass(ms);
  await silence.end();
  assert.deepEqual(written, [
    "receiving a snapshot: 1.0 MB\n",
    "receiving a snapshot: 7.0 MB, 8s\n",
  ]);
});

Deno.test("the line is gone before a question, and comes again after the answer and after the last drawing", async () => {
  const { silence, pass, drawn } = quiet({ calls: [call("w-2")] });
  const { live } = silence.environment;
  await pass(500);
  await pass(2_500);
  await live?.alone(async () => {
    await pass(8_000);
  });
  await pass(9_000);
  await pass(10_000);
  await live?.draw(["its own"]);
  await live?.draw([]);
  await live?.leave();
  await pass(12_500);
  await silence.end();
  assert.deepEqual(drawn, [
    ["waiting for w-2: connecting, 2s"],
    [],
    ["a question"],
    ["waiting for w-2: connecting, 9s"],
    ["its own"],
    [],
    ["waiting for w-2: connecting, 12s"],
    [],
  ]);
});

Deno.test("withWaitingNotice sets no timer of the runtime, the first of which takes longer than many commands", async () => {
  const { setTimeout } = globalThis;
  let used = 0;
  globalThis.setTimeout = Object.assign(
    (...given: Parameters<typeof setTimeout>) => {
      used++;
      return setTimeout(...given);
    },
    setTimeout,
  );
  try {
    await withWaitingNotice(realEnvironment()).end();
  } finally {
    globalThis.setTimeout = setTimeout;
  }
  assert.equal(used, 0);
});
