/** Journal of a run: one line for each record, chained to the previous one. */

import { crc32c } from "../../../lib/crc32c.ts";
import type { ErrorCode } from "../../operations/change.ts";
import type { NodeState, RunReport, RunState } from "../event.ts";
import type { Json } from "../../../lib/json.ts";

/** Failure of a step, block or run. */
export interface Failure {
  readonly code: ErrorCode;
  /** Path of the step that failed first. */
  readonly step: string;
  readonly message: string;
  /** True when a rescue has changed something and succeeded. */
  readonly recovered?: true;
}

/** Start of a run; earlier versions recorded less of it. */
export interface RunStart {
  /** SHA-256 of each file, hexadecimal, by its path. */
  readonly files?: Readonly<Record<string, string>>;
  /** SHA-256 of the intermediate form, hexadecimal. */
  readonly ir?: string;
  /** User and host that started it. */
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
type NodesByName = Readonly<Record<string, readonly string[]>>;

/** Result of a step. */
export type StepEndData =
  | {
    readonly state: "ok";
    readonly outputs?: Readonly<Record<string, Json>>;
    readonly module?: string;
    /** Node that was changed, if not the node of the step. */
    readonly target?: string;
    readonly tookMs?: number;
    /** False when there was nothing to do. */
    readonly changed?: false;
    /** True when an earlier attempt had succeeded. */
    readonly recovered?: true;
  }
  | {
    readonly state: "failed";
    readonly code: ErrorCode;
    readonly message: string;
    /** Path of the inner step that failed. */
    readonly step?: string;
    readonly tookMs?: number;
    /** True when later steps run nevertheless. */
    readonly continues?: boolean;
  }
  /** `message`: `when`, or the operator's reason. */
  | {
    readonly state: "skipped";
    readonly message: string;
    readonly title?: string;
    /** Condition that is false. */
    readonly condition?: string;
  };

/** Data of records by type, besides path, node, entry and attempt. */
interface RecordData {
  /** Hash of the header of the run. */
  readonly "run.header": { readonly sha256: string };
  readonly "run.start": RunStart;
  readonly "run.resume": { readonly entry: number };
  /** Resumed with another runbook. */
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
    /** How long an answer is valid, in milliseconds. */
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
  /** A change is about to be sent. */
  readonly intent: {
    readonly operation: string;
    /** Identifies the attempt. */
    readonly key: Json;
    readonly input: Json;
    readonly target?: string;
  };
  /** A part of the change is about to be requested. */
  readonly step: { readonly step: string };
  /** The node has accepted it. */
  readonly ack: Nothing;
  readonly result: StepEndData;
  /** A node has started its block. */
  readonly enter: { readonly since?: number; readonly batch?: number };
  /** A block has failed or finished, and `rescue` or `always` starts. */
  readonly phase: {
    readonly name: "rescue" | "undone" | "always" | "left";
    readonly failure?: Failure;
    readonly halted?: true;
    /** Nodes that a rescue was sent to. */
    readonly nodes?: readonly string[];
    /** Ids of the steps of that rescue. */
    readonly rescue?: readonly string[];
  };
  /** A node has finished its block. */
  readonly node: {
    readonly state: NodeState;
    readonly step?: string;
    readonly code?: ErrorCode;
    readonly message?: string;
    readonly tookMs?: number;
    /** Entry of the block around the fan-out. */
    readonly around?: number;
  };
  readonly decision: {
    readonly verdict: "skip" | "redo" | "done";
    readonly reason: string;
    readonly by?: string;
  };
  readonly drop: { readonly reason: string; readonly by?: string };
  readonly set: { readonly value: Json; readonly by?: string };
  /** Files that the run reads from now on: SHA-256, hexadecimal, by path. */
  readonly files: { readonly sha256: Readonly<Record<string, string>> };
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

/** No data besides the common fields. */
type Nothing = Readonly<Record<never, never>>;

/** Type of a record. */
export type RecordType = keyof RecordData;

/** A record of one type, before it is in the journal. */
export type RecordOf<Type extends RecordType> =
  & {
    readonly type: Type;
    readonly path?: string;
    readonly node?: string;
    /** Number of the entry into the block. */
    readonly entry?: number;
    readonly attempt?: number;
  }
  & (Nothing extends RecordData[Type] ? { readonly data?: RecordData[Type] }
    : { readonly data: RecordData[Type] });

/** A record before it is in the journal. */
export type NewRecord = { [Type in RecordType]: RecordOf<Type> }[RecordType];

/** One line of the journal. */
export type JournalRecord = NewRecord & {
  readonly seq: number;
  /** When, ISO 8601. */
  readonly ts: string;
  /** Checksum of the previous line, 8 hexadecimal digits; zeros in the first. */
  readonly previous: string;
};

/** Checksum before the first line. */
export const noChecksum = "00000000";

/** Length of the part the checksum does not cover: `,"c":"01234567"}`, so that it can be cut off without parsing. */
const sealLength = 16;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Encodes a record as a line, without the newline. Returns the line, and its checksum for the next one. */
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

/** Decodes a line. `line`: its bytes, without the newline. Returns `undefined` if it is damaged. */
export function decodeRecord(line: Uint8Array): DecodedRecord | undefined {
  const end = Math.max(0, line.length - sealLength);
  const checksum = computeChecksum(line.subarray(0, end));
  const text = decoder.decode(line);
  if (!text.endsWith(formatSeal(checksum))) return undefined;
  // The checksum proves that `encodeRecord` wrote it, in this or an earlier version.
  const value: JournalRecord | FirstRecord = JSON.parse(
    `${text.slice(0, -sealLength)}}`,
  );
  return { record: "t" in value ? fromFirst(value) : value, checksum };
}

/** A record in version 1 of the format, which old runs still start with. */
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
