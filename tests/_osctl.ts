/** Runs osctl from the sources, as a process with a home of its own. */

/** A home folder with osctl. */
export interface Home {
  /** Path of the folder. */
  readonly path: string;
  /** Environment the program runs with. */
  readonly env: Readonly<Record<string, string>>;
  /** Runs a command line, words separated by spaces. */
  readonly osctl: (line: string) => Promise<{
    readonly out: string;
    readonly err: string;
    readonly status: number;
  }>;
}

/**
 * Makes a home, removes its cluster and itself afterwards.
 *
 * @param test What to do with it.
 */
export async function withHome(
  test: (home: Home) => Promise<void>,
): Promise<void> {
  const path = await Deno.makeTempDir();
  const env = {
    ...Deno.env.toObject(),
    DENO_DIR: await denoDir(),
    HOME: path,
  };
  const osctl: Home["osctl"] = async (line) => {
    const { stdout, stderr, code } = await start({ env }, line).output();
    const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    return { out: text(stdout), err: text(stderr), status: code };
  };
  try {
    await test({ path, env, osctl });
  } finally {
    await osctl("cluster destroy --force");
    await Deno.remove(path, { recursive: true });
  }
}

/**
 * Starts a command line.
 *
 * @param home Home it runs in.
 * @param line Words separated by spaces.
 */
export function start(
  { env }: Pick<Home, "env">,
  line: string,
): Deno.ChildProcess {
  const main = new URL("../mod.ts", import.meta.url).pathname;
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", main, ...line.split(" ")],
    env,
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

async function denoDir(): Promise<string> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json"],
  }).output();
  return JSON.parse(new TextDecoder().decode(stdout)).denoDir;
}
