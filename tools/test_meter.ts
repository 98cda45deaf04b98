/** Measures the CPU time of each test of a process; imported before its test files. */

/** A missing dependency of a test. */
export interface Lack {
  /** Name: `etcd`. */
  readonly name: string;
  /** Debian package. */
  readonly debian?: string;
  /** Homebrew package. */
  readonly brew?: string;
  /** Reason why CI may lack it, too; absent for a requirement of CI. */
  readonly optional?: string;
}

/** Report of a process after its tests. */
export interface Metered {
  /** Slowdown relative to the reference machine, at least 1. */
  readonly slowness: number;
  /** CPU time of each test run, in milliseconds, in order; includes child processes. */
  readonly cpuMs: readonly number[];
  /** Missing dependencies of each ignored test, in order. */
  readonly lacks: readonly (readonly Lack[])[];
}

const noted: (readonly Lack[])[] = [];

/** Records why the next declared test is ignored. */
export function noteLack(lacks: readonly Lack[]): void {
  noted.push(lacks.map(({ name, debian, brew, optional }) => ({
    name,
    debian,
    brew,
    optional,
  })));
}

/** Duration of `work` on the reference machine, in milliseconds; minus a fifth, for variance. */
const usualMs = 16;

/**
 * Measures all tests declared in this process.
 *
 * @param file Output file, JSON.
 * @param progress File written when a test begins and ends.
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

/** A fixed amount of work; returns its CPU time, in milliseconds. */
function work(): number {
  const began = threadMs();
  const value = Array.from({ length: 8_000 }, (_, at) => ({ at, is: `${at}` }));
  for (let turn = 0; turn < 12; turn++) JSON.parse(JSON.stringify(value));
  return threadMs() - began;
}

/** CPU time of this thread, in milliseconds; 0 if not reported by Linux. */
export function threadMs(): number {
  if (Deno.build.os !== "linux") return 0;
  const [nanoseconds = ""] = Deno
    .readTextFileSync("/proc/thread-self/schedstat").split(" ");
  return Number(nanoseconds) / 1e6;
}

/** CPU time of this process and its finished children, in milliseconds; 0 if not reported by Linux. */
function usedMs(): number {
  if (Deno.build.os !== "linux") return 0;
  // proc(5): behind the name in parentheses, utime, stime, cutime and cstime are the 12th to 15th, in ticks of 10 ms.
  const stat = Deno.readTextFileSync("/proc/self/stat");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields.slice(11, 15).reduce((sum, one) => sum + Number(one), 0) * 10;
}
