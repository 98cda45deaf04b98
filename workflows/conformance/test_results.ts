/** Results of Kubernetes tests: the files in the log of the pod, and JUnit results. */

import { OsctlError } from "../../errors.ts";
import { type ResultFile, resultFiles } from "./test_objects.ts";

/** Maximum size of a file in bytes; real ones have a few million. */
const mostBytes = 256 * 1024 * 1024;

/**
 * Reads the files printed by the pod: for each a line `file NAME` and base64 of its gzip; a line `end` after the last.
 *
 * @returns Contents by file name; none when nothing was printed.
 * @throws {OsctlError} If something is missing or damaged.
 */
export async function filesIn(
  log: string,
): Promise<ReadonlyMap<ResultFile, string>> {
  const lines = log.split("\n").filter((line) => line !== "");
  if (lines.length === 0) return new Map();
  if (lines.at(-1) !== "end") throw resultsError("they are incomplete");
  const parts = new Map<ResultFile, string>();
  let name: ResultFile | undefined;
  for (const line of lines.slice(0, -1)) {
    const [, begun] = /^file (\S+)$/.exec(line) ?? [];
    if (begun !== undefined) {
      name = resultFiles.find((one) => one === begun);
      if (name === undefined) {
        throw resultsError(`the tests write no file "${begun}"`);
      }
      parts.set(name, "");
    } else if (name === undefined) throw resultsError("no file is named first");
    else parts.set(name, `${parts.get(name)}${line}`);
  }
  const files = new Map<ResultFile, string>();
  for (const [name, base64] of parts) {
    files.set(name, await unpackResults(base64));
  }
  return files;
}

async function unpackResults(base64: string): Promise<string> {
  try {
    const bytes = Uint8Array.fromBase64(base64);
    const stream = new Blob([bytes]).stream()
      .pipeThrough(new DecompressionStream("gzip"));
    const decoder = new TextDecoder();
    let [text, size] = ["", 0];
    for await (const part of stream) {
      size += part.length;
      if (size > mostBytes) throw new RangeError("it is too long");
      text += decoder.decode(part, { stream: true });
    }
    return text + decoder.decode();
  } catch (error) {
    throw resultsError(error instanceof Error ? error.message : String(error));
  }
}

function resultsError(why: string): OsctlError {
  return new OsctlError(`Cannot read the test results: ${why}`);
}

interface TestCounts {
  readonly passed: number;
  readonly skipped: number;
  readonly failed: readonly string[];
}

/** Counts the test cases of a JUnit file of the test runner. */
export function countTests(junit: string): TestCounts {
  let [passed, skipped] = [0, 0];
  const failed: string[] = [];
  for (const [tag] of junit.matchAll(/<testcase\s(?:[^>"]|"[^"]*")*>/g)) {
    const name = attribute(tag, "name");
    const status = attribute(tag, "status");
    // Setup nodes of the suite are test cases, too; they count when they fail.
    const isTest = name.startsWith("[It]");
    if (status === "passed") passed += isTest ? 1 : 0;
    else if (status === "skipped" || status === "pending") {
      skipped += isTest ? 1 : 0;
    } else failed.push(name.replace(/^\[It\] /, ""));
  }
  return { passed, skipped, failed };
}

const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
};

function attribute(tag: string, name: string): string {
  const [, value = ""] = new RegExp(`\\s${name}="([^"]*)"`).exec(tag) ?? [];
  return value.replaceAll(
    /&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi,
    (whole, decimal, hex, entity) => {
      if (entity !== undefined) return entities[entity] ?? whole;
      const code = Number(decimal ?? `0x${hex}`);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}
