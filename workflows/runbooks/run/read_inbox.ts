/** Handles the messages in the inbox of a running run. */

import { listSteps } from "../journal/find_step.ts";
import type { RunHistory } from "../journal/history.ts";
import type { RunJournal } from "../journal/writer.ts";
import type { Runbook } from "../runbook.ts";
import { type Message, takeMessages, watchInbox } from "../store/inbox.ts";

type ApprovalMessage = Extract<Message, { readonly type: "approve" }>;
type Decision = Extract<Message, { readonly type: "decision" }>;
type StopMessage = Extract<Message, { readonly type: "stop" }>;

interface Attended {
  readonly folder: string;
  readonly runbook: Runbook;
  /** Journal for decisions. */
  readonly journal: RunJournal;
  /** History, in which the engine looks up decisions. */
  readonly history: RunHistory;
  /** Called for each answer to an approval. */
  readonly answer: (message: ApprovalMessage) => void;
  /** Called for a stop request. */
  readonly stop: (message: StopMessage) => void;
  readonly note: (text: string) => void;
  readonly now: () => Date;
  /** Called when the messages present at the start have been handled. */
  readonly looked?: () => void;
  readonly signal: AbortSignal;
}

/** Expiry of unread answers, in milliseconds. */
const lastsMs = 3_600_000;

/** Reads the inbox of a run until the signal aborts. Throws `OsctlError` if a decision cannot be recorded. */
export async function attendInbox(attended: Attended): Promise<void> {
  const { folder, answer, now, signal } = attended;

  async function take(message: Message): Promise<void> {
    const aged = now().getTime() - Date.parse(message.at);
    switch (message.type) {
      case "approve":
        if (Math.abs(aged) < lastsMs) answer(message);
        return;
      case "decision":
        return await decide(attended, message);
      case "stop":
        return await wish(attended, message);
    }
  }

  for (const message of await takeMessages(folder)) await take(message);
  attended.looked?.();
  await watchInbox(folder, take, signal);
}

async function wish(
  { journal, note, stop }: Attended,
  message: StopMessage,
): Promise<void> {
  const { hard, by, reason = "" } = message;
  await journal.append({ type: "stop", data: { hard, by, reason } });
  const why = reason === "" ? "" : `: ${reason}`;
  note(`${by} asked the run to stop${hard ? " at once" : ""}${why}`);
  stop(message);
}

async function decide(
  { journal, history, runbook, note }: Attended,
  { verdict, path, node, by, reason = "" }: Decision,
): Promise<void> {
  const where = node === undefined ? path : `${path} on ${node}`;
  const step = listSteps(runbook).find((one) => one.path === path);
  // The sending command refuses to skip approvals; so does the receiver.
  if (step === undefined || step.tag !== undefined) {
    note(`ignored the decision of ${by} to ${verdict} ${where}`);
    return;
  }
  const record = await journal.append({
    type: "decision",
    path,
    ...(node === undefined ? {} : { node }),
    data: { verdict, reason, by },
  });
  // The engine checks the history before each step.
  history.add(record);
  note(`${by} decided: ${verdict} ${where}: ${reason}`);
}
