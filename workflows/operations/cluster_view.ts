/** Cluster facts for the arbiter: control planes and etcd. */

import { addressFamily } from "../../lib/ip.ts";
import { domain } from "../../talos.ts";
import { OsctlError, UsageError } from "../../errors.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import {
  knownMembers,
  type Member,
  memberNamed,
} from "../../transport/node/members.ts";
import { type NodeRole, ownRole } from "../../transport/node/node_role.ts";
import type { Nodes } from "../../transport/node/nodes.ts";
import { readSpec } from "../../transport/node/read_resource.ts";
import { type ClusterEtcd, readEtcd } from "../etcd/etcd_facts.ts";
import type { Kubernetes } from "../kubernetes/client.ts";
import { type AdminAccess, connectKubernetes } from "../kubernetes/connect.ts";
import { readKubeconfig } from "../kubernetes/kubeconfig.ts";
import type { ArbiterOptions } from "./arbiter.ts";
import type { OperationClock } from "../../lib/clock.ts";

/** Access to a cluster for the arbiter. */
export type ClusterView =
  & Pick<
    ArbiterOptions,
    "readRole" | "readEtcd"
  >
  & {
    /** Known cluster members, as of the first request; without discovery, workers are missing. */
    readonly members: () => Promise<readonly Member[]>;
    /** Client of any node of the cluster, by name or address. */
    readonly at: (node: string) => Promise<NodeClient>;
    /** Name of the cluster; `undefined` if no node reports it. */
    readonly name: () => Promise<string | undefined>;
    /** Client of a node that may have lost its configuration; bypasses endpoints. */
    readonly unconfigured: Nodes["unconfigured"];
    /** Its Kubernetes API as an administrator; closed with the view. */
    readonly kubernetes: () => Promise<Kubernetes>;
    /** Connects to an API server; absent for the network. */
    readonly openKubernetes?: NonNullable<AdminAccess["open"]>;
  };

/**
 * Creates a view of the selected nodes' cluster.
 *
 * The caller closes it, with its Kubernetes connection.
 *
 * @param nodes Selected nodes; others are called as well.
 * @param open Connects to an API server; default over the network.
 */
export function viewCluster(
  nodes: Nodes,
  clock: OperationClock,
  open?: AdminAccess["open"],
): ClusterView & Disposable {
  // A snapshot: members that join later are not changed.
  let known: Promise<readonly Member[]> | undefined;
  const members = () => known ??= readMembers();

  async function readMembers(): Promise<readonly Member[]> {
    let found: readonly Member[] = [];
    try {
      return found = await knownMembers(await nodes.endpoint());
    } finally {
      // The first node of a new cluster may answer later, or list itself later.
      if (!found.some(({ controlPlane }) => controlPlane)) known = undefined;
    }
  }

  async function findRole(node: string): Promise<NodeRole> {
    const member = memberNamed(await members(), node);
    if (member !== undefined) {
      return member.controlPlane ? "controlplane" : "worker";
    }
    const own = await ownRole(await nodes.at(node));
    if (own !== "unknown") return own;
    // A node in etcd is a control plane, even if it does not answer.
    const { memberOf } = await readAllEtcd();
    return memberOf.has(node) ? "controlplane" : "unknown";
  }

  async function name(): Promise<string | undefined> {
    const spec = await readSpec(await nodes.endpoint(), {
      namespace: "cluster",
      type: `Infos.cluster.${domain}`,
      id: "current",
    });
    const known = spec?.clusterName;
    return typeof known === "string" ? known : undefined;
  }

  async function openUnconfigured(
    node: string,
    fingerprints?: readonly string[],
  ): Promise<NodeClient> {
    // Only the cluster may know a host name.
    const address = addressFamily(node) === undefined
      ? memberNamed(await members(), node)?.address
      : undefined;
    return nodes.unconfigured(address ?? node, fingerprints);
  }

  /** Known control planes, otherwise selected nodes that report that role. */
  async function controlPlanes(): Promise<readonly NodeClient[]> {
    const all = await members();
    const known = all.filter(({ controlPlane }) => controlPlane);
    if (known.length > 0) {
      return Promise.all(known.map(({ address }) => nodes.at(address)));
    }
    const names = (await selectedNames(nodes))
      .filter((node) => memberNamed(all, node) === undefined);
    const selected = await Promise.all(names.map((node) => nodes.at(node)));
    const roles = await Promise.all(selected.map(ownRole));
    return selected.filter((_, index) => roles[index] === "controlplane");
  }

  async function readAllEtcd(): Promise<ClusterEtcd> {
    const all = await members();
    const findHostname = (node: string) => memberNamed(all, node)?.hostname;
    const reach = { at: nodes.at, hostnameOf: findHostname };
    const { facts, memberOf } = await readEtcd(
      await controlPlanes(),
      clock.now(),
      reach,
    );
    const byName = new Map<string, string>();
    for (const [node, id] of memberOf) {
      byName.set(node, id);
      const member = memberNamed(all, node);
      if (member === undefined) continue;
      const { hostname, address, addresses = [address] } = member;
      for (const name of [hostname, ...addresses]) byName.set(name, id);
    }
    return { facts, memberOf: byName };
  }

  const opening = open === undefined ? {} : { open };
  let connected: Kubernetes | undefined;

  async function kubernetes(): Promise<Kubernetes> {
    const addresses = (await members())
      .flatMap(({ controlPlane, address }) => controlPlane ? [address] : []);
    const access = {
      addresses,
      ...opening,
      kubeconfigs: addresses.map((address) => async () =>
        await readKubeconfig(await nodes.at(address))
      ),
    };
    // A control plane may join later.
    return addresses.length === 0
      ? connectKubernetes(access)
      : connected ??= connectKubernetes(access);
  }

  return {
    members,
    name,
    kubernetes,
    openKubernetes: open,
    [Symbol.dispose]: () => connected?.[Symbol.dispose](),
    unconfigured: openUnconfigured,
    at: nodes.at,
    readRole: findRole,
    readEtcd: readAllEtcd,
  };
}

/** Names of the selected nodes; empty when none is selected. */
async function selectedNames(nodes: Nodes): Promise<readonly string[]> {
  try {
    return await nodes.names();
  } catch (error) {
    if (error instanceof UsageError) return [];
    throw error;
  }
}

/**
 * Calls control planes one by one until one answers.
 *
 * @param goal Start of the error when no control plane is known: `Cannot list the members`.
 * @throws {OsctlError} Error of the last one, if none answers.
 */
export async function askControlPlanes<T>(
  { members, at }: Pick<ClusterView, "members" | "at">,
  ask: (client: NodeClient) => Promise<T>,
  goal: string,
): Promise<T> {
  let failure = new OsctlError(`${goal}: no control plane is known`);
  for (const { address, controlPlane } of await members()) {
    if (!controlPlane) continue;
    try {
      // In order, until one succeeds.
      return await ask(await at(address));
    } catch (error) {
      if (!(error instanceof OsctlError)) throw error;
      failure = error;
    }
  }
  throw failure;
}
