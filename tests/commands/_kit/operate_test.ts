import assert from "node:assert/strict";
import {
  operate,
  type OperateContext,
} from "../../../commands/_kit/operate.ts";
import { NodesError, RpcError } from "../../../errors.ts";
import type { Operation } from "../../../workflows/operations/operation.ts";
import { fakeNodes } from "../../_fake.ts";

/** Sets a value that node `b` does not take. */
const set: Operation<{ readonly value: string }, null, null> = {
  name: "set",
  effect: "write",
  idempotency: "converge",
  quorum: () => "none",
  observe: () => Promise.resolve(null),
  plan: () => [{ action: "set" }],
  key: () => null,
  async *apply({ node }, { value }) {
    yield { text: `sets ${value}` };
    if (node === "b") {
      throw await Promise.resolve(new RpcError("UNKNOWN", "no"));
    }
  },
  reconcile: () => Promise.resolve("unknown"),
  async *verify() {
    yield* [];
    await Promise.resolve();
    return { outcome: "done", reason: "set" };
  },
};

async function acted(
  input: OperateContext["input"],
  operation = set,
  nodeTimeoutMs?: number,
) {
  const reported: string[] = [];
  // Only what `operate` looks at; there is no home, so nothing can be written down.
  const context = {
    input,
    change: {
      operation,
      prepare: () => ({ input: { value: "x" } }),
      ...nodeTimeoutMs === undefined ? {} : { nodeTimeoutMs },
    },
    globals: { nodes: [] },
    nodes: fakeNodes({ a: {}, b: {} }).nodes,
    environment: { now: () => new Date(0), env: () => undefined },
    signal: new AbortController().signal,
    note: (text: string) => reported.push(text),
  } as unknown as OperateContext;
  const rows: unknown[] = [];
  try {
    for await (const row of operate(context)) rows.push(row);
  } catch (error) {
    assert.ok(error instanceof NodesError);
    rows.push(...error.failures.keys());
  }
  return { rows, reported: reported.toSorted() };
}

Deno.test("a write asks nothing, writes nothing down, and ends when the node shows it", async () => {
  assert.deepEqual(await acted({ wait: true, timeout: 1000 }), {
    rows: [{ node: "a", outcome: "done", reason: "set" }, "b"],
    reported: ["00:00:00 a: sets x", "00:00:00 b: sets x"],
  });
});

Deno.test("a change without waiting ends when accepted by the node", async () => {
  const { rows } = await acted({ wait: false, timeout: 1000 });
  assert.deepEqual(rows, [
    { node: "a", outcome: "accepted", reason: "accepted by the node" },
    "b",
  ]);
});

Deno.test("a node whose turn comes late has its own time, unless there is one for all", async () => {
  const longest = 50;
  // Nodes go one at a time, and the first uses up its time.
  const slow: typeof set = {
    ...set,
    rolling: true,
    apply: async function* () {},
    async *verify({ node, signal }) {
      yield* [];
      if (node === "a" && !signal.aborted) {
        await new Promise((resolve) =>
          signal.addEventListener("abort", resolve, { once: true })
        );
      }
      return node === "b" && signal.aborted
        ? { outcome: "timed-out", reason: "late" }
        : { outcome: "done", reason: "set" };
    },
  };
  const wait = { wait: true, timeout: undefined };
  const own = await acted(wait, slow, longest);
  assert.deepEqual(own.rows, [
    { node: "a", outcome: "done", reason: "set" },
    { node: "b", outcome: "done", reason: "set" },
  ]);
  assert.deepEqual(own.reported, ["00:00:00 b: waiting for its turn"]);
  const shared = await acted({ ...wait, timeout: longest }, slow);
  assert.deepEqual(shared.rows.at(-1), "b");
});

Deno.test("a command whose file declares no change changes nothing", async () => {
  const context = { input: {} } as OperateContext; // nothing else is checked
  await assert.rejects(() => Array.fromAsync(operate(context)), {
    name: "TypeError",
    message: "The file of the command exports no change",
  });
});
