import assert from "node:assert/strict";
import fc from "fast-check";
import { NodesError } from "../../../errors.ts";
import { fanOut } from "../../../transport/node/fan_out.ts";

const turn = () => new Promise<void>((resolve) => setTimeout(resolve));

function waitForAbort(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve());
  });
}

/** Values of a node, some of them a turn of the event loop late. */
async function* slowly<T>(
  values: readonly T[],
  late: readonly boolean[],
): AsyncGenerator<T> {
  for (const [index, value] of values.entries()) {
    if (late[index]) await turn();
    yield value;
  }
}

const script = fc.record({
  values: fc.array(fc.nat(9), { maxLength: 6 }),
  late: fc.array(fc.boolean(), { maxLength: 6 }),
  fails: fc.boolean(),
});

Deno.test("fanOut keeps the order of every node and names those that fail", async () => {
  const nodesOf = fc.array(script, { maxLength: 8 });
  const atOnceOf = fc.oneof(
    fc.integer({ min: 1, max: 9 }),
    fc.constant(Infinity),
  );
  await fc.assert(
    fc.asyncProperty(nodesOf, atOnceOf, async (scripts, atOnce) => {
      const nodes = scripts.map((_, index) => `n${index}`);
      const seen = nodes.map((): number[] => []);
      const expected = nodes.filter((_, index) => scripts[index]!.fails);
      let failed: string[] = [];
      try {
        for await (
          const { node, value } of fanOut({
            nodes,
            atOnce,
            async *open(node) {
              const { values, late, fails } = scripts[nodes.indexOf(node)]!;
              yield* slowly(values, late);
              if (fails) throw new Error(node);
            },
          })
        ) {
          seen[nodes.indexOf(node)]!.push(value);
        }
      } catch (error) {
        assert.ok(error instanceof NodesError);
        failed = [...error.failures.keys()];
        assert.deepEqual(
          [...error.failures.values()].map((one) => (one as Error).message),
          expected,
        );
        assert.equal(error.status, failed.length < nodes.length ? 3 : 1);
      }
      assert.deepEqual(seen, scripts.map(({ values }) => values));
      assert.deepEqual(failed, expected);
    }),
    { numRuns: 60 },
  );
});

for (const [atOnce, expected] of [[1, 1], [3, 3], [64, 10], [Infinity, 10]]) {
  Deno.test(`fanOut has at most ${expected} of 10 nodes open with atOnce ${atOnce}`, async () => {
    let open = 0;
    let most = 0;
    const answers = fanOut({
      nodes: Array.from({ length: 10 }, (_, index) => `n${index}`),
      atOnce: atOnce!,
      async *open(node) {
        most = Math.max(most, ++open);
        await turn();
        yield node;
        open--;
      },
    });
    let count = 0;
    for await (const _answer of answers) count++;
    assert.equal(count, 10);
    assert.equal(most, expected);
  });
}

Deno.test("fanOut slows the nodes down to the pace of its reader", async () => {
  let produced = 0;
  const answers = fanOut({
    nodes: ["a"],
    atOnce: 1,
    async *open() {
      for (let index = 0; index < 1_000; index++) yield await ++produced;
    },
  });
  await answers.next();
  for (let round = 0; round < 10; round++) await turn();
  assert.ok(produced < 10, `${produced} values were produced`);
  await answers.return(undefined);
});

Deno.test("fanOut ends all nodes when its reader leaves", async () => {
  const ended: string[] = [];
  const answers = fanOut({
    nodes: ["a", "b", "c"],
    atOnce: 3,
    async *open(node, signal) {
      try {
        yield node;
        await waitForAbort(signal);
      } finally {
        ended.push(node);
      }
    },
  });
  for await (const _answer of answers) break;
  assert.deepEqual(ended.toSorted(), ["a", "b", "c"]);
});

Deno.test("fanOut ends without an error when the user interrupts, and opens no more nodes", async () => {
  const controller = new AbortController();
  const reasons: unknown[] = [];
  const answers = fanOut({
    nodes: ["a", "b", "c"],
    atOnce: 2,
    signal: controller.signal,
    async *open(node, signal) {
      yield node;
      await waitForAbort(signal);
      reasons.push(signal.reason);
      throw signal.reason;
    },
  });
  const seen: string[] = [];
  for await (const { node } of answers) {
    seen.push(node);
    if (seen.length === 2) controller.abort("interrupted");
  }
  assert.deepEqual(seen, ["a", "b"]);
  assert.deepEqual(reasons, ["interrupted", "interrupted"]);
});

Deno.test("fanOut ends without an error when the user interrupts after a node has failed", async () => {
  const controller = new AbortController();
  const answers = fanOut({
    nodes: ["a", "b"],
    atOnce: 2,
    signal: controller.signal,
    async *open(node, signal) {
      if (node === "a") throw new Error("lost");
      await turn(); // by then the other node has failed
      yield node;
      await waitForAbort(signal);
    },
  });
  const seen: string[] = [];
  for await (const { node } of answers) {
    seen.push(node);
    controller.abort("interrupted");
  }
  assert.deepEqual(seen, ["b"]);
});

Deno.test("fanOut of an interrupted command opens nothing", async () => {
  const answers = fanOut({
    nodes: ["a"],
    atOnce: 1,
    signal: AbortSignal.abort("interrupted"),
    open: () => assert.fail("opened"),
  });
  assert.deepEqual(await answers.next(), { done: true, value: undefined });
});

Deno.test("fanOut reports the answers it had when a node fails later", async () => {
  const answers = fanOut({
    nodes: ["a"],
    atOnce: 1,
    async *open() {
      yield await Promise.resolve(1);
      throw new Error("lost");
    },
  });
  assert.deepEqual(await answers.next(), {
    done: false,
    value: { node: "a", value: 1 },
  });
  await assert.rejects(answers.next(), { message: "1 of 1 nodes failed" });
});
