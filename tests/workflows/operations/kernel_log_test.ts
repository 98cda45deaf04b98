import assert from "node:assert/strict";
import { withKernelLog } from "../../../workflows/operations/kernel_log.ts";
import { RpcError } from "../../../errors.ts";
import type { NodeEvent } from "../../../workflows/operations/run.ts";
import { type FakeNode, fakeNodes } from "../../_fake.ts";
import { boots, texts, untilAborted } from "../../commands/_following.ts";

const end: NodeEvent = {
  node: "a",
  verdict: { outcome: "done", reason: "ready" },
};

/** Lines that are told until one is seen; the operation then ends. */
async function told(node: FakeNode, last: string): Promise<readonly string[]> {
  const client = await fakeNodes({ a: node }).nodes.at("a");
  const lines: string[] = [];
  const seen = Promise.withResolvers<void>();
  function note(text: string): void {
    lines.push(text);
    if (text === last) seen.resolve();
  }
  async function* events(): AsyncGenerator<NodeEvent> {
    yield { node: "a", progress: "waiting" };
    await seen.promise;
    yield end;
  }
  const environment = { now: () => new Date(0) };
  const got = await Array.fromAsync(
    withKernelLog(events(), client, { note, environment }),
  );
  assert.deepEqual(got, [{ node: "a", progress: "waiting" }, end]);
  return lines;
}

Deno.test("the kernel log is told from now on, over a reboot, until the operation ends", async () => {
  let broken = false;
  const lines = await told({
    async *dmesg({ follow }: { follow: boolean }, signal?: AbortSignal) {
      if (broken) {
        yield* texts("kern: new boot\n");
        return await untilAborted(signal);
      }
      yield* texts("kern: old\n");
      if (!follow) return;
      yield* texts("kern: going down\n");
      broken = true;
      throw new RpcError("UNAVAILABLE", "connection reset");
    },
    read: boots("1", "2"),
  }, "a: kern: new boot");
  assert.deepEqual(lines, [
    "a: kern: going down",
    "--- a: node rebooted, gap from 1970-01-01T00:00:00.000Z to 1970-01-01T00:00:00.000Z ---",
    "a: kern: new boot",
  ]);
});

Deno.test("a kernel log that may not be read is told, and ends nothing", async () => {
  const line = "--- a: no longer following the kernel log: not for you ---";
  const lines = await told({
    dmesg: () => {
      throw new RpcError("PERMISSION_DENIED", "not for you");
    },
    read: boots("1"),
  }, line);
  assert.deepEqual(lines, [line]);
});

Deno.test("the operation begins when it is known which lines are old", async () => {
  const client = await fakeNodes({
    a: {
      async *dmesg({ follow }: { follow: boolean }, signal?: AbortSignal) {
        if (!follow) order.push("read");
        yield* texts("kern: old\n");
        if (follow) await untilAborted(signal);
      },
      read: boots("1"),
    },
  }).nodes.at("a");
  const order: string[] = [];
  async function* events(): AsyncGenerator<NodeEvent> {
    order.push("begun");
    yield await Promise.resolve(end);
  }
  const place = { note() {}, environment: { now: () => new Date(0) } };
  await Array.fromAsync(withKernelLog(events(), client, place));
  assert.deepEqual(order, ["read", "begun"]);
});

Deno.test("the kernel log shows no old line, though times differ in each reading", async () => {
  let reading = 0;
  const lines = await told({
    async *dmesg({ follow }: { follow: boolean }, signal?: AbortSignal) {
      const at = (second: number, late = reading) =>
        `kern:    info: [2026-01-02T03:04:0${second}.${late}Z]`;
      reading++;
      yield* texts(`${at(1)}: one\n`, `${at(2)}: two\n`);
      if (!follow) return;
      yield* texts(`${at(3)}: three\n`);
      await untilAborted(signal);
    },
    read: boots("1"),
  }, "a: kern:    info: [2026-01-02T03:04:03.2Z]: three");
  assert.deepEqual(lines, [
    "a: kern:    info: [2026-01-02T03:04:03.2Z]: three",
  ]);
  assert.equal(reading, 2);
});
