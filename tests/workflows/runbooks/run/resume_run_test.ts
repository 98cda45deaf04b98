import assert from "node:assert/strict";
import { demo, holdRun, makeRun, started } from "../store/_runs.ts";
import {
  quick,
  runbook,
  withRunHome,
} from "../../../commands/runbook/_home.ts";
import { RefusedError } from "../../../../errors.ts";
import type { NewRecord } from "../_records.ts";
import { rebaseRun } from "../../../../workflows/runbooks/run/resume_run.ts";
import type { Runbook, Step } from "../../../../workflows/runbooks/runbook.ts";
import { openRun } from "../../../../workflows/runbooks/store/run_folder.ts";
import { withFolder } from "../../../_folder.ts";

Deno.test("resumeRun refuses a run that another process has: status 8", async () => {
  await withRunHome(async ({ osctl, write, ids, home }) => {
    const file = await write(quick);
    await osctl(["runbook", "run", file]);
    const [id = ""] = await ids();
    using _ = await holdRun(`${home}/runs/${id}`);
    const { status, err } = await osctl(["runbook", "resume", id, "--yes"]);
    assert.equal(status, 8);
    assert.match(err, /is running in another process/);
  });
});

Deno.test("resumeRun tries what has failed again, and what was not reached", async () => {
  const failing = runbook(
    `  - id: workers
    forEach: { nodes: workers, strategy: { batch: 1 } }
    steps:
      - { id: cordon, run: node.cordon }
      - { id: pass, assert: { that: "inputs.fine", message: "Not yet" } }
    always:
      - { id: uncordon, run: node.uncordon }
`,
    "inputs:\n  fine: { type: bool, default: false, mutable: true }\n",
  );
  await withRunHome(async ({ osctl, write }) => {
    const file = await write(failing);
    const first = await osctl(["runbook", "run", file, "-o", "json"]);
    assert.equal(first.status, 5, first.err);
    const { buckets, next, run } = JSON.parse(first.out);
    assert.deepEqual([buckets.blocked.length, buckets["not-reached"].length], [
      1,
      1,
    ]);
    assert.equal(next, `osctl runbook resume ${run}`);
    const second = await osctl(
      ["runbook", "resume", "--set", "fine=true", "-o", "json"],
    );
    assert.equal(second.status, 0, second.err);
    const report = JSON.parse(second.out);
    assert.equal(report.buckets.done.length, 2);
    assert.equal(report.next, undefined);
  });
});

Deno.test("resumeRun sends nothing when a file cannot be written or a runbook is wrong: status 2", async () => {
  await withRunHome(async ({ osctl, write, ids, home, journal }) => {
    const file = await write(quick);
    await osctl(["runbook", "run", file]);
    const [id = ""] = await ids();
    const before = (await journal()).length;
    const wrong = await write("kind: Runbook\n", "wrong.runbook.yaml");
    for (
      const flags of [
        ["--events-file", `${home}/none/events`],
        ["--with-runbook", wrong],
        ["--with-runbook", `${home}/none.yaml`],
      ]
    ) {
      const ran = await osctl(["runbook", "resume", id, "--yes", ...flags]);
      assert.equal(ran.status, 2, ran.err);
    }
    assert.equal((await journal()).length, before);
  });
});

const now = () => new Date("2026-11-20T20:00:00Z");
const id = "20261120-7k2f";

/** Puts a runbook in the place of the demo's, after some records. */
async function rebase(
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
function changeConfig(change: (step: Step) => Step | undefined): Runbook {
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
  type: "result",
  path: "workers/drain",
  node: "w-1",
  data: { state: "ok", module: "node.drain" },
};

Deno.test("rebaseRun refuses when a step that was started is gone, or is something else", async () => {
  const gone = changeConfig((step) => step.id === "drain" ? undefined : step);
  const other = changeConfig((step) =>
    step.verb === "run" && step.id === "drain"
      ? { ...step, module: "node.cordon" }
      : step
  );
  const flat = changeConfig((step) =>
    step.id === "workers" && step.verb === "forEach"
      ? { ...step, verb: "block" } as Step
      : step
  );
  const asked: NewRecord = {
    type: "approval.answered",
    path: "go",
    data: { tag: "start", approved: true, by: "eve" },
  };
  const tag = changeConfig((step) =>
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
      { type: "enter", path: "workers", node: "w-1", entry: 1 },
      /"workers" was started as forEach, and it is block now/,
    ],
    [tag, asked, /"go" was started as approve start, and it is approve x now/],
  ] as const;
  for (const [next, record, expected] of cases) {
    await assert.rejects(rebase(next, [record]), (error) => {
      assert.ok(error instanceof RefusedError);
      assert.match(error.message, expected);
      return true;
    });
  }
});

Deno.test("rebaseRun looks into runbooks that are used", async () => {
  const record: NewRecord = {
    type: "enter",
    path: "planes/each",
    node: "cp-1",
    entry: 1,
  };
  await rebase(demo, [record]);
  const next = changeConfig((step) =>
    step.verb === "use"
      ? { ...step, runbook: { ...step.runbook, steps: [] } }
      : step
  );
  await assert.rejects(rebase(next, [record]), /"planes\/each" was started/);
});

Deno.test("rebaseRun refuses inputs that the run has no value for", async () => {
  const batch = { type: "int", summary: "", required: true } as const;
  const needy = { ...demo, inputs: { batch } };
  await assert.rejects(rebase(needy), /has no value for input "batch"/);
  await rebase({ ...demo, inputs: { batch: { ...batch, initial: 2 } } });
  await rebase({ ...demo, inputs: { batch: { type: "int", summary: "" } } });
});

const patched = runbook(
  `  - id: go
    approve: { tag: start, message: "Pause \${{ inputs.pause }}?" }
  - id: workers
    forEach: { nodes: workers, strategy: { batch: 1 } }
    steps:
      - { id: patch, run: config.patch, with: { file: "\${{ inputs.patch }}" } }
`,
  `inputs:
  patch: { type: path, required: true }
  pause: { type: duration, default: 1s, mutable: true }
`,
);

Deno.test("resumeRun asks again for what was approved before an input was changed", async () => {
  await withRunHome(async ({ osctl, write, home }) => {
    const file = await write(patched);
    const patch = `${home}/patch.yaml`;
    await Deno.writeTextFile(patch, "machine: { sysctls: { a.b: c } }\n");
    const run = ["runbook", "run", file, "--input", `patch=${patch}`];
    assert.equal((await osctl(run)).status, 76);
    const approved = await osctl(["runbook", "approve", "last"]);
    assert.equal(approved.status, 0, approved.err);
    const set = await osctl(["runbook", "resume", "--set", "pause=2s"]);
    assert.match(set.err, /is waiting for an approval/);
    assert.equal(set.status, 76);
    assert.equal((await osctl(["runbook", "approve", "last"])).status, 0);
    const resumed = await osctl(["runbook", "resume"]);
    assert.equal(resumed.status, 0, resumed.err);
  });
});
