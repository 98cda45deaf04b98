import { firstEntry } from "../../../simulator/release/boot_entries.ts";
import { systemClock } from "../../../simulator/clock/clock.ts";
import {
  type VirtualClock,
  virtualClock,
} from "../../../simulator/clock/virtual_clock.ts";
import { createBackground } from "../../../simulator/state/background.ts";
import {
  type ClusterOptions,
  findNode,
  makeCluster,
} from "../../../simulator/cluster/make_cluster.ts";
import type { RecordedCall } from "../../../simulator/in_process/transport.ts";
import {
  type EtcdModel,
  etcdModel,
} from "../../../simulator/etcd/model_backend.ts";
import {
  createKubernetesApi,
  type KubernetesApi,
} from "../../../simulator/kubernetes/api.ts";
import type { Pace, SimulatedNode } from "../../../simulator/state/node.ts";
import { releaseFor } from "../../../simulator/release/release.ts";
import type { ModelMembership } from "./membership.ts";
import type { DifferentNode, ModelClusterOptions } from "./model_options.ts";
import {
  type InProcessNetwork,
  inProcessNetwork,
} from "../../../simulator/in_process/transport.ts";
import { sharedSecrets } from "./shared_secrets.ts";

/** A model cluster whose nodes are off. */
export interface ModelState extends ModelMembership {
  readonly clock: VirtualClock;
  readonly api: KubernetesApi;
  readonly etcd: EtcdModel;
  readonly log: RecordedCall[];
  /** Registers a listener that is called before each jump of the clock. */
  readonly onQuiet: (look: () => void) => void;
  /** Finds a node, including those that have left. Throws `RangeError` if there is none. */
  readonly findNode: (name: string) => SimulatedNode;
  readonly findNetwork: (node: SimulatedNode) => InProcessNetwork;
  readonly end: () => void;
  /** Resolves when no work is left. */
  readonly ended: () => Promise<void>;
}

/** Creates a cluster. Throws `RangeError` if a node in `different` does not exist. */
export async function makeModelState(
  options: ModelClusterOptions,
): Promise<ModelState> {
  let look = () => {};
  const { start = nextHour() } = options;
  const clock = virtualClock({ start, onQuiet: () => look() });
  const etcd = etcdModel({
    saved: undefined,
    version: releaseFor(options.version).etcd.replace(/^v/, ""),
  });
  const made = await clusterOptions(options, { clock, etcd });
  const over = new AbortController();
  const background = createBackground();
  const life = { ended: over.signal, background };
  const facts = await makeCluster(made, life);
  const api = createKubernetesApi(facts, clock);
  facts.kubernetesApi = api;
  const networks = new Map<SimulatedNode, InProcessNetwork>();
  const connect = (node: SimulatedNode) => {
    const network = inProcessNetwork();
    networks.set(node, network);
    node.network = network;
  };
  facts.nodes.forEach(connect);
  const ever = [...facts.nodes];
  for (const [name, own] of Object.entries(options.different ?? {})) {
    alter(findNode(ever, name), own);
  }
  return {
    ...{ clock, etcd, api, ever, connect },
    findNode: (name) => findNode(ever, name),
    making: { options: made, facts, clock, life },
    log: [],
    onQuiet: (reported) => void (look = reported),
    findNetwork: (node) => networks.get(node)!, // every node has a network
    end: () => over.abort(),
    ended: background.ended,
  };
}

async function clusterOptions(
  options: ModelClusterOptions,
  parts: Pick<ClusterOptions, "clock" | "etcd">,
): Promise<ClusterOptions> {
  const { controlPlanes, workers = 0, name = "demo", version } = options;
  const { kubernetes, configuration, unconfigured, bootstrapped } = options;
  return {
    ...parts,
    name,
    controlplanes: controlPlanes,
    workers,
    addresses: () => undefined,
    release: { tag: version },
    pace: makePace(options),
    secrets: await sharedSecrets(),
    kubernetes,
    configuration,
    unconfigured,
    bootstrapped,
  };
}

function alter(
  node: SimulatedNode,
  { version, bootLoader = node.disk.bootLoader }: DifferentNode,
): void {
  node.disk.bootLoader = bootLoader;
  // A node in maintenance mode has nothing on its disk.
  if (version === undefined || !node.disk.configured) return;
  node.disk.bootEntries = firstEntry({
    ...node.disk.bootEntries?.running,
    tag: version,
  });
}

function nextHour(): number {
  return Math.ceil(systemClock.now() / hourMs) * hourMs;
}

const hourMs = 3_600_000;

interface PaceSpec {
  /** Varies the pace of each node, deterministically for the same seed; default the same pace for all. */
  readonly seed?: number;
  readonly pace?: Partial<Pace>;
}

/** Pace of a fast machine: waits poll every half a second, and polls take most of the real time. */
const usual: Pace = {
  bootMs: 8_000,
  stopMs: 2_000,
  downMs: 4_000,
  installMs: 6_000,
  panicMs: 2_000,
  podMs: 5_000,
};

/** Makes the paces of nodes. Returns the pace by the index of a node: with a seed, from half to twice the usual durations. */
function makePace({ seed, pace }: PaceSpec): (index: number) => Pace {
  return (index) => {
    const factor = seed === undefined ? 1 : 0.5 + 1.5 * fraction(seed, index);
    const own = Object.entries(usual).map(([part, ms]) =>
      [part, Math.round(ms * factor)] as const
    );
    // The same keys.
    return { ...Object.fromEntries(own) as unknown as Pace, ...pace };
  };
}

/** Pseudorandom number from 0 to 1 for two numbers (the finalizer of MurmurHash3). */
function fraction(seed: number, index: number): number {
  let mixed = (seed ^ Math.imul(index + 1, 0x9e3779b1)) >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b) >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35) >>> 0;
  return ((mixed ^ (mixed >>> 16)) >>> 0) / 0xffffffff;
}
