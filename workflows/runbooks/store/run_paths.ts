/** Folders of runs, their keys and the locks on clusters. */

import {
  homeDirectory,
  locateRunLocks,
  locateRuns,
} from "../../../config/osconfig/location.ts";
import type { Environment } from "../../../terminal/environment.ts";

/** Folders of runs and related files. */
export interface RunPlaces {
  readonly runs: string;
  /** Folder of the locks on clusters. */
  readonly locks: string;
  readonly keys: string;
}

/** Folders in the user's home directory. Throws `ConfigError` if there is none. */
export function findPlaces({ env }: Pick<Environment, "env">): RunPlaces {
  return {
    runs: locateRuns(env),
    locks: locateRunLocks(env),
    keys: `${homeDirectory(env)}/run-keys`,
  };
}

/** Folders below a given one. `folder`: created when something is written to it. */
export function placesIn(folder: string): RunPlaces {
  return {
    runs: `${folder}/runs`,
    locks: `${folder}/locks`,
    keys: `${folder}/run-keys`,
  };
}
