import { type RpcCode, RpcError } from "../../errors.ts";
import { rpcCodeName } from "../wire/merge_replies.ts";

/** A refusal of etcd, or of the way to it. */
export class EtcdError extends Error {
  override readonly name = "EtcdError";
  /** Status of the call, where it is not etcd itself that refused. */
  readonly code: RpcCode | undefined;
  /** How it reads inside of another text. */
  readonly inner: string;
  /** Which of the refusals that are decided upon it is. */
  readonly refusal: EtcdRefusal | undefined;

  /**
   * Makes the error.
   *
   * @param message Words of etcd: `etcdserver: member not found`.
   * @param code Status of the call; omitted, etcd refused.
   * @param inner How it reads inside of another text; default with the status in front.
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

/** The error of a client whose server does not run. `address`: `host:port` it tried. */
export function notRunningError(address: string): EtcdError {
  return new EtcdError(
    `connection error: desc = "transport: Error while dialing: dial tcp ${address}: connect: connection refused"`,
    "UNAVAILABLE",
  );
}

/** The error of a recovery without an uploaded snapshot. */
export function noSnapshotError(): EtcdError {
  const why = "stat /var/lib/etcd.snapshot: no such file or directory";
  return new EtcdError(`error verifying snapshot: ${why}`);
}

/** Refusals of etcd by their names; its clients know them by their words as well. */
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
  // The keys of the table are the names.
  Object.entries(etcdRefusal).map((
    [name, text],
  ) => [text, name as EtcdRefusal]),
);

/**
 * Passes an answer of etcd on.
 *
 * @param doing What the node says it did not do; omitted, it says nothing of its own.
 * @throws {RpcError} What the node says when etcd refuses.
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
 * Passes a stream of etcd on.
 *
 * @param doing What the node says it did not do.
 * @throws {RpcError} What the node says when etcd refuses.
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

/** Puts words in front of a refusal of etcd; any other error stays as it is. */
export function withPrefix(error: unknown, start: string): unknown {
  if (!(error instanceof EtcdError)) return error;
  const text = `${start}: ${error.inner}`;
  return new EtcdError(text, error.code, text);
}

/**
 * What a node makes of a refusal of etcd; any other error stays as it is.
 *
 * @param doing What the node says it did not do; omitted, it says nothing of its own.
 */
export function toRpcError(error: unknown, doing = ""): unknown {
  if (!(error instanceof EtcdError)) return error;
  const { message, code = "UNKNOWN", inner } = error;
  // Only what did not come from etcd itself keeps its status.
  return new RpcError(code, doing === "" ? message : `${doing}: ${inner}`);
}
