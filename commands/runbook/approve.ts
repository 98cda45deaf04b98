import { locateRuns } from "../../config/osconfig/location.ts";
import { ConfigError, RefusedError, UsageError } from "../../errors.ts";
import type { Delivered } from "../../workflows/runbooks/store/deliver_message.ts";
import type {
  OpenQuestion,
  RunHistory,
} from "../../workflows/runbooks/journal/history.ts";
import { isResumable } from "../../workflows/runbooks/store/run_condition.ts";
import type { ListedRun } from "../../workflows/runbooks/store/run_folder.ts";
import {
  type Command,
  type Context,
  lines,
  optionalWord,
  text,
  toggle,
  type Values,
} from "../_kit/mod.ts";
import { cell } from "../../terminal/terminal_text.ts";
import { confirm, prompter } from "../../terminal/prompt.ts";
import { surveyRuns } from "../../workflows/runbooks/store/find_run.ts";
import { readNamed, runSummary } from "./_flags/run_argument.ts";
import {
  senderNow,
  sendMessage,
} from "../../workflows/runbooks/run/send_message.ts";

/** A decision on an approval. */
interface ApproveRow {
  readonly run: string;
  readonly tag: string;
  /** True if the run may continue. */
  readonly approved: boolean;
  /** User and host of the decision. */
  readonly by: string;
  /** `taken` by the process of the run, `written` for the process that resumes it, or `left` if not read yet. */
  readonly delivered: Delivered;
  /** Expiry of the decision, ISO 8601; null once a process has read it. */
  readonly until: string | null;
  /** Command that resumes the run; null if a process does. */
  readonly next: string | null;
}

const inputs = {
  refuse: toggle("refuse"),
  typed: text("word to type for a destructive approval"),
  reason: text("reason, recorded with the run"),
  run: optionalWord(
    `${runSummary}; default on a terminal the only run that waits for an approval`,
    { complete: "runs" },
  ),
  tag: optionalWord("tag of the approval; default the only open one"),
};

type ApproveInputs = Values<typeof inputs>;

export const command = {
  summary: "Approve or refuse an approval of a run",
  description:
    `Works from another terminal, and also when the run has stopped: a running process continues with the answer; a
stopped run uses it when it is resumed. User, time and reason are recorded.

For destructive approvals you have to type the requested word, on a terminal or with --typed; such an answer is valid
for an hour.`,
  inputs,
  examples: [
    "runbook approve",
    "runbook approve 20261120-7k2f",
    'runbook approve last start --reason "change 4711"',
    "runbook approve last wipe --typed cp-1",
    "runbook approve last start --refuse",
  ],
  view: lines(({ run, tag, approved, until, next }) => {
    const answer = `"${tag}" of run ${run} is ${
      approved ? "approved" : "refused"
    }`;
    if (next === null) return answer;
    return `${answer}${
      until === null ? "" : ` until ${until}`
    }\nresume with: ${next}`;
  }),
  async *run(context) {
    const { input, environment } = context;
    const { refuse, reason } = input;
    const run = input.run === undefined
      ? await onlyWaiting(context)
      : await readNamed(input.run, environment);
    const question = questionIn(run, input.tag);
    if (input.run === undefined) await confirmQuestion(run, question, context);
    const { id } = run.header;
    const { tag, path, destructive, lastsMs } = question;
    const word = refuse ? undefined : await typedWord(question, context);
    const approved = !refuse;
    const sender = senderNow(environment, reason);
    const delivered = await sendMessage(context, {
      id,
      message: {
        ...sender,
        type: "approve",
        tag,
        approved,
        question: question.message,
        typed: word,
      },
      record: (history) => {
        refuseAnswered(history, question);
        const { by } = sender;
        const why = reason ? { reason } : {};
        return {
          type: "approval.answered",
          path,
          data: { tag, approved, by, how: "inbox", destructive, ...why },
        };
      },
    });
    const isWritten = delivered === "written";
    yield {
      run: id,
      tag,
      approved,
      by: sender.by,
      delivered,
      until: isWritten && approved
        ? new Date(Date.parse(sender.at) + lastsMs).toISOString()
        : null,
      next: isWritten ? `osctl runbook resume ${id}` : null,
    };
  },
} satisfies Command<ApproveRow, ApproveInputs>;

function isWaiting(run: ListedRun): boolean {
  return run.history.asked.size > 0 && (run.held || isResumable(run));
}

/** Finds the only run with an open approval; without a terminal, the run cannot be confirmed. */
async function onlyWaiting(
  { environment }: Context<ApproveInputs>,
): Promise<ListedRun> {
  const runs: ListedRun[] = [];
  for await (const { run } of surveyRuns(locateRuns(environment.env))) {
    if (run !== undefined && isWaiting(run)) runs.push(run);
  }
  const [one, ...others] = runs;
  if (one === undefined) throw new ConfigError("No run waits for an approval");
  const waiting = runs.map(({ header }) => header.id).join(", ");
  if (others.length > 0) {
    throw new ConfigError(`${runs.length} runs wait for an approval`, {
      hint: `Name one: ${waiting}`,
    });
  }
  if (environment.stdin.terminal) return one;
  throw new UsageError("Without a terminal, the run has to be named", {
    hint: `Waiting: ${waiting}`,
  });
}

/** Asks whether the run that was found is the one to answer. */
async function confirmQuestion(
  { header: { id } }: ListedRun,
  { tag, message }: OpenQuestion,
  { input: { refuse }, environment, signal }: Context<ApproveInputs>,
): Promise<void> {
  using prompts = prompter({ environment, signal });
  const verb = refuse ? "Refuse" : "Approve";
  const text = cell(message).replace(/\?$/, "");
  const question = `${verb} "${tag}" of run ${id}: ${text}`;
  const hint = `Name the run: osctl runbook approve ${id} ${tag}`;
  if (await confirm(prompts, question, hint)) return;
  throw new RefusedError(`"${tag}" was not answered`, { hint });
}

function questionIn(
  run: ListedRun,
  tag: string | undefined,
): OpenQuestion {
  const { header: { id }, history } = run;
  const asked = [...history.asked.values()];
  if (!isWaiting(run)) {
    throw new ConfigError(
      run.held || isResumable(run)
        ? `Run "${id}" has no open approval`
        : `Run "${id}" has finished`,
      { hint: `See: osctl runbook status ${id}` },
    );
  }
  const found = tag === undefined
    ? asked
    : asked.filter((question) => question.tag === tag);
  const [one, ...others] = found;
  if (one !== undefined && others.length === 0) return one;
  const names = [...new Set(asked.map((question) => question.tag))].join(", ");
  throw new ConfigError(
    one === undefined
      ? `Run "${id}" has no open approval "${tag}"`
      : `Run "${id}" has ${found.length} open approvals`,
    { hint: `Open: ${names}` },
  );
}

/** Another user may have answered first. */
function refuseAnswered(
  { asked }: RunHistory,
  { path, tag }: OpenQuestion,
): void {
  if (asked.has(path)) return;
  throw new RefusedError(`"${tag}" was answered in the meantime`);
}

/** Confirmation to type if data may be lost; other approvals need none. */
async function typedWord(
  { tag, message, destructive, typed }: OpenQuestion,
  { input, environment, signal, note }: Context<ApproveInputs>,
): Promise<string | undefined> {
  if (!destructive) return undefined;
  const expected = typed ?? tag;
  const word = input.typed ?? await askWord();
  if (word === expected) return word;
  throw new RefusedError(
    `"${tag}" is not approved: "${word}" is not the requested word`,
    { hint: `It is "${expected}"` },
  );

  async function askWord(): Promise<string> {
    note(message);
    using prompts = prompter({ environment, signal });
    const answer = await prompts.ask(
      `Type "${expected}" to approve "${tag}": `,
    );
    if (answer !== undefined) return answer;
    throw new RefusedError(`No word was typed to approve "${tag}"`, {
      hint: `Give it with --typed ${expected}`,
    });
  }
}
