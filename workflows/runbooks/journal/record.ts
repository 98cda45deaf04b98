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
  readonly t: RecordType;
  readonly p?: string;
  readonly n?: string;
  /** How often the block was entered. */
  readonly e?: number;
  readonly a?: number;
  readonly d?: Details;
}

/** One line of the journal. */
export interface JournalRecord extends NewRecord {
  readonly v: 1;
  readonly seq: number;
  /** When, ISO 8601. */
  readonly ts: string;
  /** Checksum of the line before, 8 hexadecimal digits; zeros in the first. */
  readonly h: string;
}

/** Checksum before the first line. */
export const noChecksum = "00000000";

/** Length of what the checksum does not cover: `,"c":"01234567"}`, so that it can be truncated without parsing. */
const sealLength = 16;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Writes a record as a line, without its end. Returns the line, and its checksum for the next one. */
export function encodeRecord(
  record: JournalRecord,
): { readonly line: string; readonly checksum: string } {
  const { v, seq, ts, h, ...rest } = record;
  const body = JSON.stringify({ v, seq, ts, ...rest, h }).slice(0, -1);
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
  // What the checksum covers was written by `encodeRecord`.
  const record = JSON.parse(`${text.slice(0, -sealLength)}}`) as JournalRecord;
  return { record, checksum };
}

function sealOf(checksum: string): string {
  return `,"c":"${checksum}"}`;
}

function checksumOf(bytes: Uint8Array): string {
  return crc32c(bytes).toString(16).padStart(8, "0");
}
