/** Runs the tests: several processes side by side, the files of a folder in one isolate. */

import { type CoveragePart, covered, isOfPart } from "./coverage.ts";
import {
  type Ended,
  failuresIn,
  runTests,
  type TestGroup,
  traced,
} from "./test_process.ts";
import {
  countOf,
  folderLine,
  folderOf,
  lackLines,
  outdated,
  readResults,
  required,
  resultsUntil,
  slowestTable,
  type SlowTests,
  type TestResult,
  unlisted,
} from "./test_results.ts";

/**
 * Most files in one process: each process takes half a second until it has loaded what its tests need. Fewer where
 * tests wait for real nodes and processes most of the time.
 */
const mostFiles = 100;
const waiting: Readonly<Record<string, number>> = {
  "tests/e2e/": 3,
  "tests/wire/": 6,
  "tests/provisioners/": 3,
  "tests/commands/cluster/": 8,
};

/** Most files with tests that take long, in one process. */
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
  const fileOf = (path: string) => path.endsWith(".txt") ? scripts : path;
  if (wanted.length === 0) return [...new Set(all.map(fileOf))].toSorted();
  return [
    ...new Set(wanted.flatMap((name) => {
      const stem = name.replace(/^(\.\/)?(tests\/)?/, "")
        .replace(/(_test)?\.tsx?$|\.txt$|\/$/, "");
      const found = all.filter((file) =>
        file === `tests/${stem}_test.ts` || file === `tests/${stem}.txt` ||
        file.startsWith(`tests/${stem}/`)
      ).map(fileOf);
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
 * Distributes files over processes: those with tests that take long or wait first, so that nothing is waited for at the
 * end.
 *
 * @param files Paths of test files, sorted.
 * @param slow Those with tests that take long.
 */
export function groupFiles(
  files: readonly string[],
  slow: ReadonlySet<string>,
): readonly (readonly string[])[] {
  const groupsOf = (some: readonly string[], most: number) =>
    [...Map.groupBy(some, roomOf)].flatMap(([room, its]) =>
      chunks(its, waiting[room] ?? most)
    );
  const isFirst = (file: string) => slow.has(file) || roomOf(file) in waiting;
  const [first, others] = [
    files.filter(isFirst),
    files.filter((file) => !isFirst(file)),
  ];
  const slowRooms = new Set([...slow].map(roomOf));
  // How long a process will take shows in what else its room has, and in how many files it runs.
  const weightOf = (group: readonly string[]) =>
    group.length + (slowRooms.has(roomOf(group[0] ?? "")) ? mostFiles : 0);
  return [
    ...groupsOf(first, mostSlow),
    ...groupsOf(others, mostFiles)
      .toSorted((one, other) => weightOf(other) - weightOf(one)),
  ];
}

/** Cuts a list into parts of the same length, as few as can be. */
function chunks<T>(all: readonly T[], most: number): readonly (readonly T[])[] {
  const count = Math.ceil(all.length / most);
  const size = Math.ceil(all.length / count);
  return Array.from(
    { length: count },
    (_, at) => all.slice(at * size, (at + 1) * size),
  );
}

/** Folder whose files may share a process: one in which tests wait, or one below `tests/`; `tests/` itself is empty. */
function roomOf(file: string): string {
  return Object.keys(waiting).find((folder) => file.startsWith(folder)) ??
    (file.split("/").length > 2 ? topOf(file) : "");
}

/** Folder of the source tree that a test file is about: `config`. */
function topOf(file: string): string {
  return file.split("/")[1] ?? "";
}

interface GroupResult {
  readonly results: readonly TestResult[];
  /** What a person should see of it; empty when all is well. */
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
    // A process may crash, and a file fail before or between its tests.
    const results = isGood || seen.some(hasFailed)
      ? seen
      : [...seen, failedAsWhole(group)];
    if (junit === undefined) return { results, output };
    const leaky = new Set(
      results.flatMap(({ state, file }) => state === "leaked" ? [file] : []),
    );
    return {
      results,
      output: failuresIn(output) +
        failuresIn(await traced(group.root, [...leaky])),
    };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** What became of files that were ended in the middle: in which of them it was shows when each runs alone. */
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

function failedAsWhole({ files: [file = ""] }: TestGroup): TestResult {
  return { file, name: "(outside of tests)", state: "failed", ms: 0 };
}

/** Runs groups side by side: while some wait for nodes that boot, or for what must not come, others compute. */
async function runAll(
  groups: readonly TestGroup[],
  onEnd: (group: TestGroup, result: GroupResult) => void,
): Promise<void> {
  const isWaiting = ({ files: [file = ""] }: TestGroup) =>
    roomOf(file) in waiting;
  const calm = groups.filter(isWaiting).values();
  const busy = groups.filter((group) => !isWaiting(group)).values();
  const cores = navigator.hardwareConcurrency;

  /** Takes the next group when it is done with its own; those of the second kind when none is left of the first. */
  async function work(...queues: readonly Iterable<TestGroup>[]) {
    for (const queue of queues) {
      for (const group of queue) onEnd(group, await runGroup(group));
    }
  }

  await Promise.all([
    ...Array.from({ length: cores + 1 }, () => work(busy, calm)),
    // More of those that compute would only take longer each, and run into their limits.
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
  /** Root of the project, as a `file:` URL with a slash at its end. */
  readonly root: URL;
  readonly print: (text: string) => void;
  /** What to test, see {@link chooseFiles}; none for all. */
  readonly wanted: readonly string[];
  /** `all` when no test may be ignored for what CI has installed. */
  readonly require?: string | undefined;
  /** What is measured, and where the raw data goes; default nothing. */
  readonly coverage?: {
    /** What is measured: processes with a test file of it. */
    readonly part: CoveragePart;
    /** Path of the folder for the raw data. */
    readonly raw: string;
  };
}

/**
 * Runs tests, and prints what became of them.
 *
 * @returns True when nothing failed.
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
    left.set(folderOf(file), (left.get(folderOf(file)) ?? 0) + 1);
  }
  const results: TestResult[] = [];
  const outputs: string[] = [];
  const measured: TestResult[] = [];
  await runAll(groups, ({ files, coverage }, { results: found, output }) => {
    results.push(...found);
    // Coverage makes tests slower.
    if (coverage === undefined) measured.push(...found);
    if (output !== "") {
      outputs.push(output);
      print(output);
    }
    for (const file of files) {
      const folder = folderOf(file);
      left.set(folder, (left.get(folder) ?? 0) - 1);
      if (left.get(folder) !== 0) continue;
      const its = results.filter((test) => folderOf(test.file) === folder);
      print(folderLine(folder, its));
    }
  });
  print(`\n${slowestTable(measured)}`);
  const lines = lackLines(results);
  if (lines.length > 0) print(`\n${lines.join("\n")}\n`);
  const { passed, failed, ignored } = countOf(results);
  const slow = unlisted(measured, listed);
  for (const { kind, line } of slow) {
    if (kind === "note") print(`note: ${line}`);
  }
  const problems = [
    ...(require === "all" ? required(results) : []),
    ...slow.filter(({ kind }) => kind === "error").map(({ line }) =>
      `${line}: make it faster, or write the reason into tests/slow_tests.json`
    ),
    ...files.length === all.length
      ? outdated(results, listed).map((test) =>
        `tests/slow_tests.json: there is no test ${test}`
      )
      : [],
  ];
  for (const problem of problems) print(`error: ${problem}`);
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
    ? await covered(
      part,
      (coverage) =>
        testAll({ ...options, wanted: Deno.args.slice(2), coverage }),
    )
    : await testAll({ ...options, wanted: Deno.args });
  Deno.exit(isGood ? 0 : 1);
}
