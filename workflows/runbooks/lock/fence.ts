/** Last check of the lock of a run, directly before each call that changes something. */

import type {
  CallOptions,
  Method,
  Transport,
} from "../../../transport/call/call.ts";
import type { Kubernetes } from "../../kubernetes/client.ts";
import { readingPaths } from "./read_only.ts";
import { leasePath } from "./lease.ts";

/** Fence between a run and its cluster. */
export interface Fence {
  /**
   * Called before each call to a node, when the connection is up; resolves when it may be sent.
   *
   * @throws Errors of the guard.
   */
  readonly leave: (path: string) => Promise<void>;
  /** Checks each call of a transport that does not call `leave` itself. */
  readonly transport: (inner: Transport) => Transport;
  /** Checks each request that changes something. */
  readonly kubernetes: (inner: Kubernetes) => Kubernetes;
  /** Closes it: from now on each change needs the guard's consent. */
  readonly close: (guard: () => Promise<void>) => void;
}

const alsoReading: ReadonlySet<string> = new Set([
  "/machine.MachineService/Copy",
  "/machine.MachineService/EtcdSnapshot",
  "/machine.MachineService/PacketCapture",
]);

/** Creates an open fence. */
export function createFence(): Fence {
  let guard = () => Promise.resolve();

  async function leave(path: string): Promise<void> {
    if (readingPaths.has(path) || alsoReading.has(path)) return;
    await guard();
  }

  return {
    leave,
    close: (by) => void (guard = by),
    transport(inner) {
      async function* stream<Request, Response>(
        method: Method<Request, Response>,
        request: Request | AsyncIterable<Request>,
        options: CallOptions,
      ): AsyncGenerator<Response> {
        await leave(method.path);
        yield* inner.stream(method, request, options);
      }
      return {
        stream,
        async unary(method, request, options) {
          await leave(method.path);
          return await inner.unary(method, request, options);
        },
        close: inner.close,
      };
    },
    kubernetes: (inner) => ({
      async request(path, options) {
        const isRead = (options.method ?? "GET") === "GET";
        // The guard itself renews the Lease.
        if (!isRead && !path.startsWith(leasePath)) await guard();
        return await inner.request(path, options);
      },
      [Symbol.dispose]: () => inner[Symbol.dispose](),
    }),
  };
}
