/** Images a fake node lists. */

/**
 * Answers `ImageList`.
 *
 * @param digests Digest by name in full.
 */
export function imageList(digests: Readonly<Record<string, string>>) {
  return async function* () {
    for (const [name, digest] of Object.entries(digests)) {
      const createdAt = { seconds: 1_767_323_045n, nanos: 250_000_000 };
      const size = 12_345_678n;
      yield await Promise.resolve({ name, digest, size, createdAt });
    }
  };
}
