/** File system errors as errors for the user: the fallback for every read and write. */

import { OsctlError } from "../../errors.ts";
import { systemReason } from "./system_reason.ts";

/** Call and path in the runtime's messages: `mkdir '/a/b'`, `rename '/a' -> '/b'`. */
const subject = /: (\w+) '(.+?)'(?: -> '(.+)')?$/s;

/** Read calls, by the names in the runtime's messages. */
const reading: ReadonlySet<string> = new Set(
  ["readfile", "readdir", "readlink", "stat", "lstat", "realpath"],
);

/** Codes about a disk or a folder, for any call. */
const ofDisk: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "EROFS"]);

/**
 * Converts a file system error into an error that names the file.
 *
 * @param error Caught error.
 * @returns `undefined` for any other error, which is a bug.
 */
export function fileFailure(error: unknown): OsctlError | undefined {
  if (!(error instanceof Error) || error instanceof OsctlError) {
    return undefined;
  }
  const code = "code" in error ? String(error.code) : "";
  const [, call, path, target] = subject.exec(error.message) ?? [];
  const isFull = code === "ENOSPC" || code === "EDQUOT";
  if (call === undefined || code === "") {
    if (!ofDisk.has(code)) return undefined;
    return failure("Cannot write a file", error, isFull);
  }
  const verb = call === "open" ? "open" : reading.has(call) ? "read" : "write";
  return failure(`Cannot ${verb} "${target ?? path}"`, error, isFull);
}

function failure(what: string, error: Error, isFull: boolean): OsctlError {
  return new OsctlError(`${what}: ${systemReason(error)}`, {
    hint: isFull
      ? "Free disk space, then try again"
      : "Check that it exists, and that you may use it",
    cause: error,
  });
}
