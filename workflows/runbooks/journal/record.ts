/** What the journal of a run holds: one line for each record, chained to the one before. */

import { crc32c } from "../../../lib/crc32c.ts";
import type { ErrorCode } from "../../operations/change.ts";
import type { NodeState, RunReport, RunState } from "../event.ts";
import type { Json } from "../../../lib/json.ts";

/** Why a step, a block or a run did not end well. */
export interface Failure {
  readonly code: ErrorCode;
  /** Path of the step it began with. */
  readonly step: string;
  readonly message: string;
  /** True when a rescue has changed something and ended well. */
  readonly recovered?: true;
}

/** What a run is started with; earlier versions wrote less of it. */
export interface RunStart {
  /** SHA-256 of every file, hexadecimal, by its path. */
  readonly files?: Readonly<Record<string, string>>;
  /** SHA-256 of the intermediate form, hexadecimal. */
  readonly ir?: string;
  /** Who started it: user and host. */
  readonly operator?: string;
  readonly inputs?: Readonly<Record<string, Json>>;
  /** Nodes of the frozen groups, by `groupKey`. */
  readonly groups?: NodesByName;
  /** Nodes of the cluster. */
  readonly members?: readonly string[];
  /** Versions of the nodes, by name; absent in runs of earlier versions. */
  readonly versions?: Readonly<Record<string, string>>;
}

/** Nodes of groups. */
export type NodesByName = Readonly<Record<string, readonly string[]>>;

/** How a step has ended. */
export type StepEndData =
  | {
    readonly state: "ok";
    readonly outputs?: Readonly<Record<string, Json>>;
    readonly module?: string;
    /** Node it was done to, when that is not the one of the step. */
    readonly target?: string;
    readonly tookMs?: number;
    /** False when there was nothing to do. */
    readonly changed?: false;
    /** True when an earlier attempt had done it. */
    readonly recovered?: true;
  }
  | {
    readonly state: "failed";
    readonly code: ErrorCode;
    readonly message: string;
    /** Path of the step inside that failed. */
    readonly step?: string;
    readonly tookMs?: number;
  }
  /** `message`: `when`, or why an operator skipped it. */
  | { readonly state: "skipped"; readonly message: string };

/** Records by their type: what they say beside path, node, entry and attempt. */
interface RecordData {
  /** What the run was started with: the hash of its header. */
  readonly "run.header": { readonly sha256: string };
  readonly "run.start": RunStart;
  readonly "run.resume": { readonly entry: number };
  /** Another runbook is resumed. */
  readonly rebase: {
    readonly ir: string;
    readonly files: Readonly<Record<string, string>>;
    readonly by: string;
  };
  readonly lease: {
    readonly state:
      | "taken"
      | "lost"
      | "without"
      | "released"
      | "claimed"
      | "removed";
    readonly reason?: string;
    readonly by?: string;
  };
  readonly group: { readonly nodes: readonly string[] };
  readonly decide: { readonly value: Json };
  readonly "approval.requested": {
    readonly tag: string;
    readonly message: string;
    readonly destructive: boolean;
    /** How long an answer holds, in milliseconds. */
    readonly lastsMs: number;
    readonly typed?: string;
  };
  readonly "approval.answered": {
    readonly tag: string;
    readonly approved: boolean;
    readonly by: string;
    readonly how: string;
    readonly destructive: boolean;
    readonly reason?: string;
  };
  readonly secret: { readonly name: string; readonly fingerprint?: string };
  readonly gate: Nothing;
  readonly when: { readonly value: boolean };
  /** `until`: in milliseconds since 1970. */
  readonly sleep: { readonly until: number };
  /** Something is about to be sent. */
  readonly intent: {
    readonly operation: string;
    /** What tells the attempt from others. */
    readonly key: Json;
    readonly input: Json;
    readonly target?: string;
  };
  /** The node is about to be asked for a part of it. */
  readonly step: { readonly step: string };
  /** The node has taken it. */
  readonly ack: Nothing;
  readonly result: StepEndData;
  /** A node has started its block. */
  readonly enter: { readonly since?: number };
  /** A block has failed or ended, and `rescue` or `always` begins. */
  readonly phase: {
    readonly name: "rescue" | "undone" | "always" | "left";
    readonly failure?: Failure;
    readonly halted?: true;
    /** Nodes that a rescue was sent to. */
    readonly nodes?: readonly string[];
    /** Ids of the steps of that rescue. */
    readonly rescue?: readonly string[];
  };
  /** A node has ended its block. */
  readonly node: {
    readonly state: NodeState;
    readonly step?: string;
    readonly code?: ErrorCode;
    readonly message?: string;
    readonly tookMs?: number;
    /** Entry of what is around the fan-out. */
    readonly around?: number;
  };
  /** An operator has decided about a step. */
  readonly decision: {
    readonly verdict: "skip" | "redo" | "done";
    readonly reason: string;
    readonly by?: string;
  };
  readonly drop: { readonly reason: string; readonly by?: string };
  readonly set: { readonly value: Json; readonly by?: string };
  readonly stop: {
    readonly hard: boolean;
    readonly by: string;
    readonly reason: string;
  };
  readonly "run.end": {
    readonly state: RunState;
    readonly status: number;
    readonly outputs?: Readonly<Record<string, Json>>;
    readonly failure?: NonNullable<RunReport["failure"]>;
    readonly cleanup?: NonNullable<RunReport["cleanup"]>;
  };
}

/** Nothing beside what every record says. */
type Nothing = Readonly<Record<never, never>>;

/** Type of a record. */
export type RecordType = keyof RecordData;

/** A record of a type before it has its place in the journal. */
export type RecordOf<Type extends RecordType> =
  & {
    readonly type: Type;
    readonly path?: string;
    readonly node?: string;
    /** How often the block was entered. */
    readonly entry?: number;
    readonly attempt?: number;
  }
  & (Nothing extends RecordData[Type] ? { readonly data?: RecordData[Type] }
    : { readonly data: RecordData[Type] });

/** A record before it has its place in the journal. */
export type NewRecord = { [Type in RecordType]: RecordOf<Type> }[RecordType];

/** One line of the journal. */
export type JournalRecord = NewRecord & {
  readonly seq: number;
  /** When, ISO 8601. */
  readonly ts: string;
  /** Checksum of the line before, 8 hexadecimal digits; zeros in the first. */
  readonly previous: string;
};

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
  const checksum = computeChecksum(encoder.encode(body));
  return { line: `${body}${formatSeal(checksum)}`, checksum };
}

interface DecodedRecord {
  readonly record: JournalRecord;
  readonly checksum: string;
}

/** Reads a line. `line`: its bytes, without its end. Returns `undefined` when it is damaged. */
export function decodeRecord(line: Uint8Array): DecodedRecord | undefined {
  const end = Math.max(0, line.length - sealLength);
  const checksum = computeChecksum(line.subarray(0, end));
  const text = decoder.decode(line);
  if (!text.endsWith(formatSeal(checksum))) return undefined;
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
  readonly d?: unknown;
  readonly h: string;
}

function fromFirst(
  { seq, ts, t, p, n, e, a, d, h }: FirstRecord,
): JournalRecord {
  const record = {
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
  // Only the keys have changed since.
  return record as JournalRecord;
}

function formatSeal(checksum: string): string {
  return `,"c":"${checksum}"}`;
}

function computeChecksum(bytes: Uint8Array): string {
  return crc32c(bytes).toString(16).padStart(8, "0");
}
