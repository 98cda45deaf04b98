/** Byte stream below HTTP/2. */

/** A connection after its TLS handshake. One read and one write may be pending at the same time. */
export interface ByteStream {
  /** Reads available bytes, waiting for the first. Returns their number; `null` at the end. */
  read(into: Uint8Array): Promise<number | null>;
  /** Writes some of the bytes, from the start. Returns their number. */
  write(bytes: Uint8Array): Promise<number>;
  /** Closes both directions; a pending read ends. */
  close(): void;
}
