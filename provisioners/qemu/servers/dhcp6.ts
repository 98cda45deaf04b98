/** DHCPv6 (RFC 8415): replies to requests of known machines. */

import { addressBytes } from "../../../lib/ip.ts";
import { formatMac } from "./dhcp4.ts";
import { type Lease, leaseSeconds } from "./lease.ts";

/** Message types (RFC 8415, section 7.3). */
const messageType = {
  solicit: 1,
  advertise: 2,
  request: 3,
  confirm: 4,
  renew: 5,
  rebind: 6,
  reply: 7,
  release: 8,
  information: 11,
};

const option = {
  client: 1,
  server: 2,
  addresses: 3,
  address: 5,
  rapidCommit: 14,
  nameservers: 23,
  hostname: 39,
};

/**
 * Builds the reply to a packet.
 *
 * @param packet Received packet.
 * @param serverMac MAC address of this server.
 * @param leases Leases of the machines.
 * @param sender Link-local address of the machine, used if its DUID does not contain the MAC address.
 * @returns The reply; `undefined` for unknown machines and packets that need no reply.
 */
export function replyTo6(
  packet: Uint8Array,
  serverMac: string,
  leases: readonly Lease[],
  sender: string,
): Uint8Array<ArrayBuffer> | undefined {
  const options = parseOptions(packet.subarray(4));
  const client = options.get(option.client);
  if (client === undefined) return undefined;
  const known = [macInIdentifier(client), macInAddress(sender)];
  const lease = leases.find(({ mac }) => known.includes(mac));
  const type = replyType(packet[0], options);
  if (lease?.ipv6 === undefined || type === undefined) return undefined;
  const { address, nameservers } = lease.ipv6;
  const server = [
    0,
    3,
    0,
    1,
    ...serverMac.split(":").map((hex) => parseInt(hex, 16)),
  ];
  // The machine has chosen another server.
  const chosen = options.get(option.server);
  if (chosen !== undefined && chosen.join() !== server.join()) return undefined;
  const parts = [
    field(option.client, [...client]),
    field(option.server, server),
  ];
  const asked = options.get(option.addresses);
  if (asked !== undefined) {
    const lifetime = number32(leaseSeconds);
    const leased = field(option.address, [
      ...addressBytes(address) ?? [],
      ...lifetime,
      ...lifetime,
    ]);
    const times = [
      ...number32(leaseSeconds / 2),
      ...number32(leaseSeconds * 0.8),
    ];
    parts.push(
      field(option.addresses, [...asked.subarray(0, 4), ...times, ...leased]),
    );
  }
  if (nameservers.length > 0) {
    parts.push(
      field(
        option.nameservers,
        nameservers.flatMap((one) => addressBytes(one) ?? []),
      ),
    );
  }
  if (lease.hostname !== undefined) {
    const name = [...new TextEncoder().encode(lease.hostname)];
    parts.push(field(option.hostname, [0, name.length, ...name]));
  }
  if (options.has(option.rapidCommit) && type === messageType.reply) {
    parts.push(field(option.rapidCommit, []));
  }
  return Uint8Array.from([type, ...packet.subarray(1, 4), ...parts.flat()]);
}

type Dhcp6Options = ReadonlyMap<number, Uint8Array>;

function parseOptions(bytes: Uint8Array): Dhcp6Options {
  const options = new Map<number, Uint8Array>();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; at + 4 <= bytes.length;) {
    const size = view.getUint16(at + 2);
    options.set(view.getUint16(at), bytes.subarray(at + 4, at + 4 + size));
    at += 4 + size;
  }
  return options;
}

function replyType(type: number | undefined, options: Dhcp6Options) {
  switch (type) {
    case messageType.solicit:
      return options.has(option.rapidCommit)
        ? messageType.reply
        : messageType.advertise;
    case messageType.request:
    case messageType.confirm:
    case messageType.renew:
    case messageType.rebind:
    case messageType.release:
    case messageType.information:
      return messageType.reply;
    default:
      return undefined;
  }
}

/** DUID-LLT and DUID-LL end with the MAC address (RFC 8415, sections 11.2 and 11.4). */
function macInIdentifier(identifier: Uint8Array): string | undefined {
  const [, kind, high, type] = identifier;
  if (high !== 0 || type !== 1) return undefined;
  if (kind === 1) return formatMac(identifier.subarray(8, 14));
  return kind === 3 ? formatMac(identifier.subarray(4, 10)) : undefined;
}

/** Link-local addresses are derived from the MAC address, unless privacy extensions are used (RFC 4291, appendix A). */
function macInAddress(address: string): string | undefined {
  const [text = ""] = address.split("%");
  if (!text.startsWith("fe80:")) return undefined;
  const bytes = addressBytes(text)?.slice(8) ?? [];
  const [first = 0, b = 0, c = 0, ff, fe, d = 0, e = 0, f = 0] = bytes;
  if (ff !== 0xff || fe !== 0xfe) return undefined;
  return formatMac(Uint8Array.of(first ^ 2, b, c, d, e, f));
}

function field(code: number, value: readonly number[]): number[] {
  return [
    code >>> 8,
    code & 255,
    value.length >>> 8,
    value.length & 255,
    ...value,
  ];
}

function number32(value: number): number[] {
  return [24, 16, 8, 0].map((shift) => value >>> shift & 255);
}
