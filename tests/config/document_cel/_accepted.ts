/** Expressions that a node of release 1.12 takes, as its own checker says. */

import type { ExpressionEnvironment } from "../../../config/document_cel/check.ts";

/** Expressions that a node takes, by the place where they are. */
export const accepted: Readonly<
  Record<ExpressionEnvironment, readonly string[]>
> = {
  disk: [
    "system_disk",
    "!system_disk",
    'disk.transport == "nvme"',
    "disk.transport == 'sata' && !disk.rotational && !system_disk",
    "disk.size > 120u * GB && disk.size < 1u * TB",
    "disk.size > 1000u * GiB && !disk.rotational",
    "disk.size / GB > 100u",
    "disk.size >= 0x10u",
    "int(disk.size) > 5",
    "double(disk.size) / double(TB) > .5",
    "disk.size in [1u, 2u]",
    "disk.transport in ['sata', 'nvme',]",
    "disk.transport in ['sata', 1]",
    "glob('sd[a-z]', disk.dev_path)",
    ".glob('sd*', .disk.dev_path)",
    "disk.model.matches('^Samsung') || matches(disk.model, r'\\d\\d')",
    "disk.serial.startsWith('A') || disk.serial.endsWith('B') || disk.serial.contains('C')",
    "disk.symlinks.exists(s, s.startsWith('/dev/disk/by-id/'))",
    "disk.symlinks.all(disk, disk == 'a')",
    "disk.symlinks.exists_one(s, s.size() > 3)",
    "disk.symlinks.filter(s, s != '').size() == 1",
    "disk.symlinks.map(s, size(s))[0] == 1",
    "disk.symlinks.map(s, s != '', s.size()) == [1]",
    "has(disk.size) && has(disk.symlinks)",
    "disk.rotational ? disk.size > TB : disk.size > GB",
    "true ? (false ? true : false) : true",
    "disk != null",
    "dyn(disk).foo == 1",
    "{'a': 1, 'b': 'x'}.a == 1",
    "{1: 2}[1] == 2 && 1 in {1: 2}",
    "type(disk.size) == uint",
    "disk.model == '''a\nb''' || disk.model == \"\\u0041\\x41\\101\"",
    "br'\\d' == b'\\xff'",
    "-9223372036854775808 < 0 && - 5 == --(-5)",
    "[,] == [] && {,} == {}",
    "disk.`size` > 1u // with a comment",
    "timestamp(0).getFullYear('UTC') == 1970",
    "timestamp('2020-01-01T00:00:00Z') - timestamp(0) > duration('1s')",
    // Behind a macro, nodes compare numbers of different types.
    "disk.symlinks.exists(s, true) && disk.size > 100",
    "disk.symlinks.exists(s, s.size() > 1u)",
    // The node's own types by their full names.
    "google.protobuf.Duration{seconds: 1} == duration('1s')",
  ],
  volume: [
    "volume.label == 'EPHEMERAL'",
    'volume.partition_label == "MY-DATA"',
    "volume.name == 'ext4' && volume.size > 1000u * TB",
    "volume.name == 'xfs' && disk.serial == 'SERIAL123'",
    "volume.partition_index == 1u && volume.offset + volume.probed_size > MiB",
  ],
  link: [
    'link.driver == "e1000"',
    'mac(link.hardware_addr) == "00:1a:2b:3c:4d:5e"',
    'glob("00:1a:2b:*", mac(link.permanent_addr))',
    '"enx728c41bfd443" in link.alt_names',
    "link.type == 1 && link.mtu > 1500u && link.speed_megabits >= 1000",
    "link.vlan.vid == 5u && link.bridge_master.stp.enabled",
    "link.wireguard.peers.exists(p, p.allowed_ips.all(n, n.prefix_length > 24))",
    "link.bond_master.arpip_targets[0].ip == b'abcd'",
  ],
  "oom-trigger": [
    "memory_full_avg10 > 75.0 && time_since_trigger > duration('10s')",
    `(multiply_qos_vectors(d_qos_memory_full_total, {System: 8.0, Podruntime: 4.0}) > 3000.0 &&
     multiply_qos_vectors(qos_memory_full_avg10, {System: 1.0, Podruntime: 1.0}) > 5.0 &&
     time_since_trigger > duration("5s")) ||
    (memory_full_avg10 > 75.0 && time_since_trigger > duration("10s"))`,
    "multiply_qos_vectors({}, {System: 2.0}) > 1.0",
    "qos_memory_current[System] > double(GiB)",
    "qos_memory_current[?System].orValue(0.0) > 1.0",
    "qos_memory_max.?System.hasValue()",
    "[?optional.of(1), 2].size() == 2 && {?1: optional.none()} == {}",
    "optional.unwrap([optional.of(true)])[0]",
    "d_memory_some_total >= .5 || time_since_trigger.getSeconds() > 5",
    "time_since_trigger > google.protobuf.Duration{seconds: 10}",
  ],
  "oom-ranking": [
    "1.0",
    `memory_max.hasValue() ? 0.0 :
    {Besteffort: 1.0, Burstable: 0.5, Guaranteed: 0.0, Podruntime: 0.0, System: 0.0}[class] *
       double(memory_current.orValue(0u))`,
    "path.startsWith('/kubepods') ? 1.0 : 0.0",
    "memory_max.optMap(m, double(m)).orValue(0.0)",
    "memory_max.optFlatMap(m, memory_peak).or(memory_current).value() > 5u ? 1e3 : -2.5",
    "class == System ? 0.0 : class == Podruntime ? 1.0 : 2.0",
  ],
};
