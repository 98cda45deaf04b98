/** Reports etcd calls that hang because etcd is not running on the node. */

import { RpcError } from "../../errors.ts";
import { after } from "../../lib/timer.ts";
import type { CallOptions, Transport } from "./call.ts";

/** Delay in milliseconds before the state of etcd is requested. */
const patienceMs = 300;

/** Read-only calls: they can be canceled before the node times out. */
const reads: ReadonlySet<string> = new Set([
  "EtcdMemberList",
  "EtcdStatus",
  "EtcdAlarmList",
  "EtcdDowngradeValidate",
  "EtcdSnapshot",
]);

/** Calls that do not need a running etcd. */
const withoutEtcd: ReadonlySet<string> = new Set(["EtcdRecover"]);

/** Gets the state of the `etcd` service of a node: `Finished`; `undefined` if not reported. */
type AskState = () => Promise<string | undefined>;

/** Fails etcd calls with the cause if etcd is not running on the node: reads early, other calls on timeout. */
export function withEtcdCause(
  transport: Transport,
  askState: AskState,
): Transport {
  return {
    ...transport,
    unary(method, request, options) {
      const name = nameOfEtcdCall(method.path);
      if (name === undefined) return transport.unary(method, request, options);
      return unary(
        name,
        options,
        askState,
        (watched) => transport.unary(method, request, watched),
      );
    },
    stream(method, request, options) {
      const name = nameOfEtcdCall(method.path);
      if (name === undefined) return transport.stream(method, request, options);
      return stream(
        name,
        options,
        askState,
        (watched) => transport.stream(method, request, watched),
      );
    },
  };
}

function nameOfEtcdCall(path: string): string | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return name.startsWith("Etcd") && !withoutEtcd.has(name) ? name : undefined;
}

async function unary<T>(
  name: string,
  options: CallOptions,
  askState: AskState,
  call: (options: CallOptions) => Promise<T>,
): Promise<T> {
  using watch = watchEtcd(name, options, askState);
  try {
    return await call(watch.options);
  } catch (error) {
    throw await explain(error, options, askState);
  }
}

async function* stream<T>(
  name: string,
  options: CallOptions,
  askState: AskState,
  call: (options: CallOptions) => AsyncIterable<T>,
): AsyncGenerator<T> {
  using watch = watchEtcd(name, options, askState);
  try {
    for await (const message of call(watch.options)) {
      watch.heard();
      yield message;
    }
  } catch (error) {
    throw await explain(error, options, askState);
  }
}

/** Fails a read when the node reports that etcd is not running. */
function watchEtcd(name: string, options: CallOptions, askState: AskState) {
  const over = new AbortController();
  const given = options.signal === undefined ? [] : [options.signal];
  const heard = reads.has(name)
    ? after(patienceMs, async () => {
      const cause = await findCause(options, askState);
      if (cause !== undefined) over.abort(cause);
    })
    : () => {};
  return {
    options: { ...options, signal: AbortSignal.any([...given, over.signal]) },
    /** To be called when a reply arrives. */
    heard,
    [Symbol.dispose]: heard,
  };
}

async function explain(
  error: unknown,
  options: CallOptions,
  askState: AskState,
): Promise<unknown> {
  const isLate = error instanceof RpcError &&
    error.code === "DEADLINE_EXCEEDED" && !(error instanceof EtcdStoppedError);
  return isLate ? await findCause(options, askState) ?? error : error;
}

/** etcd is not running on the node. The status remains that of a timed-out call. */
export class EtcdStoppedError extends RpcError {
  override readonly name = "EtcdStoppedError";
  /** State of the service: `Preparing`, `Finished`. */
  readonly state: string;

  constructor(state: string, hint: string) {
    const message = `etcd is not running on the node (state ${state})`;
    super("DEADLINE_EXCEEDED", message, { hint });
    this.state = state;
  }
}

async function findCause(
  { node }: CallOptions,
  askState: AskState,
): Promise<RpcError | undefined> {
  const state = await askState();
  if (state === undefined || state === "Running") return undefined;
  const to = node === undefined ? "" : ` --nodes ${node}`;
  return new EtcdStoppedError(
    state,
    `Start it with: osctl service etcd start${to}; in a new cluster run: osctl bootstrap${to}`,
  );
}
