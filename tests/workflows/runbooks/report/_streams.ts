/** Streams of events that tests read. */

import type {
  EventType,
  RunEvent,
} from "../../../../workflows/runbooks/event.ts";
import { type LooseEvent, wholeEvent } from "../_records.ts";

/** Names of the streams that are kept beside the tests. */
export const golden = ["partial", "stopped"] as const;

/** Reads a stream that is kept beside the tests. */
export async function goldenStream(
  name: (typeof golden)[number],
): Promise<readonly RunEvent[]> {
  const url = new URL(`golden/${name}.jsonl`, import.meta.url);
  const text = await Deno.readTextFile(url);
  return text.trimEnd().split("\n").map((line) => JSON.parse(line));
}

export type Rest = Omit<LooseEvent, "type">;

/** Makes one event of the run `r1`, which began at 19:30:00. */
export function event(
  type: EventType,
  second: number,
  rest: Rest = {},
): RunEvent {
  const ts = new Date(Date.UTC(2026, 10, 20, 19, 30) + second * 1_000);
  const head = { v: 1, seq: 1, ts: ts.toISOString(), run: "r1" } as const;
  return { ...head, ...wholeEvent({ type, ...rest }) };
}
