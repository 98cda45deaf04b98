/** Loopback addresses for the nodes of a simulated cluster. */

import { OsctlError } from "../errors.ts";

/** Port of the node API. */
export const apiPort = 50_000;

/** Where a node is. */
export interface LoopbackPlace {
  /** Address it listens on. */
  readonly host: string;
  /** Port it listens on; 0 for any that is free. */
  readonly port: number;
  /** Address other nodes know it by. */
  readonly address: string;
}

/** Subnet of clusters whose nodes share 127.0.0.1 and have addresses that only the cluster knows. */
const inside = "10.5.0.0/16";

/** A subnet of our own. */
export interface ClaimedSubnet extends Disposable {
  /** Subnet in CIDR notation, for {@linkcode placeIn}. */
  readonly cidr: string;
}

/** Which subnet a cluster is to have. */
export interface SubnetWishes {
  /** Subnet it had before; left out, the first that is free. */
  readonly wanted?: string | undefined;
  /** Subnets of clusters that do not run now and may come back; default none. */
  readonly taken?: readonly string[];
}

/**
 * Takes a subnet for a cluster, as long as this process lives.
 *
 * Linux has all of 127.0.0.0/8, so every node gets an address and the usual port; a listener on the subnet's first
 * address keeps other clusters out. Elsewhere only 127.0.0.1 is there, and nodes get ports of their own.
 *
 * @param os Operating system.
 * @param wishes Subnets to take and to leave.
 * @throws {OsctlError} When none is free.
 */
export function claimSubnet(
  os: string,
  { wanted, taken = [] }: SubnetWishes = {},
): ClaimedSubnet {
  if (os !== "linux") return { cidr: inside, [Symbol.dispose]() {} };
  const all = Array.from({ length: 190 }, (_, i) => `127.${60 + i}.0.0/16`);
  const free = all.filter((cidr) => !taken.includes(cidr));
  for (const cidr of wanted === undefined ? free : [wanted]) {
    const listener = listen(cidr.replace("0/16", "1"));
    if (listener !== undefined) {
      return { cidr, [Symbol.dispose]: () => listener.close() };
    }
  }
  throw new OsctlError(
    `Cannot take ${
      wanted ?? "a subnet from 127.60.0.0/16 to 127.249.0.0/16"
    }: another cluster has it`,
    { hint: "Remove clusters with: osctl cluster destroy" },
  );
}

/**
 * Place of one node.
 *
 * @param cidr Subnet from {@linkcode claimSubnet}.
 * @param index Number of the node from 0.
 */
export function placeIn(cidr: string, index: number): LoopbackPlace {
  const [a, b] = cidr.split(".");
  const address = `${a}.${b}.${(index + 2) >> 8}.${(index + 2) & 255}`;
  return cidr === inside
    ? { host: "127.0.0.1", port: 0, address }
    : { host: address, port: apiPort, address };
}

function listen(hostname: string): Deno.Listener | undefined {
  try {
    return Deno.listen({ hostname, port: apiPort });
  } catch (error) {
    if (error instanceof Deno.errors.AddrInUse) return undefined;
    throw error;
  }
}
