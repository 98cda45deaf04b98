/** Streams the log of Kubernetes tests and reads their progress. */

import type { Kubernetes } from "../kubernetes/client.ts";

interface TestProgress {
  /** Number of tests to run; 0 until the log reports it. */
  readonly total: number;
  readonly finished: number;
  readonly failed: number;
}

/** Progress before the first line. */
export const noProgress: TestProgress = { total: 0, finished: 0, failed: 0 };

/**
 * Updates the progress by a line of the log. A finished test is a bullet, either alone with time and result, or in a
 * row: `• [FAILED] [5.073 seconds]`, `••SS•S`.
 */
export function afterLine(before: TestProgress, line: string): TestProgress {
  const [, total] = /^Will run (\d+) of \d+ specs/i.exec(line) ?? [];
  if (total !== undefined) return { ...before, total: Number(total) };
  const [, run, failure] =
    /^([S•P]+)(?: (\[(?:FAILED|PANICKED|TIMEDOUT|ABORTED|INTERRUPTED)[^\]]*\])?.*)?$/
      .exec(line) ?? [];
  const finished = run?.replaceAll(/[^•]/g, "").length ?? 0;
  return {
    ...before,
    finished: before.finished + finished,
    failed: before.failed + (failure === undefined ? 0 : 1),
  };
}

/** One line for users: `12 of 402 tests finished, 1 failed`. */
export function progressText(
  { total, finished, failed }: TestProgress,
): string {
  if (total === 0) return "the tests are starting";
  const of = `${finished} of ${total} tests finished`;
  return failed === 0 ? of : `${of}, ${failed} failed`;
}

interface LogPosition {
  /** Timestamp of the last line, as the server writes it; empty before the first. */
  readonly time: string;
  /** Number of lines read with that timestamp. */
  readonly count: number;
}

/** Start of a log. */
export const logStart: LogPosition = { time: "", count: 0 };

interface LogPart {
  readonly lines: readonly string[];
  readonly end: LogPosition;
}

/**
 * Reads new lines of a container's log. Each call is a request of its own, so that a lost API server costs only time.
 *
 * @param pod Path of the pod.
 * @throws {KubernetesError} If the server refuses or does not answer.
 */
export async function readLog(
  kubernetes: Pick<Kubernetes, "request">,
  { pod, container, from }: {
    readonly pod: string;
    readonly container: string;
    readonly from: LogPosition;
  },
  signal: AbortSignal,
): Promise<LogPart> {
  // Servers select by whole seconds.
  const since = from.time === ""
    ? ""
    : `&sinceTime=${from.time.replace(/\.\d+/, "")}`;
  const text = await logText(
    kubernetes,
    `${pod}/log?container=${container}&timestamps=true${since}`,
    signal,
  );
  let { time, count } = from;
  let known = count;
  const lines: string[] = [];
  for (const line of text.split("\n")) {
    const [at = "", ...rest] = line.split(" ");
    // An incomplete line has no line end; a line without a timestamp continues none.
    if (at === "" || at < time) continue;
    if (at === time && known-- > 0) continue;
    count = at === time ? count + 1 : 1;
    if (at !== time) known = 0;
    time = at;
    lines.push(rest.join(" "));
  }
  return { lines, end: { time, count } };
}

/** Reads a log or other plain text. Throws `KubernetesError`. */
export async function logText(
  kubernetes: Pick<Kubernetes, "request">,
  path: string,
  signal: AbortSignal,
): Promise<string> {
  const { text } = await kubernetes.request(path, { accept: "text", signal });
  return typeof text === "string" ? text : "";
}
