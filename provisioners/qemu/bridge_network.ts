/** What the network of a cluster is to be. */

/** Disturbances of a network. */
export interface Chaos {
  /** Delay of each packet, in milliseconds. */
  readonly latencyMs: number;
  /** How much the delay varies, in milliseconds. */
  readonly jitterMs: number;
  /** Share of packets that are lost, 0 to 1. */
  readonly loss: number;
  /** Share of packets that are sent out of order, 0 to 1. */
  readonly reorder: number;
  /** Share of packets with a wrong bit, 0 to 1. */
  readonly corrupt: number;
  /** Greatest rate in kbit/s; 0 for no limit, and then the only disturbance. */
  readonly bandwidth: number;
}

/** An address family in the network. */
export interface Subnet {
  /** Subnet in CIDR notation, its base address as the user typed it. */
  readonly cidr: string;
  readonly gateway: string;
  readonly prefix: number;
}

/** Which plugins are used, and where they keep what. */
export interface CniSettings {
  /** Name of the network, that of the cluster. */
  readonly name: string;
  /** Folders with the plugins, searched in this order. */
  readonly binPaths: readonly string[];
  /** Folder for what plugins have answered. */
  readonly cacheDir: string;
  /** Folder for the configuration of the network. */
  readonly confDir: string;
}

/** A machine that plugins attach. */
export interface CniMachine {
  /** Address of its network card. */
  readonly mac: string;
  /** Its addresses, in the order of the subnets. */
  readonly ips: readonly string[];
}

/** The network of a cluster. */
export interface BridgeNetwork {
  readonly bridge: string;
  readonly mac: string;
  /** Largest packet in bytes. */
  readonly mtu: number;
  readonly subnets: readonly Subnet[];
  /** Destinations that see the addresses of the machines. */
  readonly noMasquerade: readonly string[];
  readonly taps: readonly string[];
  /** Disturbances; omitted, there are none. */
  readonly chaos?: Chaos | undefined;
  /** True when machines reach nothing but each other and this machine. */
  readonly isAirgapped: boolean;
  /** Plugins that attach the machines; omitted, osctl does. */
  readonly cni?: CniSettings | undefined;
  /** What plugins attach, in the order of the interfaces. */
  readonly machines?: readonly CniMachine[];
}

/** How plugins have attached a machine. */
export interface Attachment {
  /** Network namespace of the machine. */
  readonly namespace: string;
  readonly tap: string;
  /** Address of its network card. */
  readonly mac: string;
}
