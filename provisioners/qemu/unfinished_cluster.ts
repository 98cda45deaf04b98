/** Resume state of an unfinished cluster of virtual machines. */

import { writeFileAtomic } from "../../lib/files/atomic_file.ts";
import { exists } from "../../lib/files/exists.ts";
import { ConfigError } from "../../errors.ts";
import {
  clusterExists,
  type ClusterLocation,
  joinFolder,
  readJson,
  writePhase,
} from "../state.ts";
import type { QemuSpec } from "./spec.ts";

/** Values kept when a creation is resumed. */
type BegunMachines = Pick<
  QemuSpec,
  "plan" | "access" | "agent" | "configurations"
>;

interface BegunFile extends Omit<BegunMachines, "configurations"> {
  readonly wishes: string;
  readonly configurations: readonly (readonly [string, string])[];
}

/**
 * Reads the resume state of a cluster.
 *
 * @param wishes Digest of the current flags, as in the specification.
 * @returns `undefined` if there is none.
 * @throws {ConfigError} If the cluster is finished, or was started with other flags.
 */
export async function begunMachines(
  place: ClusterLocation,
  wishes: string,
): Promise<BegunMachines | undefined> {
  const { name } = place;
  const folder = joinFolder(place);
  const remove = `osctl cluster destroy --name ${name}`;
  const file = await readJson<BegunFile>(pathIn(folder));
  if (file === undefined) {
    if (!await exists(folder) || await isFresh(folder)) return undefined;
    throw await clusterExists(place);
  }
  if (file.wishes !== wishes) {
    throw new ConfigError(
      `Cannot continue cluster "${name}": it was created with other options`,
      { hint: `Use the same options, or remove it with: ${remove}` },
    );
  }
  const { plan, access, agent, configurations } = file;
  return { plan, access, agent, configurations: new Map(configurations) };
}

/** Writes the resume state of a cluster, readable only by the owner since it contains keys. */
export async function writeBegun(
  place: ClusterLocation,
  { plan, access, agent, configurations, wishes }: QemuSpec,
): Promise<void> {
  const file: BegunFile = {
    plan,
    access,
    agent,
    wishes,
    configurations: [...configurations],
  };
  await writeFileAtomic(pathIn(joinFolder(place)), JSON.stringify(file));
}

/** Marks a cluster as finished. */
export async function finishVirtualMachines(
  place: ClusterLocation,
): Promise<void> {
  await writePhase(place, undefined);
  await Deno.remove(pathIn(joinFolder(place)));
}

/** True if a folder is from the first step of a creation. */
async function isFresh(folder: string): Promise<boolean> {
  for await (const { name } of Deno.readDir(folder)) {
    if (name !== "process" && !name.startsWith(".")) return false;
  }
  return true;
}

function pathIn(folder: string): string {
  return `${folder}/begun.json`;
}
