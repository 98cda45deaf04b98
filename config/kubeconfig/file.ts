/** Kubeconfig files, which several programs change. */

import {
  prepareTarget,
  readStat,
  removeLeftovers,
  resolveLinks,
  unwritable,
  writeFileAtomic,
} from "../../lib/files/atomic_file.ts";
import { ConfigError } from "../../errors.ts";
import { readBoundedText } from "../../lib/files/bounded_file.ts";
import { type LockOptions, withFileLock } from "../../lib/files/file_lock.ts";

const limitMib = 10;

/**
 * Reads a kubeconfig. Returns `undefined` if it does not exist. Throws `ConfigError` if it is not
 * readable, too large, or not UTF-8.
 */
export function readKubeconfigText(path: string): Promise<string | undefined> {
  return readBoundedText({ path, limitMib, expected: "a kubeconfig" });
}

/** Returns the type of a path, following links. Throws `ConfigError` if it cannot be checked. */
export async function kindAt(
  path: string,
): Promise<"folder" | "file" | "nothing"> {
  try {
    const info = await readStat(await resolveLinks(path));
    if (info === undefined) return "nothing";
    return info.isDirectory ? "folder" : "file";
  } catch (error) {
    throw unwritable(path, error);
  }
}

/** Creates a kubeconfig, mode 0600, with missing folders. Throws `ConfigError` if it exists or cannot be written. */
export function createKubeconfig(path: string, text: string): Promise<void> {
  return writeFileAtomic(path, text, { overwrite: false });
}

/**
 * Changes a kubeconfig atomically, under a lock. The previous text is kept in `<path>.bak`.
 * Creates a missing file, mode 0600, with missing folders.
 *
 * @param change Returns the new text; the same text means no change. Gets an empty text for a missing file.
 * @returns False if nothing changed.
 * @throws {ConfigError} If it cannot be read or written.
 * @throws {OsctlError} If another process holds the lock for too long.
 */
export async function changeKubeconfig(
  path: string,
  change: (before: string) => string | Promise<string>,
  options: LockOptions = {},
): Promise<boolean> {
  const target = await prepareTarget(path);
  return await withFileLock(target, async () => {
    await removeLeftovers(target);
    const before = await readKubeconfigText(target) ?? "";
    const after = await change(before);
    if (after === before) return false;
    if (before !== "") await writeFileAtomic(`${target}.bak`, before);
    await writeFileAtomic(target, after);
    return true;
  }, options);
}

interface KubeconfigSources {
  /** Reads a variable of the environment. */
  readonly env: (name: string) => string | undefined;
  readonly os: string;
}

/** Paths of all kubeconfigs in use: those of `$KUBECONFIG`, else the one below the home directory. */
export function allKubeconfigs(sources: KubeconfigSources): readonly string[] {
  const listed = listedKubeconfigs(sources);
  if (listed.length > 0) return listed;
  const home = homeKubeconfig(sources);
  return home === undefined ? [] : [home];
}

/** Path of the kubeconfig: `$KUBECONFIG`, else below the home directory. Throws `ConfigError` if that is ambiguous. */
export function usualKubeconfig(sources: KubeconfigSources): string {
  const listed = listedKubeconfigs(sources);
  const [only, ...others] = listed;
  if (others.length > 0) {
    throw new ConfigError(
      `KUBECONFIG names ${listed.length} files: ${listed.join(", ")}`,
      { hint: "Give one of them as an argument" },
    );
  }
  if (only !== undefined) return only;
  const home = homeKubeconfig(sources);
  if (home !== undefined) return home;
  throw new ConfigError("Cannot determine where to write the kubeconfig", {
    hint: "Set HOME or KUBECONFIG, or give a file as an argument",
  });
}

function listedKubeconfigs({ env, os }: KubeconfigSources): readonly string[] {
  return (env("KUBECONFIG") ?? "").split(os === "windows" ? ";" : ":")
    .filter((path) => path !== "");
}

function homeKubeconfig({ env }: KubeconfigSources): string | undefined {
  const home = env("HOME") || env("USERPROFILE");
  return home ? `${home.replace(/\/+$/, "")}/.kube/config` : undefined;
}
