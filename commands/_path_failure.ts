/** Failures of commands that work on a path of a node. */

import { type RpcCode, RpcError } from "../errors.ts";

const blamed: readonly RpcCode[] = [
  "UNKNOWN",
  "NOT_FOUND",
  "INVALID_ARGUMENT",
];

/** Whether a node answered and found fault with the path. */
export function isPathFailure({ code }: RpcError): boolean {
  return blamed.includes(code);
}

/**
 * Adds what was tried to what a node answered.
 *
 * @param error What was thrown; what is not an answer of the node stays as it is.
 * @param what What was tried: `Cannot read "/etc/x" of 10.0.0.2`.
 */
export function pathFailure(
  error: unknown,
  what: string,
  path: string,
): unknown {
  if (!(error instanceof RpcError)) return error;
  const folder = path.replace(/\/[^/]*\/*$/, "") || "/";
  const hint = isPathFailure(error)
    ? `List files with "osctl list ${folder}"`
    : error.hint;
  return new RpcError(error.code, `${what}: ${error.message.trim()}`, {
    cause: error,
    ...hint === undefined ? {} : { hint },
  });
}
