import assert from "node:assert/strict";
import { temporaryFolder } from "../../../lib/files/temporary.ts";
import { virtualClock } from "../../../simulator/clock/virtual_clock.ts";
import { parseClusterSpec } from "../../../workflows/rehearsal/cluster_shape.ts";
import { newDisk } from "../../../workflows/rehearsal/model_disk.ts";
import {
  differences,
  endState,
  type RehearsalOptions,
  rehearseAll,
} from "../../../workflows/rehearsal/rehearsal.ts";
import { invariantIds } from "../../../workflows/rehearsal/invariants/invariant.ts";
import type { Testbed } from "../../../workflows/rehearsal/rehearse.ts";
import type { RunReport, RunState } from "../../../workflows/runbooks/event.ts";
import { cluster, node, nodes, overriding, report } from "./_evidence.ts";

/** A process that writes two records and cordons a node; how it ends follows from how many there were. */
function fakeTestbed(
  endRun: (process: number) => RunState,
  cleanup?: RunReport["cleanup"],
): Testbed {
  const clock = virtualClock();
  let count = 0;
  return {
    runbook: overriding(),
    clock,
    observe() {
      const version = `v${count}`;
      return cluster({ nodes: [node("w-1", { version, slots: [version] })] });
    },
    findName: (node) => node,
    strike: () => Promise.resolve(() => Promise.resolve()),
    async runProcess(process, disk, { through, emit }) {
      const { journal } = await disk.open(
        (store) => process.store(through(store)),
        () => new Date(process.clock.now()),
      );
      emit({ type: "run.started", data: { runbook: "r" } });
      await journal.append({
        type: "node",
        path: "all",
        node: "w-1",
        data: { state: "done" },
      });
      const state = endRun(++count);
      await journal.append({ type: "run.end", data: { state, status: 0 } });
      const targets = [{ node: "w-1", path: "all", state: "done" as const }];
      return report({
        state,
        status: state === "succeeded" ? 0 : 1,
        targets,
        ...cleanup === undefined ? {} : { cleanup },
      });
    },
  };
}

function makeOptions(
  endOf: (process: number) => RunState,
  more: Partial<RehearsalOptions> = {},
  cleanup?: RunReport["cleanup"],
): RehearsalOptions {
  return {
    runbook: { ...overriding(), name: "upgrade" },
    cluster: parseClusterSpec("1cp"),
    async open() {
      const scratch = await temporaryFolder("osctl-test-");
      return {
        stage: fakeTestbed(endOf, cleanup),
        disk: await newDisk(scratch.path),
        [Symbol.asyncDispose]: () => scratch[Symbol.asyncDispose](),
      };
    },
    faults: [],
    matrices: [],
    invariants: new Set(invariantIds),
    seed: 1,
    most: 0,
    again: (faults) => `again ${faults.join(" ")}`,
    now: () => new Date("2026-03-01T12:00:00Z"),
    report() {},
    signal: new AbortController().signal,
    ...more,
  };
}

const well = () => "succeeded" as const;

Deno.test("a run is rehearsed once, and compared with how it is expected to end", async () => {
  const { runs, ...rest } = await rehearseAll(makeOptions(well, {
    faults: ["k8s: down"],
    expect: { status: 0, buckets: { done: ["w-1"] } },
  }));
  assert.deepEqual(rest, {
    v: 1,
    runbook: "upgrade",
    cluster: "sim:1cp,v1.13.4",
    seed: 1,
    madeAt: "2026-03-01T12:00:00.000Z",
    tookMs: 0,
  });
  const [run] = runs;
  assert.equal(run?.name, "as requested");
  assert.equal(run?.again, "again k8s: down");
  assert.equal(run?.faults[0]?.fault, "k8s: down");
  const wrong = await rehearseAll(makeOptions(well, {
    expect: { status: 3, buckets: { done: [], failed: ["w-1"] } },
  }));
  assert.deepEqual(
    wrong.runs[0]?.problems,
    [
      "status 0 instead of 3",
      "done: w-1 instead of none",
      "failed: none instead of w-1",
    ],
  );
});

Deno.test("where nothing is made to go wrong a run is expected to succeed, unless it is said how it ends", async () => {
  const badly = () => "failed" as const;
  const findProblems = async (more: Partial<RehearsalOptions>) =>
    (await rehearseAll(makeOptions(badly, more))).runs[0]?.problems;
  assert.deepEqual(await findProblems({}), ["status 1 instead of 0"]);
  assert.deepEqual(await findProblems({ expect: { status: 1 } }), []);
  assert.deepEqual(await findProblems({ faults: ["k8s: down"] }), []);
});

Deno.test("a case that ends in another state is reported, with the reason", async () => {
  // Of the second run on every process fails.
  let stages = 0;
  const options = makeOptions(well, { matrices: ["kill"] });
  const { open } = makeOptions(() => stages > 1 ? "failed" : "succeeded");
  const { runs } = await rehearseAll({
    ...options,
    open(spec) {
      stages++;
      return open(spec);
    },
  });
  assert.deepEqual(runs[1]?.problems, ["ended failed instead of succeeded"]);
});

Deno.test("a rescue that failed is a problem, in a matrix only when it is wrong in itself", async () => {
  const chooseProblems = async (code: string) => {
    const part = "rescue" as const;
    const wrong = { part, step: "undo/back", node: "w-1", code, message: "" };
    const options = { faults: ["k8s: down"], matrices: ["kill"] as const };
    const { runs } = await rehearseAll(
      makeOptions(() => "failed", options, [wrong]),
    );
    return runs.map(({ problems }) =>
      problems.filter((problem) => problem.startsWith("rescue"))
    );
  };
  const said = (code: string) => [
    `rescue failed: ${code} in undo/back on w-1`,
  ];
  assert.deepEqual(await chooseProblems("deadline"), [
    said("deadline"),
    [],
    [],
  ]);
  assert.deepEqual(await chooseProblems("invalid"), [
    said("invalid"),
    said("invalid"),
    said("invalid"),
  ]);
});

Deno.test("nodes that differ are reported as they are and as they should be", () => {
  const expected = endState(cluster());
  assert.deepEqual(differences(expected, endState(cluster())), []);
  const closed = node("w-1", { isCordoned: true, isReady: false });
  const found = endState(cluster({ nodes: [...nodes.slice(0, 3), closed] }));
  assert.deepEqual(differences(expected, found), [
    "actual: w-1, runs v1, starts v1, not ready, cordoned, trusts ca1+ca1, in Kubernetes -+ca2, no etcd",
    "expected: w-1, runs v1, starts v1, ready, open, trusts ca1+ca1, in Kubernetes -+ca2, no etcd",
  ]);
});
