/** Fault injection in a simulated cluster: requested faults are in a file watched by the background process. */

import { RpcError } from "../../errors.ts";
import {
  type FaultName,
  type FaultOptions,
  faults,
} from "../../simulator/state/faults.ts";
import { setFault } from "../../simulator/faults/set_fault.ts";
import type { SimulatedNode } from "../../simulator/state/node.ts";
import {
  readRequest,
  request,
  type RequestFile,
  writeApplied,
} from "./file_requests.ts";
import { type ClusterLocation, joinFolder } from "../state.ts";

/** An enabled fault. */
export interface WantedFault {
  readonly node: string;
  readonly fault: FaultName;
  readonly options: FaultOptions;
}

type Wanted = readonly WantedFault[];

/** Names and descriptions of all faults. */
export const knownFaults: readonly {
  readonly name: FaultName;
  /** Behavior of the node while the fault is enabled. */
  readonly description: string;
}[] = Object.entries(faults).map(([name, description]) => ({
  // The keys of `faults` are the names.
  name: name as FaultName,
  description,
}));

/** Names of all faults. */
export const faultNames: readonly string[] = knownFaults.map(({ name }) =>
  name
);

/** Lists the enabled faults. */
export async function wantedFaults(
  place: ClusterLocation,
): Promise<readonly WantedFault[]> {
  return (await readFaults(joinFolder(place))).wanted;
}

/**
 * Changes the enabled faults, and waits until the nodes apply them. Throws `OsctlError` if the nodes do not
 * run, or a fault cannot be changed.
 */
export async function changeFaults(
  place: ClusterLocation,
  change: (wanted: readonly WantedFault[]) => readonly WantedFault[],
  signal: AbortSignal,
): Promise<void> {
  const initial: Wanted = [];
  await request(place, { subject: "faults", initial, change, signal });
}

/**
 * Applies the faults in the file to the nodes. Returns a function to call periodically; it is cheap if nothing changed.
 */
export function faultFollower(
  folder: string,
  nodes: readonly SimulatedNode[],
): () => Promise<void> {
  let applied: RequestFile<Wanted> = { revision: 0, wanted: [] };
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
    await writeApplied(folder, "faults", { revision, problems });
  };
}

function isSameAs(one: WantedFault): (other: WantedFault) => boolean {
  const text = JSON.stringify(one);
  return (other) => JSON.stringify(other) === text;
}

async function switchFault(
  nodes: readonly SimulatedNode[],
  { node, fault, options }: WantedFault,
  on: boolean,
): Promise<string | undefined> {
  const found = nodes.find(({ origin, identity }) =>
    origin.address === node || identity.address === node
  );
  if (found === undefined) return undefined;
  try {
    await setFault(found, fault, on && options);
  } catch (error) {
    // Rejected by a service of the node; the nodes keep running.
    if (!(error instanceof RpcError)) throw error;
    const verb = on ? "enable" : "disable";
    return `Cannot ${verb} fault "${fault}" on ${node}: ${error.message}`;
  }
}

function readFaults(folder: string): Promise<RequestFile<Wanted>> {
  return readRequest(folder, "faults", []);
}
