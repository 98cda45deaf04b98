/** Columns of the cgroup table: sources and formats. */

import { formatDuration } from "../../lib/duration.ts";
import { ibytesText } from "../../terminal/units.ts";
import { type Cgroup, keysIn, readLines, valueAt } from "./tree.ts";

/** Formats of a column value. */
export const columnFormats = [
  "number",
  "bytes",
  "duration",
  "text",
  "list",
  "count",
  "processes",
] as const;

type ColumnFormat = typeof columnFormats[number];

/** A column of the cgroup table. */
export interface CgroupColumn {
  readonly name: string;
  /**
   * Path of the value, as {@linkcode valueAt} reads it. `*` in place of a key selects every key, such as each device of
   * `io.stat`; several such paths are shown together.
   */
  readonly value: string | readonly string[];
  /**
   * Format of the value; default `number`. `duration` is in microseconds, `list` is one line of values, `count` the
   * number of lines, `processes` lines with process numbers.
   */
  readonly format?: ColumnFormat;
  /** Shows the value as a percentage of another one, or of the same value of the parent. */
  readonly percentOf?: string;
  /** Minimum width, right-aligned; default 0. */
  readonly width?: number;
  /** Maximum width; default unlimited. */
  readonly most?: number;
  /** False to leave the root empty. */
  readonly root?: boolean;
}

/** A value in structured output: bytes, seconds, percent; `max` for no limit, null for none. */
export type ColumnValue =
  | number
  | string
  | null
  | readonly ColumnValue[]
  | { readonly [key: string]: ColumnValue };

/** Value of a column for one cgroup. */
export interface ColumnCell {
  readonly text: string;
  readonly value: ColumnValue;
}

interface CellPlace {
  readonly group: Cgroup;
  /** Parent; absent for the root. */
  readonly parent?: Cgroup;
  /** Process names by PID. */
  readonly processes: ReadonlyMap<string, string>;
  /** Device names by `major:minor`. */
  readonly devices: ReadonlyMap<string, string>;
}

/** Files read for a column. */
export function listFiles(
  { value, percentOf }: CgroupColumn,
): readonly string[] {
  const others = percentOf === undefined || percentOf === "parent"
    ? []
    : [percentOf];
  return [value, others].flat().map((path) => path.split("/")[0] ?? "");
}

/** Formats a column for a cgroup. */
export function toCell(column: CgroupColumn, place: CellPlace): ColumnCell {
  if (column.root === false && place.parent === undefined) {
    return { text: "", value: null };
  }
  const { text, value } = formatContent(column, place);
  return { text: text.slice(0, column.most), value };
}

function formatContent(column: CgroupColumn, place: CellPlace): ColumnCell {
  const { value, format = "number", width = 0, percentOf } = column;
  const paths = [value].flat();
  const [first = ""] = paths;
  const { group } = place;
  if (paths.some((path) => path.includes("/*"))) {
    return perKey(column, paths, place);
  }
  if (percentOf !== undefined) return percentage(column, first, place);
  switch (format) {
    case "count": {
      const count = readLines(group, first).length;
      return { text: String(count).padStart(width), value: count };
    }
    case "processes": {
      const names = readLines(group, first).map((pid) =>
        place.processes.get(pid) ?? pid
      );
      return { text: `[${names.join(" ")}]`, value: names };
    }
    case "list": {
      const parts = valueAt(group, first)?.split(" ") ?? [];
      const cells = parts.map((part) => single(part, "number"));
      return {
        text: `[${cells.map(({ text }) => text.padStart(width)).join(" ")}]`,
        value: cells.map(({ value }) => value),
      };
    }
    default: {
      const cell = single(valueAt(group, first), format);
      return { ...cell, text: cell.text.padStart(width) };
    }
  }
}

/** A value for each key of a file: `vda: 1.0 MiB/2.0 MiB `. */
function perKey(
  { format = "number" }: CgroupColumn,
  paths: readonly string[],
  { group, devices }: CellPlace,
): ColumnCell {
  const [file = ""] = paths[0]?.split("/") ?? [];
  const cells = keysIn(group, file).map((key) => ({
    name: devices.get(key) ?? key,
    cells: paths.map((path) =>
      single(valueAt(group, path.replace("*", key)), format)
    ),
  })).sort((a, b) => Number(a.name > b.name) - Number(a.name < b.name));
  return {
    text: cells.map(({ name, cells }) =>
      `${name}: ${cells.map(({ text }) => text).join("/")}`
    ).join(" "),
    value: Object.fromEntries(
      cells.map(({ name, cells }) => [name, cells.map(({ value }) => value)]),
    ),
  };
}

function percentage(
  { percentOf = "", width = 6 }: CgroupColumn,
  path: string,
  { group, parent }: CellPlace,
): ColumnCell {
  const isOfParent = percentOf === "parent";
  if (isOfParent && parent === undefined) return { text: "-", value: null };
  const whole = isOfParent
    ? valueAt(parent ?? group, path)
    : valueAt(group, percentOf);
  const text = percentOfText(valueAt(group, path), whole);
  return {
    text: `${text.padStart(width)}%`,
    value: single(text, "number").value,
  };
}

/**
 * Divides two kernel values.
 *
 * @returns Percent with two decimals; `max` when the part is `max` or the whole is 0, `unset` where one is missing.
 */
function percentOfText(
  part: string | undefined,
  whole: string | undefined,
): string {
  if (!isSet(part) || !isSet(whole)) return "unset";
  if (whole === "max") return part === "max" ? "100.00" : "0.00";
  if (part === "max" || Number(whole) === 0) return "max";
  const hundredths = Math.round(Number(part) / Number(whole) * 100 * 100);
  return (hundredths / 100).toFixed(2);
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== "unset" && value !== "";
}

function single(
  value: string | undefined,
  format: ColumnFormat,
): ColumnCell {
  if (format === "text") return { text: value ?? "", value: value ?? null };
  if (!isSet(value)) return { text: "unset", value: null };
  const number = Number(value);
  if (Number.isNaN(number)) return { text: value, value };
  if (format === "bytes" && Number.isInteger(number)) {
    return { text: ibytesText(number), value: number };
  }
  if (format === "duration") {
    return { text: formatDuration(number / 1000), value: number / 1e6 };
  }
  return { text: value, value: number };
}
