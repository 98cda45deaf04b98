/** Parts of a node's facts, by source. */

import type { NodeClient } from "../../transport/call/client.ts";
import type { ClusterEtcd } from "../etcd/etcd_facts.ts";
import { readMachineState } from "../../transport/node/machine_state.ts";
import { readNodeConfiguration } from "../configuration/node_configuration.ts";
import {
  hasLifecycle,
  readBootLoader,
  readNodeSystem,
  readSecurityState,
} from "../upgrade/node_system.ts";
import { readDataDir } from "../etcd/data_dir.ts";
import type { NodeFacts } from "../runbook_cel/facts.ts";

type SelfPart =
  & Omit<NodeFacts, "name" | "address" | "role" | "zone" | "etcd">
  & Pick<NodeFacts["etcd"], "dataDir">;

/** Timeout for a node that may be down, in milliseconds. */
const firstMs = 5_000;

const zoneLabel = "topology.kubernetes.io/zone";

/** A node that does not answer. */
export const silentPart: SelfPart = {
  reachable: false,
  ready: false,
  stage: "",
  version: "",
  schematic: "",
  customized: false,
  image: "",
  bootId: "",
  bootloader: "",
  platform: "",
  secureBoot: false,
  kubernetesVersion: "",
  labels: {},
  caps: { lifecycle: false },
  dataDir: "unknown",
};

/** Reads the facts that a node itself reports. Throws `OsctlError` if it does not answer. */
export async function readSelfPart(
  client: NodeClient,
  { controlPlane, wantsLabels }: {
    readonly controlPlane: boolean;
    readonly wantsLabels: boolean;
  },
): Promise<SelfPart> {
  // One short request first: an unreachable node costs one timeout, not all of them.
  await client.machine.version({}, { deadlineMs: firstMs });
  const security = readSecurityState(client);
  const [state, system, bootloader, labels, dataDir] = await Promise.all([
    readMachineState(client),
    readNodeSystem(client, security),
    readBootLoader(client, security),
    wantsLabels ? readOwnLabels(client) : {},
    controlPlane ? readDataDir(client) : "unknown",
  ]);
  return {
    reachable: true,
    ready: state.ready,
    stage: state.stage,
    version: state.version,
    schematic: system.schematic ?? "",
    customized: system.customized,
    image: system.installImage ?? "",
    bootId: state.bootId ?? "",
    bootloader: bootloader ?? "",
    platform: system.platform,
    secureBoot: system.secureBoot ?? false,
    kubernetesVersion: system.kubernetes,
    labels,
    caps: { lifecycle: hasLifecycle(state.version) },
    dataDir,
  };
}

/** Status of a node's etcd member, as the members report it. `etcd`: status of etcd; `undefined` if no node reports it. */
export function etcdPart(
  etcd: ClusterEtcd | undefined,
  address: string,
): Omit<NodeFacts["etcd"], "dataDir"> {
  const id = etcd?.memberOf.get(address);
  const own = etcd?.facts.members.find((member) => member.id === id);
  if (etcd === undefined || id === undefined || own === undefined) {
    const none = { member: false, leader: false, learner: false };
    return { ...none, healthy: false, voters: 0 };
  }
  const { members, leader, healthy } = etcd.facts;
  return {
    member: true,
    leader: leader === id,
    learner: own.learner,
    healthy: healthy.includes(id),
    voters: members.filter(({ learner }) => !learner).length,
  };
}

/** Failure zone from labels; empty without one. */
export function zoneIn(labels: Readonly<Record<string, string>>): string {
  return labels[zoneLabel] ?? "";
}

async function readOwnLabels(
  client: NodeClient,
): Promise<Readonly<Record<string, string>>> {
  return (await readNodeConfiguration(client))?.nodeLabels ?? {};
}
