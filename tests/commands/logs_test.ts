import assert from "node:assert/strict";
import { RpcError } from "../../errors.ts";
import { processMasker } from "../../lib/masker.ts";
import { run } from "../_run.ts";
import { boots, texts, untilAborted, user } from "./_broken_streams.ts";

Deno.test("logs has no limit for the length of a line", async () => {
  const piece = "x".repeat(100_000);
  const { out } = await run("logs kubelet", {
    a: { logs: () => texts(piece, piece, "\nend\n") },
  });
  assert.equal(out.length, "a: ".length * 2 + 200_000 + "\nend\n".length);
});

/** 3,000 lines in chunks that end anywhere; one of them has a secret. */
const many = Array.from({ length: 3_000 }, (_, i) => `line ${i} of a log`);
many[1_700] = "configured with hunter2hunter2";
const chunks = many.map((line) => `${line}\n`).join("").match(/[^]{1,20000}/g);

Deno.test("logs writes long logs as it writes single lines: named, filtered and without secrets", async () => {
  processMasker.add("hunter2hunter2");
  const shown = many.with(1_700, "configured with ******");
  const node = { logs: () => texts(...chunks ?? []) };
  const text = (...words: string[]) =>
    run(`logs ${words.join(" ")}`, { a: node }).then(({ out }) => out);
  const lines = (front: string) =>
    shown.map((line) => `${front}${line}\n`).join("");
  assert.equal(await text("etcd"), lines("a: "));
  assert.equal(await text("etcd", "--prefix"), lines("a etcd: "));
  assert.equal(await text("etcd", "--prefix=false"), lines(""));
  assert.equal(
    await text("etcd", "kubelet"),
    lines("a etcd: ") + lines("a kubelet: "),
  );
  assert.equal(
    await text("etcd", "-o", "jsonl"),
    shown.map((line) => `${JSON.stringify({ node: "a", line })}\n`).join(""),
  );
  assert.equal(
    await text("etcd", "--grep", "1[0-9]{3}"),
    shown.filter((line) => /1\d{3}/.test(line)).map((line) => `a: ${line}\n`)
      .join(""),
  );
});

Deno.test("logs fails a node whose answer carries an error, after its lines", async () => {
  const { out, err, status } = await run("logs -k default/x:x:0123", {
    a: {
      async *logs() {
        yield* texts("one\n");
        yield { metadata: { error: "went away" } };
      },
    },
  });
  assert.equal(out, "a: one\n");
  assert.equal(
    err,
    `error: a: went away
hint: List the names with "osctl containers --kubernetes"
`,
  );
  assert.equal(status, 1);
});

/** Breaks in the middle of a line; a user leaves after the last line. */
function breaking(requests: unknown[], interrupt: () => void) {
  return async function* (
    request: { readonly follow: boolean },
    signal?: AbortSignal,
  ) {
    requests.push(request);
    if (requests.length === 1) {
      yield* texts("one\ntwo\nthr");
      throw new RpcError("UNAVAILABLE", "connection reset");
    }
    yield* texts("one\ntwo\nthree\n");
    if (!request.follow) return;
    yield* texts("four\n");
    interrupt();
    await untilAborted(signal);
  };
}

Deno.test("logs --follow continues after a lost connection without a line twice", async () => {
  const { signal, interrupt } = user();
  const logs = breaking([], interrupt);
  const { out, err, status } = await run("logs -f etcd", {
    a: { logs, read: boots("1") },
  }, { signal });
  assert.equal(out, "a: one\na: two\na: three\na: four\n");
  const time = "2026-01-02T03:04:05.000Z";
  assert.equal(
    err,
    `--- a: connection lost, reconnecting ---
--- a: connection lost, gap from ${time} to ${time} ---
`,
  );
  assert.equal(status, 130);
});

Deno.test("logs --follow -o jsonl gives the gap as a row", async () => {
  const { signal, interrupt } = user();
  const logs = breaking([], interrupt);
  const { out, status } = await run("logs -f etcd -o jsonl", {
    a: { logs, read: boots("1") },
  }, { signal });
  const time = "2026-01-02T03:04:05.000Z";
  assert.equal(
    out,
    `{"node":"a","line":"one"}
{"node":"a","line":"two"}
{"node":"a","gap":"connection lost","since":"${time}","until":"${time}"}
{"node":"a","line":"three"}
{"node":"a","line":"four"}
`,
  );
  assert.equal(status, 130);
});

Deno.test("logs --follow starts over after a reboot and keeps the half line", async () => {
  const { signal, interrupt } = user();
  let calls = 0;
  const { out, err } = await run("logs -f etcd", {
    a: {
      async *logs(_: unknown, signal?: AbortSignal) {
        if (calls++ === 0) {
          yield* texts("one\ntw");
          throw new RpcError("UNAVAILABLE", "connection reset");
        }
        yield* texts("one\n");
        interrupt();
        await untilAborted(signal);
      },
      read: boots("1", "2"),
    },
  }, { signal });
  assert.equal(out, "a: one\na: tw\na: one\n");
  assert.match(err, /\n--- a: node rebooted, gap from /);
});

Deno.test("logs --follow --tail starts with the last lines", async () => {
  const { signal, interrupt } = user();
  const { out } = await run("logs -f --tail 1 etcd", {
    a: {
      async *logs({ follow }: { follow: boolean }, signal?: AbortSignal) {
        yield* texts("one\ntwo\n");
        if (!follow) return;
        yield* texts("three\n");
        interrupt();
        await untilAborted(signal);
      },
      read: boots("1"),
    },
  }, { signal });
  assert.equal(out, "a: two\na: three\n");
});

Deno.test("logs --follow tells at once when one node of several fails", async () => {
  const { signal, interrupt } = user();
  const { out, err, status } = await run("logs -f etcd", {
    a: {
      async *logs(_: unknown, signal?: AbortSignal) {
        yield* texts("one\n");
        await untilAborted(signal);
      },
      read: boots("1"),
    },
    b: {
      // deno-lint-ignore require-yield
      async *logs() {
        await Promise.resolve();
        setTimeout(interrupt, 0);
        throw new RpcError("PERMISSION_DENIED", "not authorized");
      },
      read: boots("1"),
    },
  }, { signal });
  assert.equal(out, "a: one\n");
  assert.equal(err, "--- b: no longer following: not authorized ---\n");
  assert.equal(status, 130);
});

const clock = (second: number) => `2026-01-02T03:00:0${second}Z`;

/** Logs by name, each of some lines. */
const several = (logs: Readonly<Record<string, string>>) => ({
  logs: ({ id }: { readonly id: string }) => {
    const text = logs[id];
    if (text !== undefined) return texts(text);
    throw new RpcError("UNKNOWN", `log "${id}" was not registered`);
  },
});

Deno.test("logs --merge prints several logs of several nodes in the order of time", async () => {
  const { out, err, status } = await run(
    "logs etcd kubelet --merge --since 10m",
    {
      a: several({
        etcd: `${clock(1)} one\n${clock(4)} four\n`,
        kubelet: `${clock(2)} two\n  more of two\n`,
      }),
      b: several({ etcd: `${clock(3)} three\n` }),
    },
  );
  assert.equal(
    out,
    `a etcd: 2026-01-02T03:00:01Z one
a kubelet: 2026-01-02T03:00:02Z two
a kubelet:   more of two
b etcd: 2026-01-02T03:00:03Z three
a etcd: 2026-01-02T03:00:04Z four
`,
  );
  assert.match(err, /^error: b: log "kubelet" was not registered\n/);
  assert.equal(status, 3);
});

Deno.test("logs --merge --follow prints old lines of all nodes in the order of time, then new ones", async () => {
  const { signal, interrupt } = user();
  const { promise: happened, resolve: happen } = Promise.withResolvers<void>();
  const etcd = (old: string, added: string) => ({
    read: boots("b1"),
    async *logs(_: unknown, signal?: AbortSignal) {
      yield* texts(old);
      await happened;
      yield* texts(added);
      await untilAborted(signal);
    },
  });
  const { out, status } = await run("logs etcd --merge -f", {
    a: etcd(`${clock(1)} one\n${clock(3)} three\n`, `${clock(6)} six\n`),
    b: etcd(`${clock(2)} two\n${clock(4)} four\n`, `${clock(5)} five\n`),
  }, {
    signal,
    onWrite(out) {
      if (out.endsWith("four\n")) happen();
      if (out.endsWith("six\n")) interrupt();
    },
  });
  assert.equal(
    out.replaceAll(/2026-\S+ /g, ""),
    "a: one\nb: two\na: three\nb: four\nb: five\na: six\n",
  );
  assert.equal(status, 130);
});

for (
  const [flags, message] of [
    ["--until 1m -f", "Flags --until and --follow cannot be combined"],
    ["--since 1m --until 2m", "--since is later than --until"],
    [
      "--since yesterday",
      'Invalid value "yesterday" for --since: must be a time such as 2026-01-02T03:04:05Z, or a duration such as 10m',
    ],
    ["--grep (", 'Invalid value "(" for --grep: must be a regular expression'],
  ] as const
) {
  Deno.test(`logs ${flags} is refused`, async () => {
    const { err, status } = await run(`logs etcd ${flags}`, { a: {} });
    assert.ok(err.startsWith(`error: ${message}`), err);
    assert.equal(status, 2);
  });
}

Deno.test("logs --follow follows several logs at once, and chooses their lines", async () => {
  const stop = user();
  const { out } = await run("logs etcd kubelet -f --grep o", {
    a: {
      read: boots("1"),
      async *logs(
        { id, follow }: { readonly id: string; readonly follow: boolean },
        signal?: AbortSignal,
      ) {
        yield* texts(`${id} one\n${id} x\n`);
        if (follow) await untilAborted(signal);
      },
    },
  }, {
    signal: stop.signal,
    onWrite: (out) =>
      out.includes("etcd one") && out.includes("kubelet one") &&
      stop.interrupt(),
  });
  assert.deepEqual(out.trim().split("\n").sort(), [
    "a etcd: etcd one",
    "a kubelet: kubelet one",
  ]);
});
