import assert from "node:assert/strict";
import { RpcError } from "../../errors.ts";
import { logKernel } from "../../simulator/node/logs.ts";
import { run } from "../_run.ts";
import { withWire } from "../_wire.ts";
import { boots, texts, untilAborted, user } from "./_broken_streams.ts";

const first = "kern:    info: [2026-01-02T03:04:05Z]: Linux version 6.12\n";
const second = "user: warning: [2026-01-02T03:04:06Z]: [machined] starting\n";

Deno.test("dmesg --follow --tail omits what was there, also after a break", async () => {
  const { signal, interrupt } = user();
  let broken = false;
  const { out, err, status } = await run("dmesg -f --tail", {
    a: {
      async *dmesg({ follow }: { follow: boolean }, signal?: AbortSignal) {
        yield* texts(first);
        if (broken || follow) yield* texts(second);
        if (!follow) return;
        if (!broken) {
          broken = true;
          throw new RpcError("UNAVAILABLE", "connection reset");
        }
        yield* texts("kern: third\n");
        interrupt();
        await untilAborted(signal);
      },
      read: boots("1"),
    },
  }, { signal });
  assert.equal(out, `a: ${second}a: kern: third\n`);
  assert.match(err, /^--- a: connection lost, reconnecting ---\n--- a: conn/);
  assert.equal(status, 130);
});

Deno.test("dmesg --follow continues after a reboot", async () => {
  const { signal, interrupt } = user();
  let calls = 0;
  const { out, err } = await run("dmesg -f", {
    a: {
      async *dmesg(_: unknown, signal?: AbortSignal) {
        yield* texts(first);
        // A node that shuts down ends the stream without an error.
        if (calls++ === 0) return;
        interrupt();
        await untilAborted(signal);
      },
      read: boots("1", "2"),
    },
  }, { signal });
  assert.equal(out, `a: ${first}a: ${first}`);
  assert.match(err, /\n--- a: node rebooted, gap from /);
});

/** The same messages as one reading gives them, whose times are all later by the same fraction of a second. */
function reading(late: number, ...messages: readonly string[]) {
  return messages.map((message, at) =>
    message.startsWith(" ")
      ? `${message}\n`
      : `kern:    info: [2026-01-02T03:04:${
        String(at).padStart(2, "0")
      }.${late}Z]: ${message}\n`
  );
}

Deno.test("dmesg --follow continues after a lost connection though times differ in each reading", async () => {
  const { signal, interrupt } = user();
  let late = 1;
  let isBroken = false;
  const { out, err } = await run("dmesg -f", {
    a: {
      async *dmesg({ follow }: { follow: boolean }, signal?: AbortSignal) {
        const old = ["one", "tick", "tick", " KEY=value", "tick"];
        if (!isBroken) {
          isBroken = true;
          yield* texts(...reading(late++, ...old));
          throw new RpcError("UNAVAILABLE", "connection reset");
        }
        // The oldest messages are lost.
        yield* texts(...reading(late++, ...old, "tick", "tick").slice(2));
        if (!follow) return;
        interrupt();
        await untilAborted(signal);
      },
      read: boots("1"),
    },
  }, { signal });
  const lines = out.trimEnd().split("\n");
  assert.deepEqual(lines.map((line) => line.split(" ").at(-1)), [
    "one",
    "tick",
    "tick",
    "KEY=value",
    "tick",
    "tick",
    "tick",
  ]);
  assert.doesNotMatch(err, /missing/);
});

Deno.test("dmesg --follow --tail opens its stream once", async () => {
  const { signal, interrupt } = user();
  const requests: unknown[] = [];
  let late = 1;
  const { out } = await run("dmesg -f --tail", {
    a: {
      async *dmesg(request: { follow: boolean }, signal?: AbortSignal) {
        requests.push(request);
        yield* texts(...reading(late++, "one", "two"));
        if (!request.follow) return;
        yield* texts("kern:    info: [2026-01-02T03:04:09.5Z]: three\n");
        interrupt();
        await untilAborted(signal);
      },
      read: boots("1"),
    },
  }, { signal });
  assert.equal(out, "a: kern:    info: [2026-01-02T03:04:09.5Z]: three\n");
  assert.deepEqual(requests, [
    { follow: false, tail: false },
    { follow: true, tail: false },
  ]);
});

Deno.test("dmesg --follow shows each message of a simulated node once, over a broken stream", async () => {
  await withWire({}, async ({ osctl, cluster, names: [name = ""] }) => {
    const { kernelLog } = cluster.nodes[0]!.boot;
    const count = kernelLog.end() - kernelLog.first();
    const { signal, interrupt } = user();
    await cluster.setFault(name, "stream-drop", {
      method: "Dmesg",
      afterMessages: 5,
      calls: 1,
    });
    const { out, err } = await osctl(`dmesg -f -n ${name}`, {
      signal,
      onWrite: (out) => out.split("\n").length > count && interrupt(),
    });
    const texts = out.trimEnd().split("\n").map((line) =>
      line.split("]: ").slice(1).join("]: ")
    );
    const reported = Array.from(
      { length: count },
      (_, at) => kernelLog.at(kernelLog.first() + at).text,
    );
    assert.deepEqual(texts, reported);
    assert.match(err, /connection lost/);
  });
});

Deno.test("dmesg --follow --tail shows only new messages of a simulated node, whose times shift", async () => {
  await withWire({}, async ({ osctl, cluster, names: [name = ""] }) => {
    const node = cluster.nodes[0]!;
    const { signal, interrupt } = user();
    const timer = setInterval(() => logKernel(node, "ping"), 5);
    const { out, err } = await osctl(`dmesg -f --tail -n ${name}`, {
      signal,
      onWrite: (out) => out.split("\n").length > 3 && interrupt(),
    });
    clearInterval(timer);
    assert.match(
      out,
      /^(?:[\d.]+: user: warning: \[[^\]]*\]: \[talos\] ping\n){3,}$/,
    );
    assert.equal(err, "");
  });
});
