/** Packets on the wired link of a node: Ethernet frames with valid checksums. */

import { hardwareAddress } from "./contents/network.ts";
import type { SimulatedNode } from "../state/node.ts";

/** Time between two packets, in milliseconds. */
export const packetPauseMs = 50;

/**
 * Returns the packets of one round on a link, in order.
 *
 * Traffic with the gateway and other nodes: ARP, ping, a DNS lookup, a complete TCP connection to the
 * Kubernetes API, and one to the node API.
 *
 * @param round Counts from 0; numbers of packets depend on it.
 */
export function packetRound(
  node: SimulatedNode,
  round: number,
): readonly Uint8Array[] {
  const own = toLinkEnd(hardwareAddress(node), node.identity.address);
  const other = node.cluster.nodes.find((one) => one !== node);
  const peer = other === undefined
    ? toLinkEnd("52:54:00:00:00:01", gateway)
    : toLinkEnd(hardwareAddress(other), other.identity.address);
  const router = toLinkEnd("52:54:00:00:00:01", gateway);
  const port = 40_000 + round % 20_000;
  const id = round & 0xffff;
  const sequence = 1_000_000 + round * 1000;
  const segment = (
    from: LinkEnd,
    to: LinkEnd,
    { ports, flags, seq, ack, text = "" }: {
      readonly ports: readonly [number, number];
      readonly flags: number;
      readonly seq: number;
      readonly ack: number;
      readonly text?: string;
    },
  ) => ip(from, to, 6, tcp({ ports, flags, seq, ack, data: parseBytes(text) }));
  const out = [port, 6443] as const;
  const back = [6443, port] as const;
  const api = [port, 50_000] as const;
  return [
    arp(own, peer, 1),
    arp(peer, own, 2),
    ip(own, router, 1, echo(8, id)),
    ip(router, own, 1, echo(0, id)),
    ip(own, router, 17, udp([port, 53], query(id))),
    ip(router, own, 17, udp([53, port], reply(id))),
    segment(own, peer, { ports: out, flags: syn, seq: sequence, ack: 0 }),
    segment(peer, own, {
      ports: back,
      flags: syn | ack,
      seq: 7000,
      ack: sequence + 1,
    }),
    segment(own, peer, {
      ports: out,
      flags: push | ack,
      seq: sequence + 1,
      ack: 7001,
      text: "GET /healthz HTTP/1.1\r\n\r\n",
    }),
    segment(peer, own, {
      ports: back,
      flags: fin | ack,
      seq: 7001,
      ack: sequence + 26,
    }),
    segment(peer, own, {
      ports: api,
      flags: push | ack,
      seq: sequence,
      ack: 9000,
      text: "over the node API",
    }),
    neighborSolicitation(own),
  ];
}

/** Gateway and name server if the node's own address is not IPv4. */
const gateway = "10.5.0.1";

const [fin, syn, push, ack] = [1, 2, 8, 16];

interface LinkEnd {
  readonly mac: readonly number[];
  readonly ip: readonly number[];
}

function toLinkEnd(mac: string, address: string): LinkEnd {
  // Nodes with an IPv6 address use IPv4 on this link too.
  const ip = address.includes(":") ? gateway : address;
  return {
    mac: mac.split(":").map((part) => parseInt(part, 16)),
    ip: ip.split(".").map(Number),
  };
}

function parseBytes(text: string): readonly number[] {
  return [...new TextEncoder().encode(text)];
}

function two(value: number): readonly number[] {
  return [value >> 8 & 0xff, value & 0xff];
}

function four(value: number): readonly number[] {
  return [...two(value >>> 16), ...two(value)];
}

function frame(
  to: readonly number[],
  from: LinkEnd,
  type: number,
  body: readonly number[],
): Uint8Array {
  return Uint8Array.from([...to, ...from.mac, ...two(type), ...body]);
}

function arp(from: LinkEnd, to: LinkEnd, operation: 1 | 2): Uint8Array {
  const target = operation === 1 ? [0, 0, 0, 0, 0, 0] : to.mac;
  const everybody = [255, 255, 255, 255, 255, 255];
  return frame(operation === 1 ? everybody : to.mac, from, 0x0806, [
    ...[0, 1, 8, 0, 6, 4, 0, operation],
    ...[...from.mac, ...from.ip, ...target, ...to.ip],
  ]);
}

function ip(
  from: LinkEnd,
  to: LinkEnd,
  protocol: number,
  body: readonly number[],
): Uint8Array {
  const header = [
    ...[0x45, 0, ...two(20 + body.length), 0, 1, 0x40, 0, 64, protocol],
    ...[0, 0, ...from.ip, ...to.ip],
  ];
  const checked = withChecksum(header, 10, []);
  const pseudo = [...from.ip, ...to.ip, 0, protocol, ...two(body.length)];
  const at = protocol === 6 ? 16 : protocol === 17 ? 6 : 2;
  const summed = withChecksum(body, at, protocol === 1 ? [] : pseudo);
  return frame(to.mac, from, 0x0800, [...checked, ...summed]);
}

function echo(type: 0 | 8, sequence: number): readonly number[] {
  return [
    type,
    0,
    0,
    0,
    0x12,
    0x34,
    ...two(sequence),
    ...parseBytes("abcdefgh"),
  ];
}

function udp(
  [from, to]: readonly [number, number],
  data: readonly number[],
): readonly number[] {
  return [...two(from), ...two(to), ...two(8 + data.length), 0, 0, ...data];
}

function tcp(
  { ports: [from, to], flags, seq, ack, data }: {
    readonly ports: readonly [number, number];
    readonly flags: number;
    readonly seq: number;
    readonly ack: number;
    readonly data: readonly number[];
  },
): readonly number[] {
  return [
    ...[...two(from), ...two(to), ...four(seq), ...four(ack), 0x50, flags],
    ...[...two(64_240), 0, 0, 0, 0, ...data],
  ];
}

const question = [
  ...[...[8], ...parseBytes("registry"), 3, ...parseBytes("k8s"), 2],
  ...[...parseBytes("io"), 0, 0, 1, 0, 1],
];

function query(id: number): readonly number[] {
  return [...two(id), 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, ...question];
}

function reply(id: number): readonly number[] {
  const record = [0xc0, 12, 0, 1, 0, 1, 0, 0, 1, 44, 0, 4, 34, 96, 108, 209];
  return [
    ...[...two(id), 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0],
    ...[...question, ...record],
  ];
}

function neighborSolicitation(own: LinkEnd): Uint8Array {
  const local = (last: number) => [0xfe, 0x80, ...Array(13).fill(0), last];
  const group = [0xff, 2, ...Array(9).fill(0), 1, 0xff, 0, 0, 1];
  const body = [135, 0, 0, 0, 0, 0, 0, 0, ...local(1), 1, 1, ...own.mac];
  const pseudo = [...local(2), ...group, ...four(body.length), 0, 0, 0, 58];
  return frame([0x33, 0x33, 0xff, 0, 0, 1], own, 0x86dd, [
    ...[0x60, 0, 0, 0, ...two(body.length), 58, 255, ...local(2), ...group],
    ...withChecksum(body, 2, pseudo),
  ]);
}

/** Fills in the Internet checksum (RFC 1071), whose field is zero. */
function withChecksum(
  bytes: readonly number[],
  at: number,
  pseudo: readonly number[],
): readonly number[] {
  const all = [...pseudo, ...bytes];
  let sum = 0;
  for (let i = 0; i < all.length; i += 2) {
    sum += (all[i] ?? 0) << 8 | (all[i + 1] ?? 0);
  }
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return bytes.with(at, ~sum >> 8 & 0xff).with(at + 1, ~sum & 0xff);
}
