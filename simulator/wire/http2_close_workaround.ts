/**
 * Ends of HTTP/2 sessions that wait for the runtime to be done with what it received.
 *
 * Deno frees the state of a session as soon as it is closed without streams, or destroyed. It does so even for a GOAWAY
 * that it is amid of reading, goes on reading from what it freed, and crashes if that memory was used again
 * (denoland/deno#36788). Every node that reboots says such a good-bye.
 */

import http2, { type ClientHttp2Session } from "node:http2";

/** What ends a session of either side. */
type Ends = Pick<ClientHttp2Session, "close" | "destroy">;

/** The class that all sessions extend; Node.js keeps it to itself. */
const { prototype } = (http2 as unknown as {
  readonly Http2Session: { readonly prototype: Ends };
}).Http2Session;

/** Makes a method that does the same, once nothing of the runtime is under way any more. */
function late<Args extends unknown[]>(
  method: (this: Ends, ...args: Args) => void,
) {
  return function (this: Ends, ...args: Args): void {
    setImmediate(() => method.apply(this, args));
  };
}

prototype.close = late(prototype.close);
prototype.destroy = late(prototype.destroy);
