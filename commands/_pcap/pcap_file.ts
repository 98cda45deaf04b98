/** Packet captures in the classic pcap format (draft-ietf-opsawg-pcap), split at whole packets. */

import { concatBytes } from "../../lib/bytes.ts";
import { OsctlError } from "../../errors.ts";

/** Link layer of a capture. */
export type LinkType = "ethernet" | "raw";

const linkTypes: Readonly<Record<number, LinkType>> = {
  1: "ethernet",
  12: "raw",
  101: "raw",
};

const headerSize = 24;
const recordSize = 16;

/** Largest accepted packet; tcpdump and libpcap have the same limit. */
const largestPacket = 262_144;

/** Part of a capture that ends with a whole packet. */
export interface CapturePart {
  /** Raw bytes; valid until the next part is read. */
  readonly bytes: Uint8Array;
  readonly packets: number;
  /** True if it begins with the header of the capture. */
  readonly hasHeader: boolean;
}

/**
 * Splits a capture at packet boundaries, so that the output is valid at any time.
 *
 * @param chunks Bytes of the capture, split anywhere.
 * @throws {OsctlError} If it is not a capture, or a packet is larger than 256 KiB.
 */
export async function* wholePackets(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<CapturePart> {
  let rest = new Uint8Array();
  let hasHeader = false;
  for await (const chunk of chunks) {
    const bytes = rest.length === 0 ? chunk : concatBytes([rest, chunk]);
    let end = 0;
    let packets = 0;
    const isFirst = !hasHeader;
    if (isFirst) {
      if (bytes.length < headerSize) {
        rest = bytes.slice();
        continue;
      }
      readFormat(bytes);
      hasHeader = true;
      end = headerSize;
    }
    const view = toView(bytes);
    while (end + recordSize <= bytes.length) {
      const size = view.getUint32(end + 8, true);
      if (size > largestPacket) {
        throw new OsctlError(`The capture has a packet of ${size} bytes`);
      }
      if (end + recordSize + size > bytes.length) break;
      end += recordSize + size;
      packets++;
    }
    if (end > 0) {
      yield { bytes: bytes.subarray(0, end), packets, hasHeader: isFirst };
    }
    rest = bytes.slice(end);
  }
}

/** A captured packet. */
export interface Packet {
  /** Capture time, in microseconds since 1970. */
  readonly timeUs: number;
  /** Captured bytes; may be truncated. */
  readonly bytes: Uint8Array;
  readonly length: number;
}

/** Reads the packets of capture parts; the first part has the header. */
export function packetReader(): (
  part: CapturePart,
) => { readonly linkType: LinkType; readonly packets: Packet[] } {
  let format: { readonly linkType: LinkType; readonly perSecond: number } = {
    linkType: "ethernet",
    perSecond: 1e6,
  };
  return ({ bytes, hasHeader }) => {
    if (hasHeader) format = readFormat(bytes);
    const view = toView(bytes);
    const packets: Packet[] = [];
    let at = hasHeader ? headerSize : 0;
    while (at < bytes.length) {
      const [seconds, fraction, size, length] = [0, 4, 8, 12].map((offset) =>
        view.getUint32(at + offset, true)
      ) as [number, number, number, number];
      const start = at + recordSize;
      packets.push({
        timeUs: seconds * 1e6 + Math.floor(fraction * 1e6 / format.perSecond),
        bytes: bytes.subarray(start, start + size),
        length,
      });
      at = start + size;
    }
    return { linkType: format.linkType, packets };
  };
}

/** A capture without packets. */
export function emptyCapture(linkType: LinkType): Uint8Array<ArrayBuffer> {
  const header = new Uint8Array(headerSize);
  const view = toView(header);
  view.setUint32(0, 0xa1b2c3d4, true);
  view.setUint16(4, 2, true);
  view.setUint16(6, 4, true);
  view.setUint32(16, largestPacket, true);
  view.setUint32(20, linkType === "raw" ? 101 : 1, true);
  return header;
}

function readFormat(
  header: Uint8Array,
): { readonly linkType: LinkType; readonly perSecond: number } {
  const view = toView(header);
  const magic = view.getUint32(0, true);
  const perSecond = magic === 0xa1b2c3d4
    ? 1e6
    : magic === 0xa1b23c4d
    ? 1e9
    : undefined;
  if (perSecond === undefined) {
    throw new OsctlError("The node did not send a packet capture");
  }
  const linkType = linkTypes[view.getUint32(20, true)];
  if (linkType === undefined) {
    throw new OsctlError(
      `Packets of link type ${view.getUint32(20, true)} are not supported`,
    );
  }
  return { linkType, perSecond };
}

function toView({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
