/** Packets as text: addresses, ports, flags and lengths. */

import { formatAddress } from "../../lib/ip.ts";
import type { LinkType, Packet } from "./pcap_file.ts";

class Truncated extends Error {}

/** Reads bytes with bounds checks. */
interface PacketReader {
  readonly bytes: Uint8Array;
  readonly view: DataView;
}

/**
 * Describes a packet.
 *
 * @returns One line such as `03:04:05.000001 IP 10.0.0.2.443 > 10.0.0.3.40123: TCP [SYN ACK] seq 1 ack 2 win 65535
 * length 0`; a truncated or unknown packet is described as far as possible.
 */
export function packetLine(
  { timeUs, bytes, length }: Packet,
  linkType: LinkType,
): string {
  const time = `${
    new Date(Math.floor(timeUs / 1000)).toISOString().slice(11, 23)
  }${String(timeUs % 1000).padStart(3, "0")}`;
  const cut = bytes.length < length
    ? ` (${bytes.length} of ${length} bytes captured)`
    : "";
  return `${time} ${describePacket(bytes, linkType)}${cut}`;
}

function describePacket(bytes: Uint8Array, linkType: LinkType): string {
  try {
    const reader = openReader(bytes);
    return linkType === "ethernet" ? frame(reader) : internet(reader);
  } catch (error) {
    if (!(error instanceof Truncated)) throw error;
    return `[truncated, ${bytes.length} bytes]`;
  }
}

function openReader(bytes: Uint8Array): PacketReader {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { bytes, view };
}

function u8({ bytes }: PacketReader, at: number): number {
  const value = bytes[at];
  if (value === undefined) throw new Truncated();
  return value;
}

function u16({ bytes, view }: PacketReader, at: number): number {
  if (at + 2 > bytes.length) throw new Truncated();
  return view.getUint16(at);
}

function u32({ bytes, view }: PacketReader, at: number): number {
  if (at + 4 > bytes.length) throw new Truncated();
  return view.getUint32(at);
}

function part(
  { bytes }: PacketReader,
  at: number,
  end = bytes.length,
): PacketReader {
  if (at > bytes.length) throw new Truncated();
  return openReader(bytes.subarray(at, Math.max(at, end)));
}

function frame(reader: PacketReader): string {
  let at = 12;
  let type = u16(reader, at);
  let tags = "";
  // Up to two VLAN tags.
  while (type === 0x8100 || type === 0x88a8) {
    tags += `vlan ${u16(reader, at + 2) & 0xfff} `;
    at += 4;
    type = u16(reader, at);
  }
  const body = part(reader, at + 2);
  if (type === 0x0800 || type === 0x86dd) return tags + internet(body);
  if (type === 0x0806) return tags + arp(body);
  const [to, from] = [mac(reader, 0), mac(reader, 6)];
  return type < 0x600
    ? `${tags}${from} > ${to}: 802.3 length ${type}`
    : `${tags}${from} > ${to}: ethertype 0x${
      type.toString(16).padStart(4, "0")
    } length ${body.bytes.length}`;
}

function internet(reader: PacketReader): string {
  const version = u8(reader, 0) >> 4;
  if (version === 4) return ipv4(reader);
  if (version === 6) return ipv6(reader);
  return `IP version ${version}`;
}

function ipv4(reader: PacketReader): string {
  const start = (u8(reader, 0) & 15) * 4;
  const total = u16(reader, 2);
  const fragment = u16(reader, 6);
  const protocol = u8(reader, 9);
  const [from, to] = [addressAt(reader, 12, 4), addressAt(reader, 16, 4)];
  // Packets of segmentation offload have no length.
  const body = part(reader, start, total === 0 ? undefined : total);
  const length = (total === 0 ? reader.bytes.length : total) - start;
  const offset = (fragment & 0x1fff) * 8;
  if (offset > 0) {
    return `IP ${from} > ${to}: fragment at ${offset} length ${length}`;
  }
  const more = (fragment & 0x2000) !== 0 ? " (first fragment)" : "";
  return `IP ${transport(body, { protocol, from, to, length })}${more}`;
}

const extensions: ReadonlySet<number> = new Set([0, 43, 60]);

function ipv6(reader: PacketReader): string {
  const total = u16(reader, 4);
  let protocol = u8(reader, 6);
  const [from, to] = [addressAt(reader, 8, 16), addressAt(reader, 24, 16)];
  let at = 40;
  while (extensions.has(protocol)) {
    const size = (u8(reader, at + 1) + 1) * 8;
    protocol = u8(reader, at);
    at += size;
  }
  if (protocol === 44) {
    const offset = u16(reader, at + 2) & 0xfff8;
    const length = total - (at + 8 - 40);
    if (offset > 0) {
      return `IP6 ${from} > ${to}: fragment at ${offset} length ${length}`;
    }
    protocol = u8(reader, at);
    at += 8;
  }
  const end = total === 0 ? undefined : 40 + total;
  const length = (end ?? reader.bytes.length) - at;
  const body = part(reader, at, end);
  return `IP6 ${transport(body, { protocol, from, to, length })}`;
}

interface Internet {
  readonly protocol: number;
  readonly from: string;
  readonly to: string;
  /** Bytes after the IP header, captured or not. */
  readonly length: number;
}

function transport(reader: PacketReader, ip: Internet): string {
  const { protocol, from, to, length } = ip;
  try {
    switch (protocol) {
      case 6:
        return tcp(reader, ip);
      case 17:
        return udp(reader, ip);
      case 1:
        return `${from} > ${to}: ICMP ${icmp(reader)} length ${length}`;
      case 58:
        return `${from} > ${to}: ICMP6 ${icmp6(reader)} length ${length}`;
    }
  } catch (error) {
    if (!(error instanceof Truncated)) throw error;
    return `${from} > ${to}: protocol ${protocol} [truncated]`;
  }
  const name = protocols[protocol] ?? `protocol ${protocol}`;
  return `${from} > ${to}: ${name} length ${length}`;
}

const protocols: Readonly<Record<number, string>> = {
  2: "IGMP",
  4: "IPIP",
  41: "IPv6",
  47: "GRE",
  50: "ESP",
  51: "AH",
  89: "OSPF",
  112: "VRRP",
  132: "SCTP",
};

const flagNames = ["FIN", "SYN", "RST", "PSH", "ACK", "URG", "ECE", "CWR"];

function tcp(reader: PacketReader, { from, to, length }: Internet): string {
  const ports = [u16(reader, 0), u16(reader, 2)];
  const [sequence, acknowledged] = [u32(reader, 4), u32(reader, 8)];
  const start = (u8(reader, 12) >> 4) * 4;
  const bits = u8(reader, 13);
  const flags = flagNames.filter((_, bit) => (bits & 1 << bit) !== 0);
  const window = u16(reader, 14);
  const ack = (bits & 16) === 0 ? "" : ` ack ${acknowledged}`;
  return `${from}.${ports[0]} > ${to}.${ports[1]}: TCP [${
    flags.join(" ")
  }] seq ${sequence}${ack} win ${window} length ${Math.max(0, length - start)}`;
}

function udp(reader: PacketReader, { from, to }: Internet): string {
  const [source = 0, target = 0] = [u16(reader, 0), u16(reader, 2)];
  const length = Math.max(0, u16(reader, 4) - 8);
  const line = `${from}.${source} > ${to}.${target}: UDP`;
  const isDns = [53, 5353].some((port) => port === source || port === target);
  const text = isDns ? dnsText(part(reader, 8).bytes) : undefined;
  return `${line}${text === undefined ? "" : ` DNS ${text}`} length ${length}`;
}

const icmpTypes: Readonly<Record<number, string>> = {
  0: "echo reply",
  3: "unreachable",
  4: "source quench",
  5: "redirect",
  8: "echo request",
  11: "time exceeded",
  12: "parameter problem",
};

const unreachable = [
  "network unreachable",
  "host unreachable",
  "protocol unreachable",
  "port unreachable",
  "fragmentation needed",
];

function icmp(reader: PacketReader): string {
  const [type, code] = [u8(reader, 0), u8(reader, 1)];
  if (type === 3) return unreachable[code] ?? `unreachable, code ${code}`;
  const name = icmpTypes[type] ?? `type ${type} code ${code}`;
  return type === 0 || type === 8 ? name + echo(reader) : name;
}

const icmp6Types: Readonly<Record<number, string>> = {
  1: "unreachable",
  2: "packet too big",
  3: "time exceeded",
  4: "parameter problem",
  128: "echo request",
  129: "echo reply",
  133: "router solicitation",
  134: "router advertisement",
  135: "neighbor solicitation",
  136: "neighbor advertisement",
  137: "redirect",
};

function icmp6(reader: PacketReader): string {
  const [type, code] = [u8(reader, 0), u8(reader, 1)];
  const name = icmp6Types[type] ?? `type ${type} code ${code}`;
  if (type === 128 || type === 129) return name + echo(reader);
  return type === 135 || type === 136
    ? `${name} of ${addressAt(reader, 8, 16)}`
    : name;
}

function echo(reader: PacketReader): string {
  return ` id ${u16(reader, 4)} seq ${u16(reader, 6)}`;
}

function arp(reader: PacketReader): string {
  const operation = u16(reader, 6);
  const [sender, target] = [addressAt(reader, 14, 4), addressAt(reader, 24, 4)];
  if (operation === 1) return `ARP who has ${target}? tell ${sender}`;
  if (operation === 2) return `ARP ${sender} is at ${mac(reader, 8)}`;
  return `ARP operation ${operation}`;
}

function mac(reader: PacketReader, at: number): string {
  return Array.from(
    { length: 6 },
    (_, index) => u8(reader, at + index).toString(16).padStart(2, "0"),
  ).join(":");
}

function addressAt(reader: PacketReader, at: number, length: 4 | 16): string {
  const bytes = Array.from({ length }, (_, index) => u8(reader, at + index));
  return formatAddress(bytes) ?? "";
}

const types: Readonly<Record<number, string>> = {
  1: "A",
  2: "NS",
  5: "CNAME",
  6: "SOA",
  12: "PTR",
  15: "MX",
  16: "TXT",
  28: "AAAA",
  33: "SRV",
  41: "OPT",
  65: "HTTPS",
  255: "ANY",
};

const outcomes = ["", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED"];

/**
 * Describes a DNS message.
 *
 * @returns Text such as `query 4711 A? example.com` or `answer 4711 A
 * example.com: 3 records`; `undefined` if it is not DNS.
 */
export function dnsText(bytes: Uint8Array): string | undefined {
  if (bytes.length < 12) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [id, flags, questions, answers] = [0, 2, 4, 6].map((at) =>
    view.getUint16(at)
  ) as [number, number, number, number];
  const isAnswer = (flags & 0x8000) !== 0;
  const question = questions === 0 ? undefined : questionIn(bytes, view);
  const [kind, name] = question ?? ["", ""];
  if (!isAnswer) return `query ${id} ${kind}? ${name}`.trimEnd();
  const code = flags & 15;
  const outcome = code === 0
    ? `${answers} ${answers === 1 ? "record" : "records"}`
    : outcomes[code] ?? `code ${code}`;
  return question === undefined
    ? `answer ${id}: ${outcome}`
    : `answer ${id} ${kind} ${name}: ${outcome}`;
}

function questionIn(
  bytes: Uint8Array,
  view: DataView,
): readonly [type: string, name: string] | undefined {
  const labels: string[] = [];
  let at = 12;
  for (;;) {
    const size = bytes[at];
    // Questions come first, so they cannot contain compression pointers.
    if (size === undefined || size > 63) return undefined;
    at++;
    if (size === 0) break;
    const label = new TextDecoder().decode(bytes.subarray(at, at + size));
    labels.push(label.replace(/[^\x21-\x7e]/g, "?"));
    at += size;
  }
  if (at + 4 > bytes.length) return undefined;
  const type = view.getUint16(at);
  return [types[type] ?? `TYPE${type}`, labels.join(".") || "."];
}
