/** Whether something is at a path. */

/** Tells whether something is at a path; also true when it may not be read. */
export async function exists(path: string): Promise<boolean> {
  try {
    await Deno.stat(path);
    return true;
  } catch (error) {
    return !(error instanceof Deno.errors.NotFound);
  }
}
