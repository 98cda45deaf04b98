/** Where runs, their keys and the locks on clusters are kept. */

import {
  homeDirectory,
  locateRunLocks,
  locateRuns,
} from "../../../config/osconfig/location.ts";
import type { Environment } from "../../../terminal/environment.ts";

/** Where runs and what belongs to them are kept. */
export interface RunPlaces {
  readonly runs: string;
  /** Folder of the locks on clusters. */
  readonly locks: string;
  readonly keys: string;
}

/** Places in the user's home directory. Throws `ConfigError` if there is none. */
export function findPlaces({ env }: Pick<Environment, "env">): RunPlaces {
  return {
    runs: locateRuns(env),
    locks: locateRunLocks(env),
    keys: `${homeDirectory(env)}/run-keys`,
  };
}

/** Places in a folder that is given. `folder`: the folder; made when something is put into it. */
export function placesIn(folder: string): RunPlaces {
  return {
    runs: `${folder}/runs`,
    locks: `${folder}/locks`,
    keys: `${folder}/run-keys`,
  };
}
