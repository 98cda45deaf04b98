/** Specification of a cluster network. */

/** Network chaos settings. */
export interface Chaos {
  /** Delay of each packet, in milliseconds. */
  readonly latencyMs: number;
  /** Variation of the delay, in milliseconds. */
  readonly jitterMs: number;
  /** Share of lost packets, 0 to 1. */
  readonly loss: number;
  /** Share of reordered packets, 0 to 1. */
  readonly reorder: number;
  /** Share of corrupted packets, 0 to 1. */
  readonly corrupt: number;
  /** Rate limit in kbit/s; 0 for none. If set, the other settings are ignored. */
  readonly bandwidth: number;
}

/** An address family in the network. */
export interface Subnet {
  /** Subnet in CIDR notation, base address as given by the user. */
  readonly cidr: string;
  readonly gateway: string;
  readonly prefix: number;
}

/** CNI plugin settings. */
export interface CniSettings {
  readonly name: string;
  /** Plugin folders, in search order. */
  readonly binPaths: readonly string[];
  /** Folder for cached plugin results. */
  readonly cacheDir: string;
  /** Folder for the configuration of the network. */
  readonly confDir: string;
}

/** A machine attached by plugins. */
export interface CniMachine {
  readonly mac: string;
  /** Addresses, in the order of the subnets. */
  readonly ips: readonly string[];
}

/** Settings of a network. */
export interface NetworkSettings {
  /** MTU in bytes. */
  readonly mtu: number;
  /** Destinations without masquerading. */
  readonly noMasquerade: readonly string[];
  /** Chaos settings; default none. */
  readonly chaos?: Chaos | undefined;
  /** True if machines only reach each other and this machine. */
  readonly isAirgapped: boolean;
}

/** The network of a cluster. */
export interface BridgeNetwork extends NetworkSettings {
  readonly bridge: string;
  readonly mac: string;
  readonly subnets: readonly Subnet[];
  readonly taps: readonly string[];
  /** Plugins that attach the machines; default osctl attaches them. */
  readonly cni?: CniSettings | undefined;
  /** Machines attached by plugins, in the order of the interfaces. */
  readonly machines?: readonly CniMachine[];
}

/** Attachment of a machine by plugins. */
export interface Attachment {
  readonly namespace: string;
  readonly tap: string;
  readonly mac: string;
}
