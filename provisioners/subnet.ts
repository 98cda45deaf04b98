/** Comparison and search of IPv4 subnets. */

import { ipv4Range, overlap } from "../lib/ip.ts";

/** True if two subnets have the same addresses, in any notation. */
export function sameSubnet(one: string, other: string): boolean {
  const [a, b] = [ipv4Range(one), ipv4Range(other)];
  return a !== undefined && a.first === b?.first && a.last === b.last;
}

/** Finds a /24 subnet that overlaps none of those in use. Returns `undefined` if none is free. */
export function freeSubnet(taken: readonly string[]): string | undefined {
  for (let second = 5; second < 256; second++) {
    for (let third = 0; third < 256; third++) {
      const cidr = `10.${second}.${third}.0/24`;
      if (!taken.some((one) => overlap(one, cidr))) return cidr;
    }
  }
  return undefined;
}

/**
 * Lists the subnets that this machine has routes to, without the default route.
 *
 * @param table Contents of `/proc/net/route`.
 */
export function routedSubnets(table: string): readonly {
  readonly cidr: string;
  readonly device: string;
}[] {
  return table.split("\n").slice(1).flatMap((line) => {
    const [device, destination, , , , , , mask] = line.trim().split(/\s+/);
    if (!device || !destination || !mask || mask === "00000000") return [];
    const bits = [...hexAddress(mask)].reduce(
      (sum, part) => sum + part.toString(2).replaceAll("0", "").length,
      0,
    );
    return [{ cidr: `${hexAddress(destination).join(".")}/${bits}`, device }];
  });
}

/** Parses an address of the kernel, in host byte order; all supported machines are little-endian. */
function hexAddress(text: string): readonly number[] {
  return [6, 4, 2, 0].map((at) => parseInt(text.slice(at, at + 2), 16));
}
