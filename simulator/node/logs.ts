/** Logs of the services of a node, for `Logs`. */

import { kernelCommandLine } from "./contents/system.ts";
import { createHistory } from "../wire/history_buffer.ts";
import type { SimulatedNode } from "../state/node.ts";
import { runningRelease } from "../release/release.ts";

const kept = 10_000;

/** Adds a line to a log. */
export function logLine(node: SimulatedNode, id: string, line: string): void {
  openLog(node, id).append(line);
}

/** Returns the log with a name; creates it if missing. */
function openLog({ boot: { logs } }: SimulatedNode, id: string) {
  const log = logs.get(id) ?? createHistory<string>(kept);
  logs.set(id, log);
  return log;
}

/** Writes the log of a service start. */
export function logStart(node: SimulatedNode, id: string): void {
  const now = new Date(node.clock.now());
  // Also for services without output.
  openLog(node, id);
  for (const line of startLines[id]?.(now, node) ?? []) logLine(node, id, line);
}

/** Writes the log of a service stop. */
export function logStop(node: SimulatedNode, id: string): void {
  logLine(node, id, `${node.clock.now()} received signal, shutting down`);
}

type LogLines = (now: Date, node: SimulatedNode) => readonly string[];

const startLines: Readonly<Record<string, LogLines>> = {
  apid: (now) => [`apid ${logTime(now)} listening on [::]:50000`],
  auditd: (now) => [
    `type=1403 audit(${
      now.getTime() / 1000
    }:2): auid=4294967295 ses=4294967295 lsm=selinux res=1`,
  ],
  containerd,
  cri: containerd,
  dashboard: () => [],
  etcd: (now, { identity: { hostname: name } }) => [
    etcdLine(now, "etcdmain/etcd.go:64", "Running: ", {
      args: ["/usr/local/bin/etcd"],
    }),
    etcdLine(now, "embed/etcd.go:140", "configuring peer listeners", {
      "listen-peer-urls": ["https://[::]:2380"],
    }),
    etcdLine(
      now,
      "etcdserver/server.go:2100",
      "published local member to cluster through raft",
      { name },
    ),
    etcdLine(now, "embed/serve.go:210", "serving client traffic securely", {
      address: "[::]:2379",
    }),
  ],
  kubelet: (now, { identity: { hostname }, cluster: { kubernetes } }) => [
    kubeletLine(now, "app/server.go:543", "Kubelet version", {
      kubeletVersion: `v${kubernetes}`,
    }),
    kubeletLine(
      now,
      "kubelet/kubelet.go:2450",
      "Starting kubelet main sync loop",
    ),
    kubeletLine(
      now,
      "kubelet/kubelet_node_status.go:78",
      "Successfully registered node",
      { node: hostname },
    ),
  ],
  syslogd: () => ["syslogd started"],
  trustd: (now) => [`trustd ${logTime(now)} listening on [::]:50001`],
  udevd: () => ["Starting systemd-udevd version 257"],
};

function containerd(now: Date, node: SimulatedNode): readonly string[] {
  const { containerd } = runningRelease(node);
  const time = now.toISOString();
  return [
    `time="${time}" level=info msg="starting containerd" revision=v${containerd} version=v${containerd}`,
    `time="${time}" level=info msg="containerd successfully booted in 0.042137s"`,
  ];
}

/** `2026/03/01 12:00:00.000000`. */
export function logTime(time: Date): string {
  const ms = time.getTime();
  if (ms === last.ms) return last.text;
  const iso = time.toISOString();
  const day = iso.slice(0, 10).replaceAll("-", "/");
  last = { ms, text: `${day} ${iso.slice(11, 23)}000` };
  return last.text;
}

let last = { ms: NaN, text: "" };

function etcdLine(now: Date, caller: string, msg: string, more: object) {
  const ts = now.toISOString();
  return JSON.stringify({ level: "info", ts, caller, msg, ...more });
}

function kubeletLine(now: Date, caller: string, msg: string, more = {}) {
  return JSON.stringify({ ts: now.getTime(), caller, msg, v: 0, ...more });
}

/** Writes the kernel messages of a boot. */
export function logBoot(node: SimulatedNode): void {
  const release = runningRelease(node);
  const time = node.boot.startedAt;
  const say = (text: string, priority = "info") =>
    node.boot.kernelLog.append({ facility: "kern", priority, time, text });
  say(
    `Linux version ${release.kernel}-talos (@buildkitsandbox) (gcc) #1 SMP`,
    "notice",
  );
  say(`Command line: ${kernelCommandLine}`);
  for (const line of kernelLines) say(line);
  for (const [id, lines] of Object.entries(runtimeLines)) {
    const at = new Date(time).toISOString();
    for (const line of lines) logLine(node, id, `${at} ${line}`);
  }
}

/** Log lines of components that are not services, by log name, with colored levels. */
const runtimeLines: Readonly<Record<string, readonly string[]>> = {
  "controller-runtime": ["network.LinkStatus", "v1alpha1.Service"].map((name) =>
    `\x1b[35mDEBUG\x1b[0m controller starting {"component": "controller-runtime", "controller": "${name}Controller"}`
  ),
  "dns-resolve-cache": [
    '\x1b[34mINFO\x1b[0m updated dns server nameservers {"component": "dns-resolve-cache", "addrs": ["1.1.1.1:53", "8.8.8.8:53"]}',
  ],
};

const kernelLines: readonly string[] = [
  "BIOS-provided physical RAM map:",
  "NX (Execute Disable) protection: active",
  "DMI: QEMU Standard PC (Q35 + ICH9, 2009), BIOS 1.16.3 04/01/2014",
  "Hypervisor detected: KVM",
  "smp: Bringing up secondary CPUs ...",
  "virtio_blk virtio3: [vda] 41943040 512-byte logical blocks (21.5 GB/20.0 GiB)",
  "virtio_net virtio0 enp0s2: renamed from eth0",
  "Freeing unused kernel image (initmem) memory: 3048K",
  "Run /init as init process",
];

/** Adds a raw line to the kernel log. */
export function logRaw(node: SimulatedNode, text: string): void {
  node.boot.kernelLog.append({
    facility: "user",
    priority: "warning",
    time: node.clock.now(),
    text,
  });
}

/** Adds a message of machined to the kernel log and to its own log. */
export function logKernel(node: SimulatedNode, text: string): void {
  const line = `${logTime(new Date(node.clock.now()))} [talos] ${text}`;
  logLine(node, "machined", line);
  logRaw(node, `[talos] ${text}`);
}
