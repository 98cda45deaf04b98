/** What the machines of a cluster are given when they ask for an address. */

/** An address of a machine, and what belongs to it. */
interface LeasedAddress {
  readonly address: string;
  /** Length of the prefix of its subnet. */
  readonly prefix: number;
  readonly gateway: string;
  /** Name servers, of the same family. */
  readonly nameservers: readonly string[];
}

/** What one machine is given, whenever it asks. */
export interface Lease {
  /** Address of its network card: six pairs of lower-case hexadecimal digits with colons. */
  readonly mac: string;
  /** Host name; absent when machines are not told theirs. */
  readonly hostname?: string;
  /** Largest packet in bytes. */
  readonly mtu: number;
  readonly ipv4?: LeasedAddress;
  readonly ipv6?: LeasedAddress;
  /** What it loads to boot from the network. */
  readonly boot?: NetworkBoot;
}

interface NetworkBoot {
  readonly server: string;
  /** File on it with iPXE, for firmware that cannot run scripts. */
  readonly file: string;
  /** URL of the script for machines that run iPXE already. */
  readonly script: string;
}

/** How long a lease lasts, in seconds: short, so that changes are seen soon. */
export const leaseSeconds = 300;
