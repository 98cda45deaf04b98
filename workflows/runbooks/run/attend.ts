/** What a run that goes on does with the messages it finds in its inbox. */

import { addRecord, type RunHistory } from "../journal/history.ts";
import type { RunJournal } from "../journal/writer.ts";
import type {
  ApprovalAnswer,
  ApprovalRequest,
} from "../engine/surroundings.ts";
import { type Message, type Sender, watchInbox } from "./inbox.ts";

/** What messages work on. */
export interface Attended {
  /** Folder of the run. */
  readonly folder: string;
  /** Where decisions are written down. */
  readonly journal: RunJournal;
  /** What the engine looks decisions up in. */
  readonly history: RunHistory;
  /** Called when somebody wants the run to stop. */
  readonly stop: (hard: boolean, sender: Sender) => void;
  /** Tells the person who waits. */
  readonly note: (text: string) => void;
  /** The present. */
  readonly now: () => Date;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** A run that attends to its inbox. */
export interface Attendance {
  /**
   * Waits for an answer.
   *
   * @param request What is asked.
   * @param signal Ends the wait.
   * @returns `undefined` when nobody answered.
   */
  readonly answer: (
    request: Pick<ApprovalRequest, "tag" | "typed">,
    signal: AbortSignal,
  ) => Promise<ApprovalAnswer | undefined>;
  /** Settles when nothing more is read; rejects when the journal cannot be written. */
  readonly done: Promise<void>;
}

/** How long an answer counts that nobody has taken, in milliseconds. */
const lastsMs = 3_600_000;

type Approval = Extract<Message, { readonly type: "approve" }>;
type Decision = Extract<Message, { readonly type: "decision" }>;

/**
 * Attends to the inbox of a run until the signal aborts.
 *
 * @param attended What messages work on.
 */
export function attendInbox(attended: Attended): Attendance {
  const { folder, stop, note, now, signal } = attended;
  const begun = now().getTime();
  const answers = new Map<string, Approval>();
  let wake = Promise.withResolvers<void>();

  async function take(message: Message): Promise<void> {
    switch (message.type) {
      case "approve":
        answers.set(message.tag, message);
        wake.resolve();
        wake = Promise.withResolvers();
        return;
      case "decision":
        await decide(attended, message);
        return;
      case "stop":
        // An older one was meant for a process that is gone.
        if (Date.parse(message.at) >= begun) stop(message.hard, message);
    }
  }

  async function answer(
    { tag, typed }: Pick<ApprovalRequest, "tag" | "typed">,
    until: AbortSignal,
  ): Promise<ApprovalAnswer | undefined> {
    const ended = aborted(AbortSignal.any([until, signal]));
    while (true) {
      const found = answers.get(tag);
      answers.delete(tag);
      if (found !== undefined && isFresh(found, now())) {
        const { approved, by } = found;
        const fits = !approved || typed === undefined || found.typed === typed;
        if (fits) return { approved, by, how: "inbox" };
        note(
          `The answer of ${by} to "${tag}" does not count: ${typed} was to be typed`,
        );
      }
      if (until.aborted || signal.aborted) return undefined;
      // Somebody answers, or nobody will.
      await Promise.race([wake.promise, ended]);
    }
  }

  return { answer, done: watchInbox(folder, take, signal) };
}

async function decide(
  { journal, history, note }: Attended,
  { verdict, path, node, by, reason = "" }: Decision,
): Promise<void> {
  const record = await journal.append({
    t: "decision",
    p: path,
    ...(node === undefined ? {} : { n: node }),
    d: { verdict, reason, by },
  });
  // The engine looks before each step.
  addRecord(history, record);
  const where = node === undefined ? path : `${path} on ${node}`;
  note(`${by} decided: ${verdict} ${where}: ${reason}`);
}

function isFresh({ at }: Sender, now: Date): boolean {
  return now.getTime() - Date.parse(at) < lastsMs;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
