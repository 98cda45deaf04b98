/** osctl as a child process, from its sources. */

import project from "../../deno.json" with { type: "json" };

const ownMain = new URL("../../mod.ts", import.meta.url).pathname;

/** A process that executes a run. */
export interface RunProcess {
  readonly kill: (signal: Deno.Signal) => void;
  readonly tells: (expected: RegExp) => Promise<void>;
  readonly close: () => Promise<void>;
  readonly ended: () => Promise<Ended>;
}

/** Exit of a process. */
export interface Ended {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/** Time after which a process counts as hung, in milliseconds. */
const hangsMs = 300_000;

/** Home of a process. */
export interface ProcessHome {
  readonly home: string;
  readonly osconfig: string;
}

/** Options of a process. */
export interface StartOptions {
  /** Its main module; default that of these sources. */
  readonly main?: string;
  /** Command prefix. */
  readonly wrapper?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Version tag of another osctl; default that of the sources. */
  readonly version?: string;
}

/**
 * Starts osctl from its sources; kills it when it hangs.
 *
 * @param home Its home.
 * @param words Its arguments.
 * @param options Command prefix and environment.
 */
export function startIn(
  { home, osconfig }: ProcessHome,
  words: readonly string[],
  { main = ownMain, wrapper = [], env = {}, version }: StartOptions = {},
): RunProcess {
  const [command = "", ...args] = [
    ...wrapper,
    Deno.execPath(),
    "run",
    "-A",
    ...version === undefined ? [] : [`--import-map=${importMap(version)}`],
    "--quiet",
    "--no-check",
    main,
    ...words,
  ];
  const child = new Deno.Command(command, {
    args,
    // Lock timeout for a run whose process was killed on another machine.
    env: {
      OSCONFIG: osconfig,
      OS_HOME: home,
      OSCTL_LEASE_DURATION: "2s",
      ...env,
    },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const watchdog = setTimeout(() => child.kill("SIGKILL"), hangsMs);
  child.status.finally(() => clearTimeout(watchdog));
  const decoder = new TextDecoder();
  const reader = child.stdout.getReader();
  const errors = new Response(child.stderr).text();
  let out = "";

  async function read(): Promise<boolean> {
    const { value, done } = await reader.read();
    if (!done) out += decoder.decode(value, { stream: true });
    return !done;
  }

  return {
    kill: (signal) => child.kill(signal),
    async tells(expected) {
      while (!expected.test(out)) {
        if (await read()) continue;
        throw new Error(`Never told ${expected}:\n${out}\n${await errors}`);
      }
    },
    close: () => reader.cancel(),
    async ended() {
      while (await read());
      const [{ code }, err] = await Promise.all([child.status, errors]);
      return { status: code, out, err };
    },
  };
}

/** Import map with another `release.ts`. */
function importMap(tag: string): string {
  const release = `export const release = ${
    JSON.stringify({ tag, sha: "", built: "" })
  };`;
  const imports = {
    ...project.imports,
    // Permissions of the configuration itself.
    ...Object.fromEntries(
      Object.entries(project.imports).map(([name, source]) => [
        `${name}/`,
        `${source.replace("npm:", "npm:/")}/`,
      ]),
    ),
    [new URL("../../release.ts", import.meta.url).href]: dataUrl(release),
  };
  return `data:application/json,${
    encodeURIComponent(JSON.stringify({ imports }))
  }`;
}

function dataUrl(source: string): string {
  return `data:text/javascript,${encodeURIComponent(source)}`;
}

/**
 * Environment that offsets a process's time of day by the contents of a file: `+3600`; the monotonic clock is
 * unaffected.
 */
export function fakeTime(file: string): Readonly<Record<string, string>> {
  return {
    LD_PRELOAD: fakeTimeLibrary,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: "1",
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
  };
}

/** Path of the library on Debian and derivatives. */
export const fakeTimeLibrary =
  `/usr/lib/${Deno.build.arch}-linux-gnu/faketime/libfaketimeMT.so.1`;

/** Reports whether the library is installed. */
export function hasFakeTime(): boolean {
  try {
    return Deno.statSync(fakeTimeLibrary).isFile;
  } catch {
    return false;
  }
}

/** Copies a folder, like a backup. */
export async function copyFolder(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true, mode: 0o700 });
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    // Sequential, like a backup.
    if (isDirectory) await copyFolder(`${from}/${name}`, `${to}/${name}`);
    else await Deno.copyFile(`${from}/${name}`, `${to}/${name}`);
  }
}
