/** Writes all bytes: one system call may write fewer than requested. */

/**
 * Writes bytes at the end of a file, or at its cursor.
 *
 * @param file An open file, or another writer of the runtime.
 * @throws System errors as the runtime reports them: see `unwritable`.
 */
export async function writeAll(
  file: Pick<Deno.FsFile, "write">,
  bytes: Uint8Array,
): Promise<void> {
  let rest = bytes;
  while (rest.length > 0) rest = rest.subarray(await file.write(rest));
}
