/** What the system refuses about a file, as an error for the user: the net below every place that reads or writes. */

import { OsctlError } from "../../errors.ts";
import { systemReason } from "./system_reason.ts";

/** How the runtime says what it was about: `mkdir '/a/b'`, `rename '/a' -> '/b'`. */
const subject = /: (\w+) '(.+?)'(?: -> '(.+)')?$/s;

/** Calls of the runtime that read, by the names in its messages. */
const reading: ReadonlySet<string> = new Set(
  ["readfile", "readdir", "readlink", "stat", "lstat", "realpath"],
);

/** Codes that are about a disk or a folder, whatever the call. */
const ofDisk: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "EROFS"]);

/**
 * Makes of what the system says about a file an error that names it.
 *
 * @param error What was caught.
 * @returns `undefined` for anything else, which is a bug.
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
