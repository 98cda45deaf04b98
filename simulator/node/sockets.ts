/** Open sockets of a node: those of the host and of pods with their own network. */

import {
  ConnectRecord_State as State,
  ConnectRecord_TimerActive as Timer,
} from "../../transport/gen/machine_system.ts";
import { kubernetesContainers } from "./containers.ts";
import { type SimulatedNode, upSeconds } from "../state/node.ts";
import { findPid } from "./system_services.ts";

/** An open socket. */
export interface SocketFacts {
  /** Protocol, with a `6` for IPv6. */
  readonly protocol: "tcp" | "tcp6" | "udp" | "udp6" | "raw" | "raw6";
  readonly local: SocketEnd;
  /** Remote end; the unspecified address and port 0 if there is none. */
  readonly remote: SocketEnd;
  /** State, also of UDP sockets. */
  readonly state: State;
  /** Process that opened it; PID 0 is the kernel. */
  readonly process: { readonly pid: number; readonly name: string };
  readonly uid: number;
  readonly inode: number;
  /** Network namespace; empty for the host. */
  readonly netns: string;
  readonly timer: Timer;
  /** Time until the timer expires, in hundredths of a second. */
  readonly timerWhen: number;
}

interface SocketEnd {
  readonly ip: string;
  readonly port: number;
}

interface Opened {
  readonly program: string;
  readonly local: SocketEnd;
  readonly remote?: SocketEnd;
  readonly transport?: "tcp" | "udp" | "raw";
  readonly netns?: string;
}

/** All sockets, those of the host first. */
export function listSockets(node: SimulatedNode): readonly SocketFacts[] {
  const pids = collectPids(node);
  const opened = [...hostSockets(node), ...podSockets(node)];
  return opened.filter(({ program }) => pids.has(program)).map((one, index) =>
    toSocket(node, one, { pid: pids.get(one.program) ?? 0, index })
  );
}

function toSocket(
  node: SimulatedNode,
  { program, local, remote, transport = "tcp", netns = "" }: Opened,
  { pid, index }: { readonly pid: number; readonly index: number },
): SocketFacts {
  const six = local.ip.includes(":");
  const connected = remote !== undefined;
  const isTcp = transport === "tcp";
  return {
    protocol: `${transport}${six ? "6" as const : "" as const}`,
    local,
    remote: remote ?? { ip: six ? "::" : "0.0.0.0", port: 0 },
    state: connected ? State.ESTABLISHED : isTcp ? State.LISTEN : State.CLOSE,
    process: { pid, name: pid === 0 ? "" : program },
    uid: program === "etcd" ? 60 : program.startsWith("kube-") ? 65534 : 0,
    inode: 20_000 + index * 7,
    netns,
    timer: isTcp && connected ? Timer.KEEPALIVE : Timer.OFF,
    timerWhen: isTcp && connected
      ? Math.round((15 - upSeconds(node) % 15) * 100)
      : 0,
  };
}

/** PIDs of running processes by program; the kernel is `kernel`, PID 0. */
function collectPids(node: SimulatedNode): ReadonlyMap<string, number> {
  const services = [...node.boot.services.values()]
    .filter(({ state }) => state === "Running")
    .map(({ id }) => [id, findPid(node, id)] as const);
  const containers = kubernetesContainers(node)
    .filter(({ status }) => status === "CONTAINER_RUNNING")
    .map(({ name, pid }) => [name, pid] as const);
  return new Map([["kernel", 0], ["init", 1], ...services, ...containers]);
}

const loopback = "127.0.0.1";

function hostSockets(node: SimulatedNode): readonly Opened[] {
  const { address, machineType } = node.identity;
  const resolver = { ip: "127.0.0.53", port: 53 };
  return [
    listen("init", resolver.ip, resolver.port),
    listen("init", loopback, 7445),
    listen("apid", "::", 50_000),
    listen("trustd", "::", 50_001),
    listen("kubelet", loopback, 10_248),
    listen("kubelet", "::", 10_250),
    listen("kube-proxy", loopback, 10_249),
    listen("kube-proxy", "::", 10_256),
    connect("kubelet", loopback, { ip: loopback, port: 7445 }),
    connect("kube-proxy", loopback, { ip: loopback, port: 7445 }),
    ...machineType === "worker" ? [] : controlPlaneSockets(node),
    { program: "init", transport: "udp", local: resolver },
    {
      program: "kernel",
      transport: "udp",
      local: { ip: "0.0.0.0", port: 8472 },
    },
    {
      program: "init",
      transport: "udp",
      local: { ip: address, port: 41_217 },
      remote: address.includes(":")
        ? { ip: "2606:4700:f1::1", port: 123 }
        : { ip: "162.159.200.1", port: 123 },
    },
    { program: "init", transport: "raw", local: { ip: "::", port: 58 } },
  ];
}

function controlPlaneSockets(node: SimulatedNode): readonly Opened[] {
  const { address } = node.identity;
  const api = { ip: loopback, port: 7445 };
  const database = { ip: loopback, port: 2379 };
  return [
    listen("etcd", loopback, 2379),
    listen("etcd", address, 2379),
    listen("etcd", address, 2380),
    listen("kube-apiserver", "::", 6443),
    listen("kube-controller-manager", loopback, 10_257),
    listen("kube-scheduler", loopback, 10_259),
    connect("kube-apiserver", loopback, database),
    {
      program: "etcd",
      local: database,
      remote: { ip: loopback, port: portFrom("kube-apiserver", database) },
    },
    connect("kube-controller-manager", loopback, api),
    connect("kube-scheduler", loopback, api),
    ...etcdPeers(node).map((peer) =>
      connect("etcd", address, { ip: peer, port: 2380 })
    ),
  ];
}

function etcdPeers(node: SimulatedNode): readonly string[] {
  return node.cluster.nodes
    .filter((other) =>
      other !== node && other.boot.services.get("etcd")?.state === "Running"
    )
    .map(({ identity }) => identity.address);
}

function podSockets(node: SimulatedNode): readonly Opened[] {
  return kubernetesContainers(node)
    .filter(({ name, networkNamespace }) =>
      name === "coredns" && networkNamespace !== ""
    )
    .flatMap(({ networkNamespace: netns }) => [
      ...[53, 8080, 8181, 9153].map((port) => ({
        ...listen("coredns", "::", port),
        netns,
      })),
      {
        ...connect("coredns", "10.244.0.7", { ip: "10.96.0.1", port: 443 }),
        netns,
      },
      {
        program: "coredns",
        transport: "udp" as const,
        local: { ip: "::", port: 53 },
        netns,
      },
    ]);
}

function listen(program: string, ip: string, port: number): Opened {
  return { program, local: { ip, port } };
}

function connect(program: string, ip: string, remote: SocketEnd): Opened {
  return { program, local: { ip, port: portFrom(program, remote) }, remote };
}

/** Local port of a program's connection; stable between calls. */
function portFrom(program: string, { ip, port }: SocketEnd): number {
  let hash = port;
  for (const code of new TextEncoder().encode(`${program} ${ip}`)) {
    hash = (hash * 31 + code) % 28_000;
  }
  return 32_768 + hash;
}
