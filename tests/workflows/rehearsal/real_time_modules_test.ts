import assert from "node:assert/strict";
import { untilResult } from "../operations/_kubernetes_context.ts";
import type {
  AnyOperation,
  OperationProgress,
} from "../../../workflows/operations/operation.ts";
import { heldModule } from "../../../workflows/rehearsal/real_time_modules.ts";
import type { RealWork } from "../../../workflows/rehearsal/pending_work.ts";
import type { Module, StepContext } from "../../../workflows/modules/module.ts";

/** Work that counts what it is asked for. */
function counting() {
  const counts = { during: 0, outside: 0 };
  const work: RealWork = {
    during(task) {
      counts.during++;
      return task();
    },
    outside(wait) {
      counts.outside++;
      return wait();
    },
    abandon() {},
    settled: () => Promise.resolve(),
  };
  return { work, counts };
}

async function* steps<End>(end: End): AsyncGenerator<OperationProgress, End> {
  yield await Promise.resolve({ text: "one" });
  return end;
}

const operation = {
  name: "reboot",
  observe: () => Promise.resolve("seen"),
  apply: () => steps("applied"),
  reconcile: () => Promise.resolve("done"),
  resume: () => steps("resumed"),
  verify: () => steps("verified"),
  // The rest is not asked for.
} as unknown as AnyOperation;

const head = { name: "m", summary: "", scope: "node" } as unknown as Module;
const context = {} as StepContext;

Deno.test("each step of a module that reads is real work", async () => {
  const { work, counts } = counting();
  const module = heldModule(
    { ...head, kind: "read", read: () => steps({ a: 1 }) } as Module,
    work,
  );
  assert.ok(module.kind === "read");
  assert.deepEqual(await untilResult(module.read(context, {})), { a: 1 });
  assert.equal(counts.during, 2);
  const left = module.read(context, {});
  await left.next();
  await left.return({});
  assert.equal(counts.during, 4);
});

Deno.test("real-time modules: every request to a node is real work", async () => {
  const { work, counts } = counting();
  const module = heldModule({
    ...head,
    kind: "change",
    operation,
    prepare: () => ({
      input: null,
      operation,
      toOutput: () => Promise.resolve({ b: 2 }),
    }),
  } as Module, work);
  assert.ok(module.kind === "change");
  const held = module.operation;
  assert.equal(await held.observe(context, null), "seen");
  assert.equal(await held.reconcile(context, null, null), "done");
  const prepared = await module.prepare(context, {});
  assert.ok("input" in prepared);
  const verdict = { outcome: "done", reason: "" } as const;
  assert.deepEqual(await prepared.toOutput?.(verdict), { b: 2 });
  assert.equal(await prepared.operation?.observe(context, null), "seen");
  assert.equal(counts.during, 5);
  const ends = [
    await untilResult(held.apply(context, null, null)),
    await untilResult(held.resume!(context, null, null)),
    await untilResult(held.verify(context, null, null)),
  ];
  assert.deepEqual(ends, ["applied", "resumed", "verified"]);
  assert.equal(counts.during, 11);
});
