/**
 * Fuzzes the parsers of osctl until one fails or hangs, or time is up.
 *
 * `deno task fuzz [--seconds 60] [--seed 1] [target …]`; seconds are of CPU time, for each target. A failing input is
 * saved with the seeds, where a test reads it from then on.
 */

import { mutate, randomFrom } from "./mutate.ts";
import { threadMs } from "../test_meter.ts";
import { targets } from "./targets.ts";

const seedFolder = new URL(
  "../../tests/tools/fuzz/seeds/",
  import.meta.url,
);

/** Timeout for each input, in milliseconds; nearly all take less than one on an idle machine. */
const longest = 60_000;

interface Task {
  readonly target: string;
  readonly seed: number;
  readonly seconds: number;
  /** Shared copy of the current input, to report when the worker hangs. */
  readonly present: SharedArrayBuffer;
}

interface FuzzFinding {
  readonly count: number;
  readonly input?: Uint8Array;
  readonly error?: string;
}

interface FuzzOptions {
  /** Targets by name; empty for all. */
  readonly names: readonly string[];
  /** CPU time for each, in seconds: independent of other load. */
  readonly seconds: number;
  /** Seed of the random generator. */
  readonly seed: number;
}

/**
 * Parses the command line.
 *
 * @throws {Error} If an argument is unknown.
 */
export function parseOptions(argv: readonly string[]): FuzzOptions {
  const names: string[] = [];
  const numbers = { "--seconds": 3600, "--seed": 1 };
  for (let at = 0; at < argv.length; at++) {
    const [word = "", given] = argv[at]?.split("=") ?? [];
    if (word === "--seconds" || word === "--seed") {
      const value = Number(given ?? argv[++at]);
      if (!(value >= 0)) throw new Error(`${word} takes a number`);
      numbers[word] = value;
    } else if (Object.hasOwn(targets, word)) names.push(word);
    else {
      const known = Object.keys(targets).join(", ");
      throw new Error(`Unknown target "${word}", known are ${known}`);
    }
  }
  return {
    names: names.length > 0 ? names : Object.keys(targets),
    seconds: numbers["--seconds"],
    seed: numbers["--seed"],
  };
}

/**
 * Reads the seeds of a target.
 *
 * @param target Its name.
 * @returns Inputs by file name.
 */
export async function readSeeds(
  target: string,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const folder = new URL(`${target}/`, seedFolder);
  const seeds = new Map<string, Uint8Array>();
  const names = await Array.fromAsync(Deno.readDir(folder), ({ name }) => name);
  for (const name of names.sort()) {
    seeds.set(name, await Deno.readFile(new URL(name, folder)));
  }
  return seeds;
}

/** Fuzzes one target in a worker, which can be terminated when it hangs. */
async function fuzz(target: string, options: FuzzOptions): Promise<boolean> {
  const present = new SharedArrayBuffer(1024 * 1024);
  const state = new Int32Array(present, 0, 2);
  const worker = new Worker(import.meta.url, { type: "module" });
  const found = new Promise<FuzzFinding>((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = (event) => {
      event.preventDefault();
      reject(new Error(event.message));
    };
  });
  const { seconds, seed } = options;
  worker.postMessage({ target, seed, seconds, present } satisfies Task);
  let before = -1;
  const hung = Promise.withResolvers<FuzzFinding>();
  const timer = setInterval(() => {
    const [count = 0, size = 0] = state;
    if (count === before && count > 0) {
      const input = new Uint8Array(present, 8, size).slice();
      hung.resolve({ count, input, error: `no end within ${longest} ms` });
    }
    before = count;
  }, longest);
  const { count, input, error } = await Promise.race([found, hung.promise]);
  clearInterval(timer);
  worker.terminate();
  if (input === undefined) {
    await say(`${target}: ${count} inputs`);
    return true;
  }
  const path = new URL(`${target}/found-${await hashName(input)}`, seedFolder);
  await Deno.writeFile(path, input);
  await say(`${target}: input ${count} is in ${path.pathname}\n${error}`);
  return false;
}

async function say(line: string): Promise<void> {
  await Deno.stdout.write(new TextEncoder().encode(`${line}\n`));
}

async function hashName(input: Uint8Array): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", input.slice());
  return new Uint8Array(hash).toHex().slice(0, 12);
}

/** Interval between CPU time checks, in milliseconds. */
const lookMs = 50;

/** Maximum ratio of wall time to CPU time: inputs may wait for other threads. */
const slowest = 10;

/** Starts a stopwatch; returns the CPU time of this thread since then, in milliseconds. */
function stopwatch(): () => number {
  const began = performance.now();
  const before = threadMs();
  let used = 0;
  let next = began;
  return () => {
    const now = performance.now();
    if (now < next) return used;
    next = now + lookMs;
    const passed = now - began;
    return used = Deno.build.os === "linux"
      ? Math.max(threadMs() - before, passed / slowest)
      : passed;
  };
}

async function work(
  { target, seed, seconds, present }: Task,
): Promise<FuzzFinding> {
  const read = targets[target];
  const seeds = [...(await readSeeds(target)).values()];
  const random = randomFrom(seed);
  const state = new Int32Array(present, 0, 2);
  const bytes = new Uint8Array(present, 8);
  const usedMs = stopwatch();
  let count = 0;
  while (usedMs() < seconds * 1000) {
    const input = mutate(seeds, random);
    bytes.set(input);
    state[1] = input.length;
    state[0] = ++count;
    try {
      await read?.(input);
    } catch (error) {
      const text = error instanceof Error ? error.stack : undefined;
      return { count, input, error: text ?? String(error) };
    }
  }
  return { count };
}

// The module of a worker is a main module as well.
if ("WorkerGlobalScope" in globalThis) {
  // The compiler has window types; this is a worker.
  const inside = globalThis as unknown as Pick<
    Worker,
    "onmessage" | "postMessage"
  >;
  inside.onmessage = async ({ data }: MessageEvent<Task>) =>
    inside.postMessage(await work(data));
} else if (import.meta.main) {
  const options = parseOptions(Deno.args);
  let right = true;
  for (const name of options.names) {
    // Sequential: two on two cores would only take turns.
    right = await fuzz(name, options) && right;
  }
  Deno.exit(right ? 0 : 1);
}
