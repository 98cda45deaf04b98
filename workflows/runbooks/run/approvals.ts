/** Approvals of a run: from flags, the terminal, and other processes. */

import type {
  ApprovalAnswer,
  ApprovalRequest,
} from "../engine/engine_options.ts";
import type { Message } from "../store/inbox.ts";
import { matching, type Prompter, prompter } from "../../../terminal/prompt.ts";
import type { Environment, Sink } from "../../../terminal/environment.ts";
import { foldLine } from "../report/run_screen.ts";
import type { RunSettings } from "./run_session.ts";

type LeftAnswer = Extract<Message, { readonly type: "approve" }>;

interface Approvals {
  /** Accepts an answer from the inbox. */
  readonly take: (answer: LeftAnswer) => void;
  /** Answers a question. Returns `undefined` when there is neither an answer nor a terminal. */
  readonly ask: (
    request: ApprovalRequest,
    signal: AbortSignal,
  ) => Promise<ApprovalAnswer | undefined>;
}

interface ApprovalsOptions {
  readonly given: Pick<RunSettings, "yes" | "yesDestructive">;
  readonly environment: Environment;
  readonly operator: string;
  readonly note: (text: string) => void;
  /** Called before waiting for an answer; resolves when the question has been shown. */
  readonly waits: (request: ApprovalRequest) => Promise<void>;
}

/** Matches all tags without data loss. */
export const allTags = "*";

/** Makes the approvals of a run. */
export function makeApprovals(options: ApprovalsOptions): Approvals {
  const { given, environment, operator, note, waits } = options;
  const typed = new Map(given.yesDestructive.map(splitTyped));
  const left = new Map<string, LeftAnswer>();
  let woken = Promise.withResolvers<void>();

  function take(answer: LeftAnswer): void {
    left.set(answer.tag, answer);
    woken.resolve();
    woken = Promise.withResolvers();
  }

  function byFlag(request: ApprovalRequest): ApprovalAnswer | undefined {
    const { tag, destructive } = request;
    const yes = { approved: true, by: operator, how: "flag" };
    if (!destructive) {
      return given.yes.includes(allTags) || given.yes.includes(tag)
        ? yes
        : undefined;
    }
    const word = typed.get(tag);
    const expected = formatExpected(request);
    if (word === undefined) return undefined;
    if (word === expected) return yes;
    note(
      `--yes-destructive does not approve "${tag}": "${expected}" must be typed, not "${word}"`,
    );
    return undefined;
  }

  function byOthers(request: ApprovalRequest): ApprovalAnswer | undefined {
    const answer = left.get(request.tag);
    if (answer === undefined) return undefined;
    left.delete(request.tag);
    const { approved, by, reason, question = request.message } = answer;
    if (approved && question !== request.message) {
      note(
        `The approval of "${request.tag}" by ${by} is not valid: it was given for "${question}"`,
      );
      return undefined;
    }
    const isWrong = approved && request.destructive &&
      answer.typed !== formatExpected(request);
    const why = reason === undefined ? {} : { reason };
    if (!isWrong) return { approved, by, how: "inbox", ...why };
    note(
      `The approval of "${request.tag}" by ${by} is not valid: "${
        formatExpected(request)
      }" must be typed`,
    );
    return undefined;
  }

  async function byTerminal(
    request: ApprovalRequest,
    stderr: Sink,
    signal: AbortSignal,
  ): Promise<ApprovalAnswer | undefined> {
    using prompts = prompter({
      environment: { stdin: environment.stdin, stderr },
      signal,
    });
    try {
      const approved = await typedAt(prompts, request, stderr.columns() ?? 80);
      if (approved === undefined) return undefined;
      return { approved, by: operator, how: "terminal" };
    } catch (error) {
      // A closed terminal, or one that does not answer in lines, counts as none.
      if (!signal.aborted) note(`No answer to "${request.tag}": ${error}`);
      return undefined;
    }
  }

  async function ask(
    request: ApprovalRequest,
    signal: AbortSignal,
  ): Promise<ApprovalAnswer | undefined> {
    const known = byFlag(request) ?? byOthers(request);
    if (known !== undefined) return known;
    if (!environment.stdin.terminal || !environment.stderr.terminal) {
      return undefined;
    }
    await waits(request);
    const ended = new AbortController();
    const either = AbortSignal.any([signal, ended.signal]);
    const question = (stderr: Sink) => byTerminal(request, stderr, either);
    const atTerminal =
      (environment.live?.alone(question) ?? question(environment.stderr))
        .catch(() => undefined);
    try {
      return await Promise.race([atTerminal, elsewhere(request, either)]);
    } finally {
      ended.abort();
      await atTerminal;
    }
  }

  async function elsewhere(
    request: ApprovalRequest,
    signal: AbortSignal,
  ): Promise<ApprovalAnswer | undefined> {
    const aborted = new Promise<void>((resolve) =>
      signal.addEventListener("abort", () => resolve(), { once: true })
    );
    while (!signal.aborted) {
      // An answer may have arrived while the question was shown.
      const answer = byOthers(request);
      if (answer !== undefined) return answer;
      await Promise.race([woken.promise, aborted]);
    }
    return undefined;
  }

  return { take, ask };
}

/** Asks until the answer is valid; for data loss any other text refuses. */
async function typedAt(
  prompts: Prompter,
  request: ApprovalRequest,
  columns: number,
): Promise<boolean | undefined> {
  const { destructive, message, tag } = request;
  const expected = formatExpected(request);
  const question = destructive
    ? `Type "${expected}" to approve "${tag}", anything else to refuse:`
    : `Approve "${tag}"? (y/n):`;
  const fold = (text: string) => foldLine(text, columns).join("\n");
  let before = `${fold(message)}\n`;
  while (true) {
    // Questions are sequential.
    const answer = await prompts.ask(`${before}${fold(question)} `);
    before = "";
    if (answer === undefined) return undefined;
    if (destructive) return answer === expected;
    const found = matching(answer, ["yes", "no"]);
    if (found !== undefined) return found === "yes";
  }
}

/** Text to type; default for destructive approvals, the tag. */
function formatExpected(
  { destructive, typed, tag }: ApprovalRequest,
): string {
  return destructive ? typed ?? tag : "yes";
}

function splitTyped(word: string): readonly [tag: string, typed: string] {
  const at = word.indexOf(":");
  return [word.slice(0, at), word.slice(at + 1)];
}
