/** Calls that take as long as the work of the node. */

import { OsctlError, RpcError } from "../../errors.ts";
import type { CallOptions } from "../../transport/call.ts";

/**
 * Makes a call that ends with the whole operation, and with no deadline before that.
 *
 * @param signal Aborts when the time of the operation is up, or the user interrupts.
 * @param call Makes the call.
 * @throws {RpcError} `DEADLINE_EXCEEDED` when the time is up: the node may still be at work.
 */
export async function longCall<T>(
  signal: AbortSignal,
  call: (options: CallOptions) => Promise<T>,
): Promise<T> {
  try {
    return await call({ signal, deadlineMs: 0 });
  } catch (error) {
    // A signal that comes from a clock raises an error of its own.
    if (!signal.aborted || error instanceof OsctlError) throw error;
    throw new RpcError(
      "DEADLINE_EXCEEDED",
      "No answer before the time was up",
      { hint: "Allow more time with --timeout", cause: error },
    );
  }
}
