/** The bytes HTTP/2 runs on, whoever carries them. */

/** A connection after its TLS handshake. One read and one write may be under way at once. */
export interface ByteStream {
  /** Reads what has arrived, waiting for the first byte. Returns how many bytes; `null` at the end. */
  read(into: Uint8Array): Promise<number | null>;
  /** Writes the first bytes. Returns how many of them. */
  write(bytes: Uint8Array): Promise<number>;
  /** Closes both directions; a read under way ends. */
  close(): void;
}
