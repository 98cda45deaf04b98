/** Preflight checks for virtual machines on this host. */

import { networkInterfaces } from "node:os";
import { OsctlError } from "../../errors.ts";
import { freeSubnet } from "../subnet.ts";
import { overlap } from "../../lib/ip.ts";
import { chooseAccelerator } from "./accelerator.ts";
import { programFor } from "./arguments.ts";
import { hasWireguard } from "./agent/wireguard.ts";
import { missingPlugins } from "./cni.ts";
import { findFirmware } from "./firmware.ts";
import { disturbance } from "./network.ts";
import { isInstalled, tryRun } from "./run.ts";
import type { QemuSpec } from "./spec.ts";

/** Facts about this machine; replaced in tests. */
interface Host {
  /** Operating system, as `Deno.build.os`. */
  readonly os: string;
  /** True if a program is installed. */
  readonly hasProgram: (name: string) => Promise<boolean>;
  /** True if the kernel supports a queueing discipline. */
  readonly hasQueue: (arguments_: readonly string[]) => Promise<boolean>;
  /** True if WireGuard is supported. */
  readonly hasWireguard: () => Promise<boolean>;
  /** Capabilities of this process as a bit set (capabilities(7)). */
  readonly capabilities: () => Promise<bigint>;
  /** Addresses of the network interfaces in CIDR notation, by interface. */
  readonly addresses: () => readonly (readonly [string, string])[];
  /** True if a file is readable. */
  readonly canRead: (path: string) => Promise<boolean>;
  /** Finds firmware. Throws `OsctlError` if there is none. */
  readonly findFirmware: (spec: QemuSpec) => Promise<unknown>;
  /** Probes the accelerator. Throws `OsctlError` if it does not work. */
  readonly chooseAccelerator: (spec: QemuSpec) => Promise<unknown>;
}

/** This machine. */
export const thisHost: Host = {
  os: Deno.build.os,
  hasProgram: isInstalled,
  // In a temporary network namespace.
  hasQueue: (wanted) =>
    tryRun([
      ..."unshare --net tc qdisc add dev lo root".split(" "),
      ...wanted,
    ]),
  hasWireguard,
  async capabilities() {
    const status = await Deno.readTextFile("/proc/self/status");
    return BigInt(`0x${/^CapEff:\s*(\w+)/m.exec(status)?.[1] ?? "0"}`);
  },
  addresses: () =>
    Object.entries(networkInterfaces()).flatMap(([name, addresses = []]) =>
      addresses.flatMap(({ cidr }) =>
        cidr === null ? [] : [[name, cidr] as const]
      )
    ),
  async canRead(path) {
    try {
      using _ = await Deno.open(path, { read: true });
      return true;
    } catch {
      return false;
    }
  },
  findFirmware: ({ hardware, firmwareFolders }) =>
    findFirmware(hardware.architecture, firmwareFolders),
  chooseAccelerator: ({ accelerator, hardware }) =>
    chooseAccelerator(accelerator, hardware),
};

/** Required capabilities by number, with their purpose. */
const needed = [
  [12n, "CAP_NET_ADMIN", "a bridge and network interfaces for the VMs"],
  [10n, "CAP_NET_BIND_SERVICE", "DHCP and DNS on ports 53, 67 and 547"],
] as const;

const packages: Readonly<Record<string, string>> = {
  "qemu-system-x86_64": "qemu-system-x86",
  "qemu-system-aarch64": "qemu-system-arm",
  ip: "iproute2",
  tc: "iproute2",
  nft: "nftables",
  iptables: "iptables",
  swtpm: "swtpm",
  wg: "wireguard-tools",
  zstd: "zstd",
  genisoimage: "genisoimage",
  fallocate: "util-linux",
};

/**
 * Checks the requirements of machines.
 *
 * @param host Default this machine.
 * @throws {OsctlError} With all problems and their fixes.
 */
export async function preflight(
  spec: QemuSpec,
  host: Host = thisHost,
): Promise<void> {
  const problems = [
    ...systemProblems(host),
    ...await programProblems(spec, host),
    ...await firmwareProblems(spec, host),
    ...await acceleratorProblems(spec, host),
    ...await rightProblems(host),
    ...await queueProblems(spec, host),
    ...await tunnelProblems(spec, host),
    ...await fileProblems(spec, host),
    ...await imageCacheProblems(spec, host),
    ...await pluginProblems(spec),
    ...addressProblems(spec, host),
  ];
  if (problems.length === 0) return;
  const [only = ""] = problems;
  throw new OsctlError(
    problems.length === 1
      ? `Cannot create the cluster: ${only}`
      : `Cannot create the cluster:\n${
        problems.map((one) => `- ${one}`).join("\n")
      }`,
  );
}

function systemProblems({ os }: Host): string[] {
  return os === "linux" ? [] : [
    `networks for VMs can only be created on Linux, and this is ${os}; use "cluster create docker" or "cluster create embedded"`,
  ];
}

async function programProblems(
  spec: QemuSpec,
  { hasProgram }: Host,
): Promise<string[]> {
  const programs = [
    programFor(spec.hardware),
    "ip",
    "nft",
    ...spec.network.chaos === undefined ? [] : ["tc"],
    ...spec.network.cni === undefined ? [] : ["iptables"],
    ...spec.agent === undefined ? [] : ["wg"],
    ...spec.hardware.tpm === undefined ? [] : ["swtpm"],
    ...spec.injection === "metal-iso" ? ["genisoimage"] : [],
    ...spec.diskImage?.endsWith(".zst") ? ["zstd"] : [],
    ...spec.isPreallocated ? ["fallocate"] : [],
  ];
  const problems: string[] = [];
  for (const program of programs) {
    if (await hasProgram(program)) continue;
    problems.push(
      `${program} is not installed; install the package ${
        packages[program]
      } (Debian, Ubuntu)`,
    );
  }
  return problems;
}

async function rightProblems({ os, capabilities }: Host): Promise<string[]> {
  if (os !== "linux") return [];
  const have = await capabilities();
  const missing = needed.filter(([bit]) => (have >> bit & 1n) === 0n);
  if (missing.length === 0) return [];
  const reasons = missing.map(([, name, why]) => `${name} for ${why}`);
  return [`it needs ${reasons.join(" and ")}; run it with sudo`];
}

async function queueProblems(
  { network: { chaos } }: QemuSpec,
  { os, capabilities, hasProgram, hasQueue }: Host,
): Promise<string[]> {
  const wanted = chaos === undefined ? undefined : disturbance(chaos);
  // Without tc or the capability to use it, kernel support is unknown.
  const isKnown = os === "linux" && (await capabilities() >> 12n & 1n) === 1n &&
    await hasProgram("tc");
  if (wanted === undefined || !isKnown || await hasQueue(wanted)) return [];
  const module = `sch_${wanted[0]}`;
  return [
    `the kernel cannot disturb the network as --with-network-chaos wants; load its module with "modprobe ${module}", or use a kernel that has it`,
  ];
}

async function tunnelProblems(
  { agent }: QemuSpec,
  { os, capabilities, hasWireguard }: Host,
): Promise<string[]> {
  const isKnown = os === "linux" && (await capabilities() >> 12n & 1n) === 1n;
  if (agent === undefined || !isKnown || await hasWireguard()) return [];
  return [
    'the kernel has no WireGuard, which --with-oslink needs; load its module with "modprobe wireguard", or install the package wireguard-go (Debian, Ubuntu)',
  ];
}

/** True if machines boot with UEFI firmware. */
export function hasFirmware({ hasUefi, hardware }: QemuSpec): boolean {
  return hasUefi || hardware.architecture === "arm64";
}

async function firmwareProblems(
  spec: QemuSpec,
  { findFirmware }: Host,
): Promise<string[]> {
  return hasFirmware(spec) ? await findProblem(() => findFirmware(spec)) : [];
}

async function acceleratorProblems(
  spec: QemuSpec,
  { hasProgram, chooseAccelerator }: Host,
): Promise<string[]> {
  // Any other choice falls back to an accelerator that works.
  const isKnown = spec.accelerator === "kvm" &&
    await hasProgram(programFor(spec.hardware));
  return isKnown ? await findProblem(() => chooseAccelerator(spec)) : [];
}

/** Runs a check, and returns its error message as a problem. */
async function findProblem(attempt: () => Promise<unknown>): Promise<string[]> {
  try {
    await attempt();
    return [];
  } catch (error) {
    if (!(error instanceof OsctlError)) throw error;
    const { message, hint } = error;
    return [
      [message, hint ?? ""].filter((text) => text !== "")
        .map((text) =>
          text.replace(/^(Cannot|Install|Use)/, (word) => word.toLowerCase())
        )
        .join("; "),
    ];
  }
}

async function fileProblems(
  { hardware: { boot }, diskImage, download }: QemuSpec,
  { canRead }: Host,
): Promise<string[]> {
  if (download !== undefined) return [];
  const files = [
    ..."path" in boot ? [boot.path] : [],
    ..."initrd" in boot ? [boot.initrd] : [],
    ...diskImage === undefined ? [] : [diskImage],
  ];
  const missing: string[] = [];
  for (const path of files) {
    if (!await canRead(path)) missing.push(`"${path}"`);
  }
  return missing.length === 0 ? [] : [
    `${
      missing.join(" and ")
    } cannot be read; name files that exist, or use "cluster create qemu", which downloads an image, or "cluster create embedded", which needs none`,
  ];
}

async function imageCacheProblems(
  { imageCache }: QemuSpec,
  { canRead }: Host,
): Promise<string[]> {
  if (imageCache === undefined) return [];
  const { folder, certFile, keyFile } = imageCache;
  const problems: string[] = [];
  if (!await canRead(`${folder}/manifests`)) {
    problems.push(
      `"${folder}" is not a flat image cache; create it with "image cache-create --layout flat"`,
    );
  }
  for (const path of [certFile, keyFile]) {
    if (path === undefined || await canRead(path)) continue;
    problems.push(
      `"${path}" cannot be read; create it with "image cache-cert-gen"`,
    );
  }
  return problems;
}

async function pluginProblems(
  { network: { cni } }: QemuSpec,
): Promise<string[]> {
  // Plugins of an archive are downloaded after the checks.
  if (cni === undefined || cni.bundleUrl !== undefined) return [];
  const missing = await missingPlugins(cni.binPaths);
  if (missing.length === 0) return [];
  const folders = cni.binPaths.join(", ");
  return [
    `the CNI plugins ${
      missing.join(", ")
    } are not in ${folders}; name another directory with --cni-bin-path, or an archive with --cni-bundle-url`,
  ];
}

function addressProblems({ plan }: QemuSpec, { addresses }: Host): string[] {
  const taken = addresses().filter(([name]) => name !== plan.bridge);
  return plan.subnets.flatMap(({ cidr, gateway }) => {
    if (gateway.includes(":")) return [];
    const clash = taken.find(([, other]) => overlap(cidr, other));
    if (clash === undefined) return [];
    const [name, other] = clash;
    const free = freeSubnet(taken.map(([, one]) => one));
    return [
      `subnet ${cidr} overlaps with ${other} of interface ${name}; use --cidr ${
        free ?? "with another one"
      }`,
    ];
  });
}
