/** A home for what commands keep. */

import { withFolder } from "../_folder.ts";

/**
 * Runs a test with an empty home directory.
 *
 * @param test Given the environment that names it.
 */
export function withHome(
  test: (env: Record<string, string>) => Promise<void>,
): Promise<void> {
  return withFolder(
    {},
    (folder) => test({ OS_HOME: folder, OSCONFIG: `${folder}/config` }),
  );
}
