/**
 * Runs the full matrices: runners and clients killed at every record and call, lost calls, runners on copies, every
 * output of every runbook; and the wire suite on nodes of every version.
 */

/** Test files with cases only for this task. */
const files = [
  "tests/secrets/builtin_runs_test.ts",
  "tests/secrets/commands_test.ts",
  "tests/workflows/rehearsal/matrix",
  "tests/e2e/chaos_test.ts",
  "tests/e2e/killed_client_test.ts",
  "tests/e2e/killed_calls_test.ts",
  "tests/e2e/runbook_kills_test.ts",
  "tests/e2e/no_telemetry_test.ts",
  "tests/workflows/runbooks/engine/random_runs_test.ts",
];

/**
 * Parses the share of cases to run.
 *
 * @param args Command line: `--part 3/8`, or nothing for all.
 * @returns `3/8`.
 * @throws {Error} If it is invalid.
 */
export function parsePart(args: readonly string[]): string {
  if (args.length === 0) return "1/1";
  const [, number, of] = /^--part[ =](\d+)\/(\d+)$/.exec(args.join(" ")) ?? [];
  if (Number(number) >= 1 && Number(number) <= Number(of)) {
    return `${Number(number)}/${Number(of)}`;
  }
  throw new Error(
    `Cannot read "${args.join(" ")}": give --part and a share, such as 3/8`,
  );
}

/** Minor versions of simulated nodes. */
const versions = ["v1.8", "v1.9", "v1.10", "v1.11", "v1.12", "v1.13", "v1.14"];

/**
 * Minor versions for the wire suite of a share.
 *
 * @param part `3/8`; all shares together cover every version.
 * @returns `v1.8`.
 */
export function listVersions(part: string): readonly string[] {
  const [number = 1, of = 1] = part.split("/").map(Number);
  return versions.filter((_, index) => index % of === number - 1);
}

async function test(
  files: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<number> {
  const { code } = await new Deno.Command(Deno.execPath(), {
    args: ["test", "-A", "--no-check", "--parallel", ...files],
    cwd: new URL("../", import.meta.url),
    env,
  }).spawn().status;
  return code;
}

if (import.meta.main) {
  const part = parsePart(Deno.args);
  const codes = [await test(files, { OSCTL_MATRIX: "all", OSCTL_PART: part })];
  for (const version of listVersions(part)) {
    // deno-lint-ignore no-console
    console.log(`The wire suite on nodes of ${version}`);
    codes.push(await test(["tests/wire"], { OSCTL_WIRE_VERSION: version }));
  }
  Deno.exit(Math.max(...codes));
}
