/** Plan of names and addresses of a cluster of virtual machines. */

import { ConfigError } from "../../errors.ts";
import { addressAt, addressBytes, parseNetwork } from "../../lib/ip.ts";
import type { Subnet } from "./bridge_network.ts";

/** A configuration document, or part of the main one. */
export type Document = Readonly<Record<string, unknown>>;

interface PlanRequest {
  readonly name: string;
  readonly folder: string;
  /** IPv4 subnet in CIDR notation; the IPv6 subnet is derived from it. */
  readonly cidr: string;
  /** True for IPv4 addresses. */
  readonly ipv4: boolean;
  /** True for IPv6 addresses. */
  readonly ipv6: boolean;
  /** Number of control planes, at least 1. */
  readonly controlplanes: number;
  readonly workers: number;
  /** True if the first control plane has the `init` role, which bootstraps the cluster. */
  readonly hasInitNode: boolean;
  /** True to use UUIDs as host names. */
  readonly hasUuidNames: boolean;
}

interface PlannedMachine {
  readonly name: string;
  /** Role in the cluster. */
  readonly type: "init" | "controlplane" | "worker";
  readonly uuid: string;
  /** Addresses, in the order of the subnets. */
  readonly ips: readonly string[];
  readonly mac: string;
  /** Tap interface on the host. */
  readonly tap: string;
}

/** Plan of a cluster. */
export interface ClusterPlan {
  readonly bridge: string;
  /** MAC address of the bridge. */
  readonly mac: string;
  readonly subnets: readonly Subnet[];
  readonly vip: string;
  /** Machines, control planes first. */
  readonly machines: readonly PlannedMachine[];
}

const offsets = { gateway: 1, machines: 2, vip: 50 };

/**
 * Plans a cluster.
 *
 * @param uuid Generates a UUID; default random.
 * @throws {ConfigError} If the subnet is invalid or too small.
 */
export async function planCluster(
  request: PlanRequest,
  uuid: () => string = () => crypto.randomUUID(),
): Promise<ClusterPlan> {
  const { name, folder, controlplanes, workers } = request;
  const base = splitBase(request);
  const subnets = planSubnets(request, base);
  const digest = await hashFolder(folder);
  const machines = Array.from({ length: controlplanes + workers }, (_, at) => {
    const isWorker = at >= controlplanes;
    const type = isWorker
      ? "worker"
      : request.hasInitNode && at === 0
      ? "init"
      : "controlplane";
    const id = uuid();
    const role = isWorker ? "worker" : "controlplane";
    const number = isWorker ? at - controlplanes + 1 : at + 1;
    return {
      name: request.hasUuidNames
        ? `machine-${id}`
        : `${name}-${role}-${number}`,
      type,
      uuid: id,
      ips: subnets.map((subnet) => addressIn(subnet, offsets.machines + at)),
      mac: formatMac(digest, at + 1),
      tap: `ot${hex(digest.subarray(0, 4))}-${at + 1}`,
    } as const;
  });
  const first = subnets[0];
  return {
    bridge: `osbr${hex(digest.subarray(0, 4))}`,
    mac: formatMac(digest, 0),
    subnets,
    vip: first === undefined ? "" : addressIn(first, offsets.vip),
    machines,
  };
}

/** Returns an address in a subnet. `offset`: from its base address. */
export function addressIn(
  { cidr }: Pick<Subnet, "cidr">,
  offset: number,
): string {
  const [base = ""] = cidr.split("/");
  if (base.includes(":")) {
    return base.replace(/::$/, `::${offset.toString(16)}`);
  }
  return addressAt(cidr, offset);
}

interface Base {
  readonly bytes: readonly number[];
  readonly prefix: number;
}

function splitBase({ cidr, controlplanes, workers }: PlanRequest): Base {
  const { address = "", bits: prefix = 0, family } = parseNetwork(cidr) ?? {};
  const bytes = addressBytes(address) ?? [];
  if (family !== 4 || prefix < 1 || prefix > 30) {
    throw new ConfigError(
      `Invalid value "${cidr}" for --cidr: it is not an IPv4 subnet`,
      {
        hint: "Give a subnet such as 10.5.0.0/24",
      },
    );
  }
  const last = offsets.machines + controlplanes + workers - 1;
  const size = 2 ** (32 - prefix);
  const start = bytes.reduce((sum, byte) => sum * 256 + byte, 0) % size;
  if (start + last >= size - 1) {
    throw new ConfigError(
      `Invalid value "${cidr}" for --cidr: it has no room for ${
        controlplanes + workers
      } nodes`,
      { hint: "Give a larger subnet such as 10.5.0.0/16" },
    );
  }
  return { bytes, prefix };
}

function planSubnets(
  { cidr, ipv4, ipv6 }: PlanRequest,
  { bytes: [a = 0, b = 0, c = 0, d = 0], prefix }: Base,
): Subnet[] {
  if (!ipv4 && !ipv6) {
    throw new ConfigError(
      "Cannot create a network: --ipv4=false leaves no address family",
      {
        hint: "Add --ipv6",
      },
    );
  }
  const pair = (high: number, low: number) => (high * 256 + low).toString(16);
  const cidr6 = `fd74:616c:${pair(a, b)}:${pair(c, d)}::/64`;
  const families = [
    ...ipv4 ? [{ cidr, prefix }] : [],
    ...ipv6 ? [{ cidr: cidr6, prefix: 64 }] : [],
  ];
  return families.map((family) => ({
    ...family,
    gateway: addressIn(family, offsets.gateway),
  }));
}

/** Hashes the folder, which is unique on this machine. */
async function hashFolder(folder: string): Promise<Uint8Array> {
  const bytes = new TextEncoder().encode(folder);
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

/** Generates a locally administered unicast MAC address. */
function formatMac(digest: Uint8Array, number: number): string {
  const bytes = [0x02, ...digest.subarray(0, 3), number >>> 8, number & 255];
  return bytes.map((byte) => byte.toString(16).padStart(2, "0")).join(":");
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(
    "",
  );
}
