/** DHCP leases of machines. */

/** A leased address with its network settings. */
interface LeasedAddress {
  readonly address: string;
  readonly prefix: number;
  readonly gateway: string;
  /** Name servers, of the same family. */
  readonly nameservers: readonly string[];
}

/** Lease of a machine. */
export interface Lease {
  /** MAC address: six pairs of lower-case hexadecimal digits with colons. */
  readonly mac: string;
  /** Host name; absent if not assigned by DHCP. */
  readonly hostname?: string;
  /** MTU in bytes. */
  readonly mtu: number;
  readonly ipv4?: LeasedAddress;
  readonly ipv6?: LeasedAddress;
  readonly boot?: NetworkBoot;
}

interface NetworkBoot {
  readonly server: string;
  /** iPXE file on the TFTP server, for other firmware. */
  readonly file: string;
  /** URL of the script for iPXE. */
  readonly script: string;
}

/** Lease time in seconds: short, so that changes are picked up soon. */
export const leaseSeconds = 300;
