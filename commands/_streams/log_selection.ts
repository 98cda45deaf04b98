/** Selects log lines by time and text. */

import { parseDuration } from "../../lib/duration.ts";
import { UsageError } from "../../errors.ts";
import {
  type Flag,
  InputProblem,
  text,
  toggle,
  type Values,
} from "../_kit/mod.ts";

type Moment = { readonly at: number } | { readonly agoMs: number };

function momentFlag(summary: string): Flag<Moment | undefined> {
  return {
    ...text(summary),
    type: "time",
    initial: undefined,
    parse(value) {
      const agoMs = parseDuration(value);
      if (agoMs !== undefined && agoMs >= 0) return { agoMs };
      const isDate = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?/
        .test(value);
      const hasZone = /(?:Z|[+-]\d\d:\d\d)$/.test(value) || !/[T ]/.test(value);
      const at = Date.parse(hasZone ? value : `${value}Z`);
      if (isDate && !Number.isNaN(at)) return { at };
      throw new InputProblem(
        "must be a time such as 2026-01-02T03:04:05Z, or a duration such as 10m",
      );
    },
  };
}

/** Flags that select lines. */
export const selectionInputs = {
  since: momentFlag(
    "only lines since this time, or a duration ago such as 10m",
  ),
  until: momentFlag("only lines until this time, or a duration ago such as 5m"),
  grep: {
    ...text("only lines that match this regular expression"),
    parse(value: string): string {
      try {
        new RegExp(value, "u");
        return value;
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        throw new InputProblem(`must be a regular expression: ${why}`);
      }
    },
  },
  merge: toggle("print the lines of all nodes and logs in order of time", {
    step: false,
  }),
  prefix: {
    ...toggle("prefix each line with its node and log", {
      shown: "the node; also the log if there are several",
      step: false,
    }),
    initial: undefined as boolean | undefined,
  },
};

export type SelectionInputs = Values<typeof selectionInputs>;

/** Help text on line selection. */
export const selectionHelp =
  `--since, --until and --merge use the time in each line, or that of the previous line if it has none; times without a
zone are UTC. With --merge --follow, lines wait up to half a second for older ones of other nodes. --grep takes a JavaScript regular expression.`;

/** A line and its time. */
export interface TimedLine {
  readonly line: string;
  /** Milliseconds since 1970; -Infinity before the first timestamp in the log. */
  readonly time: number;
}

/** Filters the lines of one log, in order. */
export type LineChoice = (lines: readonly string[]) => readonly TimedLine[];

/**
 * Creates the line filter.
 *
 * @param input Values of the selection flags.
 * @param now Current time, in milliseconds since 1970.
 * @returns Creates the filter of one log; `undefined` if no filter is needed.
 * @throws {UsageError} If the flags contradict each other or `--follow`.
 */
export function lineChoice(
  { since, until, grep, merge }: SelectionInputs,
  { now, follow }: { readonly now: number; readonly follow: boolean },
): (() => LineChoice) | undefined {
  if (follow && until !== undefined) {
    throw new UsageError(
      "Flags --until and --follow cannot be combined",
      { hint: "Use only one of them" },
    );
  }
  const [from, to] = [since, until].map((moment) =>
    moment && ("at" in moment ? moment.at : now - moment.agoMs)
  );
  if (from !== undefined && to !== undefined && from > to) {
    throw new UsageError("--since is later than --until");
  }
  const isTimed = merge || from !== undefined || to !== undefined;
  if (!isTimed && grep === undefined) return undefined;
  const pattern = grep === undefined ? undefined : new RegExp(grep, "u");
  return () => {
    let time = -Infinity;
    return (lines) =>
      lines.flatMap((line) => {
        if (isTimed) time = lineTime(line, now) ?? time;
        const isWanted = (from === undefined || time >= from) &&
          (to === undefined || time <= to) &&
          (pattern === undefined || pattern.test(line));
        return isWanted ? [{ line, time }] : [];
      });
  };
}

/** A date and time near the start of a line; UTC without a zone. */
const iso =
  /(\d{4})[-/](\d\d)[-/](\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,](\d{1,9}))?\d* ?(Z|[+-]\d\d:?\d\d)?/;

/** Kubernetes components: `I0102 03:04:05.678901`. */
const klog = /^(?:\S+ stderr F )?[IWEF](\d\d)(\d\d) (\d\d:\d\d:\d\d\.\d{1,3})/;

/** Seconds or milliseconds since 1970: `"ts":1767323045678.9`, `audit(1767323045.678:2)`. */
const epoch = /(?:"(?:ts|time)": ?|\baudit\()(\d{10,13}(?:\.\d+)?)/;

const reach = 200;

const dayMs = 24 * 3_600_000;

/**
 * Parses the time of a line.
 *
 * @param line A line of a service, container or kernel log.
 * @param now Current time, in milliseconds since 1970, for lines without a year.
 * @returns Milliseconds since 1970, fractions included; `undefined` if the line has no timestamp.
 */
export function lineTime(line: string, now: number): number | undefined {
  const start = line.slice(0, reach);
  const [, year, month, day, time, fraction = "", zone = "Z"] =
    iso.exec(start) ?? [];
  if (year !== undefined) {
    const whole = Date.parse(`${year}-${month}-${day}T${time}${zone}`);
    if (!Number.isNaN(whole)) return whole + Number(`0.${fraction}0`) * 1000;
  }
  const [, kMonth, kDay, kTime] = klog.exec(start) ?? [];
  if (kMonth !== undefined) {
    const at = (year: number) =>
      Date.parse(`${year}-${kMonth}-${kDay}T${kTime}Z`);
    const thisYear = new Date(now).getUTCFullYear();
    // A December line, read in January.
    const found = at(thisYear) > now + dayMs ? at(thisYear - 1) : at(thisYear);
    return Number.isNaN(found) ? undefined : found;
  }
  const [, number] = epoch.exec(start) ?? [];
  if (number === undefined) return undefined;
  return Number(number) < 1e11 ? Number(number) * 1000 : Number(number);
}
