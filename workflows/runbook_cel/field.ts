/** Types of the inputs and outputs of steps, checks and runbooks. */

import type { Json } from "../../lib/json.ts";

/** Kinds of values. */
export type FieldType =
  | "string"
  | "int"
  | "double"
  | "bool"
  /** Go's notation: `1h30m`; a CEL duration in expressions. */
  | "duration"
  /** ISO 8601; a CEL timestamp in expressions. */
  | "timestamp"
  /** `v1.13.4`. */
  | "semver"
  /** One of `values`. */
  | "enum"
  /** Number or percentage of nodes: `2`, `25%`. */
  | "countOrPercent"
  /** File on this machine, relative to the working directory. */
  | "path"
  /** Name of a node of the cluster. */
  | "node"
  /** Names of nodes of the cluster. */
  | "nodes"
  /** A handle; the value never leaves the module that uses it. */
  | "secret"
  | "list"
  | "map"
  /** Named fields with their own types. */
  | "object"
  /** Any value; not checked further. */
  | "any";

/** A named value. */
export interface ValueField {
  readonly type: FieldType;
  /** One line for people, upper case first, no period. */
  readonly summary: string;
  /** True when required; default false. */
  readonly required?: boolean;
  readonly initial?: Json;
  /** Values of an `enum`. */
  readonly values?: readonly string[];
  /** Elements of a `list`, values of a `map`; default `any`. */
  readonly items?: ValueField;
  /** Fields of an `object`. */
  readonly fields?: ValueFields;
  /** True for the result of a fan-out: an `object` with a map for each step, whose keys are nodes. */
  readonly byStep?: true;
}

/** Values by their names. */
export type ValueFields = Readonly<Record<string, ValueField>>;

/** A value whose strings may contain `${{ expression }}`; a string that is one expression keeps its type. */
export type Template = Json;
