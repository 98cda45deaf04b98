/** Preflight checks; all problems are reported at once. */

import { readIfPresent } from "../../lib/files/exists.ts";
import { createSocket } from "node:dgram";
import { ConfigError } from "../../errors.ts";
import { bind } from "../sockets.ts";
import { freeSubnet, routedSubnets } from "../subnet.ts";
import { ipv4Range, overlap } from "../../lib/ip.ts";
import {
  type ContainerEngine,
  formatReason,
  ifThere,
  portHost,
} from "./engine.ts";
import { type ImagePull, readAuth } from "./pull.ts";
import { type ContainerSpec, labelFilters, labels } from "./spec.ts";

/** Result of a check. */
interface PreflightFinding {
  /** Errors prevent the creation, warnings do not. */
  readonly severity: "error" | "warning";
  readonly text: string;
  readonly remedy: string;
}

/** Cluster to check. */
export interface PreflightRequest {
  readonly name: string;
  readonly spec: ContainerSpec;
  /** True for an unfinished cluster: existing objects are its own. */
  readonly isBegun: boolean;
  /** Returns the registry login for the image. */
  readonly login: ImagePull["login"];
}

/** Reads a file of this machine; `undefined` if it does not exist. */
type HostFiles = (path: string) => Promise<string | undefined>;

/** Runs all checks. `read`: default the files of this machine. */
export async function preflight(
  engine: ContainerEngine,
  request: PreflightRequest,
  read: HostFiles = readIfPresent,
): Promise<readonly PreflightFinding[]> {
  const found = await Promise.all([
    ofEngine(engine, request.spec),
    ofSubnet(engine, request, read),
    ofPorts(engine, request, read),
    ofImage(engine, { image: request.spec.image, login: request.login }),
    ofNames(engine, request),
    ofModules(engine, read),
  ]);
  return found.flat();
}

/** True if the engine runs on this machine and shares its routes and ports. */
function isHere({ place }: ContainerEngine): boolean {
  return portHost(place) === "127.0.0.1";
}

/** Throws ConfigError with all errors. Returns the warnings. */
export function refuseErrors(
  name: string,
  findings: readonly PreflightFinding[],
): readonly PreflightFinding[] {
  const errors = findings.filter(({ severity }) => severity === "error");
  if (errors.length === 0) return findings;
  const [first] = errors;
  const start = `Cannot create cluster "${name}":`;
  if (errors.length === 1 && first !== undefined) {
    throw new ConfigError(`${start} ${first.text}`, { hint: first.remedy });
  }
  const lines = errors.map(({ text, remedy }) => `  ${text}\n    ${remedy}`);
  throw new ConfigError(
    `${start} ${errors.length} problems\n${lines.join("\n")}`,
  );
}

function ofEngine(
  { facts }: ContainerEngine,
  spec: ContainerSpec,
): readonly PreflightFinding[] {
  const findings: PreflightFinding[] = [];
  if (facts.os !== "linux") {
    findings.push({
      severity: "error",
      text: `the engine runs ${facts.os} containers`,
      remedy: "Switch the engine to Linux containers",
    });
  }
  if (facts.cgroups === "1") {
    findings.push({
      severity: "warning",
      text: "the engine uses cgroup v1, with which current nodes do not start",
      remedy: "Boot its machine with systemd.unified_cgroup_hierarchy=1",
    });
  }
  if (facts.isRootless && spec.privileged) {
    findings.push({
      severity: "warning",
      text:
        "the engine is rootless, and nodes do not start in it on some hosts",
      remedy: "If nodes do not start, set DOCKER_HOST to a rootful engine",
    });
  }
  if (!facts.canConnect) {
    findings.push({
      severity: "error",
      text: "rootless Podman cannot connect nodes to a network",
      remedy:
        "Install slirp4netns or passt where it runs, or set DOCKER_HOST to a rootful engine",
    });
  }
  if (!facts.canLimit) {
    findings.push({
      severity: "warning",
      text: "the engine cannot limit memory and CPUs of nodes",
      remedy:
        "Delegate the cgroup controllers to its user, or set DOCKER_HOST to a rootful engine",
    });
  }
  const memory = sum(spec.nodes.map((node) => node.memory));
  if (facts.memory > 0 && memory > facts.memory) {
    findings.push({
      severity: "error",
      text: `the nodes need ${
        mebibytes(memory)
      } MiB of memory, but the engine's machine has ${
        mebibytes(facts.memory)
      } MiB`,
      remedy: "Lower --memory-controlplanes, --memory-workers or --workers",
    });
  }
  const most = Math.max(...spec.nodes.map(({ nanocpus }) => nanocpus)) / 1e9;
  if (facts.processors > 0 && most > facts.processors) {
    findings.push({
      severity: "error",
      text:
        `a node needs ${most} CPUs, but the engine's machine has ${facts.processors}`,
      remedy: "Lower --cpus-controlplanes or --cpus-workers",
    });
  }
  return findings;
}

async function ofSubnet(
  engine: ContainerEngine,
  { name, spec: { subnet, nodes }, isBegun }: PreflightRequest,
  read: HostFiles,
): Promise<readonly PreflightFinding[]> {
  const range = ipv4Range(subnet);
  if (range === undefined) {
    return [{
      severity: "error",
      text: `subnet "${subnet}" is not an IPv4 network`,
      remedy: "Give one such as --subnet 10.5.0.0/24",
    }];
  }
  const findings: PreflightFinding[] = [];
  const lastNode = ipv4Range(`${nodes.at(-1)?.ip}/32`)?.first ?? Infinity;
  // Gateway and nodes follow the given address, and the last address is for broadcasts.
  if (lastNode >= range.last) {
    findings.push({
      severity: "error",
      text: `subnet ${subnet} is too small for ${nodes.length} nodes`,
      remedy: "Give a larger one with --subnet",
    });
  }
  const networks = await engine.api.listNetworks();
  const others = networks.flatMap(({ Name, Labels, IPAM }) =>
    Labels?.[labels.cluster] === name
      ? []
      : (IPAM?.Config ?? []).flatMap(({ Subnet: cidr }) =>
        cidr === undefined ? [] : [{
          cidr,
          what: Labels?.[labels.owned] === "true"
            ? `cluster "${Labels[labels.cluster]}"`
            : `network "${Name}" of the engine`,
        }]
      )
  );
  const table = isHere(engine) ? await read("/proc/net/route") ?? "" : "";
  const routes = routedSubnets(table).map(({ cidr, device }) => ({
    cidr,
    what: `a route of this host through ${device}`,
  }));
  const isOwn = isBegun &&
    networks.some(({ Labels }) => Labels?.[labels.cluster] === name);
  const connecting = engine.facts.isRootless ? [rootlessNetwork] : [];
  const taken = [...others, ...connecting, ...isOwn ? [] : routes];
  // A bridge of the engine is also a route of the host.
  const clash = taken.find(({ cidr }) => overlap(cidr, subnet));
  if (clash !== undefined) {
    const free = freeSubnet([...taken.map(({ cidr }) => cidr)]);
    findings.push({
      severity: "error",
      text: `subnet ${subnet} overlaps ${clash.cidr}, ${clash.what}`,
      remedy: free === undefined
        ? "Give a free one with --subnet"
        : `Use a free one: --subnet ${free}`,
    });
  }
  return findings;
}

/** Network between the namespace of rootless engines and this host. Source: slirp4netns(1). */
const rootlessNetwork = {
  cidr: "10.0.2.0/24",
  what: "which connects rootless engines to this host",
};

async function ofPorts(
  engine: ContainerEngine,
  { spec: { ports, nodes }, isBegun }: PreflightRequest,
  read: HostFiles,
): Promise<readonly PreflightFinding[]> {
  const findings: PreflightFinding[] = [];
  const controlplanes = nodes.filter(({ type }) => type === "controlplane");
  if (ports.length > 0 && controlplanes.length > 1) {
    findings.push({
      severity: "error",
      text: "several control planes cannot share the exposed ports",
      remedy: "Omit --exposed-ports, or create one control plane",
    });
  }
  // Its own containers already listen on these ports.
  if (isBegun || !isHere(engine)) return findings;
  const least = engine.facts.isRootless ? await leastPort(read) : 0;
  for (const { hostIp, hostPort, protocol } of ports) {
    const problem = hostPort < least
      ? `cannot be used: rootless engines have ports from ${least}`
      : await portProblem(hostIp, hostPort, protocol);
    if (problem === undefined) continue;
    findings.push({
      severity: "error",
      text: `port ${hostPort}/${protocol} of ${hostIp} ${problem}`,
      remedy: "Choose another one with --exposed-ports",
    });
  }
  return findings;
}

async function leastPort(read: HostFiles): Promise<number> {
  const path = "/proc/sys/net/ipv4/ip_unprivileged_port_start";
  return Number(await read(path) ?? 0);
}

async function portProblem(
  address: string,
  port: number,
  protocol: "tcp" | "udp",
): Promise<string | undefined> {
  try {
    if (protocol === "tcp") Deno.listen({ hostname: address, port }).close();
    else await listenOnce(address, port);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE") return "is in use";
    if (code === "EADDRNOTAVAIL") {
      return "cannot be used: this host does not have the address";
    }
    // The engine may have permissions that osctl lacks.
    return undefined;
  }
}

async function listenOnce(address: string, port: number): Promise<void> {
  const socket = createSocket(address.includes(":") ? "udp6" : "udp4");
  try {
    await bind(socket, port, address);
  } finally {
    socket.close();
  }
}

async function ofImage(
  { api, facts }: ContainerEngine,
  wanted: ImagePull,
): Promise<readonly PreflightFinding[]> {
  const { image } = wanted;
  if (await ifThere(() => api.getImage(image).inspect()) !== undefined) {
    return [];
  }
  // Podman cannot query a registry without pulling, and reports problems then.
  if (facts.isPodman) return [];
  try {
    // Queries the registry without pulling.
    await api.getImage(image).distribution(await readAuth(wanted));
    return [];
  } catch (error) {
    return [{
      severity: "error",
      text: `image ${image} is not available locally and cannot be pulled: ${
        formatReason(error)
      }`,
      remedy:
        "Check --image and whether the engine can reach the registry, or load the image with: docker load",
    }];
  }
}

/** Finds name conflicts with other containers and networks. */
async function ofNames(
  { api }: ContainerEngine,
  { name, spec, isBegun }: PreflightRequest,
): Promise<readonly PreflightFinding[]> {
  const filters = labelFilters(name);
  const [mine, all, networks] = await Promise.all([
    api.listContainers({ all: true, filters }),
    api.listContainers({ all: true }),
    api.listNetworks(),
  ]);
  const findings: PreflightFinding[] = [];
  const isLabelled = networks.some(({ Labels }) =>
    Labels?.[labels.cluster] === name
  );
  if (!isBegun && (mine.length > 0 || isLabelled)) {
    findings.push({
      severity: "error",
      text:
        `the engine has a cluster "${name}" that is not in the state directory`,
      remedy:
        `Choose another --name, or remove it with: osctl cluster destroy --provisioner docker --name ${name}`,
    });
  }
  const wanted = new Set(spec.nodes.map((node) => `/${node.name}`));
  const own = new Set(mine.map(({ Id }) => Id));
  for (const { Id, Names } of all) {
    const taken = Names.find((one) => wanted.has(one));
    if (taken === undefined || own.has(Id)) continue;
    findings.push({
      severity: "error",
      text: `there is a container named ${taken.slice(1)}`,
      remedy: "Choose another --name, or remove the container",
    });
  }
  const other = networks.find(({ Name, Labels }) =>
    Name === name && Labels?.[labels.cluster] !== name
  );
  if (other !== undefined) {
    findings.push({
      severity: "error",
      text: `there is a network named ${name}`,
      remedy: "Choose another --name, or remove the network",
    });
  }
  return findings;
}

/** Checks kernel modules for Kubernetes networks, if the engine is on this machine. */
async function ofModules(
  engine: ContainerEngine,
  read: HostFiles,
): Promise<readonly PreflightFinding[]> {
  if (Deno.build.os !== "linux" || !isHere(engine)) return [];
  const filter = await read("/proc/sys/net/bridge/bridge-nf-call-iptables");
  if (filter !== undefined) return [];
  return [{
    severity: "warning",
    text:
      "kernel module br_netfilter is not loaded, and Kubernetes services may not be reached from pods",
    remedy: "Load it with: sudo modprobe br_netfilter",
  }];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

function mebibytes(bytes: number): number {
  return Math.floor(bytes / 2 ** 20);
}
