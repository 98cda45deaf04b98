/** Creates a cluster of containers in steps that can be resumed after an interruption. */

import { secretsFromConfig } from "../../config/generate/secrets_file.ts";
import { encodePem, pemLabel } from "../../pki/pem.ts";
import { OsctlError } from "../../errors.ts";
import { clientCredentials } from "../../simulator/state/identities.ts";
import { caIn } from "../../simulator/state/trust.ts";
import { lockCluster, refuseLocked } from "../cluster_lock.ts";
import { freePorts } from "../free_ports.ts";
import type { ClusterAccess, CreateOptions } from "../provisioner.ts";
import { exists } from "../../lib/files/exists.ts";
import {
  clusterExists,
  type ClusterLocation,
  joinFolder,
  writePhase,
  writeState,
} from "../state.ts";
import { sameSubnet } from "../subnet.ts";
import { asking, type ContainerEngine, ifThere, portHost } from "./engine.ts";
import {
  beginFolder,
  type ContainerRequest,
  containerState,
  isBegun,
  type NodeConfigurations,
  readConfigurations,
  readRequest,
  writeConfigurations,
  writeRequest,
} from "./folder.ts";
import { preflight, refuseErrors } from "./preflight.ts";
import { type ImagePull, pullImage } from "./pull.ts";
import {
  type ContainerNode,
  containerSettings,
  type ContainerSpec,
  type HostPorts,
  labelFilters,
  labels,
  networkSettings,
} from "./spec.ts";

/** Specification of a cluster of containers. */
export interface DockerSpec {
  readonly containers: ContainerSpec;
  /** Other flags as given by the user: an interrupted creation is resumed only with the same flags. */
  readonly wishes: readonly string[];
  /** Returns the registry login for the image. */
  readonly login: ImagePull["login"];
  /** Generates the configurations of a new cluster. `host`: address of its published ports. */
  readonly configure: (host: string) => Promise<NodeConfigurations>;
}

/** Creates the network and containers, starts them, and bootstraps the cluster. */
export async function createDocker(
  engine: ContainerEngine,
  place: ClusterLocation,
  { spec, options }: {
    readonly spec: DockerSpec;
    readonly options: CreateOptions;
  },
): Promise<ClusterAccess> {
  const { containers, wishes, login } = spec;
  const { progress, signal } = options;
  await refuseLocked(place, "create");
  const begun = await isBegun(place);
  // A finished cluster would conflict with its own subnet and ports.
  if (!begun && await exists(joinFolder(place))) {
    throw await clusterExists(place);
  }
  const wanted = { spec: containers, wishes };
  await progress.phase("checking the engine", async () => {
    const { name } = place;
    const facts = { name, spec: containers, isBegun: begun, login };
    const findings = await preflight(engine, facts);
    for (const { text, remedy } of refuseErrors(name, findings)) {
      progress.warn(`${text}. ${remedy}`);
    }
  });
  signal.throwIfAborted();
  await beginFolder(place, wanted);
  using _ = await lockCluster(place, "create");
  const access = await makeContainers(engine, place, { spec, options });
  await options.bringUp(access);
  await writePhase(place, undefined);
  return access;
}

async function makeContainers(
  engine: ContainerEngine,
  place: ClusterLocation,
  { spec, options }: Parameters<typeof createDocker>[2],
): Promise<ClusterAccess> {
  const { containers, wishes, login } = spec;
  const image = { image: containers.image, login };
  const { progress, signal } = options;
  const ports = (await readRequest(place))?.ports ??
    hostPorts(portHost(engine.place), containers);
  const request: ContainerRequest = { spec: containers, wishes, ports };
  await writeRequest(place, request);
  const { osconfig } = options;
  const state = { ...containerState(place, request), osconfig };
  await writeState(place, { ...state, phase: "generating configurations" });
  const configure = () => spec.configure(ports.host);
  const configurations = await takeConfigurations(place, configure, options);
  const access = await accessTo(request, configurations);
  const known = { ...state, ca: access.ca };
  const steps: readonly (readonly [string, () => Promise<void>])[] = [
    ["pulling the image", () => pullImage(engine, image, options)],
    [
      "creating the network",
      () =>
        progress.phase(
          `creating network ${place.name}`,
          () => makeNetwork(engine, place.name, containers),
        ),
    ],
    ...(["controlplane", "worker"] as const).map((type) =>
      [
        `creating ${type} nodes`,
        () =>
          makeNodes(engine, place, { type, request, configurations, progress }),
      ] as const
    ),
  ];
  for (const [phase, step] of steps) {
    signal.throwIfAborted();
    await writeState(place, { ...known, phase });
    await step();
  }
  const ids = await containerIds(engine, place.name);
  const { clusterinfo } = containerState(place, request, ids);
  const phase = "starting Kubernetes";
  await writeState(place, { ...known, clusterinfo, phase });
  return access;
}

/** Generated once, so that a resumed creation has the same keys. */
async function takeConfigurations(
  place: ClusterLocation,
  configure: () => Promise<NodeConfigurations>,
  { progress }: CreateOptions,
): Promise<NodeConfigurations> {
  const before = await readConfigurations(place);
  if (before !== undefined) return before;
  const made = await progress.phase("generating configurations", configure);
  await writeConfigurations(place, made);
  return made;
}

/** Returns ports that are free on this machine, and probably on a remote engine. */
function hostPorts(host: string, { nodes }: ContainerSpec): HostPorts {
  const controlplanes = nodes.filter(({ type }) => type === "controlplane");
  const [kubernetes = 0, ...api] = freePorts(
    1 + controlplanes.length,
    "127.0.0.1",
  );
  return { host, api, kubernetes };
}

async function accessTo(
  { spec, ports }: ContainerRequest,
  { controlplane }: NodeConfigurations,
): Promise<ClusterAccess> {
  const secrets = await secretsFromConfig(controlplane, "the configuration");
  const authority = await caIn(secrets.certs.os);
  const client = await clientCredentials(authority, ["os:admin"]);
  return {
    endpoints: ports.api.map((port) => `${ports.host}:${port}`),
    nodes: spec.nodes.map(({ ip }) => ip),
    ...client,
    ca: encodePem(pemLabel.certificate, authority.certificate),
  };
}

async function makeNetwork(
  { api }: ContainerEngine,
  name: string,
  spec: ContainerSpec,
): Promise<void> {
  const filters = labelFilters(name);
  const [found] = await api.listNetworks({ filters });
  const subnet = found?.IPAM?.Config?.[0]?.Subnet;
  // Podman stores the first address of a subnet, Docker the one given by the user.
  if (subnet !== undefined && sameSubnet(subnet, spec.subnet)) return;
  if (found !== undefined) {
    throw new OsctlError(
      `Cannot create network "${name}": it exists with subnet ${subnet}, not ${spec.subnet}`,
      { hint: `Remove it with: osctl cluster destroy --name ${name}` },
    );
  }
  await asking(
    `create network "${name}"`,
    () => api.createNetwork(networkSettings(name, spec)),
  );
}

interface NodeMaking {
  readonly type: ContainerNode["type"];
  readonly request: ContainerRequest;
  readonly configurations: NodeConfigurations;
  readonly progress: CreateOptions["progress"];
}

async function makeNodes(
  engine: ContainerEngine,
  { name }: ClusterLocation,
  { type, request, configurations, progress }: NodeMaking,
): Promise<void> {
  const { spec, ports } = request;
  const nodes = spec.nodes.filter((node) => node.type === type);
  if (nodes.length === 0) return;
  const there = await containerIds(engine, name);
  await progress.phase(`creating ${type} nodes`, async () => {
    const all = await Promise.allSettled(nodes.map(async (node) => {
      const configuration = configurations[type];
      const parts = { spec, ports, configuration };
      const settings = containerSettings(name, node, parts);
      await asking(`create node ${node.name}`, async () => {
        const id = there.get(node.name);
        const container = id === undefined
          ? await engine.api.createContainer(settings)
          : engine.api.getContainer(id);
        await container.start().catch(unlessStarted);
      });
      progress.node(node.name, "started");
    }));
    const failed = all.find(({ status }) => status === "rejected");
    if (failed?.status === "rejected") throw failed.reason;
  });
}

/** Ignores the status of a container that is already started. */
function unlessStarted(error: unknown): void {
  if ((error as { readonly statusCode?: unknown }).statusCode !== 304) {
    throw error;
  }
}

async function containerIds(
  { api }: ContainerEngine,
  name: string,
): Promise<ReadonlyMap<string, string>> {
  const filters = labelFilters(name);
  const found = await api.listContainers({ all: true, filters });
  return new Map(
    found.map(({ Id, Names }) => [Names[0]?.slice(1) ?? Id, Id]),
  );
}

export async function removeContainers(
  { api }: ContainerEngine,
  name: string,
  progress: CreateOptions["progress"],
): Promise<void> {
  const filters = labelFilters(name);
  const containers = await api.listContainers({ all: true, filters });
  await Promise.all(containers.map(async ({ Id, Names }) => {
    const node = Names[0]?.slice(1) ?? Id;
    const remove = () => api.getContainer(Id).remove({ force: true, v: true });
    await asking(`remove node ${node}`, () => ifThere(remove));
    progress.node(node, "removed");
  }));
  for (const { Id, Name, Labels } of await api.listNetworks({ filters })) {
    if (Labels?.[labels.cluster] !== name) continue;
    const remove = () => api.getNetwork(Id).remove();
    await asking(`remove network ${Name}`, () => ifThere(remove));
    progress.node(`network ${Name}`, "removed");
  }
}
