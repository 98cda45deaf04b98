/** What the journal of a run holds: one line for each record, chained to the one before. */

import { crc32c } from "../../../lib/crc32c.ts";
import type { Json } from "../../../lib/json.ts";

/** Kinds of records. */
export type RecordType =
  /** What the run was started with: the hash of its header. */
  | "run.header"
  | "run.start"
  | "run.resume"
  /** Another runbook is resumed. */
  | "rebase"
  | "lease"
  | "group"
  | "decide"
  | "approval.requested"
  | "approval.answered"
  | "secret"
  | "gate"
  | "when"
  | "sleep"
  /** Something is about to be sent. */
  | "intent"
  /** The node is about to be asked for a part of it. */
  | "step"
  /** The node has taken it. */
  | "ack"
  /** A step has ended. */
  | "result"
  /** A node has started its block. */
  | "enter"
  /** A block has failed or ended, and `rescue` or `always` begins. */
  | "phase"
  /** A node has ended its block. */
  | "node"
  /** An operator has decided about a step: skip, redo, resolve. */
  | "decision"
  | "drop"
  | "set"
  | "stop"
  | "run.end"
  /** All that was before, folded. */
  | "checkpoint";

/** What else a record says. */
export type Details = Readonly<Record<string, Json>>;

/** A record before it has its place in the journal. */
export interface NewRecord {
  readonly type: RecordType;
  readonly path?: string;
  readonly node?: string;
  /** How often the block was entered. */
  readonly entry?: number;
  readonly attempt?: number;
  readonly data?: Details;
}

/** One line of the journal. */
export interface JournalRecord extends NewRecord {
  readonly seq: number;
  /** When, ISO 8601. */
  readonly ts: string;
  /** Checksum of the line before, 8 hexadecimal digits; zeros in the first. */
  readonly previous: string;
}

/** Checksum before the first line. */
export const noChecksum = "00000000";

/** Length of what the checksum does not cover: `,"c":"01234567"}`, so that it can be truncated without parsing. */
const sealLength = 16;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Writes a record as a line, without its end. Returns the line, and its checksum for the next one. */
export function encodeRecord(
  { seq, ts, previous, ...rest }: JournalRecord,
): { readonly line: string; readonly checksum: string } {
  const body = JSON.stringify({ seq, ts, ...rest, previous }).slice(0, -1);
  const checksum = checksumOf(encoder.encode(body));
  return { line: `${body}${sealOf(checksum)}`, checksum };
}

interface DecodedRecord {
  readonly record: JournalRecord;
  readonly checksum: string;
}

/** Reads a line. `line`: its bytes, without its end. Returns `undefined` when it is damaged. */
export function decodeRecord(line: Uint8Array): DecodedRecord | undefined {
  const end = Math.max(0, line.length - sealLength);
  const checksum = checksumOf(line.subarray(0, end));
  const text = decoder.decode(line);
  if (!text.endsWith(sealOf(checksum))) return undefined;
  // What the checksum covers was written by `encodeRecord`, now or in an earlier version.
  const value: JournalRecord | FirstRecord = JSON.parse(
    `${text.slice(0, -sealLength)}}`,
  );
  return { record: "t" in value ? fromFirst(value) : value, checksum };
}

/** A record of version 1 of the format, which a run of that time still begins with. */
interface FirstRecord {
  readonly seq: number;
  readonly ts: string;
  readonly t: RecordType;
  readonly p?: string;
  readonly n?: string;
  readonly e?: number;
  readonly a?: number;
  readonly d?: Details;
  readonly h: string;
}

function fromFirst(
  { seq, ts, t, p, n, e, a, d, h }: FirstRecord,
): JournalRecord {
  return {
    seq,
    ts,
    type: t,
    ...p !== undefined && { path: p },
    ...n !== undefined && { node: n },
    ...e !== undefined && { entry: e },
    ...a !== undefined && { attempt: a },
    ...d !== undefined && { data: d },
    previous: h,
  };
}

function sealOf(checksum: string): string {
  return `,"c":"${checksum}"}`;
}

function checksumOf(bytes: Uint8Array): string {
  return crc32c(bytes).toString(16).padStart(8, "0");
}
