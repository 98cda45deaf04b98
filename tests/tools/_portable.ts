/** A portable executable with a shell script in the place of the runtime. */

import assert from "node:assert/strict";
import { portable } from "../../tools/portable.ts";

/**
 * Prints its arguments in brackets, its environment and process, then its input; ends with 7. Paths that begin with a
 * handle are printed without it. With the argument `--move` it first puts another folder in the place of its home, and
 * prints the bundle that it was given.
 */
const runtime = `#!/bin/sh
case $0 in
  /proc/self/fd/*)
    handle=\${0#/proc/self/fd/}
    handle=/proc/self/fd/\${handle%%/*}
    held=$(readlink "$handle")
    ;;
esac
case " $* " in
  *" --move "*)
    mv "$HOME" "$HOME.moved" && mkdir "$HOME"
    for arg; do case $arg in */mod.js) cat "$arg" ;; esac; done
    ;;
esac
for arg; do
  case $arg in
    "$handle"/*) printf '[%s]' "$held\${arg#"$handle"}" ;;
    *) printf '[%s]' "$arg" ;;
  esac
done
printf '\\n'
env | grep -E '^(DENO|NODE|OSCTL|OTEL|SSLKEYLOG)' | sed "s|=$handle/|=$held/|" | sort
echo "process $$"
cat
exit 7
`;

export interface Started {
  readonly out: string;
  readonly err: string;
  readonly code: number;
  readonly pid: number;
}

export interface StartOptions {
  /** Arguments; default: none. */
  readonly args?: readonly string[];
  /** Whole environment; default: `HOME` and `TMPDIR` in the folder. */
  readonly env?: Readonly<Record<string, string>>;
  /** Shell to run it with, and its arguments; default: the one it names itself. */
  readonly shell?: string;
  readonly input?: string;
}

/** A portable executable in a folder of its own. */
export interface Portable {
  readonly path: string;
  /** Folder with `home` and `temp`. */
  readonly folder: string;
  readonly start: (options?: StartOptions) => Promise<Started>;
}

/**
 * Runs a test with a portable executable.
 *
 * @param body The test.
 * @param program Path of another program in the place of the runtime.
 */
export async function withPortable(
  body: (portable: Portable) => Promise<void>,
  program?: string,
): Promise<void> {
  // The launcher names folders without links.
  const folder = await Deno.realPath(await Deno.makeTempDir());
  let hash = "none";
  try {
    for (const name of ["home", "temp", "bundle"]) {
      await Deno.mkdir(`${folder}/${name}`);
    }
    await Deno.writeTextFile(`${folder}/deno`, runtime);
    await Deno.writeTextFile(`${folder}/bundle/mod.js`, "// the program\n");
    // Its own contents, so that no other test shares its place in /tmp.
    const part = `// ${crypto.randomUUID()}\n`;
    await Deno.writeTextFile(`${folder}/bundle/chunk-A.js`, part);
    const file = await portable({
      platform: "linux-amd64",
      caches: ".cache",
      tag: "v1.2.3",
      runtime: program ?? `${folder}/deno`,
      bundle: `${folder}/bundle`,
    });
    const script = new TextDecoder().decode(file.subarray(0, 12_000));
    hash = /osctl\/([0-9a-f]{16})/.exec(script)?.[1] ?? hash;
    const path = `${folder}/the osctl`;
    await Deno.writeFile(path, file, { mode: 0o755 });
    await body({
      path,
      folder,
      start: (options) => start(path, folder, options),
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
    await forget(hash);
  }
}

async function forget(hash: string): Promise<void> {
  for await (const { name } of Deno.readDir("/tmp")) {
    if (name.startsWith(`osctl-${hash}-`)) {
      await Deno.remove(`/tmp/${name}`, { recursive: true });
    }
  }
}

async function start(
  path: string,
  folder: string,
  options: StartOptions = {},
): Promise<Started> {
  const { args = [], shell, input = "" } = options;
  const { env = { HOME: `${folder}/home`, TMPDIR: `${folder}/temp` } } =
    options;
  const [command = path, ...before] = shell?.split(" ") ?? [];
  const child = new Deno.Command(command, {
    args: [...before, ...shell === undefined ? [] : [path], ...args],
    env,
    clearEnv: true,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  // A program that fails before it reads is not what is checked here.
  await writer.write(new TextEncoder().encode(input)).catch(() => {});
  await writer.close().catch(() => {});
  const { stdout, stderr, code } = await child.output();
  const text = new TextDecoder();
  return {
    out: text.decode(stdout),
    err: text.decode(stderr),
    code,
    pid: child.pid,
  };
}

/**
 * Lists a folder and all below it, sorted, folders with a slash.
 *
 * @param folder The folder.
 */
export async function tree(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    found.push(isDirectory ? `${name}/` : name);
    if (!isDirectory) continue;
    const below = await tree(`${folder}/${name}`);
    found.push(...below.map((path) => `${name}/${path}`));
  }
  return found.sort();
}

export const whole = [".whole", "chunk-A.js", "deno", "mod.js"] as const;

/**
 * The one folder it unpacked into.
 *
 * @param folder A folder above that holds nothing else.
 */
export async function unpack(folder: string): Promise<string> {
  const [name, ...others] = (await tree(folder)).filter((path) =>
    /^(osctl\/|osctl-)[^/]+\/$/.test(path)
  );
  assert.ok(name);
  assert.deepEqual(others, []);
  return `${folder}/${name.slice(0, -1)}`;
}
