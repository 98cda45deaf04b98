/** Failures of steps: a closed list of codes, and their effect on the run. */

import {
  ConfigError,
  ConnectError,
  LockedError,
  NodesError,
  OsctlError,
  OutcomeError,
  RefusedError,
  rootCause,
  type RpcCode,
  RpcError,
  TimeoutError,
} from "../../../errors.ts";
import { isAway } from "../../kubernetes/client.ts";
import type { Outcome, Verdict } from "../../operations/operation.ts";
import type { Json } from "../../../lib/json.ts";
import type { ErrorCode } from "../../operations/change.ts";
import type { Module } from "../../modules/module.ts";
import type { Failure } from "../journal/record.ts";

/** Stops the run early, without a failure: it can be resumed. */
export class Halt extends Error {
  override readonly name: string = "Halt";
  /** Cause; `again` for an immediate restart, `suspended` when the process was suspended. */
  readonly why:
    | "stop"
    | "approval"
    | "interrupted"
    | "disapproved"
    | "again"
    | "suspended";

  constructor(why: Halt["why"], message: string) {
    super(message);
    this.why = why;
  }
}

const byStatus: Readonly<Partial<Record<RpcCode, ErrorCode>>> = {
  UNAVAILABLE: "unavailable",
  CANCELLED: "unavailable",
  DATA_LOSS: "unavailable",
  DEADLINE_EXCEEDED: "deadline",
  UNAUTHENTICATED: "unauthenticated",
  PERMISSION_DENIED: "permission",
  FAILED_PRECONDITION: "precondition",
  RESOURCE_EXHAUSTED: "busy",
  ABORTED: "busy",
  INVALID_ARGUMENT: "invalid",
  NOT_FOUND: "invalid",
  UNIMPLEMENTED: "invalid",
};

const byOutcome: Readonly<Record<Outcome, ErrorCode>> = {
  done: "internal",
  unchanged: "internal",
  accepted: "internal",
  "rolled-back": "rolled-back",
  "never-returned": "never-returned",
  "never-rebooted": "deadline",
  "timed-out": "deadline",
  failed: "precondition",
  refused: "refused",
  "in-doubt": "in-doubt",
};

/** Quorum rules: a change of etcd may let them pass later. */
const quorumRules = new Set(["S1", "S2", "S3", "S4"]);

/** Error code of a verdict that is not a success. */
export function codeOfVerdict(
  { outcome, code = "" }: Verdict,
  module: Pick<Module, "codes">,
): ErrorCode {
  // What may be repeated is retried as after a failure.
  const mayRepeat = outcome === "in-doubt" && code === "not-started";
  const own = module.codes?.[mayRepeat ? "failed" : outcome];
  if (own !== undefined) return own;
  if (outcome === "refused" && quorumRules.has(code)) return "quorum-risk";
  if (outcome === "refused" && isCode(code)) return code;
  if (code === "not-started") return "not-started";
  if (code === "unreachable") return "unavailable";
  // Codes that are no RPC status are not in the table.
  return byStatus[code as RpcCode] ?? byOutcome[outcome];
}

const admissionCodes: ReadonlySet<string> = new Set(
  [
    "lease-lost",
    "deadline",
    "quorum-risk",
    "cancelled",
    "in-doubt",
  ] satisfies readonly ErrorCode[],
);

function isCode(code: string): code is ErrorCode {
  return admissionCodes.has(code);
}

/** Error code of a thrown value. */
export function codeOfError(thrown: unknown): ErrorCode {
  if (!(thrown instanceof OsctlError)) throw thrown;
  const error = rootCause(thrown);
  if (error instanceof NodesError) {
    const [first] = error.failures.values();
    return first instanceof OsctlError ? codeOfError(first) : "internal";
  }
  if (error instanceof RpcError) return byStatus[error.code] ?? "precondition";
  if (error instanceof ConnectError || isAway(error)) return "unavailable";
  if (error instanceof TimeoutError) return "deadline";
  if (error instanceof RefusedError) return "refused";
  if (error instanceof ConfigError) return "invalid";
  if (error instanceof LockedError) return "lease-lost";
  if (
    error instanceof OutcomeError && Object.hasOwn(byOutcome, error.outcome)
  ) {
    // Checked in the line before.
    return byOutcome[error.outcome as Outcome];
  }
  return "precondition";
}

/** Message and hint of an error, on one line. */
export function formatMessage(error: unknown): string {
  if (!(error instanceof OsctlError)) throw error;
  if (error instanceof NodesError) {
    const [first] = error.failures.values();
    if (first instanceof OsctlError) return formatMessage(first);
  }
  return error.hint === undefined
    ? error.message
    : `${error.message} (${error.hint})`;
}

/** Result of a step: its output, or its failure. */
export type StepEnd =
  | {
    readonly outputs: Readonly<Record<string, Json>>;
    /** Node it changed, when that is not the node of the fan-out. */
    readonly target?: string;
    /** Origin of the result, when the step did not run now. */
    readonly how?: {
      readonly changed?: false;
      /** An earlier attempt with an unknown outcome had succeeded; nothing was sent again. */
      readonly recovered?: true;
    };
  }
  | { readonly failure: Failure };

/** Codes of nodes that stopped waiting, maybe because of another node. */
const waited: ReadonlySet<ErrorCode> = new Set([
  "gate-timeout",
  "drain-blocked",
  "cancelled",
]);

/** Failed nodes, in order of time; those that may only have waited for others come last. */
export function byCause(
  failures: ReadonlyMap<string, Failure>,
): readonly (readonly [node: string, failure: Failure])[] {
  const all = [...failures];
  const [later, causes] = [true, false].map((wanted) =>
    all.filter(([, { code }]) => waited.has(code) === wanted)
  );
  return [...causes ?? [], ...later ?? []];
}
