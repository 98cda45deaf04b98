/** Resuming a run by another runbook: a corrected one, in which all that was started is still the same. */

import { writeFileAtomic } from "../../../config/files/atomic_file.ts";
import { RefusedError } from "../../../errors.ts";
import { partsOf } from "../journal/resume_state.ts";
import type { RunHistory } from "../journal/history.ts";
import { addRecord } from "../journal/add_record.ts";
import { listsOf } from "../language/walk.ts";
import type { LoadedRunbook } from "../language/loading/load.ts";
import type { Runbook, Step } from "../runbook.ts";
import { keepSources, type OpenRun } from "../store/run_folder.ts";
import { runbookName, sha256 } from "../store/run_header.ts";

/**
 * Puts another runbook in the place of a run's own.
 *
 * @param loaded The other runbook, and the files it was made from.
 * @returns The run as it continues.
 * @throws {RefusedError} If something that was started is no more, or something else; or a value is missing.
 */
export async function rebaseRun(
  run: OpenRun,
  { runbook, files }: LoadedRunbook,
  operator: string,
): Promise<OpenRun> {
  refuseOtherSteps(run, runbook);
  refuseMissing(run, runbook);
  const text = JSON.stringify(runbook);
  const ir = await sha256(text);
  const { folder, history, journal } = run;
  await keepSources(folder, files, ir.slice(0, 8));
  // It is there before the journal says so.
  await writeFileAtomic(`${folder}/${runbookName(ir)}`, text);
  const hashes = files.map(({ path, sha256 }) => [path, sha256]);
  const record = await journal.append({
    t: "rebase",
    d: { ir, files: Object.fromEntries(hashes), by: operator },
  });
  addRecord(history, record);
  return { ...run, runbook };
}

function refuseOtherSteps(run: OpenRun, next: Runbook): void {
  const before = kindsOf(run.runbook);
  const after = kindsOf(next);
  for (const path of startedStepsIn(run.history)) {
    const was = before.get(path);
    const is = after.get(path);
    // What belongs to no step has no say in it: a rule that was overridden.
    if (was === undefined || was === is) continue;
    const what = is === undefined ? "it was removed" : `it is ${is} now`;
    throw new RefusedError(
      `Cannot resume with the other runbook: step "${path}" was started as ${was}, and ${what}`,
      { hint: "Keep id, verb and module of steps that have started" },
    );
  }
}

/** Inputs that the run has no value for. */
function refuseMissing({ header }: OpenRun, { inputs }: Runbook): void {
  for (const [name, { required, initial }] of Object.entries(inputs)) {
    const isThere = initial !== undefined || required !== true ||
      header.inputs[name] !== undefined;
    if (isThere) continue;
    throw new RefusedError(
      `Cannot resume with the other runbook: the run has no value for input "${name}"`,
      { hint: "Give the input a default" },
    );
  }
}

/** Paths that a record is about. */
function startedStepsIn(history: RunHistory): ReadonlySet<string> {
  const { instances, nodes, groups, decisions, approvals } = history;
  const keys = [instances, nodes, groups, decisions, approvals]
    .flatMap((map) => [...map.keys()]);
  return new Set(keys.map((key) => partsOf(key).path));
}

/** What each step is: its verb, and its module or its name where it has one. */
function kindsOf(runbook: Runbook): ReadonlyMap<string, string> {
  return new Map(kindsIn([runbook.steps, runbook.rescue, runbook.always], ""));
}

function* kindsIn(
  lists: readonly (readonly Step[])[],
  above: string,
): Generator<readonly [path: string, kind: string]> {
  for (const step of lists.flat()) {
    const path = above === "" ? step.id : `${above}/${step.id}`;
    yield [path, kindOf(step)];
    yield* kindsIn(
      step.verb === "use"
        ? [step.runbook.steps, step.runbook.rescue, step.runbook.always]
        : listsOf(step),
      path,
    );
  }
}

function kindOf(step: Step): string {
  switch (step.verb) {
    case "run":
      return `run ${step.module}`;
    case "decide":
      return `decide ${step.name}`;
    case "approve":
      return `approve ${step.tag}`;
    default:
      return step.verb;
  }
}
