import assert from "node:assert/strict";
import { breakSilence, waitedFor } from "../../terminal/silence.ts";
import { realEnvironment } from "../../terminal/environment.ts";
import type { OpenCall } from "../../transport/call/open_calls.ts";

function call(node: string, isConnected = false): OpenCall {
  return { node, isConnected };
}

Deno.test("waitedFor names the node, what it is at, and for how long", () => {
  assert.equal(waitedFor([], 0), "");
  assert.equal(
    waitedFor([call("10.0.0.6")], 8_400),
    "waiting for 10.0.0.6: connecting, 8s",
  );
  assert.equal(
    waitedFor([call("w-2", true), call("w-3"), call("w-2")], 3_000),
    "waiting for w-2 and 1 more node: no answer yet, 3s",
  );
  assert.equal(
    waitedFor([call("")], 0),
    "waiting for the endpoint: connecting, 0s",
  );
});

/** A terminal whose time is told by the test. */
function quiet(calls: readonly OpenCall[]) {
  const drawn: (readonly string[])[] = [];
  const sink = {
    terminal: true,
    columns: () => 80,
    write: () => Promise.resolve(),
  };
  const live = {
    size: () => ({ columns: 80, rows: 24 }),
    draw: (lines: readonly string[]) => Promise.resolve(void drawn.push(lines)),
    leave: () => Promise.resolve(),
    alone: () => Promise.reject(new Error("Nobody asks")),
  };
  let ms = 0;
  let look = Promise.withResolvers<void>();
  const given = {
    ...realEnvironment(),
    stdout: sink,
    stderr: sink,
    live,
    now: () => new Date(ms),
  };
  const silence = breakSilence(given, {
    calls,
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
  return { silence, pass, drawn };
}

Deno.test("after two seconds without a word the line says what is waited for, and goes with the next word", async () => {
  const { silence, pass, drawn } = quiet([call("w-2")]);
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
    const { silence, pass, drawn } = quiet([call("w-2")]);
    const { live, stdout } = silence.environment;
    if (own === "live") await live?.draw(["its own"]);
    else await stdout.write(new TextEncoder().encode("\x1b[?1049h"));
    await pass(9_000);
    await silence.end();
    assert.deepEqual(drawn, own === "live" ? [["its own"]] : []);
  }
});
