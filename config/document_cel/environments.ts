/** CEL environments of the fields of a configuration. */

import { recordPackage } from "../../talos.ts";
import {
  type Functions,
  joinFunctions,
  lazily,
  optionalFunctions,
  readFunctions,
  standardFunctions,
} from "./functions.ts";
import type { Dialect } from "./reader.ts";
import { optionalMacros, standardMacros } from "./macros.ts";
import { bool, readType, type Type } from "./types.ts";

/** Environment of an expression. */
export type ExpressionEnvironment =
  | "disk"
  | "volume"
  | "link"
  | "oom-trigger"
  | "oom-ranking";

/** Types by name. */
export type RecordTypes = ReadonlyMap<string, Type>;

/** Declarations and result type of an environment. */
export interface CelScope extends Dialect {
  /** Name for messages. */
  readonly title: string;
  /** Required type of the expression. */
  readonly result: Type;
  readonly names: RecordTypes;
  /** Fields by record name. */
  readonly records: ReadonlyMap<string, RecordTypes>;
  /** Functions, methods and operators. */
  readonly functions: Functions;
  /** Prefixes of the names of record types and enumerations. */
  readonly packages: readonly string[];
}

const sizes = "KiB MiB GiB TiB PiB EiB kB MB GB TB PB EB";

const classes = "Besteffort Burstable Guaranteed Podruntime System";

const pressures = ["some", "full"].flatMap((kind) =>
  ["avg10", "avg60", "avg300", "total"].map((span) => `memory_${kind}_${span}`)
);

const usages = ["memory_current", "memory_peak", "memory_max"];

const glob = lazily(() => readFunctions({ glob: "string string -> bool" }));

const typeNames = "bool bytes double int list map null_type string type uint";

const disk = lazily((): CelScope => ({
  title: "disk selectors",
  packages: ["google.protobuf", recordPackage],
  result: bool,
  optionals: false,
  macros: standardMacros,
  names: recordTypes({
    disk: "disk",
    bool: "system_disk",
    uint: sizes,
    type: typeNames,
  }),
  records: new Map([["disk", diskFields()]]),
  functions: joinFunctions(standardFunctions(), glob()),
}));

const volume = lazily((): CelScope => ({
  title: "volume selectors",
  packages: ["google.protobuf", recordPackage],
  result: bool,
  optionals: false,
  macros: standardMacros,
  names: recordTypes({
    volume: "volume",
    disk: "disk",
    uint: sizes,
    type: typeNames,
  }),
  records: new Map([["volume", volumeFields()], ["disk", diskFields()]]),
  functions: standardFunctions(),
}));

const link = lazily((): CelScope => ({
  title: "link selectors",
  packages: ["google.protobuf", recordPackage, "common"],
  result: bool,
  optionals: false,
  macros: standardMacros,
  names: recordTypes({ link: "link", type: typeNames }),
  records: linkRecords(),
  functions: joinFunctions(
    standardFunctions(),
    glob(),
    readFunctions({ mac: "bytes -> string" }),
  ),
}));

const trigger = lazily((): CelScope => ({
  title: "trigger expressions",
  packages: ["google.protobuf"],
  result: bool,
  optionals: true,
  macros: optionalMacros,
  names: recordTypes({
    double: withChanges(pressures, ""),
    "map(int,double)": withChanges([...pressures, ...usages], "qos_"),
    duration: "time_since_trigger",
    uint: sizes,
    int: classes,
    type: `${typeNames} optional_type`,
  }),
  records: new Map(),
  functions: joinFunctions(
    standardFunctions(),
    optionalFunctions(),
    readFunctions({
      multiply_qos_vectors: "map(dyn,double) map(dyn,double) -> double",
    }),
  ),
}));

const ranking = lazily((): CelScope => ({
  title: "ranking expressions",
  packages: ["google.protobuf"],
  result: readType("double"),
  optionals: true,
  macros: optionalMacros,
  names: recordTypes({
    "optional(uint)": usages.join(" "),
    string: "path",
    int: `class ${classes}`,
    uint: sizes,
    type: `${typeNames} optional_type`,
  }),
  records: new Map(),
  functions: joinFunctions(standardFunctions(), optionalFunctions()),
}));

/** All environments. */
export const environments: Readonly<
  Record<ExpressionEnvironment, CelScope>
> = {
  get disk() {
    return disk();
  },
  get volume() {
    return volume();
  },
  get link() {
    return link();
  },
  get "oom-trigger"() {
    return trigger();
  },
  get "oom-ranking"() {
    return ranking();
  },
};

/**
 * Reports whether a dotted name is one of the node's own types or constants.
 *
 * There are many, no expression needs them, and their types are not checked.
 */
export function isForeign(path: string, { packages }: CelScope): boolean {
  return packages.some((known) => path.startsWith(`${known}.`));
}

function recordTypes(names: Readonly<Record<string, string>>): RecordTypes {
  return new Map(
    Object.entries(names).flatMap(([type, words]) =>
      words.split(" ").map((word) => [word, readType(type)] as const)
    ),
  );
}

/** Metrics, and their change since the last sample. */
function withChanges(names: readonly string[], prefix: string): string {
  return names.flatMap((name) => [`${prefix}${name}`, `d_${prefix}${name}`])
    .join(" ");
}

function diskFields(): RecordTypes {
  return recordTypes({
    uint: "size io_size sector_size",
    bool: "readonly rotational cdrom",
    string: "model serial modalias wwid bus_path sub_system transport " +
      "dev_path pretty_size uuid",
    "list(string)": "secondary_disks symlinks",
  });
}

function volumeFields(): RecordTypes {
  return recordTypes({
    uint: "size sector_size io_size block_size filesystem_block_size " +
      "probed_size partition_index offset",
    string: "name uuid label partition_uuid partition_type partition_label " +
      "type device_path parent dev_path parent_dev_path pretty_size",
  });
}

function linkRecords(): ReadonlyMap<string, RecordTypes> {
  return new Map([
    ["link", linkFields()],
    ["vlan", recordTypes({ uint: "vid", int: "protocol" })],
    ["bridge", recordTypes({ "bridge_stp": "stp", "bridge_vlan": "vlan" })],
    ["bridge_stp", recordTypes({ bool: "enabled" })],
    ["bridge_vlan", recordTypes({ bool: "filtering_enabled" })],
    ["bond", bondFields()],
    [
      "wireguard",
      recordTypes({
        string: "private_key public_key",
        int: "listen_port firewall_mark",
        "list(wireguard_peer)": "peers",
      }),
    ],
    [
      "wireguard_peer",
      recordTypes({
        string: "public_key preshared_key endpoint",
        duration: "persistent_keepalive_interval",
        "list(network)": "allowed_ips",
      }),
    ],
    ["address", recordTypes({ bytes: "ip" })],
    ["network", recordTypes({ bytes: "ip", int: "prefix_length" })],
  ]);
}

function linkFields(): RecordTypes {
  return recordTypes({
    uint: "index link_index flags mtu master_index",
    int: "type operational_state port duplex speed_megabits",
    bytes: "hardware_addr broadcast_addr permanent_addr",
    string: "queue_disc kind slave_kind bus_path pciid driver driver_version " +
      "firmware_version product_id vendor_id product vendor alias",
    bool: "link_state",
    "list(string)": "alt_names",
    vlan: "vlan",
    bridge: "bridge_master",
    bond: "bond_master",
    wireguard: "wireguard",
  });
}

function bondFields(): RecordTypes {
  return recordTypes({
    int: "mode hash_policy lacp_rate arp_validate arp_all_targets " +
      "primary_reselect fail_over_mac ad_select adlacp_active",
    uint: "primary_index mii_mon up_delay down_delay arp_interval " +
      "resend_igmp min_links lp_interval packets_per_slave num_peer_notif " +
      "tlb_dynamic_lb all_slaves_active ad_actor_sys_prio ad_user_port_key " +
      "peer_notify_delay missed_max",
    bool: "use_carrier",
    "list(address)": "arpip_targets nsip6_targets",
  });
}
