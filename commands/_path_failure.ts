/** Errors of commands for a path on a node. */

import { type RpcCode, RpcError } from "../errors.ts";

const blamed: readonly RpcCode[] = [
  "UNKNOWN",
  "NOT_FOUND",
  "INVALID_ARGUMENT",
];

/** Reports whether a node answered with an error about the path. */
export function isPathFailure({ code }: RpcError): boolean {
  return blamed.includes(code);
}

/**
 * Adds the failed action to a node's error.
 *
 * @param error Any error; errors that are not from the node are returned unchanged.
 * @param what The failed action: `Cannot read "/etc/x" of 10.0.0.2`.
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
    hint,
  });
}
