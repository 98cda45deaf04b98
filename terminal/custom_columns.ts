/** Tables for `-o custom-columns=`. */

import { UsageError } from "../errors.ts";
import { writeExactly } from "./bigint_json.ts";
import type { CustomColumn } from "./format.ts";
import { compileColumn } from "./jsonpath/template.ts";
import { JsonPathProblem } from "./jsonpath/scan.ts";
import { tableBy, type TableView } from "./view.ts";

/**
 * Creates a table from paths.
 *
 * @throws {UsageError} If a path is invalid.
 */
export function customTable<Row>(
  columns: readonly CustomColumn[],
): TableView<Row> {
  const all = columns.map(({ header, path }) => {
    const read = compileHeader(header, path);
    return {
      header,
      name: true,
      cell: (row: Row) => {
        const found = read(row);
        return found.length === 0 ? "<none>" : found.map(formatValue).join(",");
      },
    };
  });
  return tableBy(() => all);
}

function compileHeader(
  header: string,
  path: string,
): (row: unknown) => readonly unknown[] {
  try {
    return compileColumn(path);
  } catch (error) {
    if (!(error instanceof JsonPathProblem)) throw error;
    throw new UsageError(
      `Invalid path "${path}" of column "${header}": ${error.message}`,
    );
  }
}

function formatValue(value: unknown): string {
  if (value === null || value === undefined) return "<none>";
  return typeof value === "object"
    ? JSON.stringify(value, writeExactly)
    : String(value);
}
