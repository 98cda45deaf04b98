/** Start-up of the built executable, compared with an empty program on the same runtime. */

import { runtimeFlags } from "../provisioners/own_command.ts";
import type { Measurement } from "../tools/bench.ts";
import { executable } from "./_bench.ts";

/** Budget: start-up time divided by that of an empty program. */
const budget = 2;

const lines = [
  ["--help"],
  ["version", "--client"],
  ["completion", "bash"],
  ["__complete", "version", "--cl"],
] as const;

/** A program with its arguments. */
type Line = readonly [string, ...string[]];

/**
 * Measures start-up.
 *
 * @returns First start, then each command line in milliseconds and as a multiple.
 * @throws {Error} If the executable cannot be built.
 */
export async function run(): Promise<readonly Measurement[]> {
  const folder = await Deno.makeTempDir();
  try {
    const osctl = await executable(folder);
    const env = {
      XDG_CACHE_HOME: folder,
      TMPDIR: folder,
      DENO_DIR: `${folder}/deno`,
    };
    const first = await measureTime([osctl, "--help"], env);
    const empty = `${folder}/empty.js`;
    await Deno.writeTextFile(empty, "");
    const times = await inTurns([
      [Deno.execPath(), ...runtimeFlags, empty],
      ...lines.map((line): Line => [osctl, ...line]),
    ], env);
    const [base = NaN] = times;
    return [
      {
        name: "first start, including unpacking",
        value: first,
        unit: "ms",
        budget: 3_000,
      },
      { name: "empty program", value: base, unit: "ms" },
      ...lines.flatMap((line, i) => {
        const name = line.join(" ");
        const value = times[i + 1] ?? NaN;
        return [
          { name, value, unit: "ms" },
          {
            name: `${name} / empty program`,
            value: value / base,
            unit: "x",
            budget,
          },
        ];
      }),
    ];
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Runs the programs alternately, so that other load affects all; medians in milliseconds. */
async function inTurns(
  programs: readonly Line[],
  env: Record<string, string>,
): Promise<readonly number[]> {
  const times: number[][] = programs.map(() => []);
  for (let round = 0; round < 31; round++) {
    for (const [i, program] of programs.entries()) {
      times[i]?.push(await measureTime(program, env));
    }
  }
  return times.map((all) => all.toSorted((a, b) => a - b)[15] ?? NaN);
}

async function measureTime(
  [command, ...args]: Line,
  env: Record<string, string>,
): Promise<number> {
  const start = performance.now();
  const { success } = await new Deno.Command(command, {
    args,
    env,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).output();
  const time = performance.now() - start;
  if (!success) throw new Error(`Cannot run ${command} ${args.join(" ")}`);
  return time;
}
