/** Reports the coverage of what people wrote, and fails below the thresholds of `deno.json`. */

/** Files that count. */
const counted =
  "/(commands|config|pki|provisioners|simulator|tools|transport|workflows)/|/(dialect|errors|mod)[.]ts";

/** Files among them that do not: tests, measurements, generated code. */
const uncounted = "/tests/|/bench/|transport/gen/";

/**
 * Removes what a process left that was killed while it wrote; tests kill processes on purpose.
 *
 * @param folder Folder of the raw data, with a slash at its end.
 * @returns Names of the files that were removed.
 */
export async function dropUnfinished(folder: URL): Promise<string[]> {
  const dropped: string[] = [];
  for await (const { name } of Deno.readDir(folder)) {
    if (!name.endsWith(".json")) continue;
    const file = new URL(name, folder);
    try {
      JSON.parse(await Deno.readTextFile(file));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      await Deno.remove(file);
      dropped.push(name);
    }
  }
  return dropped;
}

if (import.meta.main) {
  const root = new URL("../", import.meta.url);
  await dropUnfinished(new URL("coverage/", root));
  const { code } = await new Deno.Command(Deno.execPath(), {
    args: [
      "coverage",
      `--include=${counted}`,
      `--exclude=${uncounted}`,
      "coverage",
    ],
    cwd: root,
    stdout: Deno.args.includes("--quiet") ? "null" : "inherit",
  }).output();
  Deno.exit(code);
}
