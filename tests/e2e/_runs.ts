/** Runs of runbooks as processes of their own, on a cluster in this one. */

import project from "../../deno.json" with { type: "json" };
import { type RunHome, withRunHome } from "../commands/runbook/_home.ts";
import type { ClusterOptions } from "../../simulator/cluster/cluster.ts";

const main = new URL("../../mod.ts", import.meta.url).pathname;

/** A process that carries a run out. */
export interface RunProcess {
  /** Sends a signal. */
  readonly kill: (signal: Deno.Signal) => void;
  /** Resolves when standard output has something; fails after its end. */
  readonly tells: (expected: RegExp) => Promise<void>;
  /** Stops reading standard output. */
  readonly close: () => Promise<void>;
  /** Waits for the end. */
  readonly ended: () => Promise<Ended>;
}

/** How a process ended. */
export interface Ended {
  /** Exit status; that of shells after a signal. */
  readonly status: number;
  /** Standard output, as far as it was read. */
  readonly out: string;
  /** Standard error. */
  readonly err: string;
}

/** Time after which a process hangs, in milliseconds. */
const hangsMs = 300_000;

/** How a process is started. */
export interface StartOptions {
  /** Words in front of the program. */
  readonly wrapper?: readonly string[];
  /** Environment to add. */
  readonly env?: Readonly<Record<string, string>>;
  /** Version tag of another osctl; default that of the sources. */
  readonly version?: string;
}

/**
 * Starts osctl from its sources; it is killed when it hangs.
 *
 * @param home Home it runs in.
 * @param words Its arguments.
 * @param options Wrapper and environment.
 */
export function startIn(
  { home, osconfig }: Pick<RunHome, "home" | "osconfig">,
  words: readonly string[],
  { wrapper = [], env = {}, version }: StartOptions = {},
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
    // A resume of a run whose process was killed on another machine waits that long.
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
    // What a configuration allows by itself.
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

/** Restarts every worker, which takes each a second or more, and closes and opens it around that. */
export const restarts = `apiVersion: osctl/v1
kind: Runbook
name: restarts
title: Restart workers
groups:
  workers: { role: worker, order: [name] }
steps:
  - id: workers
    forEach: { nodes: workers, strategy: { batch: 1 } }
    steps:
      - { id: cordon, run: node.cordon }
      - { id: restart, run: node.reboot, timeout: 1m }
      - { id: ready, gate: node.ready, within: 1m }
    always:
      - { id: uncordon, run: node.uncordon }
`;

/** A cluster whose nodes are unavailable for a while when they restart. */
export const slow: ClusterOptions = {
  workers: 2,
  pace: { bootMs: 300, stopMs: 300, downMs: 600 },
};

/**
 * Runs a test with a cluster and a home.
 *
 * @param test What to do.
 * @param options The cluster; default {@linkcode slow}.
 */
export function withSlowHome(
  test: (home: RunHome) => Promise<void>,
  options: ClusterOptions = slow,
): Promise<void> {
  return withRunHome(test, options);
}
