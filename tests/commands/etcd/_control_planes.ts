/** Command lines against three simulated control planes with etcd. */

import { type Wire, withWire } from "../../_wire.ts";
import { withFolder } from "../../_folder.ts";
import type { Ran, RunOptions } from "../../_run.ts";

/** Control planes, and command lines that may write journals. */
export interface ControlPlanes extends Omit<Wire, "osctl"> {
  readonly osctl: (
    line: string | readonly string[],
    options?: RunOptions,
  ) => Promise<Ran>;
  readonly rows: (line: string) => Promise<readonly Row[]>;
  readonly folder: string;
}

/** A row of any command. */
// Rows of all commands meet here.
// deno-lint-ignore no-explicit-any
export type Row = any;

/**
 * Runs a test with control planes.
 *
 * @param count How many.
 * @param test What to do while they run.
 */
export function withControlPlanes(
  count: number,
  test: (planes: ControlPlanes) => Promise<void>,
): Promise<void> {
  return withFolder(
    {},
    (folder) =>
      withWire({ controlplanes: count }, (wire) => {
        const osctl: Wire["osctl"] = (line, options = {}) =>
          wire.osctl(line, {
            ...options,
            env: { OS_HOME: folder, ...options.env },
          });
        const rows = async (line: string): Promise<readonly Row[]> => {
          const { out } = await osctl(`${line} -o jsonl`);
          return out.trimEnd().split("\n").filter(Boolean)
            .map((row) => JSON.parse(row));
        };
        return test({ ...wire, osctl, rows, folder });
      }),
  );
}
