/** Measures the processor time of each test of a process; imported before its test files are. */

/** Something that a test needs and this machine lacks. */
export interface Lack {
  /** What it is called: `etcd`. */
  readonly name: string;
  /** Package of Debian that has it. */
  readonly debian?: string;
  /** Package of Homebrew that has it. */
  readonly brew?: string;
  /** Why CI may lack it, too; absent when it must not. */
  readonly optional?: string;
}

/** What a process writes when its tests are over. */
export interface Metered {
  /** How many times slower than the machine of the limits this one is, at least 1. */
  readonly slowness: number;
  /** Processor time of each test that ran, in milliseconds, in their order; of its child processes as well. */
  readonly cpuMs: readonly number[];
  /** What each test that is ignored lacks, in their order. */
  readonly lacks: readonly (readonly Lack[])[];
}

const noted: (readonly Lack[])[] = [];

/** Notes what the next test that is declared lacks, for which it is ignored. */
export function noteLack(lacks: readonly Lack[]): void {
  noted.push(lacks.map(({ name, debian, brew, optional }) => ({
    name,
    ...debian !== undefined && { debian },
    ...brew !== undefined && { brew },
    ...optional !== undefined && { optional },
  })));
}

/** What `work` takes on the machine on which the limits were set, in milliseconds; a fifth less, for what differs from run to run. */
const usualMs = 16;

/**
 * Measures all tests that are declared in this process.
 *
 * @param file Where the figures are written, as JSON.
 * @param progress A file that is written when a test begins and ends.
 */
export function meterTests(file: string, progress: string): void {
  const slowness = Math.max(1, Math.min(work(), work()) / usualMs);
  const cpuMs: number[] = [];
  let before = 0;
  Deno.test.beforeEach(() => {
    before = usedMs();
    Deno.writeTextFileSync(progress, `${cpuMs.length} begins`);
  });
  Deno.test.afterEach(() => {
    cpuMs.push(usedMs() - before);
    Deno.writeTextFileSync(progress, `${cpuMs.length} ended`);
  });
  globalThis.addEventListener("unload", () => {
    Deno.writeTextFileSync(
      file,
      JSON.stringify({ slowness, cpuMs, lacks: noted }),
    );
  });
}

/** The same work on every machine; says how much processor time it took, in milliseconds. */
function work(): number {
  const began = threadMs();
  const value = Array.from({ length: 8_000 }, (_, at) => ({ at, is: `${at}` }));
  for (let turn = 0; turn < 12; turn++) JSON.parse(JSON.stringify(value));
  return threadMs() - began;
}

/** Processor time of this thread, in milliseconds; 0 where Linux does not say it. */
export function threadMs(): number {
  if (Deno.build.os !== "linux") return 0;
  const [nanoseconds = ""] = Deno
    .readTextFileSync("/proc/thread-self/schedstat").split(" ");
  return Number(nanoseconds) / 1e6;
}

/** Processor time of this process and of its children that have ended, in milliseconds; 0 where Linux does not say it. */
function usedMs(): number {
  if (Deno.build.os !== "linux") return 0;
  // proc(5): behind the name in parentheses, utime, stime, cutime and cstime are the 12th to 15th, in ticks of 10 ms.
  const stat = Deno.readTextFileSync("/proc/self/stat");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields.slice(11, 15).reduce((sum, one) => sum + Number(one), 0) * 10;
}
