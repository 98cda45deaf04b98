/** CRC-32C (Castagnoli, RFC 3720 appendix B.4), the checksum in etcd snapshots. */

const polynomial = 0x82f63b78;

/** Eight tables of 256 words: the contribution of a byte followed by up to seven others. */
const table = new DataView(new ArrayBuffer(8 * 256 * 4));

for (let byte = 0; byte < 256; byte++) {
  let word = byte;
  for (let bit = 0; bit < 8; bit++) {
    word = (word >>> 1) ^ (word & 1 ? polynomial : 0);
  }
  table.setInt32(4 * byte, word, true);
}
for (let entry = 256; entry < 8 * 256; entry++) {
  const before = entryAt(entry - 256);
  const word = (before >>> 8) ^ entryAt(before & 0xff);
  table.setInt32(4 * entry, word, true);
}

/**
 * Updates a checksum.
 *
 * @param bytes The bytes.
 * @param before Checksum of all preceding bytes.
 * @returns Checksum, 32 bits, unsigned.
 */
export function crc32c(bytes: Uint8Array, before = 0): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let crc = ~before;
  let at = 0;
  for (; at + 8 <= bytes.length; at += 8) {
    const low = crc ^ view.getInt32(at, true);
    const high = view.getInt32(at + 4, true);
    crc = entryAt(0x700 | (low & 0xff)) ^
      entryAt(0x600 | ((low >>> 8) & 0xff)) ^
      entryAt(0x500 | ((low >>> 16) & 0xff)) ^
      entryAt(0x400 | (low >>> 24)) ^
      entryAt(0x300 | (high & 0xff)) ^
      entryAt(0x200 | ((high >>> 8) & 0xff)) ^
      entryAt(0x100 | ((high >>> 16) & 0xff)) ^
      entryAt(high >>> 24);
  }
  for (; at < bytes.length; at++) {
    crc = (crc >>> 8) ^ entryAt((crc ^ view.getUint8(at)) & 0xff);
  }
  return ~crc >>> 0;
}

function entryAt(entry: number): number {
  return table.getInt32(4 * entry, true);
}
