/** Records as tests write and read them: only what each is about. */

import type { Json } from "../../../lib/json.ts";
import type { NewEvent } from "../../../workflows/runbooks/event.ts";
import type {
  JournalRecord as WholeRecord,
  NewRecord as WholeNewRecord,
  RecordType,
} from "../../../workflows/runbooks/journal/record.ts";

export type Details = Readonly<Record<string, Json>>;

/** A record that may lack what a test is not about. */
export interface NewRecord {
  readonly type: RecordType | "checkpoint";
  readonly path?: string;
  readonly node?: string;
  readonly entry?: number;
  readonly attempt?: number;
  readonly data?: Details;
}

/** One that was written. */
export interface JournalRecord extends NewRecord {
  readonly seq: number;
  readonly ts: string;
  readonly previous: string;
}

/** The record for what writes it. */
export function whole(record: NewRecord): WholeNewRecord {
  // Fields without importance for the test are ignored.
  return record as WholeNewRecord;
}

/** The record for what reads it. */
export function wholeRead(record: JournalRecord): WholeRecord {
  // Fields without importance for the test are ignored.
  return record as WholeRecord;
}

export function loose(record: WholeRecord): JournalRecord {
  // Its data are a document.
  return record as unknown as JournalRecord;
}

/** An event that may lack what a test is not about. */
export interface LooseEvent {
  readonly type: NewEvent["type"];
  readonly path?: string;
  readonly node?: string;
  readonly attempt?: number;
  readonly data?: Details;
}

/** The event for what reads it. */
export function wholeEvent(event: LooseEvent): NewEvent {
  // Fields without importance for the test are ignored.
  return { data: {}, ...event } as NewEvent;
}
