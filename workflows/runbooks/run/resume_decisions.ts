/** Decisions of an operator before a run is resumed. */

import { ConfigError, UsageError } from "../../../errors.ts";
import type { Json } from "../../../lib/json.ts";
import type { OperatorDecision } from "../journal/history.ts";
import { splitKey } from "../journal/resume_state.ts";
import type { NewRecord } from "../journal/record.ts";
import { resolveInputs } from "../language/resolve_inputs.ts";
import type { Runbook } from "../runbook.ts";
import type { OpenRun } from "../store/run_folder.ts";
import type { FileHashes } from "./read_files.ts";
import { refuseApproval, stepNamed } from "../journal/find_step.ts";

/** Flags of `resume`, as typed. */
export interface ResumeDecisions {
  readonly skip: readonly string[];
  readonly redo: readonly string[];
  readonly resolve: readonly string[];
  readonly dropNode: readonly string[];
  readonly set: readonly string[];
  readonly reason: string | undefined;
  readonly withRunbook: string | undefined;
}

/** No decisions. */
export const undecided: ResumeDecisions = {
  skip: [],
  redo: [],
  resolve: [],
  dropNode: [],
  set: [],
  reason: undefined,
  withRunbook: undefined,
};

/**
 * Records decisions, and the files that are read because of them.
 *
 * @param hashNew Hashes the files that new input values name.
 * @returns Current input values.
 * @throws {UsageError} If a node does not exist, or a reason is missing.
 * @throws {ConfigError} If a step does not exist, or an approval would be skipped.
 */
export async function recordDecisions(
  run: OpenRun,
  flags: ResumeDecisions,
  operator: string,
  hashNew: (inputs: Readonly<Record<string, Json>>) => Promise<FileHashes>,
): Promise<Readonly<Record<string, Json>>> {
  const records = makeRecords(run, flags, operator);
  const values = await changedInputs(run.runbook, flags.set);
  const inputs = {
    ...run.header.inputs,
    ...Object.fromEntries(run.history.set),
    ...values,
  };
  const sha256 = await hashNew(inputs);
  if (Object.keys(sha256).length > 0) {
    records.push({ type: "files", data: { sha256 } });
  }
  for (const [name, value] of Object.entries(values)) {
    records.push({ type: "set", path: name, data: { value, by: operator } });
  }
  for (const record of records) {
    // All decisions were checked before the first record.
    run.history.add(await run.journal.append(record));
  }
  return inputs;
}

function makeRecords(
  { header, runbook, history }: OpenRun,
  flags: ResumeDecisions,
  by: string,
): NewRecord[] {
  const { reason } = flags;
  const decide = (
    word: string,
    verdict: OperatorDecision["verdict"],
    why: string,
  ): NewRecord => {
    const { step, node } = stepNamed(runbook, history, word);
    const { path } = step;
    if (verdict !== "redo") refuseApproval(header.id, step);
    return {
      type: "decision",
      path,
      ...(node === undefined ? {} : { node }),
      data: { verdict, reason: why, by },
    };
  };
  const needed = (flag: string): string => {
    if (reason) return reason;
    throw new UsageError(`${flag} needs --reason`, {
      hint: "The reason is recorded with the run",
    });
  };
  const known = new Set(
    [...history.nodes.keys()].map((key) => splitKey(key).node),
  );
  return [
    ...flags.skip.map((word) => decide(word, "skip", needed("--skip"))),
    ...flags.redo.map((word) => decide(word, "redo", reason ?? "")),
    ...flags.resolve.map((word) => {
      const { step, verdict } = resolution(word);
      return decide(step, verdict, reason ?? "");
    }),
    ...flags.dropNode.map((node): NewRecord => {
      const why = needed("--drop-node");
      const frozen = Object.values(history.start?.groups ?? {}).flat();
      if (!known.has(node) && !frozen.includes(node)) {
        throw new UsageError(`There is no node "${node}" in this run`);
      }
      return { type: "drop", node, data: { reason: why, by } };
    }),
  ];
}

function resolution(
  word: string,
): { readonly step: string; readonly verdict: OperatorDecision["verdict"] } {
  const [, step = "", verdict] = /^(.+)=(done|redo|skip)$/.exec(word) ?? [];
  if (verdict === "done" || verdict === "redo" || verdict === "skip") {
    return { step, verdict };
  }
  throw new UsageError(
    `--resolve "${word}" has no result for the step`,
    {
      hint: "Give path@node=done, =redo or =skip",
    },
  );
}

/** Accepts only mutable inputs and valid values. */
async function changedInputs(
  runbook: Runbook,
  words: readonly string[],
): Promise<Readonly<Record<string, Json>>> {
  if (words.length === 0) return {};
  const names = words.map((word) => word.split("=", 1)[0] ?? "");
  const fixed = names.find((name) => {
    const input = runbook.inputs[name];
    return input !== undefined && !input.mutable;
  });
  if (fixed !== undefined) {
    throw new ConfigError(`Input "${fixed}" cannot be changed during a run`, {
      hint: "Only mutable inputs can be changed",
    });
  }
  const inputs = Object.fromEntries(
    Object.entries(runbook.inputs).filter(([name]) => names.includes(name)),
  );
  const { values } = await resolveInputs({ ...runbook, inputs }, {
    given: words,
    secrets: [],
    env: () => undefined,
  });
  return values;
}
