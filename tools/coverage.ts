/** Measures test coverage of handwritten code, and fails below the thresholds of `deno.json`. */

/** Source folders, and the test folders that must cover them. */
export interface CoveragePart {
  readonly sources: readonly string[];
  /** Folders below `tests/`. */
  readonly tests: readonly string[];
  /** Subfolders that belong to another part, with their tests; absent if none. */
  readonly without?: readonly string[];
}

/** Parts, one measured per day, of similar duration: coverage doubles the time of tests. */
const parts: readonly CoveragePart[] = [
  { sources: ["config", "pki", "lib"], tests: ["config", "pki", "lib"] },
  { sources: ["transport"], tests: ["transport", "wire"] },
  {
    sources: ["simulator", "provisioners", "tools"],
    tests: ["simulator", "provisioners", "tools"],
  },
  { sources: ["workflows/runbooks"], tests: ["workflows/runbooks"] },
  {
    sources: ["workflows", "terminal"],
    tests: ["workflows", "terminal"],
    without: ["workflows/runbooks"],
  },
  { sources: ["commands"], tests: ["commands"] },
];

/**
 * Chooses a part.
 *
 * @param name `all`; `today` for the part of the day; or a source folder, for its part.
 * @param now The day.
 * @throws {Error} If it is none of these.
 */
export function partNamed(name: string, now: Date): CoveragePart {
  if (name === "all") {
    return {
      sources: parts.flatMap(({ sources }) => sources),
      tests: [...new Set(parts.flatMap(({ tests }) => tests))],
    };
  }
  const day = Math.floor(now.getTime() / (24 * 3_600_000));
  const part = name === "today"
    ? parts[day % parts.length]
    : parts.find(({ sources }) => sources.includes(name));
  if (part !== undefined) return part;
  throw new Error(
    `Cannot measure the coverage of "${name}": give all, today, or one of ${
      parts.flatMap(({ sources }) => sources).join(", ")
    }`,
  );
}

/** Reports whether a test file belongs to a part. */
export function isOfPart(
  file: string,
  { tests, without = [] }: CoveragePart,
): boolean {
  const isBelow = (folder: string) => file.startsWith(`tests/${folder}/`);
  return tests.some(isBelow) && !without.some(isBelow);
}

/** Excluded files: tests, benchmarks, generated code. */
const uncounted = "/tests/|/bench/|transport/gen/";

/**
 * Removes incomplete files of killed processes; tests kill processes on purpose.
 *
 * @param folder Folder of the raw data, with a trailing slash.
 * @returns Names of the removed files.
 */
export async function dropUnfinished(folder: URL): Promise<string[]> {
  const dropped: string[] = [];
  for await (const { name } of Deno.readDir(folder)) {
    if (!name.endsWith(".json")) continue;
    const file = new URL(name, folder);
    try {
      JSON.parse(await Deno.readTextFile(file));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      await Deno.remove(file);
      dropped.push(name);
    }
  }
  return dropped;
}

/**
 * Measures a test run, and prints the result.
 *
 * @param name Part to measure, see {@link partNamed}.
 * @param test Runs the tests; returns whether they passed.
 * @returns True when they passed with sufficient coverage.
 */
export async function measureCoverage(
  name: string,
  test: (
    measured: { readonly part: CoveragePart; readonly raw: string },
  ) => Promise<boolean>,
): Promise<boolean> {
  const part = partNamed(name, new Date());
  const { sources, without = [] } = part;
  const root = new URL("../", import.meta.url);
  const raw = await Deno.makeTempDir({ prefix: "osctl-coverage-" });
  try {
    const isGood = await test({ part, raw });
    await dropUnfinished(new URL(`file://${raw}/`));
    const { code, stdout } = await new Deno.Command(Deno.execPath(), {
      args: [
        "coverage",
        `--include=^${root.href}(${sources.join("|")})/`,
        `--exclude=${
          [uncounted, ...without.map((folder) => `^${root.href}${folder}/`)]
            .join("|")
        }`,
        raw,
      ],
      cwd: root,
      stdout: "piped",
      stderr: "inherit",
    }).output();
    const table = new TextDecoder().decode(stdout).trimEnd();
    const shown = name === "today" ? table.split("\n").slice(-1) : [table];
    const but = without.length === 0 ? "" : ` without ${without.join(", ")}`;
    const text = [`\nCoverage of ${sources.join(", ")}${but}:`, ...shown, ""];
    Deno.stdout.writeSync(new TextEncoder().encode(text.join("\n")));
    return isGood && code === 0;
  } finally {
    await Deno.remove(raw, { recursive: true });
  }
}
