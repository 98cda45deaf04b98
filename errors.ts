/**
 * Every expected error of osctl, with its exit status.
 *
 * This file imports nothing, so that every layer can throw these errors.
 */

/**
 * Exit statuses of commands and runbooks: the only table in the product.
 *
 * osctl exits with no other status.
 */
export const exitStatus = {
  ok: 0,
  /** All targeted nodes or the operation itself failed; also a bug. */
  failed: 1,
  /** Usage, configuration or input is wrong; nothing was sent. */
  usage: 2,
  /** Some nodes succeeded, some failed. */
  partial: 3,
  timeout: 4,
  /** Refused by a guard or safety rule, or in doubt and needs a decision. */
  refused: 5,
  /** `--exit-code` was given and there are differences. */
  different: 6,
  /** Approval refused or expired. */
  disapproved: 7,
  /** Another run holds the cluster lock or waits for it. */
  locked: 8,
  /** Stopped cleanly at a safe point; resume it. */
  stopped: 75,
  /** Stopped cleanly, waiting for an approval. */
  waiting: 76,
  interrupted: 130,
  terminated: 143,
} as const;

/** A value of {@linkcode exitStatus}. */
export type ExitStatus = (typeof exitStatus)[keyof typeof exitStatus];

/** Options of an error besides its message. */
interface OsctlErrorOptions {
  /** Next step for the user; one sentence without a period. */
  readonly hint?: string | undefined;
  /** Alternatives to the hint, each on a line of its own. */
  readonly alternatives?: readonly string[];
  readonly cause?: unknown;
}

/** An expected error without a class of its own; status 1. */
export class OsctlError extends Error {
  override readonly name: string = "OsctlError";
  readonly status: ExitStatus = exitStatus.failed;
  readonly hint: string | undefined;
  readonly alternatives: readonly string[];

  /**
   * Creates the error.
   *
   * @param message Action, quoted value and state; capital first, no period.
   * @param options Hint and cause.
   */
  constructor(message: string, options: OsctlErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : options);
    this.hint = options.hint;
    this.alternatives = options.alternatives ?? [];
  }
}

/**
 * Root cause of an error: the error itself, or its cause when it has no class of its own.
 *
 * @param error An expected error.
 */
export function rootCause(error: OsctlError): OsctlError {
  const { cause } = error;
  return error.constructor === OsctlError && cause instanceof OsctlError
    ? rootCause(cause)
    : error;
}

/** The command line is invalid; usage is printed; status 2. */
export class UsageError extends OsctlError {
  override readonly name: string = "UsageError";
  override readonly status: ExitStatus = exitStatus.usage;
}

/** A file, document or environment value is invalid; the message has file, place and value; status 2. */
export class ConfigError extends OsctlError {
  override readonly name: string = "ConfigError";
  override readonly status: ExitStatus = exitStatus.usage;
}

/** There are differences and `--exit-code` is set; prints nothing; status 6. */
export class DifferentError extends OsctlError {
  override readonly name: string = "DifferentError";
  override readonly status: ExitStatus = exitStatus.different;
}

/** gRPC status codes by name, as `google.rpc.Code` numbers them. */
export const rpcCode = {
  OK: 0,
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  OUT_OF_RANGE: 11,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  DATA_LOSS: 15,
  UNAUTHENTICATED: 16,
} as const;

/** Name of a gRPC status code. */
export type RpcCode = keyof typeof rpcCode;

/** Options of an error returned by a node. */
interface RpcErrorOptions extends OsctlErrorOptions {
  /** Original text from the node, when the message rephrases it. */
  readonly raw?: string;
}

/** A node returned a gRPC status other than OK; status 1. */
export class RpcError extends OsctlError {
  override readonly name: string = "RpcError";
  readonly code: RpcCode;
  /** Original text from the node, when the message rephrases it. */
  readonly raw: string | undefined;

  /**
   * Creates the error.
   *
   * @param code Status from the node.
   * @param message Text from the node, without the wording of its libraries.
   * @param options Hint, cause and original text.
   */
  constructor(code: RpcCode, message: string, options: RpcErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.raw = options.raw;
  }
}

/**
 * Reason for a failed connection; one word that scripts can match.
 *
 * In the order of the stages of a connection. `lost`: the connection broke during a call, which may have reached the
 * node; with all other reasons nothing was sent.
 */
export type ConnectCause =
  | "dns"
  | "proxy"
  | "refused"
  | "unreachable"
  | "timeout"
  | "reset"
  | "not-tls"
  | "wrong-ca"
  | "wrong-name"
  | "server-expired"
  | "server-not-yet-valid"
  | "ca-expired"
  | "client-expired"
  | "client-not-yet-valid"
  | "client-no-client-auth"
  | "client-key-mismatch"
  | "client-wrong-ca"
  | "client-missing"
  | "client-malformed"
  | "fingerprint"
  | "maintenance"
  | "no-forwarding"
  | "unknown"
  | "lost";

/** No endpoint is reachable, the certificates do not match, or the connection was lost; status 1. */
export class ConnectError extends OsctlError {
  override readonly name: string = "ConnectError";
  readonly reason: ConnectCause;

  /**
   * Creates the error.
   *
   * @param reason Reason for the failure.
   * @param message Attempted action and result.
   * @param options Hint and cause.
   */
  constructor(
    reason: ConnectCause,
    message: string,
    options: OsctlErrorOptions = {},
  ) {
    super(message, options);
    this.reason = reason;
  }
}

/**
 * Some or all nodes of a call failed; status 3 when others succeeded, otherwise 1.
 *
 * {@linkcode failures} maps nodes to errors, in the order of the request.
 */
export class NodesError extends OsctlError {
  override readonly name: string = "NodesError";
  override readonly status: ExitStatus;
  /** Failed nodes with their errors. */
  readonly failures: ReadonlyMap<string, unknown>;

  /**
   * Creates the error.
   *
   * @param failures Failed nodes with their errors; not empty.
   * @param total Number of requested nodes, at least `failures.size`.
   */
  constructor(failures: ReadonlyMap<string, unknown>, total: number) {
    super(`${failures.size} of ${total} nodes failed`);
    this.failures = failures;
    this.status = failures.size < total
      ? exitStatus.partial
      : commonStatus([...failures.values()]);
  }
}

function commonStatus(failures: readonly unknown[]): ExitStatus {
  const statuses = new Set(
    failures.map((error) =>
      error instanceof OsctlError ? error.status : exitStatus.failed
    ),
  );
  const [only = exitStatus.failed] = statuses;
  return statuses.size === 1 ? only : exitStatus.failed;
}

interface OutcomeOptions {
  /** Reason in one word, such as the gRPC status of the failed call. */
  readonly code?: string | undefined;
  readonly hint?: string | undefined;
  /** Complete message; default: the outcome and the reason. */
  readonly message?: string;
}

/** An operation finished with an unexpected outcome, which determines the status. */
export class OutcomeError extends OsctlError {
  override readonly name: string = "OutcomeError";
  override readonly status: ExitStatus;
  /** Outcome: `rolled-back`, `never-returned`, `refused`. */
  readonly outcome: string;
  /** Reason in one word, such as the gRPC status of the failed call. */
  readonly code: string | undefined;

  /**
   * Creates the error.
   *
   * @param outcome Outcome in one word.
   * @param reason Observed or missing condition.
   * @param status Exit status of this outcome.
   */
  constructor(
    outcome: string,
    reason: string,
    status: ExitStatus,
    { code, message = `${outcome}: ${reason}`, ...options }: OutcomeOptions =
      {},
  ) {
    super(message, options);
    this.outcome = outcome;
    this.status = status;
    this.code = code;
  }
}

/** A run was stopped on request, as its report says; prints nothing; with the status of the run. */
export class StoppedError extends OutcomeError {
  override readonly name: string = "StoppedError";
}

/** Timeout; the message names the unmet condition; status 4. */
export class TimeoutError extends OsctlError {
  override readonly name: string = "TimeoutError";
  override readonly status: ExitStatus = exitStatus.timeout;
}

/** Refused by a guard or safety rule; status 5. */
export class RefusedError extends OsctlError {
  override readonly name: string = "RefusedError";
  override readonly status: ExitStatus = exitStatus.refused;
}

/** Another run holds the cluster lock or waits for it; status 8. */
export class LockedError extends OsctlError {
  override readonly name: string = "LockedError";
  override readonly status: ExitStatus = exitStatus.locked;
}

/** The command was interrupted by the user (130) or terminated by the system (143). */
export class CancelledError extends OsctlError {
  override readonly name: string = "CancelledError";
  override readonly status: ExitStatus;

  /**
   * Creates the error.
   *
   * @param signal Signal that ended the command.
   */
  constructor(signal: "SIGINT" | "SIGTERM" = "SIGINT") {
    super(signal === "SIGINT" ? "Interrupted" : "Terminated");
    this.status = signal === "SIGINT"
      ? exitStatus.interrupted
      : exitStatus.terminated;
  }
}
