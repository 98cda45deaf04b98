/** Whether something is at a path. */

import { takenAmong } from "./file_set.ts";

/** Tells whether something is at a path; also true when it may not be read. */
export async function exists(path: string): Promise<boolean> {
  try {
    await Deno.stat(path);
    return true;
  } catch (error) {
    return !(error instanceof Deno.errors.NotFound);
  }
}

/**
 * Finds a free name beside a file: `<path>.<date and time>.bak`.
 *
 * @param now Present moment; it is written in UTC: `20260102T030405Z`.
 * @throws {ConfigError} If the system does not tell what is there.
 */
export async function backupPath(path: string, now: Date): Promise<string> {
  const time = now.toISOString().replace(/[-:]|\.\d+/g, "");
  for (let count = 1;; count++) {
    const name = `${path}.${time}${count > 1 ? `-${count}` : ""}.bak`;
    // Names are tried in their order until one is free.
    if ((await takenAmong([name])).length === 0) return name;
  }
}
