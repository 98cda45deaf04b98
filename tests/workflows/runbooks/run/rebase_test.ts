import assert from "node:assert/strict";
import { RefusedError } from "../../../../errors.ts";
import type { NewRecord } from "../../../../workflows/runbooks/journal/record.ts";
import type { Runbook, Step } from "../../../../workflows/runbooks/runbook.ts";
import { rebaseRun } from "../../../../workflows/runbooks/run/rebase.ts";
import { openRun } from "../../../../workflows/runbooks/store/run_folder.ts";
import { withFolder } from "../../../_folder.ts";
import { demo, makeRun, started } from "../store/_runs.ts";

const now = () => new Date("2026-11-20T20:00:00Z");
const id = "20261120-7k2f";

/** Puts a runbook in the place of the demo's, after some records. */
async function rebased(
  next: Runbook,
  records: readonly NewRecord[] = [],
  then: (runs: string) => Promise<void> = () => Promise.resolve(),
) {
  await withFolder({}, async (runs) => {
    await makeRun(runs, { records: [started, ...records] });
    {
      using run = await openRun(runs, id, now);
      const files = [{ path: "b.yaml", sha256: "ab", text: "b: 1\n" }];
      const loaded = { runbook: next, files };
      const goesOn = await rebaseRun(run, loaded, "eve@desk");
      assert.equal(goesOn.runbook, next);
    }
    await then(runs);
  });
}

/** The demo with its steps changed; inner ones as well. */
function changed(change: (step: Step) => Step | undefined): Runbook {
  const all = (steps: readonly Step[]): readonly Step[] =>
    steps.flatMap((step): readonly Step[] => {
      const own = change(step);
      if (own === undefined) return [];
      if (own.verb !== "forEach" && own.verb !== "block") return [own];
      return [{ ...own, steps: all(own.steps) }];
    });
  return { ...demo, steps: all(demo.steps) };
}

const drained: NewRecord = {
  t: "result",
  p: "workers/drain",
  n: "w-1",
  d: { state: "ok", module: "node.drain" },
};

Deno.test("rebaseRun continues by the other runbook, now and every time after", async () => {
  const next = { ...demo, title: "Better" };
  await rebased(next, [drained], async (runs) => {
    using run = await openRun(runs, id, now);
    assert.equal(run.runbook.title, "Better");
    const kept = await Array.fromAsync(Deno.readDir(`${runs}/${id}/runbook`));
    assert.equal(kept.length, 1);
    assert.match(kept[0]?.name ?? "", /^[0-9a-f]{8}-0-b\.yaml$/);
  });
});

Deno.test("rebaseRun lets steps change that were not started, and new ones come", async () => {
  const next = changed((step) => {
    if (step.id === "snapshot") return undefined;
    return step.verb === "run" && step.id === "restart"
      ? { ...step, module: "node.shutdown" }
      : step;
  });
  await rebased(next, [drained]);
});

Deno.test("rebaseRun refuses when a step that was started is gone, or is something else", async () => {
  const gone = changed((step) => step.id === "drain" ? undefined : step);
  const other = changed((step) =>
    step.verb === "run" && step.id === "drain"
      ? { ...step, module: "node.cordon" }
      : step
  );
  const flat = changed((step) =>
    step.id === "workers" && step.verb === "forEach"
      ? { ...step, verb: "block" } as Step
      : step
  );
  const asked: NewRecord = {
    t: "approval.answered",
    p: "go",
    d: { tag: "start", approved: true, by: "eve" },
  };
  const tag = changed((step) =>
    step.verb === "approve" && step.id === "go" ? { ...step, tag: "x" } : step
  );
  const cases = [
    [
      gone,
      drained,
      /"workers\/drain" was started as run node\.drain, and it was removed/,
    ],
    [
      other,
      drained,
      /started as run node\.drain, and it is run node\.cordon now/,
    ],
    [
      flat,
      { t: "enter", p: "workers", n: "w-1", e: 1 },
      /"workers" was started as forEach, and it is block now/,
    ],
    [tag, asked, /"go" was started as approve start, and it is approve x now/],
  ] as const;
  for (const [next, record, expected] of cases) {
    await assert.rejects(rebased(next, [record]), (error) => {
      assert.ok(error instanceof RefusedError);
      assert.match(error.message, expected);
      return true;
    });
  }
});

Deno.test("rebaseRun looks into runbooks that are used", async () => {
  const record: NewRecord = { t: "enter", p: "planes/each", n: "cp-1", e: 1 };
  await rebased(demo, [record]);
  const next = changed((step) =>
    step.verb === "use"
      ? { ...step, runbook: { ...step.runbook, steps: [] } }
      : step
  );
  await assert.rejects(rebased(next, [record]), /"planes\/each" was started/);
});

Deno.test("rebaseRun has no say in questions about rules that were overridden", async () => {
  const allowed: NewRecord = {
    t: "approval.answered",
    p: "allow/etcd-quorum",
    d: { tag: "allow-etcd-quorum", approved: true, by: "eve" },
  };
  await rebased(demo, [allowed]);
});

Deno.test("rebaseRun refuses inputs that the run has no value for", async () => {
  const batch = { type: "int", summary: "", required: true } as const;
  const needy = { ...demo, inputs: { batch } };
  await assert.rejects(rebased(needy), /has no value for input "batch"/);
  await rebased({ ...demo, inputs: { batch: { ...batch, initial: 2 } } });
  await rebased({
    ...demo,
    inputs: { batch: { type: "int", summary: "" } },
  });
});
