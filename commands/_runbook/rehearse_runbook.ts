/** Rehearsals on simulated nodes, for `runbook rehearse` and `site rehearse`. */

import { writeFileAtomic } from "../../lib/files/atomic_file.ts";
import { maskValue, processMasker } from "../../lib/masker.ts";
import { exitStatus, OutcomeError } from "../../errors.ts";
import { drawing, fitText } from "../../terminal/drawing.ts";
import { shellWord } from "../../terminal/shell_word.ts";
import type { Programs } from "../../workflows/modules/command.ts";
import { formatElapsed } from "../../workflows/operations/node_rows.ts";
import {
  clusterSpecText,
  type ModelClusterSpec,
} from "../../workflows/rehearsal/cluster_shape.ts";
import {
  openTestbed,
  type TestbedOptions,
} from "../../workflows/rehearsal/open_testbed.ts";
import { rehearseAll } from "../../workflows/rehearsal/rehearsal.ts";
import { rehearsalPicture } from "../../workflows/rehearsal/rehearsal_picture.ts";
import {
  isGood,
  rehearsalDocument,
  type RehearsalReport,
} from "../../workflows/rehearsal/rehearsal_report.ts";
import { rehearsalText } from "../../workflows/rehearsal/rehearsal_text.ts";
import type { GivenInputs } from "../../workflows/runbooks/run/given_inputs.ts";
import type { RunSession } from "../../workflows/runbooks/run/run_session.ts";
import type { Context } from "../_kit/mod.ts";

type Rehearsal = Parameters<typeof rehearseAll>[0];

/** A runbook to rehearse. */
interface RehearsalRequest extends
  Pick<
    Rehearsal,
    "runbook" | "cluster" | "faults" | "matrices" | "expect" | "again" | "seed"
  >,
  Pick<TestbedOptions, "inputs" | "different" | "model"> {
  readonly steps: RunSession["steps"];
  readonly programs: Programs | "rehearsed";
}

/** Flags of a rehearsal. */
interface RehearsalInputs extends Pick<Rehearsal, "invariants"> {
  readonly cases: number;
  readonly parallel: number;
  readonly report: string | undefined;
  readonly output: "text" | "json" | "html";
}

/** Rehearses a runbook, and writes the report. Throws `OutcomeError` if a run did not end as expected. */
export async function rehearseRunbook(
  context: Context<RehearsalInputs>,
  request: RehearsalRequest,
): Promise<void> {
  const { input, environment, signal } = context;
  const { runbook, cluster, different, model, programs, steps } = request;
  const { inputs, seed, expect } = request;
  const progress = rehearsalProgress(context, runbook.name);
  const rehearsed = await rehearseAll({
    runbook,
    cluster,
    open: (spec) =>
      openTestbed(spec, {
        ...{ runbook, inputs, seed, parallel: input.parallel },
        steps: (given) => steps({ ...given, programs }),
        // Clusters of other sizes do not have the nodes of the real one.
        different: spec === cluster ? different : undefined,
        model,
      }),
    faults: request.faults,
    matrices: request.matrices,
    invariants: input.invariants,
    seed,
    most: input.cases,
    expect,
    again: request.again,
    now: environment.now,
    report: (_, done, total) => progress.take(done, total),
    signal,
  }).finally(progress.end);
  const report = maskValue(rehearsed, processMasker.mask);
  await write(context, report);
  const bad = report.runs.filter((run) => !isGood(run)).length;
  if (bad > 0) {
    throw new OutcomeError(
      "failed",
      `${bad} of ${report.runs.length} runs did not end as expected`,
      exitStatus.failed,
    );
  }
}

const noteEvery = 25;

interface RehearsalProgress {
  /** Takes the numbers of finished runs and of all runs. */
  readonly take: (done: number, total: number) => void;
  readonly end: () => Promise<void>;
}

/** Progress of a rehearsal: one line on a terminal, otherwise a line every few runs. */
function rehearsalProgress(
  { environment: { live, now }, note }: Context<RehearsalInputs>,
  name: string,
): RehearsalProgress {
  if (live === undefined) {
    return {
      take(done, total) {
        if (done % noteEvery === 0) {
          note(`${now().toISOString().slice(11, 19)} ${done} of ${total} runs`);
        }
      },
      end: () => Promise.resolve(),
    };
  }
  const startedAt = now().getTime();
  let runs = "";
  const { end } = drawing(live, ({ columns }) => {
    const took = formatElapsed(startedAt, now().getTime());
    return [fitText(`rehearsing ${name}${runs}, ${took}`, columns)];
  });
  return {
    take(done, total) {
      runs = `: ${done} of ${total} runs`;
    },
    end: () => end(true),
  };
}

async function write(
  { input: { output, report: folder }, environment: { stdout }, note }: Context<
    RehearsalInputs
  >,
  report: RehearsalReport,
): Promise<void> {
  const json = () => `${JSON.stringify(rehearsalDocument(report), null, 2)}\n`;
  const text = output === "json"
    ? json()
    : output === "html"
    ? rehearsalPicture(report)
    : rehearsalText(report, stdout.columns());
  await stdout.write(new TextEncoder().encode(text));
  if (folder === undefined) return;
  await writeFileAtomic(`${folder}/report.html`, rehearsalPicture(report));
  await writeFileAtomic(`${folder}/report.json`, json());
  note(`The report is in ${folder}/report.html`);
}

/** Formats the command to repeat a case. `input`: inputs of the rehearsal, without its matrices. */
export function repeatCommand(
  input: GivenInputs & {
    readonly runbook: string;
    readonly likeLive: boolean;
    readonly allowCommands: boolean;
  },
  { faults, cluster, seed }: {
    readonly faults: readonly string[];
    readonly cluster: ModelClusterSpec;
    readonly seed: number;
  },
): string {
  const isFile = /\.rehearsal\.ya?ml$/.test(input.runbook);
  return [
    "osctl runbook rehearse",
    shellWord(input.runbook),
    ...input.input.map((one) => `--input ${shellWord(one)}`),
    ...(input.inputs === undefined
      ? []
      : [`--inputs ${shellWord(input.inputs)}`]),
    ...input.secret.map((one) => `--secret ${shellWord(one)}`),
    input.likeLive ? "--like-live" : `--cluster ${clusterSpecText(cluster)}`,
    // Faults of the file need no flag.
    ...faults.filter((one) => !isFile || one.startsWith("runner: "))
      .map((one) => `--fault ${shellWord(one)}`),
    ...(input.allowCommands ? ["--allow-commands"] : []),
    `--seed ${seed}`,
  ].join(" ");
}
