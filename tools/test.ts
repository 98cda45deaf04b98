/** Runs the tests: in parallel processes, the files of a folder in one isolate. */

import { type CoveragePart, isOfPart, measureCoverage } from "./coverage.ts";
import {
  type Ended,
  failuresIn,
  runTests,
  type TestGroup,
  trace,
} from "./test_process.ts";
import {
  countStates,
  findFolder,
  findOutdated,
  findUnlisted,
  folderLine,
  lackLines,
  listRequired,
  readResults,
  resultsUntil,
  slowestTable,
  type SlowTests,
  type TestResult,
} from "./test_results.ts";

/**
 * Maximum files per process: each needs half a second to load. Fewer for tests that mostly wait for real nodes and
 * processes.
 */
const mostFiles = 100;
const waiting: Readonly<Record<string, number>> = {
  "tests/e2e/": 3,
  "tests/wire/": 6,
  "tests/provisioners/": 3,
  "tests/commands/cluster/": 8,
};

/** Maximum files with slow tests per process. */
const mostSlow = 3;

/** Runs the scripts of commands. */
const scripts = "tests/commands/scripts_test.ts";

/**
 * Chooses test files.
 *
 * @param all Paths of all test files, and of scripts of commands.
 * @param wanted Folders, sources or tests, with `tests/` in front or without: `commands/version`; none for all.
 * @throws {Error} If one of them has no test.
 */
export function chooseFiles(
  all: readonly string[],
  wanted: readonly string[],
): readonly string[] {
  const toFile = (path: string) => path.endsWith(".txt") ? scripts : path;
  if (wanted.length === 0) return [...new Set(all.map(toFile))].toSorted();
  return [
    ...new Set(wanted.flatMap((name) => {
      const stem = name.replace(/^(\.\/)?(tests\/)?/, "")
        .replace(/(_test)?\.tsx?$|\.txt$|\/$/, "");
      const found = all.filter((file) =>
        file === `tests/${stem}_test.ts` || file === `tests/${stem}.txt` ||
        file.startsWith(`tests/${stem}/`)
      ).map(toFile);
      if (found.length === 0) {
        throw new Error(
          `No tests of "${name}": neither tests/${stem}_test.ts nor tests/${stem}/ exists`,
        );
      }
      return found;
    })),
  ].toSorted();
}

/**
 * Distributes files over processes: slow or waiting tests first, to shorten the tail.
 *
 * @param files Paths of test files, sorted.
 * @param slow Files with slow tests.
 */
export function groupFiles(
  files: readonly string[],
  slow: ReadonlySet<string>,
): readonly (readonly string[])[] {
  const splitGroups = (some: readonly string[], most: number) =>
    [...Map.groupBy(some, findRoom)].flatMap(([room, its]) =>
      chunks(its, waiting[room] ?? most)
    );
  const isFirst = (file: string) =>
    slow.has(file) || Object.hasOwn(waiting, findRoom(file));
  const [first, others] = [
    files.filter(isFirst),
    files.filter((file) => !isFirst(file)),
  ];
  const slowRooms = new Set([...slow].map(findRoom));
  // Estimates the duration of a process from its room and number of files.
  const weigh = (group: readonly string[]) =>
    group.length + (slowRooms.has(findRoom(group[0] ?? "")) ? mostFiles : 0);
  return [
    ...splitGroups(first, mostSlow),
    ...splitGroups(others, mostFiles)
      .toSorted((one, other) => weigh(other) - weigh(one)),
  ];
}

/** Splits a list into the fewest parts of equal length. */
function chunks<T>(all: readonly T[], most: number): readonly (readonly T[])[] {
  const count = Math.ceil(all.length / most);
  const size = Math.ceil(all.length / count);
  return Array.from(
    { length: count },
    (_, at) => all.slice(at * size, (at + 1) * size),
  );
}

/** Folder whose files may share a process: one with waiting tests, or one below `tests/`; empty for `tests/` itself. */
function findRoom(file: string): string {
  return Object.keys(waiting).find((folder) => file.startsWith(folder)) ??
    (file.split("/").length > 2 ? findTopFolder(file) : "");
}

/** Source folder of a test file: `config`. */
function findTopFolder(file: string): string {
  return file.split("/")[1] ?? "";
}

interface GroupResult {
  readonly results: readonly TestResult[];
  /** Output to show; empty on success. */
  readonly output: string;
}

async function runGroup(group: TestGroup): Promise<GroupResult> {
  const folder = await Deno.makeTempDir({ prefix: "osctl-test-" });
  try {
    const ended = await runTests(group, folder);
    if (ended.passed !== undefined) return await hung(group, ended);
    const { isGood, junit, metered, output } = ended;
    const seen = junit === undefined || metered === undefined
      ? []
      : readResults(junit, JSON.parse(metered));
    // A process may crash, and a file fail outside its tests.
    const results = isGood || seen.some(hasFailed)
      ? seen
      : [...seen, failAsWhole(group)];
    if (junit === undefined) return { results, output };
    const leaky = new Set(
      results.flatMap(({ state, file }) => state === "leaked" ? [file] : []),
    );
    return {
      results,
      output: failuresIn(output) +
        failuresIn(await trace(group.root, [...leaky])),
    };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Reruns the files of a killed process one by one, to find the one that hung. */
async function hung(
  group: TestGroup,
  { output, passed }: Ended,
): Promise<GroupResult> {
  const [file = "", ...others] = group.files;
  if (others.length === 0) {
    const results = resultsUntil(output, file);
    const name = results.at(-1)?.name;
    return {
      results,
      output: `${file}: "${name}" was ended after ${passed}; if it needs ` +
        "more, its file says so: export const longestSeconds = 120;",
    };
  }
  const results: TestResult[] = [];
  const outputs: string[] = [];
  for (const file of group.files) {
    const alone = await runGroup({ ...group, files: [file] });
    results.push(...alone.results);
    if (alone.output !== "") outputs.push(alone.output);
  }
  return { results, output: outputs.join("\n") };
}

function hasFailed({ state }: TestResult): boolean {
  return state === "failed" || state === "leaked";
}

function failAsWhole({ files: [file = ""] }: TestGroup): TestResult {
  return { file, name: "(outside of tests)", state: "failed", ms: 0 };
}

/** Runs groups in parallel: some wait while others compute. */
async function runAll(
  groups: readonly TestGroup[],
  onEnd: (group: TestGroup, result: GroupResult) => void,
): Promise<void> {
  const isWaiting = ({ files: [file = ""] }: TestGroup) =>
    Object.hasOwn(waiting, findRoom(file));
  const calm = groups.filter(isWaiting).values();
  const busy = groups.filter((group) => !isWaiting(group)).values();
  const cores = navigator.hardwareConcurrency;

  /** Takes groups until none is left; the second queue after the first. */
  async function work(...queues: readonly Iterable<TestGroup>[]) {
    for (const queue of queues) {
      for (const group of queue) onEnd(group, await runGroup(group));
    }
  }

  await Promise.all([
    ...Array.from({ length: cores + 1 }, () => work(busy, calm)),
    // More CPU-bound processes would slow each other down to their timeouts.
    ...Array.from({ length: 4 * cores - 1 }, () => work(calm)),
  ]);
}

async function testFiles(root: URL, folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const item of Deno.readDir(new URL(folder, root))) {
    const path = `${folder}${item.name}`;
    if (item.isDirectory) found.push(...await testFiles(root, `${path}/`));
    else if (
      path.endsWith("_test.ts") || /^tests\/commands\/.*\.txt$/.test(path)
    ) found.push(path);
  }
  return found.toSorted();
}

interface TestOptions {
  /** Root of the project, as a `file:` URL with a trailing slash. */
  readonly root: URL;
  readonly print: (text: string) => void;
  /** Tests to run, see {@link chooseFiles}; empty for all. */
  readonly wanted: readonly string[];
  /** `all` to fail on tests ignored for a dependency that CI has. */
  readonly require?: string | undefined;
  /** Coverage part and output; default none. */
  readonly coverage?: {
    /** Part to measure: processes with a test file of it. */
    readonly part: CoveragePart;
    /** Folder of the raw data. */
    readonly raw: string;
  };
}

/**
 * Runs tests, and prints results.
 *
 * @returns True when none failed.
 */
export async function testAll(
  { root, wanted, coverage, require, print }: TestOptions,
): Promise<boolean> {
  const began = performance.now();
  const listed: SlowTests = JSON.parse(
    await Deno.readTextFile(new URL("tests/slow_tests.json", root)),
  );
  const all = await testFiles(root, "tests/");
  const files = chooseFiles(all, wanted);
  const groups = groupFiles(files, new Set(Object.keys(listed)))
    .map((files): TestGroup =>
      coverage !== undefined &&
        files.some((file) => isOfPart(file, coverage.part))
        ? { root, files, coverage: coverage.raw }
        : { root, files }
    );
  const left = new Map<string, number>();
  for (const file of files) {
    left.set(findFolder(file), (left.get(findFolder(file)) ?? 0) + 1);
  }
  const results: TestResult[] = [];
  const outputs: string[] = [];
  const measured: TestResult[] = [];
  await runAll(groups, ({ files, coverage }, { results: found, output }) => {
    results.push(...found);
    // Coverage slows tests down.
    if (coverage === undefined) measured.push(...found);
    if (output !== "") {
      outputs.push(output);
      print(output);
    }
    for (const file of files) {
      const folder = findFolder(file);
      left.set(folder, (left.get(folder) ?? 0) - 1);
      if (left.get(folder) !== 0) continue;
      const its = results.filter((test) => findFolder(test.file) === folder);
      print(folderLine(folder, its));
    }
  });
  print(`\n${slowestTable(measured)}`);
  const lines = lackLines(results);
  if (lines.length > 0) print(`\n${lines.join("\n")}\n`);
  const { passed, failed, ignored } = countStates(results);
  const slow = findUnlisted(measured, listed);
  for (const { kind, line } of slow) {
    if (kind === "note") print(`note: ${line}`);
  }
  const problems = [
    ...(require === "all" ? listRequired(results) : []),
    ...slow.filter(({ kind }) => kind === "error").map(({ line }) =>
      `${line}: make it faster, or write the reason into tests/slow_tests.json`
    ),
    ...files.length === all.length
      ? findOutdated(results, listed).map((test) =>
        `tests/slow_tests.json: there is no test ${test}`
      )
      : [],
  ];
  for (const problem of problems) print(`error: ${problem}`);
  for (const { file, name } of results.filter(hasFailed)) {
    print(`failed: ${file}: ${name}`);
  }
  const isGood = failed === 0 && problems.length === 0;
  const seconds = Math.round((performance.now() - began) / 1_000);
  print(
    `${
      isGood ? "ok" : "FAILED"
    } | ${passed} passed | ${failed} failed | ${ignored} ignored (${seconds} s)`,
  );
  return isGood;
}

if (import.meta.main) {
  const root = new URL("../", import.meta.url);
  const print = (text: string) =>
    Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
  const require = Deno.env.get("OSCTL_TEST_REQUIRE");
  const options = { root, print, require };
  const [flag, part = "all"] = Deno.args;
  const isGood = flag === "--coverage"
    ? await measureCoverage(
      part,
      (coverage) =>
        testAll({ ...options, wanted: Deno.args.slice(2), coverage }),
    )
    : await testAll({ ...options, wanted: Deno.args });
  Deno.exit(isGood ? 0 : 1);
}
