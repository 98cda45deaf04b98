/** Folders of tests. */

/** Runs with an empty folder, which is removed afterwards. */
export async function withFolder<T>(
  use: (path: string) => Promise<T>,
): Promise<T> {
  const path = await Deno.realPath(await Deno.makeTempDir());
  try {
    return await use(path);
  } finally {
    await unlock(path);
    await Deno.remove(path, { recursive: true });
  }
}

/**
 * Contents of a folder: `0644 content`, `0755 folder` or `-> target` by path.
 *
 * @param depth How many levels are checked.
 */
export async function tree(
  root: string,
  depth = Infinity,
): Promise<Record<string, string>> {
  const found: [string, string][] = [];
  // Only root looks into a folder whose owner may not.
  const own = (await Deno.stat(root)).mode ?? 0;
  if ((own & 0o500) !== 0o500) await Deno.chmod(root, 0o700);
  for await (const { name } of Deno.readDir(root)) {
    const path = `${root}/${name}`;
    const { isSymlink, isDirectory, mode } = await Deno.lstat(path);
    const permissions = ((mode ?? 0) & 0o7777).toString(8).padStart(4, "0");
    if (isSymlink) found.push([name, `-> ${await Deno.readLink(path)}`]);
    else if (isDirectory) {
      found.push([name, `${permissions} folder`]);
      if (depth === 1) continue;
      // Only root reads folders whatever their permissions.
      if (((mode ?? 0) & 0o500) !== 0o500) await Deno.chmod(path, 0o700);
      for (const [below, what] of Object.entries(await tree(path, depth - 1))) {
        found.push([`${name}/${below}`, what]);
      }
    } else {
      found.push([name, `${permissions} ${await Deno.readTextFile(path)}`]);
    }
  }
  return Object.fromEntries(found.sort(([a], [b]) => a < b ? -1 : 1));
}

/** Makes all folders writable again, so that they can be removed. */
async function unlock(path: string): Promise<void> {
  await Deno.chmod(path, 0o700);
  for await (const { name, isDirectory } of Deno.readDir(path)) {
    if (isDirectory) await unlock(`${path}/${name}`);
  }
}
