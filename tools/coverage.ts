/** Measures how much of what people wrote the tests run, and fails below the thresholds of `deno.json`. */

/** Folders of sources, and those of the tests that have to cover them. */
export interface CoveragePart {
  readonly sources: readonly string[];
  /** Folders below `tests/`. */
  readonly tests: readonly string[];
  /** Folders in these that are in another part, with their tests; absent where there are none. */
  readonly without?: readonly string[];
}

/** Parts that are measured one a day, and take about as long each: measuring makes tests take twice as long. */
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
 * Chooses what is measured.
 *
 * @param name `all`; `today` for the part of the day; or a folder of sources, for the part it is in.
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

/** Says whether a test file is among those of a part. */
export function isOfPart(
  file: string,
  { tests, without = [] }: CoveragePart,
): boolean {
  const isBelow = (folder: string) => file.startsWith(`tests/${folder}/`);
  return tests.some(isBelow) && !without.some(isBelow);
}

/** Files that do not count: tests, measurements, generated code. */
const uncounted = "/tests/|/bench/|transport/gen/";

/**
 * Removes what a process left that was killed while it wrote; tests kill processes on purpose.
 *
 * @param folder Folder of the raw data, with a slash at its end.
 * @returns Names of the files that were removed.
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
 * Measures a run of tests, and prints the result.
 *
 * @param name What is measured, see {@link partNamed}.
 * @param test Runs the tests; says whether they passed.
 * @returns True when they passed and covered enough.
 */
export async function covered(
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
