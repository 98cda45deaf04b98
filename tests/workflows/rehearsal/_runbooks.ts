/** Runbooks that are rehearsed in tests. */

import { entries } from "../../../commands/_index.ts";
import { finders } from "../../_finders.ts";
import { runSession } from "../../../commands/_runbook/session.ts";
import {
  openTestbed,
  type TestbedOptions,
} from "../../../workflows/rehearsal/open_testbed.ts";
import { parseClusterSpec } from "../../../workflows/rehearsal/cluster_shape.ts";
import { parseFault } from "../../../workflows/rehearsal/faults/parse_fault.ts";
import { checkInvariants } from "../../../workflows/rehearsal/invariants/all.ts";
import type { InvariantResult } from "../../../workflows/rehearsal/invariants/invariant.ts";
import {
  type RehearsalOutcome,
  rehearse,
} from "../../../workflows/rehearsal/rehearse.ts";
import { loadRunbook } from "../../../workflows/runbooks/language/loading/load.ts";
import { resolveInputs } from "../../../workflows/runbooks/language/resolve_inputs.ts";
import type { Runbook } from "../../../workflows/runbooks/runbook.ts";

export interface Rehearsal {
  /** `builtin:name`, or YAML of a runbook. */
  readonly runbook: string;
  /** Values of its inputs: `name=value`. */
  readonly inputs?: readonly string[];
  /** Cluster in one word; default three control planes and a worker. */
  readonly cluster?: string;
  readonly faults?: readonly string[];
  /** Number of resumes; default 0. */
  readonly resumes?: number;
  readonly secretValues?: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
  readonly model?: TestbedOptions["model"];
}

export interface Seen extends RehearsalOutcome {
  readonly violated: readonly string[];
  readonly invariants: readonly InvariantResult[];
}

/** Steps of a process that no person watches. */
export function steps(): TestbedOptions["steps"] {
  const sink = {
    terminal: false,
    columns: () => undefined,
    write: () => Promise.resolve(),
  };
  return runSession({
    commands: entries,
    // Nothing of the context is asked for.
    globals: { nodes: [], nodeTimeout: 30_000 } as never,
    environment: {
      stdout: sink,
      stderr: sink,
      stdin: { terminal: false, readable: new Blob().stream() },
      env: () => undefined,
      now: () => new Date(),
      os: "linux",
    },
    note() {},
    signal: new AbortController().signal,
    reopen: () => {
      throw new TypeError("the model has connections of its own");
    },
  }).steps;
}

/** Loads a runbook of the program, or one that a test has written. */
export async function load(source: string): Promise<Runbook> {
  const path = "test.runbook.yaml";
  const isBuiltin = source.startsWith("builtin:");
  const { runbook } = await loadRunbook(isBuiltin ? source : path, {
    find: finders,
    ...(isBuiltin ? {} : {
      read: (file: string) =>
        Promise.resolve(file === path ? source : undefined),
    }),
  });
  return runbook;
}

/** Rehearses a runbook once. */
export async function runRehearsal(
  { runbook: source, inputs = [], cluster = "3cp+1w", faults = [], ...more }:
    Rehearsal,
): Promise<Seen> {
  const runbook = await load(source);
  const values = await resolveInputs(runbook, {
    given: inputs,
    secrets: [],
    secretValues: more.secretValues,
    env: () => undefined,
    ask: ({ name }) => Promise.resolve(`rehearsed-${name}`),
  });
  await using opened = await openTestbed(parseClusterSpec(cluster), {
    runbook,
    inputs: values,
    seed: 1,
    parallel: 32,
    steps: steps(),
    ...more.model === undefined ? {} : { model: more.model },
  });
  const { stage, disk } = opened;
  const found = await rehearse(
    stage,
    faults.map(parseFault),
    disk,
    more.resumes,
  );
  const invariants = await checkInvariants(found);
  const violated = invariants.flatMap(({ id, state, evidence }) =>
    state === "violated" ? [`${id}: ${evidence.join("; ")}`] : []
  );
  return { ...found, invariants, violated };
}

/** State, status, and the kind of failure that a run ended with. */
export function summarizeEnd(
  { report }: Seen,
): readonly [state: string, status: number, code: string] {
  const { state = "", status = -1, failure } = report ?? {};
  return [state, status, failure?.code ?? ""];
}

/** Nodes that ran calls of a method, one for each call. */
export function listCarriedOut(
  { after }: Seen,
  wanted: string,
): readonly string[] {
  return after.calls.flatMap(({ method, node, carriedOut }) =>
    method === wanted && carriedOut ? [node] : []
  );
}

/** End of a run that succeeded. */
export const succeeded = ["succeeded", 0, ""] as const;
