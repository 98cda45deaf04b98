/** What a cluster of virtual machines was begun with, kept until it is finished. */

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

/** What stays the same when a creation is continued. */
type BegunMachines = Pick<
  QemuSpec,
  "plan" | "access" | "agent" | "configurations"
>;

interface BegunFile extends Omit<BegunMachines, "configurations"> {
  readonly wishes: string;
  readonly configurations: readonly (readonly [string, string])[];
}

/**
 * Finds what a cluster was begun with.
 *
 * @param wishes What is asked for now, as in the specification.
 * @returns `undefined` when it was not begun.
 * @throws {ConfigError} If it is finished, or was begun with something else.
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

/** Writes what a cluster is begun with, for the owner alone: there are keys in it. */
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

/** Says that a cluster is finished. */
export async function finishVirtualMachines(
  place: ClusterLocation,
): Promise<void> {
  await writePhase(place, undefined);
  await Deno.remove(pathIn(joinFolder(place)));
}

/** Whether a folder was left by the first moment of a creation. */
async function isFresh(folder: string): Promise<boolean> {
  for await (const { name } of Deno.readDir(folder)) {
    if (name !== "process" && !name.startsWith(".")) return false;
  }
  return true;
}

function pathIn(folder: string): string {
  return `${folder}/begun.json`;
}
