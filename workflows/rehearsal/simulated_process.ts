/** The life of a simulated process: when it ends, nothing it waits for comes any more. */

import type {
  CallOptions,
  Method,
  Transport,
} from "../../transport/call/call.ts";
import type { Kubernetes } from "../kubernetes/client.ts";
import type { OperationClock } from "../../lib/clock.ts";
import type { JournalStore } from "../runbooks/journal/writer.ts";
import { type HeldClock, type RealWork, realWork } from "./pending_work.ts";

/** What a call of a process goes through on its way. */
export type CallGate = (
  call: {
    /** Name of the method, `Reboot`; or what is asked of Kubernetes, `PATCH /api/v1/nodes/a`. */
    readonly method: string;
    /** Node it is for; empty for the endpoint, and for Kubernetes. */
    readonly node: string;
  },
) => Promise<Cut>;

/** What becomes of a call. */
export type Cut =
  /** It is run, and answered. */
  | { readonly kind: "none" }
  /** It fails. */
  | {
    /** `before`: it is not run. `after`: it is, and the answer is lost. */
    readonly kind: "before" | "after";
    /** What the caller sees of a node. */
    readonly error: Error;
    /** What the caller sees of Kubernetes. */
    readonly kubernetes: Error;
  };

/** A simulated process. */
export interface SimulatedProcess {
  readonly dead: AbortSignal;
  /** Ends it, as a loss of power does. */
  readonly kill: () => void;
  /** What it does that takes real time. */
  readonly work: RealWork;
  readonly clock: OperationClock;
  readonly transport: (inner: Transport) => Transport;
  readonly kubernetes: (inner: Kubernetes) => Kubernetes;
  readonly store: (inner: JournalStore) => JournalStore;
}

/** What a process lives with. */
export interface SimulatedProcessOptions {
  readonly clock: OperationClock & HeldClock;
  /** How far the clock of its machine is off now, in milliseconds; default not at all. */
  readonly skewMs?: () => number;
  /** Asked before each call; default all are run. */
  readonly gate?: CallGate;
}

/** Begins a process. */
export function startProcess(
  { clock: world, skewMs = () => 0, gate = () => Promise.resolve(carriedOut) }:
    SimulatedProcessOptions,
): SimulatedProcess {
  const end = new AbortController();
  const dead = end.signal;
  const work = realWork(world);

  /** Waits for the world; never ends when the process has. */
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
