/** SHA-256 of bytes, or of a text in UTF-8. Returns 64 hexadecimal digits. */
export async function sha256Hex(data: string | Uint8Array): Promise<string> {
  const bytes = typeof data === "string"
    ? new TextEncoder().encode(data)
    // A view of memory that may be shared cannot be digested.
    : new Uint8Array(data);
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}
