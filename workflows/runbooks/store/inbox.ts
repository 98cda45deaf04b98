/** Messages to a run in another process: approvals, decisions and stop requests. */

import { poll } from "../../../lib/poll.ts";
import { parseJson } from "../../../lib/json.ts";
import { writeFileAtomic } from "../../../lib/files/atomic_file.ts";

/** Sender of a message, with time and reason. */
export interface MessageSender {
  readonly by: string;
  /** When, ISO 8601. */
  readonly at: string;
  /** Reason, if given. */
  readonly reason?: string;
}

/** A message to a run. */
export type Message =
  & MessageSender
  & (
    | {
      readonly type: "approve";
      readonly tag: string;
      /** True to approve, false to refuse. */
      readonly approved: boolean;
      /** The question; absent in messages of earlier versions. */
      readonly question?: string;
      /** Typed confirmation, if required. */
      readonly typed?: string;
    }
    | {
      readonly type: "stop";
      /** True to stop without waiting, as after the second Ctrl-C. */
      readonly hard: boolean;
    }
    | {
      readonly type: "decision";
      readonly verdict: "skip" | "redo" | "done";
      readonly path: string;
      /** Node; absent outside fan-outs. */
      readonly node?: string;
    }
  );

/** Leaves a message. Returns the path of the message; the file is gone once the message was received. */
export async function leaveMessage(
  folder: string,
  message: Message,
): Promise<string> {
  const name = `${message.type}-${crypto.randomUUID().slice(0, 8)}.json`;
  const path = `${folder}/inbox/${name}`;
  await writeFileAtomic(path, JSON.stringify(message));
  return path;
}

/** Removes and returns the messages, in the order they were left. */
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
 * Removes stop requests that were meant for an earlier process.
 *
 * @param folder Folder of a run that was just locked.
 */
export async function dropWishes(folder: string): Promise<void> {
  for await (const { name } of Deno.readDir(`${folder}/inbox`)) {
    const isWish = name.startsWith("stop-") && name.endsWith(".json");
    if (isWish) await Deno.remove(`${folder}/inbox/${name}`);
  }
}

/** Parses a message. Files that are not messages belong to another program, and stay. */
function parse(text: string): Message | undefined {
  const value = parseJson(text);
  return isMessage(value) ? value : undefined;
}

function isMessage(value: unknown): value is Message {
  if (typeof value !== "object" || value === null) return false;
  // The fields are checked below.
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
 * Calls `take` for each message, until the signal aborts.
 *
 * @param take Called with each message, one at a time.
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
