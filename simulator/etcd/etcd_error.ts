import { type RpcCode, RpcError } from "../../errors.ts";
import { rpcCodeName } from "../wire/merge_replies.ts";

/** An error of etcd or of the connection to it. */
export class EtcdError extends Error {
  override readonly name = "EtcdError";
  /** Status of the call; `undefined` if etcd itself refused. */
  readonly code: RpcCode | undefined;
  /** Message when embedded in another one. */
  readonly inner: string;
  /** Kind of a refusal that callers handle. */
  readonly refusal: EtcdRefusal | undefined;

  /**
   * Makes the error.
   *
   * @param message Message of etcd: `etcdserver: member not found`.
   * @param code Status of the call; omitted if etcd refused.
   * @param inner Message when embedded in another one; default prefixed with the status.
   */
  constructor(
    message: string,
    code?: RpcCode,
    inner: string = code === undefined
      ? message
      : `rpc error: code = ${rpcCodeName(code)} desc = ${message}`,
  ) {
    super(message);
    this.code = code;
    this.inner = inner;
    this.refusal = refusals.get(message);
  }
}

/** Error of a client whose server does not run. `address`: `host:port` of the server. */
export function notRunningError(address: string): EtcdError {
  return new EtcdError(
    `connection error: desc = "transport: Error while dialing: dial tcp ${address}: connect: connection refused"`,
    "UNAVAILABLE",
  );
}

/** Error of a recovery without an uploaded snapshot. */
export function noSnapshotError(): EtcdError {
  const why = "stat /var/lib/etcd.snapshot: no such file or directory";
  return new EtcdError(`error verifying snapshot: ${why}`);
}

/** Refusals of etcd by name; clients also recognize them by their messages. */
export const etcdRefusal = {
  memberNotFound: "etcdserver: member not found",
  peerUrlExists: "etcdserver: Peer URLs already exists",
  notEnoughStarted:
    "etcdserver: re-configuration failed due to not enough started members",
  unhealthy: "etcdserver: unhealthy cluster",
  tooManyLearners: "etcdserver: too many learner members in cluster",
  notLearner: "etcdserver: can only promote a learner member",
  learnerNotReady:
    "etcdserver: can only promote a learner member which is in sync with leader",
  noLeader: "etcdserver: no leader",
  notLeader: "etcdserver: not leader",
  badTransferee: "etcdserver: bad leader transferee",
  timedOut: "etcdserver: request timed out",
  noSpace: "etcdserver: mvcc: database space exceeded",
  wrongDowngradeFormat: "etcdserver: wrong downgrade target version format",
  wrongDowngradeTarget: "etcdserver: invalid downgrade target version",
  downgradeUnderWay: "etcdserver: cluster has a downgrade job in progress",
  noDowngrade: "etcdserver: no inflight downgrade job",
  learner: "etcdserver: rpc not supported for learner",
  stopped: "etcdserver: server stopped",
} as const;

type EtcdRefusal = keyof typeof etcdRefusal;

const refusals: ReadonlyMap<string, EtcdRefusal> = new Map(
  // Names are the keys of the table.
  Object.entries(etcdRefusal).map((
    [name, text],
  ) => [text, name as EtcdRefusal]),
);

/**
 * Forwards a reply of etcd.
 *
 * @param doing Prefix of the node for errors; default none.
 * @throws {RpcError} The node's error if etcd refuses.
 */
export async function rpcAnswer<T>(
  answer: Promise<T>,
  doing?: string,
): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw toRpcError(error, doing);
  }
}

/**
 * Forwards a stream of etcd.
 *
 * @param doing Prefix of the node for errors.
 * @throws {RpcError} The node's error if etcd refuses.
 */
export async function* rpcAnswers<T>(
  answer: AsyncIterable<T>,
  doing: string,
): AsyncGenerator<T> {
  try {
    yield* answer;
  } catch (error) {
    throw toRpcError(error, doing);
  }
}

/** Prefixes an etcd error; returns any other error unchanged. */
export function withPrefix(error: unknown, start: string): unknown {
  if (!(error instanceof EtcdError)) return error;
  const text = `${start}: ${error.inner}`;
  return new EtcdError(text, error.code, text);
}

/**
 * Converts an etcd error to that of a node; returns any other error unchanged.
 *
 * @param doing Prefix of the node for errors; default none.
 */
export function toRpcError(error: unknown, doing = ""): unknown {
  if (!(error instanceof EtcdError)) return error;
  const { message, code = "UNKNOWN", inner } = error;
  // Only errors that did not come from etcd itself keep their status.
  return new RpcError(code, doing === "" ? message : `${doing}: ${inner}`);
}
