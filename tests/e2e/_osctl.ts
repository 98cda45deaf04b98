/** Runs the built executable: that of `OSCTL_BIN`, else `dist/osctl`. */

import { executable, has, type Need } from "../_needs.ts";
const root = new URL("../../", import.meta.url).pathname;

/** Path of the executable. */
export const osctl = Deno.env.get("OSCTL_BIN") ?? `${root}dist/osctl`;

/** True when the executable is the self-extracting one. */
export const portable = has(executable) && startLine(osctl) === "#!";

export const portableExecutable: Need = {
  name: "the self-extracting executable (deno task build)",
  isThere: () => portable,
};

/** True when tests may become other users and change what is mounted. */
export const isRoot = Deno.build.os !== "windows" && Deno.uid() === 0;

/** Wrapper that drops root's rights, where there are any; `nobody` then needs to reach all files. */
export const asNobody: readonly string[] = isRoot
  ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
  : [];

/** Without it no process can open a socket on Windows. */
const indispensable: Record<string, string> = Deno.build.os === "windows"
  ? { SystemRoot: Deno.env.get("SystemRoot") ?? "" }
  : {};

export interface Ran {
  /** Standard output. */
  readonly out: string;
  /** Standard error. */
  readonly err: string;
  /** Exit status. */
  readonly code: number;
}

export interface RunOptions {
  /** Whole environment, but for what Windows cannot do without; default: empty. */
  readonly env?: Readonly<Record<string, string>>;
  /** Words in front of the executable, such as `unshare`. */
  readonly wrapper?: readonly string[];
  /** Path to start; default: the executable. */
  readonly path?: string;
}

/**
 * Runs the executable to its end.
 *
 * @param args Its arguments.
 * @param options Environment and wrapper.
 */
export async function run(
  args: readonly string[],
  options: RunOptions = {},
): Promise<Ran> {
  const { code, stdout, stderr } = await start(args, options).output();
  const text = new TextDecoder();
  return { out: text.decode(stdout), err: text.decode(stderr), code };
}

/**
 * Starts the executable.
 *
 * @param args Its arguments.
 * @param options Environment and wrapper.
 */
export function start(
  args: readonly string[],
  { env = {}, wrapper = [], path = osctl }: RunOptions = {},
): Deno.ChildProcess {
  const [command = path, ...rest] = [...wrapper, path, ...args];
  return new Deno.Command(command, {
    args: rest,
    env: { ...indispensable, ...env },
    clearEnv: true,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

/**
 * Runs a test with a folder that everyone can reach.
 *
 * @param body The test.
 */
export async function withFolder(
  body: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.chmod(folder, 0o755);
    await body(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/**
 * Runs a test with a server on loopback that accepts and never answers.
 *
 * @param body The test; gets the server's address and a promise that a client has connected.
 */
export async function withSilence(
  body: (address: string, visited: Promise<unknown>) => Promise<void>,
): Promise<void> {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const visited = listener.accept();
  try {
    await body(`127.0.0.1:${listener.addr.port}`, visited);
  } finally {
    (await visited).close();
  }
}

function startLine(path: string): string {
  using file = Deno.openSync(path);
  const bytes = new Uint8Array(2);
  file.readSync(bytes);
  return new TextDecoder().decode(bytes);
}
