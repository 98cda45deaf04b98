import assert from "node:assert/strict";
import { type RpcCode, RpcError } from "../../../errors.ts";
import type { Method, Transport } from "../../../transport/call/call.ts";
import { bootWatch, readBootId } from "../../../transport/stream/boot_id.ts";
import { nodeClient } from "../../../transport/call/client.ts";

const never = new AbortController().signal;

function reading(read: () => AsyncIterable<unknown>) {
  const calls: [string, unknown][] = [];
  const transport: Transport = {
    unary: () => Promise.reject(new Error("no unary call is expected")),
    stream<Q, R>({ path }: Method<Q, R>, request: Q | AsyncIterable<Q>) {
      calls.push([path, request]);
      // The only method called is the one the test answers for.
      return read() as AsyncIterable<R>;
    },
    close() {},
  };
  return { calls, bootId: readBootId(nodeClient("a", transport, {})) };
}

Deno.test("readBootId reads the kernel's identity of the boot", async () => {
  const { calls, bootId } = reading(async function* () {
    await Promise.resolve();
    yield { bytes: new TextEncoder().encode("ab12-") };
    yield { bytes: new TextEncoder().encode("cd34\n") };
  });
  assert.equal(await bootId(never), "ab12-cd34");
  assert.deepEqual(calls, [
    ["/machine.MachineService/Read", {
      path: "/proc/sys/kernel/random/boot_id",
    }],
  ]);
});

function failing(code: RpcCode) {
  // deno-lint-ignore require-yield
  return reading(async function* () {
    await Promise.resolve();
    throw new RpcError(code, "no");
  });
}

Deno.test("readBootId knows nothing when the node refuses to tell", async () => {
  for (const code of ["PERMISSION_DENIED", "UNIMPLEMENTED"] as const) {
    assert.equal(await failing(code).bootId(never), undefined, code);
  }
});

Deno.test("readBootId fails when the node is unavailable", async () => {
  await assert.rejects(failing("UNAVAILABLE").bootId(never), {
    code: "UNAVAILABLE",
  });
});

/** A watch on boots that are named by the test. */
async function watching(first: string | undefined) {
  let boot = first;
  const watch = bootWatch(() => Promise.resolve(boot), never);
  await Promise.resolve();
  return {
    watch,
    set: (id: string | undefined) => boot = id,
    compare: () => watch.compare(never),
  };
}

Deno.test("bootWatch sees a reboot until the new boot is kept", async () => {
  const { watch, set, compare } = await watching("one");
  assert.equal(await compare(), "connection lost");
  set("two");
  assert.equal(await compare(), "node rebooted");
  assert.equal(await compare(), "node rebooted");
  watch.keep();
  assert.equal(await compare(), "connection lost");
});

Deno.test("bootWatch takes what it may not know for no reboot", async () => {
  const { watch, set, compare } = await watching(undefined);
  set("two");
  assert.equal(await compare(), "connection lost");
  watch.keep();
  set(undefined);
  assert.equal(await compare(), "connection lost");
  watch.keep();
  set("three");
  assert.equal(await compare(), "node rebooted");
});

Deno.test("bootWatch has reached a node that answered, whatever it said", async () => {
  assert.equal((await watching(undefined)).watch.reached(), true);
  const away = bootWatch(() => Promise.reject(new Error("away")), never);
  await Promise.resolve();
  await Promise.resolve();
  assert.equal(away.reached(), false);
  assert.equal(bootWatch(undefined, never).reached(), false);
});

Deno.test("bootWatch tells a stream that its node rebooted", async () => {
  const { watch, set } = await watching("one");
  const pauses: (() => void)[] = [];
  let reboots = 0;
  watch.watch({
    pause: () => new Promise((resolve) => pauses.push(resolve)),
    signal: never,
    rebooted: () => reboots++,
  });
  for (const boot of ["one", undefined, "two"]) {
    set(boot);
    assert.equal(reboots, 0);
    pauses.pop()?.();
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  }
  assert.equal(reboots, 1);
  assert.deepEqual(pauses, []);
});

Deno.test("bootWatch stops asking when the caller no longer listens", async () => {
  let asked = 0;
  const watch = bootWatch(() => Promise.resolve(`${asked++}`), never);
  const stop = new AbortController();
  let pauses = 0;
  watch.watch({
    pause: () => Promise.resolve(void pauses++),
    signal: stop.signal,
    rebooted: () => assert.fail("it did not reboot"),
  });
  stop.abort();
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  assert.deepEqual({ asked, pauses }, { asked: 1, pauses: 1 });
});
