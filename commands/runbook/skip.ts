import { ConfigError, UsageError } from "../../errors.ts";
import type { Delivered } from "../../workflows/runbooks/store/deliver_message.ts";
import {
  canGoOn,
  inDoubtOf,
} from "../../workflows/runbooks/store/run_condition.ts";
import { instanceKey } from "../../workflows/runbooks/journal/history.ts";
import type { ListedRun } from "../../workflows/runbooks/store/run_folder.ts";
import { readRunbook } from "../../workflows/runbooks/store/run_header.ts";
import {
  refuseApproval,
  stepNamed,
} from "../../workflows/runbooks/journal/find_step.ts";
import {
  type AnyCommand,
  type Command,
  lines,
  text,
  type Values,
  word,
} from "../_kit/mod.ts";
import { readNamed, runWord } from "./_flags/run_argument.ts";
import { senderNow, tellRun } from "../../workflows/runbooks/run/tell_run.ts";

/** A step that is left out. */
export interface SkipRow {
  /** The run. */
  readonly run: string;
  /** Path of the step. */
  readonly step: string;
  /** Node; null for steps outside of fan-outs. */
  readonly node: string | null;
  /** Why. */
  readonly reason: string;
  /** Who decided: user and host. */
  readonly by: string;
  /** `taken` by the process of the run, `written` for the one that goes on with it, or `left` for one that has not looked. */
  readonly delivered: Delivered;
  /** Command that goes on with the run; null when a process does. */
  readonly next: string | null;
}

const inputs = {
  reason: text("why; is written down and has to be given"),
  run: runWord,
  step: word(
    "path of the step, or how only one ends; with @node in a fan-out",
  ),
};

/** Inputs of the command. */
type SkipInputs = Values<typeof inputs>;

/** `osctl runbook skip`: leaves a step of a run out. */
export const command: AnyCommand = {
  summary: "Leave a step of a run out, for something that was done by hand",
  description:
    `The run goes on as if the step had ended well without giving anything. That it was left out, by whom and why stands in
every later report. A run that goes on in another process leaves the step out when it comes to it, or tries it again; one
that was stopped when it is resumed.

Approvals are not left out but answered, with "osctl runbook approve".`,
  inputs,
  examples: [
    'runbook skip last workers/node/drain@w-2 --reason "drained by hand"',
    'runbook skip 20261120-7k2f snapshot --reason "taken last night"',
  ],
  view: lines(({ run, step, node, next }) => {
    const text = `${step}${
      node === null ? "" : ` on ${node}`
    } is left out of run ${run}`;
    return next === null ? text : `${text}\ngo on with: ${next}`;
  }),
  async *run(context) {
    const { input, environment, note } = context;
    const { reason } = input;
    if (!reason) {
      throw new UsageError("Cannot leave a step out without --reason", {
        hint: "Whoever looks at the run later wants to know why",
      });
    }
    const run = await readNamed(input.run, environment);
    const { header, folder, history } = run;
    const { id } = header;
    const runbook = await readRunbook(folder, header, history.rebased);
    const named = stepNamed(runbook, history, input.step);
    const { step: { path }, node } = named;
    refuseEnded(run);
    refuseApproval(id, named.step);
    const known = history.instances.get(instanceKey(path, node))?.result;
    if (known !== undefined && known.state !== "failed") {
      note(
        `It has ended already: ${known.state === "ok" ? "done" : "skipped"}`,
      );
    }
    const isInDoubt = inDoubtOf(history).some((one) =>
      one.step === path && one.node === node
    );
    if (isInDoubt) {
      note(`It was sent, and its end is not on record: ${input.step}`);
    }
    const sender = senderNow(environment, reason);
    const n = node === undefined ? {} : { n: node };
    const delivered = await tellRun(context, {
      id,
      message: {
        ...sender,
        type: "decision",
        verdict: "skip",
        path,
        ...node === undefined ? {} : { node },
      },
      record: () => ({
        t: "decision",
        p: path,
        ...n,
        d: { verdict: "skip", reason, by: sender.by },
      }),
    });
    yield {
      run: id,
      step: path,
      node: node ?? null,
      reason,
      by: sender.by,
      delivered,
      next: delivered === "written" ? `osctl runbook resume ${id}` : null,
    };
  },
} satisfies Command<SkipRow, SkipInputs>;

function refuseEnded(run: ListedRun): void {
  if (run.held || canGoOn(run)) return;
  const { id } = run.header;
  throw new ConfigError(`Run "${id}" has ended`, {
    hint: `Look at it with: osctl runbook status ${id}`,
  });
}
