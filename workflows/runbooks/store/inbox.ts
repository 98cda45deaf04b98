/** Messages to a run that is running in another process: approvals, decisions, and the wish to stop. */

import { poll } from "../../../lib/poll.ts";
import { parseJson } from "../../../lib/json.ts";
import { writeFileAtomic } from "../../../lib/files/atomic_file.ts";

/** Who left a message, when, and why. */
export interface MessageSender {
  readonly by: string;
  /** When, ISO 8601. */
  readonly at: string;
  /** Why; absent when nothing was said. */
  readonly reason?: string;
}

/** A message to a run. */
export type Message =
  & MessageSender
  & (
    | {
      readonly type: "approve";
      readonly tag: string;
      /** Whether it may continue. */
      readonly approved: boolean;
      /** What was asked; absent in messages of versions that did not say it. */
      readonly question?: string;
      /** What was typed, for those that need it. */
      readonly typed?: string;
    }
    | {
      readonly type: "stop";
      /** True when nothing is to be waited for, as after the second Ctrl-C. */
      readonly hard: boolean;
    }
    | {
      readonly type: "decision";
      readonly verdict: "skip" | "redo" | "done";
      readonly path: string;
      /** Node; absent for steps outside of fan-outs. */
      readonly node?: string;
    }
  );

/** Leaves a message. Returns path of the message; nothing is there any more when it was taken. */
export async function leaveMessage(
  folder: string,
  message: Message,
): Promise<string> {
  const name = `${message.type}-${crypto.randomUUID().slice(0, 8)}.json`;
  const path = `${folder}/inbox/${name}`;
  await writeFileAtomic(path, JSON.stringify(message));
  return path;
}

/** Takes the messages out that are there, in the order they were left. */
export async function takeMessages(
  folder: string,
): Promise<readonly Message[]> {
  const messages: Message[] = [];
  for await (const { name } of Deno.readDir(`${folder}/inbox`)) {
    // Others are still being written.
    if (!name.endsWith(".json") || name.startsWith(".")) continue;
    const path = `${folder}/inbox/${name}`;
    const message = parse(await Deno.readTextFile(path));
    if (message === undefined) continue;
    messages.push(message);
    await Deno.remove(path);
  }
  return messages.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

/**
 * Removes wishes to stop, which were meant for a process that is gone.
 *
 * @param folder Folder of a run that has just been locked.
 */
export async function dropWishes(folder: string): Promise<void> {
  for await (const { name } of Deno.readDir(`${folder}/inbox`)) {
    const isWish = name.startsWith("stop-") && name.endsWith(".json");
    if (isWish) await Deno.remove(`${folder}/inbox/${name}`);
  }
}

/** What is not a message was left by someone else, and stays. */
function parse(text: string): Message | undefined {
  const value = parseJson(text);
  return isMessage(value) ? value : undefined;
}

function isMessage(value: unknown): value is Message {
  if (typeof value !== "object" || value === null) return false;
  // What makes it a message is checked right below.
  const message = value as Readonly<Record<string, unknown>>;
  const isText = (text: unknown) => typeof text === "string";
  const { type, by, at, reason = "", typed = "", node = "" } = message;
  const isSent = isText(by) && Number.isFinite(Date.parse(String(at))) &&
    [reason, typed, node].every(isText);
  switch (type) {
    case "approve":
      return isSent && isText(message.tag) &&
        typeof message.approved === "boolean";
    case "stop":
      return isSent && typeof message.hard === "boolean";
    case "decision":
      return isSent && isText(message.path) &&
        ["skip", "redo", "done"].includes(String(message.verdict));
    default:
      return false;
  }
}

/**
 * Calls for each message that comes, until the signal aborts.
 *
 * @param take Called with each message; the next one waits for it.
 */
export async function watchInbox(
  folder: string,
  take: (message: Message) => void | Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  for await (const _ of poll({ signal })) {
    for (const message of await takeMessages(folder)) await take(message);
  }
}
