/** Kubeconfigs as files that several programs change. */

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
 * Reads a kubeconfig. Returns `undefined` when there is no such file. Throws `ConfigError` if it
 * may not be read, is too large, or is not UTF-8.
 */
export function readKubeconfigText(path: string): Promise<string | undefined> {
  return readBoundedText({ path, limitMib, expected: "a kubeconfig" });
}

/** Reports what is at a path, links followed. Throws `ConfigError` if the system does not tell. */
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

/**
 * Writes a kubeconfig where there is none, mode 0600; missing folders are made. Throws
 * `ConfigError` if it exists, or the system refuses.
 */
export function createKubeconfig(path: string, text: string): Promise<void> {
  return writeFileAtomic(path, text, { overwrite: false });
}

/**
 * Changes a kubeconfig in one step, while other processes that do the same wait. The text before stays in `<path>.bak`.
 * Where there is none, it is made, mode 0600, with missing folders.
 *
 * @param change Makes the new text; the same text means no change. Gets an empty one where there is no file.
 * @returns False when there was nothing to change.
 * @throws {ConfigError} If it cannot be read or written.
 * @throws {OsctlError} If another process was changing it for too long.
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

/** Paths of all kubeconfigs that other programs read: those of `$KUBECONFIG`, else the one below the home directory. */
export function allKubeconfigs(sources: KubeconfigSources): readonly string[] {
  const listed = listedKubeconfigs(sources);
  if (listed.length > 0) return listed;
  const home = homeKubeconfig(sources);
  return home === undefined ? [] : [home];
}

/** Path of the kubeconfig: `$KUBECONFIG`, else below the home directory. Throws `ConfigError` if that says not which. */
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
