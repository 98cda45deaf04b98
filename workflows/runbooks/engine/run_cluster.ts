import type { NodeClient } from "../../../transport/call/client.ts";
import {
  knownMembers,
  type Member,
  memberNamed,
} from "../../../transport/node/members.ts";
import type { Nodes } from "../../../transport/node/nodes.ts";
import type { ClusterView } from "../../operations/cluster_view.ts";
import type { OperationClock } from "../../../lib/clock.ts";
import { OsctlError } from "../../../errors.ts";
import type { ClusterFacts, NodeFacts } from "../../runbook_cel/facts.ts";
import { type Facts, readAgain, readFacts } from "../read_facts.ts";

/** Cluster access of a run. */
export interface RunCluster {
  /** View for operations and checks. */
  readonly view: ClusterView;
  /** Client of a node, by name or address, with a credential of the run that the node accepts. */
  readonly at: (node: string) => Promise<NodeClient>;
  readonly any: () => Promise<NodeClient>;
  readonly readFacts: () => Promise<Facts>;
  /** Reads nodes again. Returns them in the same order. */
  readonly readAgain: (
    nodes: readonly NodeFacts[],
  ) => Promise<readonly NodeFacts[]>;
}

/** A cluster that a run creates: until its first node answers, it has none. */
export type NewCluster = Pick<ClusterFacts, "id" | "name">;

/** Makes the cluster access of a run; nodes are dialed by address, whatever their names. */
export function reachCluster(
  nodes: Pick<Nodes, "at" | "endpoint">,
  view: ClusterView,
  clock: OperationClock,
  signal: AbortSignal,
  created?: NewCluster,
): RunCluster {
  let isNew = created !== undefined;
  async function at(node: string) {
    const member = memberNamed(await view.members(), node);
    return await nodes.at(member?.address ?? node);
  }
  const reached: ClusterView = { ...view, at };

  async function readNow() {
    // Read again, to find nodes that have joined or left since.
    let known: Promise<readonly Member[]> | undefined;
    const members = () => known ??= nodes.endpoint().then(knownMembers);
    const cluster = { ...reached, members };
    const reading = readFacts({ cluster, clock, signal });
    if (!isNew || created === undefined) return await reading;
    const facts = await reading.catch(expected);
    isNew = facts === undefined || facts.cluster.id === "";
    if (facts !== undefined && !isNew) return facts;
    const none = { ...created, endpoint: "", versions: [] };
    return { cluster: none, nodes: [], readAt: clock.now() };
  }

  return {
    view: reached,
    at,
    any: nodes.endpoint,
    readFacts: readNow,
    readAgain: (before) =>
      readAgain({ cluster: reached, clock, signal }, before),
  };
}

function expected(error: unknown): undefined {
  if (!(error instanceof OsctlError)) throw error;
}
