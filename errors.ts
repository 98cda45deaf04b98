/**
 * Every deliberate failure of osctl and the exit status it means.
 *
 * This file imports nothing, so that any layer may throw what is declared here.
 */

/**
 * Exit statuses of commands and runbooks; the one table of the product.
 *
 * A status not listed here never leaves the program.
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
  /** Another run holds, or has a claim on, the cluster. */
  locked: 8,
  /** Stopped cleanly at a safe point; resume it. */
  stopped: 75,
  /** Stopped cleanly, waiting for an approval. */
  waiting: 76,
  interrupted: 130,
  terminated: 143,
} as const;

/** One number out of {@linkcode exitStatus}. */
export type ExitStatus = (typeof exitStatus)[keyof typeof exitStatus];

/** What an error may carry beside its message. */
interface OsctlErrorOptions {
  /** What the user can try next; one sentence without a period. */
  readonly hint?: string | undefined;
  /** What was caught, when the error wraps another. */
  readonly cause?: unknown;
}

/** An expected failure that has no class of its own; status 1. */
export class OsctlError extends Error {
  override readonly name: string = "OsctlError";
  /** Exit status this failure means. */
  readonly status: ExitStatus = exitStatus.failed;
  readonly hint: string | undefined;

  /**
   * Makes the error.
   *
   * @param message Action, quoted value and state; capital first, no period.
   * @param options Hint and cause.
   */
  constructor(message: string, options: OsctlErrorOptions = {}) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.hint = options.hint;
  }
}

/**
 * What an error is about: itself, or its cause when it has no class of its own.
 *
 * @param error An expected failure.
 */
export function rootCause(error: OsctlError): OsctlError {
  const { cause } = error;
  return error.constructor === OsctlError && cause instanceof OsctlError
    ? rootCause(cause)
    : error;
}

/** The command line does not fit the command; usage is shown; status 2. */
export class UsageError extends OsctlError {
  override readonly name: string = "UsageError";
  /** Exit status this failure means. */
  override readonly status: ExitStatus = exitStatus.usage;
}

/** A file, document or environment value is invalid; names file, place and value; status 2. */
export class ConfigError extends OsctlError {
  override readonly name: string = "ConfigError";
  /** Exit status this failure means. */
  override readonly status: ExitStatus = exitStatus.usage;
}

/** There are differences, and `--exit-code` asked to be told; nothing is printed; status 6. */
export class DifferentError extends OsctlError {
  override readonly name: string = "DifferentError";
  /** Exit status this outcome means. */
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

/** What an answer of a node may carry beside its message. */
interface RpcErrorOptions extends OsctlErrorOptions {
  /** Text the node sent, where the message puts it into other words. */
  readonly raw?: string;
}

/** A node answered with a gRPC status other than OK; status 1. */
export class RpcError extends OsctlError {
  override readonly name: string = "RpcError";
  readonly code: RpcCode;
  /** Text the node sent, where the message puts it into other words. */
  readonly raw: string | undefined;

  /**
   * Makes the error.
   *
   * @param code Status the node sent.
   * @param message Text the node sent, without the words of its libraries.
   * @param options Hint, cause and the text as it was.
   */
  constructor(code: RpcCode, message: string, options: RpcErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.raw = options.raw;
  }
}

/**
 * Why there is no connection; one word a script can match on.
 *
 * The order is that of the stages a connection goes through. With `lost` there was one, and it was lost during a call,
 * which may have reached the node; with all others nothing was sent.
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

/** No endpoint could be reached, the certificates do not fit, or a connection was lost; status 1. */
export class ConnectError extends OsctlError {
  override readonly name: string = "ConnectError";
  /** The one cause that was found. */
  readonly reason: ConnectCause;

  /**
   * Makes the error.
   *
   * @param reason The one cause that was found.
   * @param message What was tried and what was seen.
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
 * Some or all nodes of a call failed; status 3 when others succeeded, else 1.
 *
 * {@linkcode failures} maps node to cause in the order of the nodes asked.
 */
export class NodesError extends OsctlError {
  override readonly name: string = "NodesError";
  /** Exit status this failure means. */
  override readonly status: ExitStatus;
  /** Failed node to what it failed with. */
  readonly failures: ReadonlyMap<string, unknown>;

  /**
   * Makes the error.
   *
   * @param failures Failed node to what it failed with; not empty.
   * @param total How many nodes were asked, at least `failures.size`.
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
  /** Why, in one word, such as the gRPC status of the call that failed. */
  readonly code?: string | undefined;
  readonly hint?: string | undefined;
  /** All that is said; default: the outcome and the reason. */
  readonly message?: string;
}

/** An operation did not end as it should; the status depends on how. */
export class OutcomeError extends OsctlError {
  override readonly name: string = "OutcomeError";
  /** Exit status this outcome means. */
  override readonly status: ExitStatus;
  /** How it ended: `rolled-back`, `never-returned`, `refused`. */
  readonly outcome: string;
  /** Why it ended so, in one word, such as the gRPC status of the call that failed. */
  readonly code: string | undefined;

  /**
   * Makes the error.
   *
   * @param outcome How it ended.
   * @param reason What was seen, or what was still missing.
   * @param status What that means.
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

/** Waiting took longer than allowed; the message says what was still missing; status 4. */
export class TimeoutError extends OsctlError {
  override readonly name: string = "TimeoutError";
  /** Exit status this failure means. */
  override readonly status: ExitStatus = exitStatus.timeout;
}

/** A guard or safety rule said no; status 5. */
export class RefusedError extends OsctlError {
  override readonly name: string = "RefusedError";
  /** Exit status this failure means. */
  override readonly status: ExitStatus = exitStatus.refused;
}

/** Another run holds, or has a claim on, the cluster; status 8. */
export class LockedError extends OsctlError {
  override readonly name: string = "LockedError";
  /** Exit status this failure means. */
  override readonly status: ExitStatus = exitStatus.locked;
}

/** The user interrupted (130), or the system terminated (143), the command. */
export class CancelledError extends OsctlError {
  override readonly name: string = "CancelledError";
  /** Exit status this failure means. */
  override readonly status: ExitStatus;

  /**
   * Makes the error.
   *
   * @param signal Which signal ended the command.
   */
  constructor(signal: "SIGINT" | "SIGTERM" = "SIGINT") {
    super(signal === "SIGINT" ? "Interrupted" : "Terminated");
    this.status = signal === "SIGINT"
      ? exitStatus.interrupted
      : exitStatus.terminated;
  }
}
