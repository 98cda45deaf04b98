/** Row filters and order: `--field-selector` and `--sort-by`. */

import { nearest } from "../lib/text/nearest.ts";
import { UsageError } from "../errors.ts";
import { compileColumn } from "./jsonpath/template.ts";
import { JsonPathProblem } from "./jsonpath/scan.ts";
import type { FieldCondition } from "./format.ts";
import { parseSizeText } from "./units.ts";
import { type Column, foldName, type View } from "./view.ts";

type FieldReader<Row> = (row: Row) => unknown;

/**
 * Creates the filter for rows.
 *
 * @param view Its columns are fields, as are the paths of the rows.
 * @returns Throws `UsageError` on the first row if a field is unknown.
 */
export function rowFilter<Row>(
  view: View<Row>,
  where: readonly FieldCondition[],
): (row: Row) => boolean {
  let conditions: readonly ((row: Row) => boolean)[] | undefined;
  return (row) => {
    conditions ??= where.map(({ field, value, equal }) => {
      const read = fieldReader(view, field, row, "--field-selector");
      const wanted = value.toLowerCase();
      return (row) => (texts(read(row)).includes(wanted)) === equal;
    });
    return conditions.every((holds) => holds(row));
  };
}

/**
 * Sorts rows by a column or a path, then by node: numbers by value, texts in natural order.
 *
 * @param sortBy Column or path; a leading `-` reverses the order.
 *
 * @throws {UsageError} If there is no such column or path.
 */
export function sortedRows<Row>(
  view: View<Row>,
  sortBy: string,
  rows: readonly Row[],
): readonly Row[] {
  const [first] = rows;
  if (first === undefined) return rows;
  const isDescending = sortBy.startsWith("-");
  const field = isDescending ? sortBy.slice(1) : sortBy;
  const read = fieldReader(view, field, first, "--sort-by");
  const byNode = orderRows(rows, (row) => Reflect.get(Object(row), "node"));
  return orderRows(byNode, read, isDescending);
}

let collator: Intl.Collator | undefined;

/** Sorts rows by what `read` returns: numbers and sizes by value, texts in natural order, equal ones as before. */
export function orderRows<Row>(
  rows: readonly Row[],
  read: (row: Row) => unknown,
  isDescending = false,
): readonly Row[] {
  const sign = isDescending ? -1 : 1;
  // Made here and once, since it takes 8 ms.
  collator ??= new Intl.Collator("en", { numeric: true });
  const { compare } = collator;
  return rows.map((row) => ({ row, key: toKey(read(row)) })).sort((a, b) =>
    sign *
    (isNumber(a.key) && isNumber(b.key)
      ? Number(a.key) - Number(b.key)
      : compare(formatValue(a.key), formatValue(b.key)))
  ).map(({ row }) => row);
}

/** Nodes format some sizes themselves. */
function toKey(value: unknown): unknown {
  return typeof value === "string" ? parseSizeText(value) ?? value : value;
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

function texts(value: unknown): readonly string[] {
  const all = Array.isArray(value) ? [...value, value] : [value];
  return all.map((one) => formatValue(one).toLowerCase());
}

function formatValue(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function fieldReader<Row>(
  view: View<Row>,
  field: string,
  first: Row,
  flag: string,
): FieldReader<Row> {
  const columns = view.kind === "table" ? view.columns(first) : [];
  const column = columns.find(({ header }) =>
    foldName(header) === foldName(field)
  );
  if (column !== undefined) {
    return flag === "--sort-by" ? readValue(column) : (row) => [
      column.cell(row),
      column.value?.(row),
    ];
  }
  const isPath = /^[.{]/.test(field);
  const [top = ""] = field.split(/[.[]/, 1);
  const isKey = typeof first === "object" && first !== null &&
    Object.hasOwn(first, top);
  if (isPath || isKey) return pathReader(field, flag);
  const names = columns.map(({ header }) => header);
  const near = nearest(
    foldName(field),
    names.map(foldName),
  );
  const meant = names.find((name) => foldName(name) === near);
  throw new UsageError(`Unknown column "${field}" for ${flag}`, {
    hint: meant === undefined
      ? names.length === 0
        ? "Use a path into the rows, such as .node; -o json shows them"
        : `Known columns: ${names.join(", ")}; a path such as .node works too`
      : `Did you mean "${meant}"?`,
  });
}

function readValue<Row>(column: Column<Row>): FieldReader<Row> {
  return (row) => column.value?.(row) ?? column.cell(row);
}

function pathReader(path: string, flag: string): (row: unknown) => unknown {
  try {
    const read = compileColumn(
      path.startsWith("{") ? path : `{.${path.replace(/^\./, "")}}`,
    );
    return (row) => {
      const found = read(row);
      return found.length === 1 ? found[0] : found;
    };
  } catch (error) {
    if (!(error instanceof JsonPathProblem)) throw error;
    throw new UsageError(
      `Invalid path "${path}" for ${flag}: ${error.message}`,
    );
  }
}
