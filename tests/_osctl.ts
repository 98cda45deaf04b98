/** Runs osctl from the sources, with a home of its own. */

import { lazyNodes } from "../transport/node/nodes.ts";
import { openSession } from "../commands/_kit/session.ts";
import { type Ran, run } from "./_run.ts";
import { withoutWaits } from "./_wait_notices.ts";

/** A home folder with osctl. */
export interface Home {
  readonly path: string;
  /** Environment the program runs with. */
  readonly env: Readonly<Record<string, string>>;
  /** Runs a command line, words separated by spaces; in this process where it leaves no other one behind. */
  readonly osctl: (line: string) => Promise<Omit<Ran, "bytes">>;
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
  const env = { ...Deno.env.toObject(), DENO_DIR: await denoDir(), HOME: path };
  const osctl: Home["osctl"] = async (line) => {
    if (/^cluster (create|start)\b/.test(line)) {
      const { stdout, stderr, code } = await start({ env }, line).output();
      const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
      return {
        out: text(stdout),
        err: withoutWaits(text(stderr)),
        status: code,
      };
    }
    const { out, err: all, status } = await run(line, {}, {
      env,
      now: () => new Date(),
      open: (request) => lazyNodes(() => openSession(request)),
    });
    return { out, err: withoutWaits(all), status };
  };
  try {
    await test({ path, env, osctl });
  } finally {
    await osctl("cluster destroy --force");
    await Deno.remove(path, { recursive: true });
  }
}

/**
 * Starts a command line in a process of its own.
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

/** Folder in which the runtime keeps what it has compiled: without it, another home means all of that work again. */
export function denoDir(): Promise<string> {
  return askedDenoDir ??= askDenoDir();
}

let askedDenoDir: Promise<string> | undefined;

async function askDenoDir(): Promise<string> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json"],
  }).output();
  return JSON.parse(new TextDecoder().decode(stdout)).denoDir;
}
