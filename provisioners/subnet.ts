/** IPv4 subnets: which are the same, and which are free. */

import { ipv4Range, overlap } from "../lib/ip.ts";

/** Whether two subnets have the same addresses, however they were typed. */
export function sameSubnet(one: string, other: string): boolean {
  const [a, b] = [ipv4Range(one), ipv4Range(other)];
  return a !== undefined && a.first === b?.first && a.last === b.last;
}

/** Finds a subnet of 256 addresses that overlaps none of the taken ones. Returns `undefined` when none is free. */
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
  /** Interface the route leads to. */
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

/** The kernel writes addresses in the order of the machine's bytes; all that matter are little-endian. */
function hexAddress(text: string): readonly number[] {
  return [6, 4, 2, 0].map((at) => parseInt(text.slice(at, at + 2), 16));
}
