/** A simulated process: once it is killed, no wait of it ever resolves. */

import type {
  CallOptions,
  Method,
  Transport,
} from "../../transport/call/call.ts";
import type { Kubernetes } from "../kubernetes/client.ts";
import type { OperationClock } from "../../lib/clock.ts";
import type { JournalStore } from "../runbooks/journal/writer.ts";
import { type HeldClock, type RealWork, realWork } from "./pending_work.ts";

/** Filter of the calls of a process. */
export type CallGate = (
  call: {
    /** Name of the method, `Reboot`; or the Kubernetes request, `PATCH /api/v1/nodes/a`. */
    readonly method: string;
    /** Target node; empty for the endpoint, and for Kubernetes. */
    readonly node: string;
  },
) => Promise<Cut>;

/** Effect of faults on a call. */
export type Cut =
  /** It runs, and returns a response. */
  | { readonly kind: "none" }
  | {
    /** `before`: it does not run. `after`: it runs, and the response is lost. */
    readonly kind: "before" | "after";
    /** Error for calls to a node. */
    readonly error: Error;
    readonly kubernetes: Error;
  };

/** A simulated process. */
export interface SimulatedProcess {
  readonly dead: AbortSignal;
  /** Kills it, like a power failure. */
  readonly kill: () => void;
  readonly work: RealWork;
  readonly clock: OperationClock;
  readonly transport: (inner: Transport) => Transport;
  readonly kubernetes: (inner: Kubernetes) => Kubernetes;
  readonly store: (inner: JournalStore) => JournalStore;
}

/** Options of a simulated process. */
export interface SimulatedProcessOptions {
  readonly clock: OperationClock & HeldClock;
  /** Current offset of its machine's clock, in milliseconds; default none. */
  readonly skewMs?: () => number;
  /** Called before each call; default runs all. */
  readonly gate?: CallGate;
}

/** Starts a process. */
export function startProcess(
  { clock: world, skewMs = () => 0, gate = () => Promise.resolve(carriedOut) }:
    SimulatedProcessOptions,
): SimulatedProcess {
  const end = new AbortController();
  const dead = end.signal;
  const work = realWork(world);

  /** Waits for the simulation; never resolves once the process was killed. */
  async function alive<T>(wait: () => Promise<T>): Promise<T> {
    return await work.outside(async () => {
      if (dead.aborted) return await never();
      try {
        const value = await wait();
        return dead.aborted ? await never() : value;
      } catch (error) {
        if (dead.aborted) return await never();
        throw error;
      }
    });
  }

  const clock: OperationClock = {
    now: () => world.now() + skewMs(),
    sleep: (ms, signal) =>
      alive(() => world.sleep(ms, endingWith(signal, dead))),
  };

  function transport(inner: Transport): Transport {
    async function* stream<Request, Response>(
      method: Method<Request, Response>,
      request: Request | AsyncIterable<Request>,
      options: CallOptions,
    ): AsyncGenerator<Response> {
      const cut = await alive(() => gate(calledBy(method, options)));
      if (cut.kind === "before") throw cut.error;
      const signal = endingWith(options.signal, dead);
      const answers = inner.stream(method, request, { ...options, signal });
      const iterator = answers[Symbol.asyncIterator]();
      try {
        while (true) {
          const next = await alive(() => iterator.next());
          if (next.done) break;
          if (cut.kind === "none") yield next.value;
        }
      } finally {
        if (!dead.aborted) await iterator.return?.();
      }
      if (cut.kind === "after") throw cut.error;
    }

    async function unary<Request, Response>(
      method: Method<Request, Response>,
      request: Request | AsyncIterable<Request>,
      options: CallOptions,
    ): Promise<Response> {
      return await alive(async () => {
        const cut = await gate(calledBy(method, options));
        if (cut.kind === "before") throw cut.error;
        const signal = endingWith(options.signal, dead);
        const limited = { ...options, signal };
        const answer = await inner.unary(method, request, limited);
        if (cut.kind === "after") throw cut.error;
        return answer;
      });
    }

    return { stream, unary, close: inner.close };
  }

  function kubernetes(inner: Kubernetes): Kubernetes {
    return {
      request: (path, options) =>
        alive(async () => {
          const { method = "GET" } = options;
          const [plain = ""] = path.split("?");
          const cut = await gate({ method: `${method} ${plain}`, node: "" });
          if (cut.kind === "before") throw cut.kubernetes;
          const answer = await inner.request(path, options);
          if (cut.kind === "after") throw cut.kubernetes;
          return answer;
        }),
      [Symbol.dispose]: () => inner[Symbol.dispose](),
    };
  }

  return {
    dead,
    work,
    clock,
    transport,
    kubernetes,
    store: ({ write, sync }) => ({
      write: (bytes) => alive(() => write(bytes)),
      sync: () => alive(sync),
    }),
    kill() {
      end.abort();
      work.abandon();
    },
  };
}

const carriedOut: Cut = { kind: "none" };

function calledBy(
  { path }: Pick<Method<never, never>, "path">,
  { node = "" }: CallOptions,
): { readonly method: string; readonly node: string } {
  return { method: path.slice(path.lastIndexOf("/") + 1), node };
}

function endingWith(
  signal: AbortSignal | undefined,
  dead: AbortSignal,
): AbortSignal {
  return signal === undefined || signal === dead
    ? dead
    : AbortSignal.any([signal, dead]);
}

function never(): Promise<never> {
  return new Promise(() => {});
}
