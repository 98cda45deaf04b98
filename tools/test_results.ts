/** Test results: parsed from the runner's report, and summarized. */

import { layOut } from "../terminal/table.ts";
import type { Lack, Metered } from "./test_meter.ts";

/** One test. */
export interface TestResult {
  /** Path of its file from the root. */
  readonly file: string;
  readonly name: string;
  /** Result; `leaked` is a failure, too. */
  readonly state: "passed" | "failed" | "leaked" | "ignored";
  /** Wall time in milliseconds. */
  readonly ms: number;
  /** CPU time in milliseconds, normalized to the reference machine; absent if not measured. */
  readonly cpuMs?: number;
  /** Missing dependencies of an ignored test. */
  readonly lacks?: readonly Lack[];
}

/** Maximum CPU time of an unlisted test, in milliseconds. */
const longestMs = 2_000;

/** Tolerated slowdown on a busy machine: the same test takes up to three times as long beside other work. */
const busyFactor = 5;

/** Reasons for slow tests, by file, then by name or `*` for the whole file. */
export type SlowTests = Readonly<
  Record<string, Readonly<Record<string, string>>>
>;

/**
 * Parses a JUnit report of `deno test`.
 *
 * @param junit XML.
 * @param metered CPU times of the same process.
 */
export function readResults(
  junit: string,
  { slowness, cpuMs, lacks }: Metered,
): readonly TestResult[] {
  const measured = cpuMs.values();
  const reasons = lacks.values();
  const found: TestResult[] = [];
  for (const [, attributes = "", content = ""] of junit.matchAll(testcase)) {
    const name = readAttribute(attributes, "name");
    const file = readAttribute(attributes, "classname").replace(/^\.\//, "");
    const isStep = found.some((test) =>
      test.file === file && name.startsWith(`${test.name} > `)
    );
    if (isStep) continue;
    const state = parseState(content);
    const cpu = state === "ignored" ? undefined : measured.next().value;
    const ms = Number(readAttribute(attributes, "time")) * 1_000;
    const cpuMs = cpu === undefined ? {} : { cpuMs: cpu / slowness };
    const why = state === "ignored" ? reasons.next().value : undefined;
    const lacking = why === undefined ? {} : { lacks: why };
    found.push({ file, name, state, ms, ...cpuMs, ...lacking });
  }
  return found;
}

/**
 * Parses the output of a killed `deno test`; the last test is the one that was killed.
 *
 * @param output Its output.
 * @param file The only test file.
 */
export function resultsUntil(
  output: string,
  file: string,
): readonly TestResult[] {
  const found: TestResult[] = [];
  let begun: string | undefined;
  // Steps are indented.
  for (const line of output.split("\n")) {
    const [, name, how] = /^(\S.*) \.\.\.(?: (ok|ignored|FAILED)\b.*)?\s*$/
      .exec(line) ?? [];
    if (name === undefined) continue;
    begun = how === undefined ? name : undefined;
    if (how === undefined) continue;
    const state = how === "ok" ? "passed" : how === "FAILED" ? "failed" : how;
    found.push({ file, name, state: state as TestResult["state"], ms: 0 });
  }
  const name = begun ?? "(outside of tests)";
  return [...found, { file, name, state: "failed", ms: 0 }];
}

const testcase = /<testcase ([^>]*)>([^]*?)<\/testcase>/g;

function parseState(content: string): TestResult["state"] {
  if (content.includes("<skipped/>")) return "ignored";
  if (content.includes('<failure message="Leaks detected">')) return "leaked";
  return content.includes("<failure ") ? "failed" : "passed";
}

const entities: Readonly<Record<string, string>> = {
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&apos;": "'",
  "&amp;": "&",
};

function readAttribute(attributes: string, name: string): string {
  const [, text = ""] = new RegExp(`\\b${name}="([^"]*)"`).exec(attributes) ??
    [];
  return text
    .replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
    .replace(/&\w+;/g, (entity) => entities[entity] ?? entity);
}

/** Folder for counting a test: two levels, without `tests/`. */
export function findFolder(file: string): string {
  const [, ...parts] = file.split("/");
  return parts.slice(0, -1).slice(0, 2).join("/") || ".";
}

/** Numbers of passed, failed and ignored tests. */
export function countStates(
  results: readonly TestResult[],
): Readonly<Record<"passed" | "failed" | "ignored", number>> {
  const count = { passed: 0, failed: 0, ignored: 0 };
  for (const { state } of results) {
    count[state === "leaked" ? "failed" : state]++;
  }
  return count;
}

/** One line for the tests of a folder. */
export function folderLine(
  folder: string,
  results: readonly TestResult[],
): string {
  const { passed, failed, ignored } = countStates(results);
  const seconds = results.reduce((sum, { ms }) => sum + ms, 0) / 1_000;
  const count = [
    `${passed} passed`,
    ...failed > 0 ? [`${failed} failed`] : [],
    ...ignored > 0 ? [`${ignored} ignored`] : [],
  ].join(", ");
  return `${folder.padEnd(30)} ${seconds.toFixed(1).padStart(6)} s  ${count}`;
}

/** Table of the slowest tests by CPU time. */
export function slowestTable(results: readonly TestResult[]): string {
  const rows = results
    .toSorted((a, b) => cpuTime(b) - cpuTime(a))
    .slice(0, 10)
    .map((test) => [
      `${(cpuTime(test) / 1_000).toFixed(1)} s`,
      `${(test.ms / 1_000).toFixed(1)} s`,
      `${test.file}: ${test.name}`,
    ]);
  return layOut([["CPU", "TIME", "SLOWEST TESTS"], ...rows], { gap: 3 }).text;
}

function cpuTime({ cpuMs = 0 }: TestResult): number {
  return cpuMs;
}

/**
 * Finds unlisted slow tests.
 *
 * @param results The tests.
 * @param listed Listed tests.
 * @returns One line for each, with test and time: notes within the tolerance for busy machines, errors otherwise.
 */
export function findUnlisted(
  results: readonly TestResult[],
  listed: SlowTests,
): readonly { readonly kind: "note" | "error"; readonly line: string }[] {
  return results
    .filter((test) =>
      cpuTime(test) > longestMs &&
      (listed[test.file]?.[test.name] ?? listed[test.file]?.["*"]) === undefined
    )
    .map((test) => ({
      kind: cpuTime(test) > busyFactor * longestMs ? "error" : "note",
      line: `${test.file}: "${test.name}" takes ${
        (cpuTime(test) / 1_000).toFixed(1)
      } s of processor time, more than ${longestMs / 1_000} s`,
    }));
}

/**
 * Finds listed names without a test.
 *
 * @param results All tests of the project.
 * @param listed The list.
 */
export function findOutdated(
  results: readonly TestResult[],
  listed: SlowTests,
): readonly string[] {
  const known = new Set(
    results.flatMap(({ file, name }) => [
      `${file}: "${name}"`,
      `${file}: "*"`,
    ]),
  );
  return Object.entries(listed).flatMap(([file, names]) =>
    Object.keys(names)
      .map((name) => `${file}: "${name}"`)
      .filter((test) => !known.has(test))
  );
}

/** Summarizes ignored tests with missing dependencies and how to install them; empty if none. */
export function lackLines(results: readonly TestResult[]): readonly string[] {
  const ignored = results.filter(({ state }) => state === "ignored");
  if (ignored.length === 0) return [];
  // A test that lacks several is counted once.
  const counts = [...Map.groupBy(ignored, ({ lacks }) => lacks?.[0]?.name)]
    .map(([name, { length }]) => ({ name, length }))
    .toSorted((one, other) => other.length - one.length)
    .map(({ name, length }, index) =>
      name === undefined
        ? `${length} for another reason`
        : `${length} ${index === 0 ? "need " : ""}${name}`
    );
  const lacks = ignored.flatMap(({ lacks = [] }) => lacks);
  const install = (command: string, system: "debian" | "brew") => {
    const names = new Set(lacks.flatMap((lack) => lack[system] ?? []));
    return names.size === 0
      ? []
      : [`${command} ${[...names].sort().join(" ")}`];
  };
  return [
    `${ignored.length} ignored: ${counts.join(", ")}`,
    ...install("Debian: apt-get install --no-install-recommends", "debian"),
    ...install("macOS: brew install", "brew"),
  ];
}

/** Lists ignored tests that must run when everything is installed. */
export function listRequired(
  results: readonly TestResult[],
): readonly string[] {
  return results
    .filter(({ state, lacks = [] }) =>
      state === "ignored" && !lacks.some(({ optional }) => optional)
    )
    .map(({ file, name, lacks = [] }) =>
      `${file}: "${name}" is ignored, and must run: it lacks ${
        lacks.map(({ name }) => name).join(", ") || "nothing that it names"
      }`
    );
}
