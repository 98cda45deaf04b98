/** Where random bytes come from. */

/** Source of random bytes: given how many, returns them. */
export type RandomBytes = (length: number) => Uint8Array;

/** Random bytes of the platform. */
export function platformBytes(length: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(length));
}
