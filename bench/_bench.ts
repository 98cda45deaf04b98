/** Shared by measurements: the executable, a simulated cluster, time and memory of a process. */

import { renderOsconfig } from "../config/osconfig/osconfig_file.ts";
import {
  type ClusterOptions,
  type RunningCluster,
  startCluster,
} from "../simulator/cluster/cluster.ts";
import { build } from "../tools/build.ts";
import { parsePlatform } from "../tools/platforms.ts";

/** The executable with a client configuration for a simulated cluster. */
export interface Bench {
  /** The cluster. */
  readonly cluster: RunningCluster;
  /** Runs a command line to its end; its output is thrown away. */
  readonly osctl: (...argv: readonly string[]) => Promise<Usage>;
  /** The executable. */
  readonly program: string;
  /** Environment with which it finds the cluster. */
  readonly env: Readonly<Record<string, string>>;
  /** A folder that is removed afterwards. */
  readonly folder: string;
}

export interface Usage {
  /** Wall time in milliseconds. */
  readonly ms: number;
  /** Largest resident memory in MB. */
  readonly megabytes: number;
}

/**
 * Finds the built executable, or builds one.
 *
 * @param folder Where to build.
 */
export async function executable(folder: string): Promise<string> {
  const built = Deno.env.get("OSCTL_BIN") ??
    new URL("../dist/osctl", import.meta.url).pathname;
  if (await Deno.stat(built).then(() => true, () => false)) return built;
  const output = `${folder}/osctl`;
  const platform = parsePlatform(Deno.build.target);
  await build({ platform, form: "any", output, note() {} });
  return output;
}

/**
 * Measures with a cluster.
 *
 * @param options The cluster.
 * @param measure What to run.
 */
export async function withBench<T>(
  options: ClusterOptions,
  measure: (bench: Bench) => Promise<T>,
): Promise<T> {
  const folder = await Deno.makeTempDir();
  const cluster = await startCluster(options);
  try {
    const program = await executable(folder);
    await Deno.writeTextFile(
      `${folder}/osconfig`,
      await writeOsconfig(cluster),
    );
    const env = { XDG_CACHE_HOME: folder, OSCONFIG: `${folder}/osconfig` };
    const osctl = (...argv: readonly string[]) =>
      measureUsage(program, argv, env);
    await osctl("--help"); // unpacks
    return await measure({ cluster, osctl, program, env, folder });
  } finally {
    await cluster.stop();
    await Deno.remove(folder, { recursive: true });
  }
}

/**
 * Runs a program to its end.
 *
 * @param command Program.
 * @param args Arguments.
 * @param env Environment to add.
 * @throws {Error} If it fails.
 */
export async function measureUsage(
  command: string,
  args: readonly string[],
  env: Record<string, string>,
): Promise<Usage> {
  const start = performance.now();
  const child = new Deno.Command(command, {
    args: [...args],
    env,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const errors = new Response(child.stderr).text();
  let ended = false;
  const status = child.status.finally(() => ended = true);
  let megabytes = 0;
  while (!ended) {
    megabytes = await peakMemory(child.pid) ?? megabytes;
    await Promise.race([
      status,
      new Promise((resolve) => setTimeout(resolve, 5)),
    ]);
  }
  const ms = performance.now() - start;
  const { success } = await status;
  if (!success) {
    throw new Error(`Cannot run ${command} ${args.join(" ")}: ${await errors}`);
  }
  await errors;
  return { ms, megabytes };
}

/**
 * Runs something several times.
 *
 * @param times How often.
 * @param run What to run.
 * @returns The medians.
 */
export async function median(
  times: number,
  run: () => Promise<Usage>,
): Promise<Usage> {
  const all: Usage[] = [];
  for (let i = 0; i < times; i++) all.push(await run());
  const middle = (values: readonly number[]) =>
    values.toSorted((a, b) => a - b)[times >> 1] ?? NaN;
  return {
    ms: middle(all.map(({ ms }) => ms)),
    megabytes: middle(all.map(({ megabytes }) => megabytes)),
  };
}

/** Largest resident memory so far, in MB. */
async function peakMemory(pid: number): Promise<number | undefined> {
  try {
    const status = await Deno.readTextFile(`/proc/${pid}/status`);
    const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) / 1000;
  } catch {
    return undefined;
  }
}

async function writeOsconfig(cluster: RunningCluster): Promise<string> {
  const base64 = (pem: string) => new TextEncoder().encode(pem).toBase64();
  const { ca, crt, key } = cluster.adminIdentity;
  return await renderOsconfig({
    current: cluster.name,
    contexts: new Map([[cluster.name, {
      endpoints: cluster.endpoints,
      nodes: cluster.nodes.map(({ identity }) => identity.address),
      ca: base64(ca),
      crt: base64(crt),
      key: base64(key),
    }]]),
  });
}

/** Runs the big runbook once, with a state folder of its own. */
export function runBig(
  { osctl, folder }: Pick<Bench, "osctl" | "folder">,
): ReturnType<Bench["osctl"]> {
  const flags = {
    runbook: new URL("_big.runbook.yaml", import.meta.url).pathname,
    "run-key": "bench",
    "state-dir": `${folder}/state`,
    output: "jsonl",
  };
  return osctl(
    "runbook",
    "run-or-resume",
    "--yes",
    ...Object.entries(flags).map(([name, value]) => `--${name}=${value}`),
  );
}

/** One command line, with its budget relative to talosctl. */
export interface Duel {
  readonly name: string;
  readonly argv: readonly string[];
  /** Command line of talosctl where it differs. */
  readonly peerArgv?: readonly string[];
  readonly rounds: number;
  /** True when another program reads the output; otherwise none does, which is easier for programs that write little at once. */
  readonly toPipe?: boolean;
  /** Budget: wall time divided by talosctl's. */
  readonly wall?: number;
  /** The same of processor time. */
  readonly cpu?: number;
  /** The same of resident memory. */
  readonly memory?: number;
  /** Longest wall time in milliseconds, on an idle machine. */
  readonly wallMs?: number;
  /** Most resident memory in MB. */
  readonly megabytes?: number;
}
