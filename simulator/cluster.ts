/** A cluster of simulated nodes. */

import { authorityOrganization } from "../dialect.ts";
import { createAuthority } from "../pki/authority.ts";
import type { Authority } from "../pki/certificate.ts";
import { encodePem, pemLabel } from "../pki/pem.ts";
import type { Role } from "../pki/roles.ts";
import { bootNode } from "./boot.ts";
import { type Clock, systemClock } from "./clock.ts";
import type { ClusterFacts } from "./cluster_facts.ts";
import {
  type ClientIdentity,
  clientIdentity,
  type Lifetime,
} from "./identities.ts";
import { createNode, type Pace, type SimulatedNode } from "./node.ts";
import { powerOff, reboot } from "./power.ts";
import type { FaultName, FaultOptions } from "./faults.ts";
import { setFault } from "./set_fault.ts";
import { defaultKubernetes, defaultVersions, type Release } from "./release.ts";
import { sharedResources } from "./resource_definitions.ts";
import type { Listener } from "./listening.ts";
import { createNodeServer, type NodeServer } from "./server.ts";

/** Where a node is. */
export interface Place extends Listener {
  /** Address other nodes and `--nodes` know it by, without port; default {@linkcode host}. */
  readonly address?: string;
}

/** What {@linkcode startCluster} is told. */
export interface ClusterOptions {
  /** Name of the cluster; default `simulated`. */
  readonly name?: string;
  /** Number of control planes, at least 1; default 1. */
  readonly controlplanes?: number;
  /** Number of workers; default 0. */
  readonly workers?: number;
  /**
   * Place of a node, control planes counted first from 0; `undefined` for one that is reached
   * through others only, then its address is `10.5.0.2` and so on. Default: 127.0.0.1, a free port.
   */
  readonly places?: (index: number) => Place | undefined;
  /** Which nodes have no configuration, by the index that {@linkcode places} gets; default none. */
  readonly unconfigured?: (index: number) => boolean;
  /** Versions of the operating system. */
  readonly release?: Partial<Release>;
  /** Version of Kubernetes, without `v`; default 1.34.1. */
  readonly kubernetes?: string;
  /** Time; default this machine's. */
  readonly clock?: Clock;
  /** Size of the messages byte streams are cut into; default 1024, as nodes do. */
  readonly chunkBytes?: number;
  /** How long boots take. */
  readonly pace?: Partial<Pace>;
}

/** A cluster that runs. */
export interface RunningCluster {
  /** Name of the cluster. */
  readonly name: string;
  /** Certificate of the node API's authority, PEM. */
  readonly ca: string;
  /** Client with all rights. */
  readonly adminIdentity: ClientIdentity;
  /** `host:port` of every control plane that listens. */
  readonly endpoints: readonly string[];
  /** `host:port` of every node that listens, by the node's address. */
  readonly listening: ReadonlyMap<string, string>;
  /** All nodes, control planes first. */
  readonly nodes: readonly SimulatedNode[];
  /** Makes a client with other roles, lifetime or uses; see {@linkcode clientIdentity}. */
  readonly identify: (
    roles: readonly Role[],
    lifetime?: Lifetime,
    uses?: readonly ("clientAuth" | "serverAuth")[],
  ) => Promise<ClientIdentity>;
  /**
   * Switches a fault of a node on or off; see {@linkcode setFault}.
   *
   * @param node Address or host name.
   * @throws {RangeError} When there is no such node.
   */
  readonly setFault: (
    node: string,
    name: FaultName,
    options?: FaultOptions | false,
  ) => Promise<void>;
  /**
   * Reboots a node, as if somebody had asked it to.
   *
   * @param node Address or host name.
   * @returns When it is ready again.
   */
  readonly reboot: (node: string) => Promise<void>;
  /** Resolves when nothing goes on in the background: no node is on its way down or up. */
  readonly settled: () => Promise<void>;
  /** Stops all nodes. */
  readonly stop: () => Promise<void>;
}

/**
 * Starts a cluster.
 *
 * @returns When every node is ready.
 * @throws {Error} When a node cannot listen in its place.
 */
export async function startCluster(
  options: ClusterOptions = {},
): Promise<RunningCluster> {
  const life = new AbortController();
  const background = new Set<Promise<void>>();
  const facts = await factsOf(options, life.signal, (task) => {
    background.add(task);
    task.finally(() => background.delete(task));
  });
  const servers = facts.nodes.flatMap((node, index) => {
    const place = placeOf(options, index);
    return place ? [{ node, place, server: attach(node, place) }] : [];
  });
  const stop = async () => {
    life.abort();
    facts.nodes.forEach(powerOff);
    await Promise.allSettled(background);
    await Promise.all(servers.map(({ server }) => server.close()));
  };
  try {
    await Promise.all(facts.nodes.map((node, index) => {
      node.configured = !options.unconfigured?.(index);
      return bootNode(node);
    }));
  } catch (error) {
    await stop();
    throw error;
  }
  const listening = new Map(
    servers.map(({ node, place: { host }, server }) => [
      node.identity.address,
      `${host.includes(":") ? `[${host}]` : host}:${server.port()}`,
    ]),
  );
  return {
    name: facts.name,
    ca: encodePem(pemLabel.certificate, facts.authority.certificate),
    adminIdentity: await clientIdentity(facts.authority, ["os:admin"]),
    endpoints: facts.nodes.flatMap(({ identity }) =>
      identity.machineType === "controlplane"
        ? listening.get(identity.address) ?? []
        : []
    ),
    listening,
    nodes: facts.nodes,
    identify: (...how) => clientIdentity(facts.authority, ...how),
    setFault: (name, ...fault) => setFault(nodeOf(facts, name), ...fault),
    reboot: (name) => reboot(nodeOf(facts, name)),
    async settled() {
      // What goes on may start something else.
      while (background.size > 0) await Promise.allSettled(background);
    },
    stop,
  };
}

async function factsOf(
  options: ClusterOptions,
  ended: AbortSignal,
  work: SimulatedNode["work"],
): Promise<ClusterFacts> {
  const { controlplanes = 1, workers = 0, clock = systemClock } = options;
  const { chunkBytes = 1024 } = options;
  const pace = { bootMs: 0, stopMs: 100, downMs: 100, ...options.pace };
  const nodes: SimulatedNode[] = [];
  const facts: ClusterFacts = {
    name: options.name ?? "simulated",
    id: crypto.getRandomValues(new Uint8Array(32)).toBase64({
      alphabet: "base64url",
    }),
    release: { ...defaultVersions, ...options.release },
    kubernetes: options.kubernetes ?? defaultKubernetes,
    authority: await newAuthority(clock),
    shared: sharedResources(clock),
    nodes,
  };
  for (let index = 0; index < controlplanes + workers; index++) {
    const isWorker = index >= controlplanes;
    const machineType = isWorker ? "worker" : "controlplane";
    const number = isWorker ? index - controlplanes + 1 : index + 1;
    nodes.push(createNode({
      identity: {
        hostname: `${facts.name}-${machineType}-${number}`,
        address: addressOf(placeOf(options, index), index),
        machineType,
        uuid: crypto.randomUUID(),
      },
      cluster: facts,
      clock,
      pace,
      ended,
      work,
      chunkBytes,
    }));
  }
  return facts;
}

function nodeOf({ nodes }: ClusterFacts, name: string): SimulatedNode {
  const node = nodes.find(({ identity: { address, hostname } }) =>
    address === name || hostname === name
  );
  if (!node) throw new RangeError(`No simulated node is named "${name}"`);
  return node;
}

function newAuthority(clock: Clock): Promise<Authority> {
  const notBefore = new Date(clock.now() - hourMs);
  const notAfter = new Date(clock.now() + 10 * yearMs);
  return createAuthority({
    organizations: [authorityOrganization],
    notBefore,
    notAfter,
  });
}

function placeOf(options: ClusterOptions, index: number): Place | undefined {
  return options.places
    ? options.places(index)
    : { host: "127.0.0.1", port: 0, address: addressOf(undefined, index) };
}

function addressOf(place: Place | undefined, index: number): string {
  const number = index + 2;
  return place?.address ?? place?.host ??
    `10.5.${Math.floor(number / 250)}.${number % 250}`;
}

function attach(node: SimulatedNode, place: Place): NodeServer {
  const server = createNodeServer(node, place);
  node.network = server;
  return server;
}

const hourMs = 3_600_000;
const yearMs = 365 * 24 * hourMs;
