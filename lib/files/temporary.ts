/** Temporary files and folders, readable only by their owner. */

import { ConfigError } from "../../errors.ts";
import { systemReason } from "./system_reason.ts";

interface TemporaryFolder extends AsyncDisposable {
  readonly path: string;
}

/**
 * Creates a temporary folder, mode 0700.
 *
 * @param prefix Start of its name: `osctl-iso-`.
 * @throws {ConfigError} If it cannot be created.
 */
export async function temporaryFolder(
  prefix: string,
): Promise<TemporaryFolder> {
  const path = await Deno.makeTempDir({ prefix }).catch(refuse);
  return {
    path,
    [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }),
  };
}

/**
 * Creates a folder, mode 0700, for data that a later run can resume, or reuses that of an earlier run.
 *
 * @throws {ConfigError} If the path is a link, not a folder, owned by another user, or writable by others.
 */
export async function ownFolder(path: string): Promise<void> {
  try {
    return await Deno.mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  }
  const { isDirectory, uid, mode } = await Deno.lstat(path);
  const isOwn = isDirectory && (uid === null || uid === Deno.uid()) &&
    ((mode ?? 0) & 0o022) === 0;
  if (isOwn) return;
  throw new ConfigError(
    `Cannot use "${path}": it is no folder that only you can write to`,
    { hint: "Remove it, or choose another target" },
  );
}

/**
 * Creates an empty temporary file, mode 0600; the caller removes it.
 *
 * @param names Prefix and suffix of its name.
 * @throws {ConfigError} If it cannot be created.
 */
export function temporaryFile(
  names: { readonly prefix: string; readonly suffix?: string },
): Promise<string> {
  return Deno.makeTempFile(names).catch(refuse);
}

function refuse(cause: unknown): never {
  throw new ConfigError(
    `Cannot create a temporary file: ${systemReason(cause)}`,
    {
      hint:
        "Set TMPDIR to a directory that exists, has space, and that you can write to",
      cause,
    },
  );
}
