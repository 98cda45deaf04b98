/** The parts of a node's facts, each from where it is known. */

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

/** Longest time for the answer of a node that may be gone, in milliseconds. */
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

/** Asks a node for everything it knows itself. Throws `OsctlError` if it does not answer. */
export async function readSelfPart(
  client: NodeClient,
  { controlPlane, wantsLabels }: {
    readonly controlPlane: boolean;
    readonly wantsLabels: boolean;
  },
): Promise<SelfPart> {
  // One question first: a node that is gone is not asked all the others.
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

/** What the members of etcd say of the one on a node. `etcd`: how etcd is; `undefined` when no node reports it. */
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

/** Failure zone that labels name; empty when they name none. */
export function zoneIn(labels: Readonly<Record<string, string>>): string {
  return labels[zoneLabel] ?? "";
}

async function readOwnLabels(
  client: NodeClient,
): Promise<Readonly<Record<string, string>>> {
  return (await readNodeConfiguration(client))?.nodeLabels ?? {};
}
