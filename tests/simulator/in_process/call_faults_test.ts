import assert from "node:assert/strict";
import { stopped } from "../_node.ts";
import {
  type CallFault,
  callFaults,
} from "../../../simulator/in_process/call_faults.ts";

/** Calls a method with a fault on; what was seen and whether it was run. */
function caller(...faults: readonly CallFault[]) {
  const slept: number[] = [];
  const clock = {
    ...stopped,
    sleep: (ms: number) => Promise.resolve(void slept.push(ms)),
  };
  const calls = callFaults(clock);
  const offs = faults.map(calls.add);
  const { signal } = new AbortController();
  let carriedOut = 0;
  async function* messages() {
    carriedOut++;
    yield await Promise.resolve("one");
    yield "two";
  }
  async function call(method = "Reboot", node = "a") {
    const names = [node, `${node}.address`];
    const seen: unknown[] = [];
    try {
      for await (
        const one of calls.spoil({ method, names, signal }, messages())
      ) seen.push(one);
    } catch (error) {
      seen.push((error as { code: string }).code);
    }
    return seen.join();
  }
  return {
    call,
    slept,
    carriedOut: () => carriedOut,
    off: () => offs.forEach((off) => off()),
  };
}

Deno.test("without faults a call goes through", async () => {
  const { call } = caller();
  assert.equal(await call(), "one,two");
});

Deno.test("request-lost and reply-lost look the same, and are not", async () => {
  const before = caller({ what: "request-lost" });
  assert.equal(await before.call(), "UNAVAILABLE");
  assert.equal(before.carriedOut(), 0);
  const after = caller({ what: "reply-lost" });
  assert.equal(await after.call(), "UNAVAILABLE");
  assert.equal(after.carriedOut(), 1);
});

Deno.test("a fault is for its method and its node, so many times, until it is off", async () => {
  const { call, off } = caller({
    what: "call-fails",
    code: "INTERNAL",
    method: "Reboot",
    node: "a.address",
    times: 1,
  }, { what: "call-fails", code: "ABORTED", method: "Reset" });
  assert.equal(await call("Reboot", "b"), "one,two");
  assert.equal(await call("Version"), "one,two");
  assert.equal(await call(), "INTERNAL");
  assert.equal(await call(), "one,two");
  assert.equal(await call("Reset", "b"), "ABORTED");
  off();
  assert.equal(await call("Reset", "b"), "one,two");
});

Deno.test("a call without an answer is lost as well", async () => {
  const calls = callFaults(stopped);
  calls.add({ what: "reply-lost" });
  const { signal } = new AbortController();
  const called = { method: "Reboot", names: [], signal };
  // deno-lint-ignore require-yield
  async function* silent() {
    await Promise.resolve();
  }
  await assert.rejects(
    Array.fromAsync(calls.spoil(called, silent())),
    { code: "UNAVAILABLE" },
  );
});
