/** DHCP (RFC 2131, RFC 2132): replies to requests of known machines. */

import { addressBytes, formatAddress } from "../../../lib/ip.ts";
import { type Lease, leaseSeconds } from "./lease.ts";

const fixedSize = 236;
const cookie = [99, 130, 83, 99];
const bootRequest = 1;
const bootReply = 2;

/** Message types (RFC 2132, section 9.6). */
const messageType = {
  discover: 1,
  offer: 2,
  request: 3,
  ack: 5,
  nak: 6,
  inform: 8,
};

const option = {
  mask: 1,
  router: 3,
  nameservers: 6,
  hostname: 12,
  mtu: 26,
  broadcast: 28,
  requestedAddress: 50,
  leaseTime: 51,
  messageType: 53,
  server: 54,
  wanted: 55,
  tftpServer: 66,
  bootFile: 67,
  userClass: 77,
  end: 255,
};

/**
 * Builds the reply to a packet.
 *
 * @param packet Received packet.
 * @param server Address of this server.
 * @param leases Leases of the machines.
 * @returns The reply; `undefined` for unknown machines and packets that need no reply.
 */
export function replyTo(
  packet: Uint8Array,
  server: string,
  leases: readonly Lease[],
): Uint8Array<ArrayBuffer> | undefined {
  const options = parseOptions(packet);
  if (options === undefined || packet[0] !== bootRequest) return undefined;
  const mac = formatMac(packet.subarray(28, 34));
  const lease = leases.find((one) => one.mac === mac);
  if (lease?.ipv4 === undefined) return undefined;
  const type = replyType(options, lease.ipv4.address, server);
  if (type === undefined) return undefined;
  const given = type === messageType.nak
    ? []
    : optionsFor(lease, options, server);
  return encode(packet, {
    yours: type === messageType.nak ? "0.0.0.0" : lease.ipv4.address,
    server: chooseBoot(lease, options)?.server ?? server,
    file: chooseBoot(lease, options)?.file ?? "",
  }, [
    [option.messageType, [type]],
    [option.server, parseAddress(server)],
    ...given,
  ]);
}

/** Formats a MAC address. */
export function formatMac(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0"))
    .join(":");
}

type Dhcp4Options = ReadonlyMap<number, Uint8Array>;

function parseOptions(packet: Uint8Array): Dhcp4Options | undefined {
  const head = packet.subarray(fixedSize, fixedSize + 4);
  if (cookie.some((byte, at) => head[at] !== byte)) return undefined;
  const options = new Map<number, Uint8Array>();
  let at = fixedSize + 4;
  while (at < packet.length) {
    const code = packet[at++] ?? option.end;
    if (code === option.end) break;
    if (code === 0) continue;
    const size = packet[at++] ?? 0;
    options.set(code, packet.subarray(at, at + size));
    at += size;
  }
  return options;
}

function replyType(
  options: Dhcp4Options,
  offered: string,
  server: string,
): number | undefined {
  switch (options.get(option.messageType)?.[0]) {
    case messageType.discover:
      return messageType.offer;
    case messageType.inform:
      return messageType.ack;
    case messageType.request: {
      // The machine has chosen another server.
      const chosen = options.get(option.server);
      if (chosen !== undefined && formatAddress(chosen) !== server) {
        return undefined;
      }
      const wanted = options.get(option.requestedAddress);
      return wanted === undefined || formatAddress(wanted) === offered
        ? messageType.ack
        : messageType.nak;
    }
    default:
      return undefined;
  }
}

function optionsFor(
  lease: Lease,
  options: Dhcp4Options,
  server: string,
): [number, number[]][] {
  const { ipv4, hostname, mtu } = lease;
  if (ipv4 === undefined) return [];
  const wanted = options.get(option.wanted);
  const asked = (code: number) => wanted?.includes(code) ?? false;
  const boot = chooseBoot(lease, options);
  const given: [number, number[]][] = [
    [option.mask, mask(ipv4.prefix)],
    [option.router, parseAddress(ipv4.gateway)],
    [option.leaseTime, [
      leaseSeconds >>> 24,
      leaseSeconds >>> 16 & 255,
      leaseSeconds >>> 8 & 255,
      leaseSeconds & 255,
    ]],
  ];
  if (asked(option.nameservers) && ipv4.nameservers.length > 0) {
    given.push([option.nameservers, ipv4.nameservers.flatMap(parseAddress)]);
  }
  if (asked(option.hostname) && hostname !== undefined) {
    given.push([option.hostname, ascii(hostname)]);
  }
  if (asked(option.mtu)) given.push([option.mtu, [mtu >>> 8, mtu & 255]]);
  if (boot !== undefined) {
    given.push([option.tftpServer, ascii(boot.server ?? server)]);
    given.push([option.bootFile, ascii(boot.file)]);
  }
  return given;
}

/** iPXE identifies itself and loads the script; any other firmware loads iPXE. */
function chooseBoot({ boot }: Lease, options: Dhcp4Options) {
  const isAsked = options.get(option.wanted)?.includes(option.bootFile);
  if (boot === undefined || !isAsked) return undefined;
  const client = options.get(option.userClass) ?? new Uint8Array();
  const isScripted = new TextDecoder().decode(client).includes("iPXE");
  return { server: boot.server, file: isScripted ? boot.script : boot.file };
}

function encode(
  request: Uint8Array,
  { yours, server, file }: {
    readonly yours: string;
    readonly server: string;
    readonly file: string;
  },
  options: readonly (readonly [number, readonly number[]])[],
): Uint8Array<ArrayBuffer> {
  const head = new Uint8Array(fixedSize);
  // Hardware type and size, transaction, flags, relay, MAC address.
  head.set(request.subarray(1, 3), 1);
  head.set(request.subarray(4, 8), 4);
  head.set(request.subarray(10, 16), 10);
  head.set(request.subarray(24, 44), 24);
  head[0] = bootReply;
  head.set(parseAddress(yours), 16);
  head.set(parseAddress(server), 20);
  head.set(ascii(file).slice(0, 127), 108);
  const body = options.flatMap((
    [code, value],
  ) => [code, value.length, ...value]);
  const packet = [...head, ...cookie, ...body, option.end];
  // Some clients drop packets shorter than the BOOTP minimum.
  return Uint8Array.from(
    { length: Math.max(300, packet.length) },
    (_, at) => packet[at] ?? 0,
  );
}

function parseAddress(address: string): number[] {
  return [...addressBytes(address) ?? []];
}

function ascii(text: string): number[] {
  return [...new TextEncoder().encode(text)];
}

function mask(prefix: number): number[] {
  const bits = prefix === 0 ? 0 : (-1 << (32 - prefix)) >>> 0;
  return [24, 16, 8, 0].map((shift) => bits >>> shift & 255);
}
