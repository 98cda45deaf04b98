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

/** Makes a home, removes its cluster and itself afterwards. */
export async function withHome(test: (home: Home) => Promise<void>) {
  const path = await Deno.makeTempDir();
  const main = new URL("../mod.ts", import.meta.url).pathname;
  const env = {
    ...Deno.env.toObject(),
    DENO_DIR: await denoDir(),
    HOME: path,
  };
  const osctl = async (line: string) => {
    const { stdout, stderr, code } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", main, ...line.split(" ")],
      env,
    }).output();
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

async function denoDir(): Promise<string> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json"],
  }).output();
  return JSON.parse(new TextDecoder().decode(stdout)).denoDir;
}
