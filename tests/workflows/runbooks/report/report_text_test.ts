import assert from "node:assert/strict";
import type { RunState } from "../../../../workflows/runbooks/event.ts";
import {
  reportParts,
  reportText,
} from "../../../../workflows/runbooks/report/report_text.ts";
import { empty, full as report } from "./_reports.ts";

const full = {
  ...report,
  words: {
    titles: new Map([["workers", "Upgrade workers"]]),
    activities: new Map([
      ["workers/node/body/drain", "draining"],
      ["workers/node/body/restart", "rebooting"],
      ["workers/node/body/back", "checking"],
    ]),
  },
};

Deno.test("reportText says all there is to say, and ends with the command that continues", () => {
  assert.equal(
    reportText(full),
    `rolling-upgrade on prod finished, but some nodes failed
Run 20261120-7k2f, status 3, 2026-11-20 19:30 UTC, took 10m53s
8 nodes: 2 done, 1 recovered, 1 failed, 1 blocked or in doubt, 1 skipped, 1 interrupted, 1 not reached

Done
  cp-1  1m45s
  w-1   5m50s

Recovered: failed, but its rescue succeeded
  w-3 while checking: NotReady

Failed
  w-2 while draining: disruption budget shop/db allows no eviction
    see artifacts/w-2-support.zip

Blocked or in doubt
  w-4 while rebooting: the connection broke after the call was sent

Skipped
  w-5 in Upgrade workers: dropped: being repaired
  w-1, checking: INC-4711

Interrupted in the middle of their steps
  w-6 while rebooting

Not reached
  Upgrade workers: w-7

Joined since the plan; not touched
  w-8

Left on nodes
  w-2 is still cordoned

Files
  artifacts/before-v1.14.1.snapshot

Outputs
  upgraded: 2
  failed: ["w-2"]
  note: see the ticket

Resume with
osctl runbook resume 20261120-7k2f
`,
  );
});

/** Lines below the head of the report of workers of which none was reached. */
function workerLines(count: number, columns?: number): readonly string[] {
  const targets = Array.from({ length: count }, (_, i) => ({
    node: `worker-${i}`,
    path: "workers",
    state: "not-reached",
  } as const));
  const lines = reportText({ ...empty, targets }, columns).split("\n");
  return lines.slice(lines.indexOf("Not reached"), -1);
}

Deno.test("reportText fits the terminal, and says how to see the names of very many nodes", () => {
  const lines = workerLines(500, 60);
  assert.deepEqual(lines.slice(0, 2), [
    "Not reached",
    "  workers: worker-0, worker-1, worker-2, worker-3,",
  ]);
  assert.deepEqual(lines.slice(-2), [
    "    worker-49,",
    "    and 450 more: osctl runbook status 20261120-7k2f -o json",
  ]);
  const long = reportText(full, 60).split("\n");
  assert.ok([...lines, ...long].every(({ length }) => length <= 60));
  assert.deepEqual(long.filter((line) => /w-2|allows/.test(line)), [
    "  w-2 while draining: disruption budget shop/db allows no",
    "    see artifacts/w-2-support.zip",
    "  w-2 is still cordoned",
    '  failed: ["w-2"]',
  ]);
});

const states: Readonly<Record<RunState, string>> = {
  succeeded: "succeeded",
  partial: "finished, but some nodes failed",
  failed: "failed",
  blocked: "is blocked: a safety rule refused a step, or a step is in doubt",
  stopped: "stopped at a safe point",
  "waiting-approval": "is waiting for an approval",
  refused: "was not approved",
  interrupted: "was interrupted in the middle of its steps",
  cancelled: "was cancelled",
};

for (const [state, sentence] of Object.entries(states)) {
  Deno.test(`reportText says that a run ${sentence}`, () => {
    // The keys are those of the type.
    const text = reportText({ ...empty, state: state as RunState });
    assert.equal(text.split("\n")[0], `rolling-upgrade on prod ${sentence}`);
  });
}

Deno.test("reportText says how to abort or resume an interrupted run", () => {
  const next = "osctl runbook resume r1";
  const text = reportText({ ...empty, run: "r1", state: "interrupted", next });
  assert.match(
    text,
    /\n\nResume with\nosctl runbook resume r1\n\nAbort with\nosctl runbook abort r1 --reason "…"\n$/,
  );
});

for (
  const [message, expected] of [
    ["stopped before planes", "Stopped before Upgrade control planes"],
    ["stopped before planes/drain", "Stopped in Upgrade control planes"],
    ["stopped in planes", "Stopped in Upgrade control planes"],
    ["stopped before other/drain", "Stopped in other"],
    ['"go" needs approval: see a/b', '"go" needs approval: see a/b'],
  ] as const
) {
  Deno.test(`reportText tells of a run that ${message}`, () => {
    const titles = new Map([["planes", "Upgrade control planes"]]);
    const text = reportText({
      ...empty,
      state: "stopped",
      failure: { step: "", code: "stop", message },
      words: { titles, activities: new Map() },
    });
    assert.equal(text.split("\n")[2], expected);
  });
}

Deno.test("reportText names node, step and reason of a failure once, without codes", () => {
  const step = "canary/node/body/install";
  const why = {
    step,
    code: "precondition",
    message: "upgrade.install: w-1: The installer failed with exit status 1",
  };
  const text = reportText({
    ...empty,
    state: "failed",
    status: 1,
    failure: { ...why, message: `w-1 failed: ${why.message}` },
    targets: [{ node: "w-1", path: "canary", state: "failed", ...why }],
    words: {
      titles: new Map([["canary", "Upgrade one worker"]]),
      activities: new Map([[step, "installing"]]),
    },
  });
  assert.deepEqual(text.split("\n").slice(2), [
    "1 node: 1 failed",
    "Failed in Upgrade one worker",
    "",
    "Failed",
    "  w-1 while installing: The installer failed with exit status 1",
    "",
  ]);
});

Deno.test("reportText says to power on nodes that did not come back, before it offers to resume", () => {
  const text = reportText({
    ...empty,
    state: "failed",
    status: 6,
    targets: [{
      node: "w-1",
      path: "workers",
      state: "failed",
      step: "workers/restart",
      code: "never-returned",
      message: "the node does not answer",
    }],
    next: "osctl runbook resume r1",
  });
  assert.match(
    text,
    /\n {2}w-1 in restart: the node does not answer\n\nBefore resuming\n {2}Check the console and power of: w-1\n\nResume with\nosctl runbook resume r1\n$/,
  );
});

Deno.test("reportText says which steps of rescue and always failed", () => {
  const text = reportText({
    ...empty,
    state: "failed",
    status: 1,
    cleanup: [
      {
        part: "rescue",
        step: "undo/back",
        node: "w-2",
        code: "invalid",
        message: "No such\nkey",
      },
      { part: "always", step: "last", code: "deadline", message: "late" },
    ],
  });
  assert.match(
    text,
    /\nFailed in rescue or always\n {2}rescue on w-2: undo, in back: No such key\n {2}always: last: late\n/,
  );
});

Deno.test("reportParts colours how the run ended, and the headings of what became of nodes", () => {
  const toned = reportText(full).split("\n").flatMap(reportParts)
    .filter(({ style }) => style !== undefined);
  assert.deepEqual(toned, [
    { text: "finished, but some nodes failed", style: "bad" },
    { text: "Done", style: "good" },
    {
      text: "Recovered: failed, but its rescue succeeded",
      style: "changing",
    },
    { text: "Failed", style: "bad" },
    { text: "Blocked or in doubt", style: "bad" },
    { text: "Interrupted in the middle of their steps", style: "changing" },
    { text: "Left on nodes", style: "changing" },
  ]);
});
