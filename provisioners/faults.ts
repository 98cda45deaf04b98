/** Faults of a simulated cluster, switched from outside: wanted ones in a file that the nodes' process follows. */

import { writeFileAtomic } from "../config/files/atomic_file.ts";
import { withFileLock } from "../config/files/file_lock.ts";
import { OsctlError, RpcError } from "../errors.ts";
import {
  type FaultName,
  type FaultOptions,
  faults,
} from "../simulator/faults/faults.ts";
import { setFault } from "../simulator/faults/set_fault.ts";
import type { SimulatedNode } from "../simulator/node/node.ts";
import { processOf } from "./background.ts";
import { type ClusterLocation, folderOf, readJson } from "./state.ts";

/** A fault that is switched on. */
export interface WantedFault {
  /** Address of the node. */
  readonly node: string;
  /** Name of the fault. */
  readonly fault: FaultName;
  /** How it behaves. */
  readonly options: FaultOptions;
}

/** What the file holds. */
interface FaultFile {
  /** Grows with every change. */
  readonly revision: number;
  /** What is switched on. */
  readonly wanted: readonly WantedFault[];
}

const nothing: FaultFile = { revision: 0, wanted: [] };

/** Names and descriptions of all faults. */
export const knownFaults: readonly {
  /** Name of the fault. */
  readonly name: FaultName;
  /** What the node does while it is on. */
  readonly description: string;
}[] = Object.entries(faults).map(([name, description]) => ({
  // The keys of `faults` are the names.
  name: name as FaultName,
  description,
}));

/** Lists the faults that are switched on. */
export async function wantedFaults(
  place: ClusterLocation,
): Promise<readonly WantedFault[]> {
  return (await readFaults(folderOf(place))).wanted;
}

/**
 * Changes which faults are on, and waits until the nodes have it. Throws `OsctlError` if the nodes do
 * not run, or a fault cannot be switched.
 */
export async function changeFaults(
  place: ClusterLocation,
  change: (wanted: readonly WantedFault[]) => readonly WantedFault[],
  signal: AbortSignal,
): Promise<void> {
  const folder = folderOf(place);
  const path = `${folder}/faults.json`;
  const revision = await withFileLock(path, async () => {
    const before = await readFaults(folder);
    const next = {
      revision: before.revision + 1,
      wanted: change(before.wanted),
    };
    await writeFileAtomic(path, JSON.stringify(next));
    return next.revision;
  });
  let applied = await readApplied(folder);
  while (applied.revision < revision) {
    signal.throwIfAborted();
    if (await processOf(folder) === undefined) {
      throw new OsctlError(
        `Cannot change faults of cluster "${place.name}": its nodes are not running`,
        {
          hint: `Start them with: osctl cluster start --name ${place.name}`,
        },
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
    applied = await readApplied(folder);
  }
  const [problem] = applied.problems;
  if (problem !== undefined) throw new OsctlError(problem);
}

/**
 * Keeps the nodes' faults as the file wants them. Returns a function to call again and again; it does
 * little when nothing changed.
 */
export function faultFollower(
  folder: string,
  nodes: readonly SimulatedNode[],
): () => Promise<void> {
  let applied = nothing;
  return async () => {
    const next = await readFaults(folder);
    if (next.revision === applied.revision) return;
    const gone = applied.wanted.filter((one) =>
      !next.wanted.some(isSameAs(one))
    );
    const fresh = next.wanted.filter((one) =>
      !applied.wanted.some(isSameAs(one))
    );
    const problems = [
      ...await Promise.all(gone.map((one) => switchFault(nodes, one, false))),
      ...await Promise.all(fresh.map((one) => switchFault(nodes, one, true))),
    ].filter((problem) => problem !== undefined);
    applied = next;
    const { revision } = next;
    const text = JSON.stringify({ revision, problems } satisfies Applied);
    await writeFileAtomic(`${folder}/faults.applied`, text);
  };
}

function isSameAs(one: WantedFault): (other: WantedFault) => boolean {
  const text = JSON.stringify(one);
  return (other) => JSON.stringify(other) === text;
}

/** Switches a fault; gives what is in the way. */
async function switchFault(
  nodes: readonly SimulatedNode[],
  { node, fault, options }: WantedFault,
  on: boolean,
): Promise<string | undefined> {
  const found = nodes.find(({ origin }) => origin.address === node);
  if (found === undefined) return undefined;
  try {
    await setFault(found, fault, on && options);
  } catch (error) {
    // What a node's own services refuse; the nodes continue.
    if (!(error instanceof RpcError)) throw error;
    const state = on ? "on" : "off";
    return `Cannot switch fault "${fault}" of ${node} ${state}: ${error.message}`;
  }
}

async function readFaults(folder: string): Promise<FaultFile> {
  return await readJson<FaultFile>(`${folder}/faults.json`) ?? nothing;
}

/** What the nodes have done. */
interface Applied {
  /** Revision of the file they have followed. */
  readonly revision: number;
  /** What could not be switched. */
  readonly problems: readonly string[];
}

async function readApplied(folder: string): Promise<Applied> {
  return await readJson<Applied>(`${folder}/faults.applied`) ??
    { revision: 0, problems: [] };
}
