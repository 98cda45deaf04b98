import assert from "node:assert/strict";
import { RpcError } from "../../errors.ts";
import { logKernel } from "../../simulator/node/logs.ts";
import { run } from "../_run.ts";
import { withWire } from "../_wire.ts";
import { boots, texts, untilAborted, user } from "./_following.ts";

const first = "kern:    info: [2026-01-02T03:04:05Z]: Linux version 6.12\n";
const second = "user: warning: [2026-01-02T03:04:06Z]: [machined] starting\n";

Deno.test("dmesg shows the messages of each node", async () => {
  const { out, err, status } = await run("dmesg", {
    a: { dmesg: () => texts(first, second) },
  });
  assert.equal(out, `a: ${first}a: ${second}`);
  assert.deepEqual({ err, status }, { err: "", status: 0 });
});

Deno.test("dmesg -o jsonl gives a row for each message", async () => {
  const { out } = await run("dmesg -o jsonl", {
    a: { dmesg: () => texts(first) },
  });
  assert.deepEqual(JSON.parse(out), { node: "a", line: first.trimEnd() });
});

Deno.test("dmesg asks for what was typed", async () => {
  const requests: unknown[] = [];
  const nodes = {
    a: {
      dmesg(request: unknown) {
        requests.push(request);
        return texts(first);
      },
    },
  };
  await run("dmesg", nodes);
  await run("dmesg --tail", nodes);
  assert.deepEqual(requests, [
    { follow: false, tail: false },
    { follow: false, tail: true },
  ]);
});

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

Deno.test("dmesg still shows the healthy nodes when one fails", async () => {
  const { out, err, status } = await run("dmesg", {
    a: { dmesg: () => texts(first) },
    b: {
      // deno-lint-ignore require-yield
      async *dmesg() {
        await Promise.resolve();
        throw new RpcError("UNAVAILABLE", "refused");
      },
    },
    c: { dmesg: () => texts(second) },
  });
  assert.equal(out.split("\n").length, 3);
  assert.equal(err, "error: b: refused\n");
  assert.equal(status, 3);
});

Deno.test("dmesg takes no number for --tail", async () => {
  const { err, status } = await run("dmesg --tail=5");
  assert.equal(
    err,
    `error: Invalid value "5" for --tail: must be true or false
Usage: osctl dmesg [flags]
Run "osctl dmesg --help" for its flags
`,
  );
  assert.equal(status, 2);
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

Deno.test("dmesg --merge prints the kernel logs of all nodes in the order of time", async () => {
  const kernel = (seconds: readonly number[], text: string) => ({
    dmesg: () =>
      texts(
        seconds.map((second) =>
          `kern:    info: [2026-01-02T03:00:0${second}Z]: ${text}\n`
        ).join(""),
      ),
  });
  const { out } = await run("dmesg --merge --since 2026-01-02T03:00:02Z", {
    a: kernel([1, 4], "x"),
    b: kernel([2, 3], "y"),
  });
  assert.deepEqual(out.match(/^\w|:0\d(?=Z)/gm), [
    ...["b", ":02", "b", ":03", "a", ":04"],
  ]);
});
