/** Changes to the client configuration file, safe for concurrent processes. */

import { ConfigError } from "../../errors.ts";
import {
  prepareTarget,
  removeLeftovers,
  writeFileAtomic,
} from "../../lib/files/atomic_file.ts";
import { type LockOptions, withFileLock } from "../../lib/files/file_lock.ts";
import type { OsconfigLocation } from "./location.ts";
import { emptyOsconfig, type Osconfig } from "./osconfig.ts";
import { readOsconfig, renderOsconfig } from "./osconfig_file.ts";

interface UpdateOptions extends LockOptions {
  /** True to keep the previous content in `<path>.bak`; default true. */
  readonly backup?: boolean | undefined;
}

/** Result of a change. */
export interface OsconfigUpdate {
  /** Current configuration in the file. */
  readonly config: Osconfig;
  /** False if nothing changed. */
  readonly written: boolean;
}

/**
 * Changes a client configuration file atomically, under a lock.
 *
 * @param location File; created if missing.
 * @param change Returns the new configuration, or `undefined` for no change; processes never start from the same one.
 * @throws {ConfigError} If the file is read-only or invalid, or cannot be written.
 * @throws {OsctlError} If another process holds the lock for too long.
 */
export async function updateOsconfig(
  location: OsconfigLocation,
  change: (
    config: Osconfig,
  ) => Osconfig | undefined | Promise<Osconfig | undefined>,
  options: UpdateOptions = {},
): Promise<OsconfigUpdate> {
  const { path } = location;
  if (!location.writable) throw readOnly(path);
  const target = await prepareTarget(path);
  return await withFileLock(target, async () => {
    await removeLeftovers(target);
    const before = await readOsconfig(target) ?? emptyOsconfig;
    const after = await change(before);
    if (after === undefined) return { config: before, written: false };
    const source = await renderOsconfig(after);
    if (source === before.source) return { config: before, written: false };
    const { backup = true } = options;
    if (backup && before.source) {
      await writeFileAtomic(`${target}.bak`, before.source);
    }
    await writeFileAtomic(target, source);
    return { config: { ...after, source }, written: true };
  }, options);
}

function readOnly(path: string): ConfigError {
  return new ConfigError(
    `Cannot write "${path}": it is the read-only client configuration of a service account`,
    { hint: "Choose another file with --osconfig" },
  );
}
