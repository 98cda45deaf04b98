/** Label and ID queries of lists and watches. */

import { RpcError } from "../../errors.ts";
import {
  type IDQuery,
  type LabelQuery,
  type LabelTerm,
  LabelTerm_Operation as Operation,
} from "../../transport/gen/cosi_resource.ts";
import type { StoredResource } from "./resources.ts";

/** Returns true if a resource matches. */
export type Matches = (resource: StoredResource) => boolean;

/**
 * Prepares the queries of a request.
 *
 * @returns True for resources that match the ID query and any of the label queries.
 * @throws {RpcError} INVALID_ARGUMENT if the ID query is not a regular expression.
 */
export function matcher(
  { labelQuery = [], idQuery }: {
    /** Alternatives; none means all. */
    readonly labelQuery?: readonly LabelQuery[] | undefined;
    /** Regular expression that matches anywhere in the ID. */
    readonly idQuery?: IDQuery | undefined;
  } = {},
): Matches {
  const pattern = idPattern(idQuery?.regexp ?? "");
  return ({ id, labels = {} }) =>
    pattern.test(id) &&
    (labelQuery.length === 0 ||
      labelQuery.some(({ terms }) =>
        terms.every((term) => fits(labels, term))
      ));
}

function idPattern(source: string): RegExp {
  try {
    return new RegExp(source);
  } catch (error) {
    throw new RpcError(
      "INVALID_ARGUMENT",
      `failed to compile regexp: ${
        error instanceof Error ? error.message : error
      }`,
    );
  }
}

function fits(
  labels: Readonly<Record<string, string>>,
  { key, op, value, invert }: LabelTerm,
): boolean {
  const label = labels[key];
  if (op === Operation.NOT_EXISTS) return label === undefined;
  // A comparison of a missing label always fails; other terms can be inverted.
  if (label === undefined) return invert && !comparisons.has(op);
  return compare(label, op, value) !== invert;
}

const comparisons: ReadonlySet<Operation> = new Set([
  Operation.LT,
  Operation.LTE,
  Operation.LT_NUMERIC,
  Operation.LTE_NUMERIC,
]);

function compare(
  label: string,
  op: Operation,
  values: readonly string[],
): boolean {
  const [value = ""] = values;
  switch (op) {
    case Operation.EQUAL:
      return label === value;
    case Operation.IN:
      return values.includes(label);
    case Operation.LT:
      return label < value;
    case Operation.LTE:
      return label <= value;
    case Operation.LT_NUMERIC:
      return parseNumber(label) < parseNumber(value);
    case Operation.LTE_NUMERIC:
      return parseNumber(label) <= parseNumber(value);
    default:
      return true;
  }
}

/** Parses an integer with an optional unit such as `k` or `Mi`; NaN, which never compares, if invalid. */
function parseNumber(text: string): number {
  const [, digits, unit = ""] =
    text.trim().toLowerCase().match(/^(-?\d+)\s*([kmgtp]i?)?$/) ?? [];
  if (digits === undefined) return NaN;
  const power = "kmgtp".indexOf(unit.charAt(0)) + 1;
  return Number(digits) *
    (unit.endsWith("i") ? 1024 : 1000) ** (unit === "" ? 0 : power);
}
