/** Writing every byte: the system may take fewer at once than it is given. */

/**
 * Writes bytes to the end of a file, or where its cursor is.
 *
 * @param file An open file, or another writer of the runtime.
 * @throws What the system refuses, as the runtime says it: see `unwritable`.
 */
export async function writeAll(
  file: Pick<Deno.FsFile, "write">,
  bytes: Uint8Array,
): Promise<void> {
  let rest = bytes;
  while (rest.length > 0) rest = rest.subarray(await file.write(rest));
}
