/** Requests to the background process: a request file that it watches, and a file with the applied revision. */

import { writeFileAtomic } from "../../lib/files/atomic_file.ts";
import { withFileLock } from "../../lib/files/file_lock.ts";
import { OsctlError } from "../../errors.ts";
import { findProcess } from "../background.ts";
import { type ClusterLocation, joinFolder, readJson } from "../state.ts";

/** Requested value, with a revision. */
export interface RequestFile<T> {
  readonly revision: number;
  readonly wanted: T;
}

interface Applied {
  readonly revision: number;
  /** Problems while applying it. */
  readonly problems: readonly string[];
}

/** Reads a request; `initial` if there is none. `subject`: `faults`. */
export async function readRequest<T>(
  folder: string,
  subject: string,
  initial: T,
): Promise<RequestFile<T>> {
  return await readJson<RequestFile<T>>(`${folder}/${subject}.json`) ??
    { revision: 0, wanted: initial };
}

/**
 * Changes a request, and waits until the process has applied it. Throws `OsctlError` if the nodes do not run,
 * or applying failed.
 *
 * @param subject Name of the files, also used in errors: `faults`.
 */
export async function request<T>(
  place: ClusterLocation,
  { subject, initial, change, signal }: {
    readonly subject: string;
    readonly initial: T;
    readonly change: (wanted: T) => T;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const folder = joinFolder(place);
  const path = `${folder}/${subject}.json`;
  const revision = await withFileLock(path, async () => {
    const before = await readRequest(folder, subject, initial);
    const next: RequestFile<T> = {
      revision: before.revision + 1,
      wanted: change(before.wanted),
    };
    await writeFileAtomic(path, JSON.stringify(next));
    return next.revision;
  });
  let applied = await readApplied(folder, subject);
  while (applied.revision < revision) {
    signal.throwIfAborted();
    if (await findProcess(folder) === undefined) {
      throw new OsctlError(
        `Cannot change ${subject} of cluster "${place.name}": its nodes are not running`,
        {
          hint: `Start them with: osctl cluster start --name ${place.name}`,
        },
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
    applied = await readApplied(folder, subject);
  }
  const [problem] = applied.problems;
  if (problem !== undefined) throw new OsctlError(problem);
}

/** Writes the applied revision. */
export async function writeApplied(
  folder: string,
  subject: string,
  applied: Applied,
): Promise<void> {
  await writeFileAtomic(
    `${folder}/${subject}.applied`,
    JSON.stringify(applied),
  );
}

async function readApplied(folder: string, subject: string): Promise<Applied> {
  return await readJson<Applied>(`${folder}/${subject}.applied`) ??
    { revision: 0, problems: [] };
}
