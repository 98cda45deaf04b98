/** Runs local programs: an executable with arguments, without a shell. */

import { ConfigError, OsctlError } from "../errors.ts";
import { pause } from "./pause.ts";

/** A program to run. */
export type ProgramCall = {
  /** Path of an executable, or a name in `$PATH`. */
  readonly program: string;
  /** Arguments, passed unchanged. */
  readonly args: readonly string[];
  /** Standard input; null for none. */
  readonly input: string | null;
  /** Environment variables, besides the inherited ones. */
  readonly env: { readonly [name: string]: string };
  /** True to inherit the whole environment, for programs that hold credentials there. */
  readonly inheritAll?: true;
};

interface ProgramEnd {
  readonly status: number;
  /** Standard output. */
  readonly stdout: string;
  /** End of standard error. */
  readonly stderr: string;
}

/**
 * Runs a program.
 *
 * @param signal Kills it with its child processes; its reason is thrown.
 * @throws {ConfigError} If the program is not found, or writes too much.
 */
export type RunProgram = (
  call: ProgramCall,
  signal: AbortSignal,
) => Promise<ProgramEnd>;

/** Maximum standard output, in bytes. */
const longest = 1024 * 1024;

/** Bytes kept from the end of standard error. */
const keptOfErrors = 4096;

/** Grace period before a program is killed, in milliseconds. */
const graceMs = 2_000;

/** Inherited environment variables; others may hold passwords or inputs of a run. */
const inherited = [
  "HOME",
  "LANG",
  "LC_ALL",
  "LOGNAME",
  "PATH",
  "SYSTEMROOT",
  "TMPDIR",
  "TZ",
  "USER",
];

type ProgramEnvironment = (name: string) => string | undefined;

/** Creates a runner of local programs. */
export function programRunner(env: ProgramEnvironment): RunProgram {
  return (call, signal) => runProgram(call, env, signal);
}

/**
 * Runs a program of the user, such as a provider of secrets, with the whole environment.
 *
 * @returns Its standard output.
 * @throws {OsctlError} If it does not end with status 0.
 */
export async function readProgram(
  program: string,
  args: readonly string[],
  { runProgram, signal }: {
    readonly runProgram: RunProgram;
    readonly signal: AbortSignal;
  },
  input: string | null = null,
): Promise<string> {
  const call = { program, args, input, env: {}, inheritAll: true } as const;
  const { status, stdout, stderr } = await runProgram(call, signal);
  if (status === 0) return stdout;
  const line = stderr.trim().split("\n").at(-1) ?? "";
  throw new OsctlError(
    `"${program} ${args.join(" ")}" failed with status ${status}${
      line === "" ? "" : `: ${line}`
    }`,
  );
}

async function runProgram(
  call: ProgramCall,
  env: ProgramEnvironment,
  signal: AbortSignal,
): Promise<ProgramEnd> {
  signal.throwIfAborted();
  const child = start(call, env);
  const ended = new AbortController();
  const stop = () => void end(child, ended.signal);
  signal.addEventListener("abort", stop, { once: true });
  try {
    const all = untilExit(child, call);
    // Does not wait forever for a killed program.
    const late = untilAborted(signal).then(() =>
      pause(2 * graceMs, ended.signal)
    );
    const result = await Promise.race([all, late]);
    signal.throwIfAborted();
    if (result === undefined) throw signal.reason;
    return result;
  } catch (error) {
    if (!signal.aborted) stop();
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
    // Waits for the exit of a killed program.
    child.status.finally(() => ended.abort());
  }
}

function start(
  { program, args, input, env, inheritAll }: ProgramCall,
  variable: ProgramEnvironment,
): Deno.ChildProcess {
  const own = inherited.flatMap((name) => {
    const value = variable(name);
    return value === undefined ? [] : [[name, value]];
  });
  try {
    return new Deno.Command(program, {
      args: [...args],
      clearEnv: inheritAll !== true,
      env: { ...Object.fromEntries(own), ...env },
      stdin: input === null ? "null" : "piped",
      stdout: "piped",
      stderr: "piped",
      // The first Ctrl-C only asks the run to stop at a safe point.
      detached: true,
    }).spawn();
  } catch (error) {
    const why = error instanceof Deno.errors.NotFound
      ? "program not found"
      : error instanceof Deno.errors.PermissionDenied
      ? "permission denied"
      : error instanceof Error
      ? error.message
      : String(error);
    throw new ConfigError(`Cannot run "${program}": ${why}`, { cause: error });
  }
}

async function untilExit(
  child: Deno.ChildProcess,
  { program, input }: ProgramCall,
): Promise<ProgramEnd> {
  const stdout = head(child.stdout);
  const stderr = tail(child.stderr);
  const [{ code }] = await Promise.all([child.status, give(child, input)]);
  const read = new AbortController();
  // Child processes left running may keep the pipes open.
  const left = pause(graceMs, read.signal).then(() => {
    stdout.cancel();
    stderr.cancel();
  });
  const [out, errors] = await Promise.all([stdout.text, stderr.text])
    .finally(() => read.abort());
  await left;
  if (out === undefined) {
    throw new ConfigError(`"${program}" wrote more than 1 MiB`, {
      hint: "Have it write less to standard output",
    });
  }
  return { status: code, stdout: out, stderr: errors };
}

async function give(
  child: Deno.ChildProcess,
  input: string | null,
): Promise<void> {
  if (input === null) return;
  const writer = child.stdin.getWriter();
  try {
    await writer.write(new TextEncoder().encode(input));
    await writer.close();
  } catch (error) {
    // It may ignore its standard input.
    if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
  }
}

interface OutputReading<Text> {
  readonly text: Promise<Text>;
  readonly cancel: () => void;
}

function head(
  stream: ReadableStream<Uint8Array>,
): OutputReading<string | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  return readOutput(stream, (chunk) => {
    size += chunk.length;
    if (size <= longest) chunks.push(chunk);
  }, () => size > longest ? undefined : decodeChunks(chunks));
}

function tail(stream: ReadableStream<Uint8Array>): OutputReading<string> {
  let kept = new Uint8Array();
  return readOutput(stream, (chunk) => {
    const all = new Uint8Array(kept.length + chunk.length);
    all.set(kept);
    all.set(chunk, kept.length);
    kept = all.slice(-keptOfErrors);
  }, () => decodeChunks([kept]));
}

function readOutput<Text>(
  stream: ReadableStream<Uint8Array>,
  take: (chunk: Uint8Array) => void,
  give: () => Text,
): OutputReading<Text> {
  const reader = stream.getReader();
  const text = (async () => {
    while (true) {
      const { done, value } = await reader.read();
      if (done) return give();
      take(value);
    }
  })();
  return { text, cancel: () => void reader.cancel() };
}

function decodeChunks(chunks: readonly Uint8Array[]): string {
  const decoder = new TextDecoder();
  return chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join(
    "",
  ) +
    decoder.decode();
}

function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) =>
    signal.addEventListener("abort", () => resolve(), { once: true })
  );
}

async function end(child: Deno.ChildProcess, signal: AbortSignal) {
  kill(child, "SIGTERM");
  await Promise.race([child.status, pause(graceMs, signal)]);
  kill(child, "SIGKILL");
}

function kill(child: Deno.ChildProcess, signal: Deno.Signal): void {
  try {
    // It leads a process group, which outlives it.
    if (Deno.build.os === "windows") child.kill(signal);
    else Deno.kill(-child.pid, signal);
  } catch {
    // It has ended.
  }
}
