/** Loopback addresses for the nodes of a simulated cluster. */

import { OsctlError } from "../errors.ts";

/** Port of the node API. */
export const apiPort = 50_000;

/** Which subnet a cluster is to have. */
export interface SubnetRequest {
  /** Subnet it had before, the only one that will do; omitted, any that is free. */
  readonly wanted?: string | undefined;
  /** Number of nodes. */
  readonly nodes: number;
  /** Text the choice starts from: the same cluster gets the same subnet again, others seldom want it. */
  readonly seed: string;
}

/** A subnet of our own. */
export interface ClaimedSubnet extends Disposable {
  /** Subnet in CIDR notation, for {@linkcode placeIn}. */
  readonly cidr: string;
}

/** Subnet of clusters whose nodes share 127.0.0.1 and have addresses that only the cluster knows. */
const inside = "10.5.0.0/16";

/** Most nodes of a small subnet. */
const small = 250;

/**
 * Takes a subnet for a cluster, as long as this process lives.
 *
 * Linux has all of 127.0.0.0/8, so every node gets an address and the usual port; a listener on the subnet's first
 * address keeps other clusters out. Elsewhere only 127.0.0.1 is there, and nodes get ports of their own.
 *
 * @throws {OsctlError} When none is free.
 */
export function claimSubnet(os: string, wishes: SubnetRequest): ClaimedSubnet {
  if (os !== "linux") return { cidr: inside, [Symbol.dispose]() {} };
  const { wanted } = wishes;
  for (const cidr of wanted === undefined ? subnets(wishes) : [wanted]) {
    const listener = listen(addressIn(cidr, 1));
    if (listener !== undefined) {
      return { cidr, [Symbol.dispose]: () => listener.close() };
    }
  }
  throw new OsctlError(
    `Cannot use ${
      wanted ?? "a subnet of 127.0.0.0/8"
    }: another cluster uses it`,
    { hint: "Remove clusters with: osctl cluster destroy" },
  );
}

/**
 * Place of one node.
 *
 * @param cidr Subnet from {@linkcode claimSubnet}.
 * @param index Number of the node from 0.
 */
export function placeIn(cidr: string, index: number): {
  readonly host: string;
  /** Port it listens on; 0 for any that is free. */
  readonly port: number;
  readonly address: string;
} {
  const address = addressIn(cidr, index + 2);
  return cidr === inside
    ? { host: "127.0.0.1", port: 0, address }
    : { host: address, port: apiPort, address };
}

/** All subnets that are large enough, in an order of the cluster's own. */
function* subnets({ nodes, seed }: SubnetRequest): Generator<string> {
  // 127.64.0.0/10 holds the small ones, 127.128.0.0/10 the large ones.
  const [first, bits, count] = nodes <= small
    ? [64, 24, 2 ** 14] as const
    : [128, 16, 2 ** 6] as const;
  const start = hash(seed);
  for (let i = 0; i < count; i++) {
    const offset = ((start + i) % count) * 2 ** (32 - bits);
    yield `${addressIn(`127.${first}.0.0`, offset)}/${bits}`;
  }
}

function addressIn(subnet: string, offset: number): string {
  const [a = 0, b = 0, c = 0, d = 0] = subnet.split(/[./]/).map(Number);
  const number = ((a * 256 + b) * 256 + c) * 256 + d + offset;
  return [24, 16, 8, 0].map((bits) => number >>> bits & 255).join(".");
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) {
    value = Math.imul(value ^ byte, 0x01000193);
  }
  return value >>> 0;
}

function listen(hostname: string): Deno.Listener | undefined {
  try {
    return Deno.listen({ hostname, port: apiPort });
  } catch (error) {
    if (error instanceof Deno.errors.AddrInUse) return undefined;
    throw error;
  }
}
