/** Tries every case of the matrices: runners and clients killed at every record and call, calls that are lost, runners on copies, every output of every runbook. */

/** Test files with cases that only this task tries. */
const files = [
  "tests/secrets",
  "tests/workflows/rehearsal/matrix",
  "tests/e2e/chaos_test.ts",
  "tests/e2e/killed_test.ts",
  "tests/e2e/killed_calls_test.ts",
  "tests/e2e/runbook_kills_test.ts",
  "tests/workflows/runbooks/engine/random_runs_test.ts",
];

/**
 * Reads the share of the cases that is tried.
 *
 * @param args Command line: `--part 3/8`, or nothing for all.
 * @returns `3/8`.
 * @throws {Error} If it is neither, or no such part.
 */
export function partOf(args: readonly string[]): string {
  if (args.length === 0) return "1/1";
  const [, number, of] = /^--part[ =](\d+)\/(\d+)$/.exec(args.join(" ")) ?? [];
  if (Number(number) >= 1 && Number(number) <= Number(of)) {
    return `${Number(number)}/${Number(of)}`;
  }
  throw new Error(
    `Cannot read "${args.join(" ")}": give --part and a share, such as 3/8`,
  );
}

if (import.meta.main) {
  const { code } = await new Deno.Command(Deno.execPath(), {
    args: ["test", "-A", "--no-check", "--parallel", ...files],
    cwd: new URL("../", import.meta.url),
    env: { OSCTL_MATRIX: "all", OSCTL_PART: partOf(Deno.args) },
  }).spawn().status;
  Deno.exit(code);
}
