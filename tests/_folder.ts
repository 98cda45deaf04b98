/** Temporary folders with the files a test needs. */

/**
 * Makes a folder, and removes it afterwards.
 *
 * @param files Text by path in the folder; a path that ends in a slash is an empty folder.
 * @param test Gets the folder's path, without a slash at its end.
 */
export async function withFolder(
  files: Readonly<Record<string, string>>,
  test: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    for (const [path, text] of Object.entries(files)) {
      const parent = path.slice(0, path.lastIndexOf("/") + 1);
      await Deno.mkdir(`${folder}/${parent}`, { recursive: true });
      if (path !== parent) await Deno.writeTextFile(`${folder}/${path}`, text);
    }
    await test(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
