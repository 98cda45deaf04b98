import { ConfigError } from "../../errors.ts";
import type { Delivered } from "../../workflows/runbooks/store/deliver_message.ts";
import {
  isResumable,
  listInDoubt,
} from "../../workflows/runbooks/store/run_condition.ts";
import { instanceKey } from "../../workflows/runbooks/journal/history.ts";
import type { ListedRun } from "../../workflows/runbooks/store/run_folder.ts";
import { readRunbook } from "../../workflows/runbooks/store/run_header.ts";
import {
  refuseApproval,
  stepNamed,
} from "../../workflows/runbooks/journal/find_step.ts";
import { type Command, lines, text, type Values, word } from "../_kit/mod.ts";
import { readNamed, requireReason, runWord } from "./_flags/run_argument.ts";
import {
  senderNow,
  sendMessage,
} from "../../workflows/runbooks/run/send_message.ts";

/** A skipped step. */
interface SkipRow {
  readonly run: string;
  readonly step: string;
  /** Node; null for steps outside fan-outs. */
  readonly node: string | null;
  readonly reason: string;
  readonly by: string;
  /** `taken` by the process of the run, `written` for the process that resumes it, or `left` if not read yet. */
  readonly delivered: Delivered;
  /** Command that resumes the run; null if a process does. */
  readonly next: string | null;
}

const inputs = {
  reason: text("reason, recorded with the run; required"),
  run: runWord,
  step: word(
    "path of the step, or a unique suffix of it; with @node in a fan-out",
  ),
};

export const command = {
  summary: "Skip a step of a run",
  description:
    `Use this for steps that were done by hand. The run continues as if the step had succeeded without outputs. Every
later report shows that it was skipped, by whom and why. A running process skips the step when it reaches it or would
retry it; a stopped run when it is resumed.

Approvals cannot be skipped: answer them with "osctl runbook approve".`,
  inputs,
  examples: [
    'runbook skip last workers/node/drain@w-2 --reason "drained by hand"',
    'runbook skip 20261120-7k2f snapshot --reason "taken last night"',
  ],
  view: lines(({ run, step, node, next }) => {
    const text = `${step}${
      node === null ? "" : ` on ${node}`
    } is skipped in run ${run}`;
    return next === null ? text : `${text}\nresume with: ${next}`;
  }),
  async *run(context) {
    const { input, environment, note } = context;
    const reason = await requireReason(
      "skip the step",
      { words: ["skip", input.run, input.step] },
      context,
    );
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
        `It has already finished: ${known.state === "ok" ? "done" : "skipped"}`,
      );
    }
    const isInDoubt = listInDoubt(history).some((one) =>
      one.step === path && one.node === node
    );
    if (isInDoubt) {
      note(`Its result is not known: ${input.step}`);
    }
    const sender = senderNow(environment, reason);
    const where = node === undefined ? {} : { node };
    const delivered = await sendMessage(context, {
      id,
      message: {
        ...sender,
        type: "decision",
        verdict: "skip",
        path,
        ...where,
      },
      record: () => ({
        type: "decision",
        path,
        ...where,
        data: { verdict: "skip", reason, by: sender.by },
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
} satisfies Command<SkipRow, Values<typeof inputs>>;

function refuseEnded(run: ListedRun): void {
  if (run.held || isResumable(run)) return;
  const { id } = run.header;
  throw new ConfigError(`Run "${id}" has finished`, {
    hint: `See: osctl runbook status ${id}`,
  });
}
