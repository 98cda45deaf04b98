/** Files in the places of generated ones: what they hold, and whose they are. */

import { resolveLinks, statOf } from "../files/atomic_file.ts";
import { readBoundedBytes } from "../files/bounded_file.ts";
import { takenAmong } from "../files/file_set.ts";
import { type ClusterIdentity, identityIn } from "./identity.ts";

/** A file that is there. */
export interface ExistingFile {
  /** Where. */
  readonly path: string;
  /** What it holds; nothing when it is no regular file. */
  readonly content: Uint8Array;
  /** Cluster it belongs to. */
  readonly identity: ClusterIdentity;
}

/**
 * Looks at the places files are to go to. Returns what is there, in the order given. Throws
 * `ConfigError` if something there cannot be read.
 */
export async function existingAmong(
  paths: readonly string[],
): Promise<readonly ExistingFile[]> {
  const taken = await takenAmong(paths);
  return await Promise.all(taken.map(async (path) => {
    const content = await contentAt(path);
    const identity = await identityIn(new TextDecoder().decode(content));
    return { path, content, identity };
  }));
}

async function contentAt(path: string): Promise<Uint8Array> {
  const bounds = { limitMib: 16, expected: "another place for the new file" };
  // Pipes and devices might never end, or wait for somebody to write.
  const stat = await statOf(await resolveLinks(path));
  const content = stat?.isFile
    ? await readBoundedBytes({ path, ...bounds })
    : undefined;
  return content ?? new Uint8Array();
}
