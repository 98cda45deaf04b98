/** etcd as a process that does not outlive this one. */

import type { EtcdRun } from "../../state/etcd.ts";

/** An etcd process. */
export interface EtcdProcess extends EtcdRun {
  /** Resolves when it serves other members or has exited. */
  readonly serving: Promise<void>;
}

/**
 * Stops etcd together with this process, even if this one is killed: its guard reads from a pipe that no other process
 * holds, and stops it when the pipe closes. Names of signals to forward are written to the pipe. Variables that would
 * configure etcd are dropped.
 */
const guard = `
for name in $(env | sed -n 's/^\\(ETCD_[A-Z0-9_]*\\)=.*/\\1/p'); do unset "$name"; done
file=$1
shift
exec 3<&0 </dev/null
ETCD_UNSUPPORTED_ARCH=$(uname -m | sed 's/aarch64/arm64/') "$@" 3<&- &
pid=$!
exec 2>/dev/null
echo "$pid" >"$file"
{
  while read -r signal <&3; do kill -s "$signal" "$pid"; done
  kill -s KILL "$pid"
} >/dev/null 2>&1 &
guard=$!
wait "$pid"
status=$?
kill "$guard"
rm -f "$file"
exit "$status"
`;

/** Log message of etcd when it serves other members. */
const servingText = '"serving peer traffic"';

/** Grace period for a shutdown, in milliseconds. */
const graceMs = 2_000;

/** Starts the program. */
export function startProcess(
  { program, args, pidFile, log }: {
    readonly program: string;
    readonly args: readonly string[];
    readonly pidFile: string;
    readonly log: (line: string) => void;
  },
): EtcdProcess {
  const child = new Deno.Command("sh", {
    args: ["-c", guard, "etcd-guard", pidFile, program, ...args],
    stdin: "piped",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const { promise: serving, resolve: serve } = Promise.withResolvers<void>();
  const writer = child.stdin.getWriter();
  let lastLog = "";

  const reading = eachLine(child.stderr, (line) => {
    lastLog = line;
    log(line);
    if (line.includes(servingText)) serve();
  });
  const ended = (async () => {
    const [{ code }] = await Promise.all([child.status, reading]);
    serve();
    // The pipe no longer has a reader.
    await writer.close().catch(() => {});
    return { status: code, lastLog, isFinal: false };
  })();

  async function signal(name: "TERM" | "KILL"): Promise<void> {
    // It may have exited already.
    await writer.write(new TextEncoder().encode(`${name}\n`)).catch(() => {});
  }

  async function kill(): Promise<void> {
    await signal("KILL");
    await ended;
  }

  async function stop(): Promise<void> {
    await signal("TERM");
    const timer = setTimeout(kill, graceMs);
    await ended;
    clearTimeout(timer);
  }

  return { serving, ended, stop, kill };
}

async function eachLine(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  onLine: (line: string) => void,
): Promise<void> {
  let rest = "";
  for await (const part of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + part).split("\n");
    rest = lines.pop() ?? "";
    lines.forEach(onLine);
  }
  if (rest !== "") onLine(rest);
}

/**
 * Kills every etcd that was started with a folder, and waits for its exit.
 *
 * @param folder Folder of all servers of a cluster; may be missing.
 */
export async function killStaleServers(folder: string): Promise<void> {
  for (const { name } of await entries(folder)) {
    await killStaleServer(`${folder}/${name}`);
  }
}

/** Kills the etcd of one folder, if it is running, and waits for its exit. */
export async function killStaleServer(folder: string): Promise<void> {
  const pid = await pidIn(folder);
  if (pid === undefined) return;
  while ((await readCommand(pid)).includes(folder)) {
    kill(pid);
    // Its parent is gone, so its exit is not reported.
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await Deno.remove(`${folder}/pid`).catch(() => {});
}

async function pidIn(folder: string): Promise<number | undefined> {
  try {
    return Number(await Deno.readTextFile(`${folder}/pid`)) || undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Command line of a process; empty if there is no such process. */
async function readCommand(pid: number): Promise<string> {
  if (Deno.build.os === "linux") {
    return await Deno.readTextFile(`/proc/${pid}/cmdline`).catch(() => "");
  }
  const args = ["-ww", "-o", "args=", "-p", String(pid)];
  const { stdout } = await new Deno.Command("ps", { args }).output();
  return new TextDecoder().decode(stdout);
}

function kill(pid: number): void {
  try {
    Deno.kill(pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

async function entries(folder: string): Promise<readonly Deno.DirEntry[]> {
  try {
    return await Array.fromAsync(Deno.readDir(folder));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}
