/** IPv4 subnets: their addresses, overlaps, and which are free. */

interface AddressRange {
  readonly first: number;
  readonly last: number;
}

/** Reads a subnet in CIDR notation; `undefined` when it is none of IPv4. */
export function rangeOf(cidr: string): AddressRange | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})$/.exec(
    cidr,
  );
  if (match === null) return undefined;
  const [a = 0, b = 0, c = 0, d = 0, bits = 0] = match.slice(1).map(Number);
  if ([a, b, c, d].some((part) => part > 255) || bits > 32) return undefined;
  const address = ((a * 256 + b) * 256 + c) * 256 + d;
  const size = 2 ** (32 - bits);
  const first = Math.floor(address / size) * size;
  return { first, last: first + size - 1 };
}

/** Whether two subnets have addresses in common; false when one is none of IPv4. */
export function overlap(one: string, other: string): boolean {
  const [a, b] = [rangeOf(one), rangeOf(other)];
  return a !== undefined && b !== undefined && a.first <= b.last &&
    b.first <= a.last;
}

/** Whether two subnets have the same addresses, however they were typed. */
export function sameSubnet(one: string, other: string): boolean {
  const [a, b] = [rangeOf(one), rangeOf(other)];
  return a !== undefined && a.first === b?.first && a.last === b.last;
}

/** Address that is so many behind the one in front of the slash. */
export function addressAt(cidr: string, offset: number): string {
  const [address = ""] = cidr.split("/");
  const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map(Number);
  const number = ((a * 256 + b) * 256 + c) * 256 + d + offset;
  return [24, 16, 8, 0].map((bits) => number >>> bits & 255).join(".");
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

/** Host and port as in a URL. `host`: a name or an address, an IPv6 one without brackets. */
export function hostPort(host: string, port: number): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}
