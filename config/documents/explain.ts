/** Documentation of a field by its path. */

import { ConfigError } from "../../errors.ts";
import { nearest } from "../../lib/text/nearest.ts";
import { toTree } from "../tree/node.ts";
import { writeTree } from "../tree/write.ts";
import { conform } from "./conform.ts";
import { documentKinds } from "./kinds.ts";
import { findFields, mainKind } from "./load.ts";
import { fieldAt } from "./shapes.ts";
import type { DocumentKind, Example, Field, Fields, Shape } from "./schema.ts";

/** A field in a list of fields. */
export interface FieldSummary {
  readonly name: string;
  /** Type: `list of text`. */
  readonly type: string;
  /** Description, one sentence without a period. */
  readonly summary: string;
  readonly default?: string;
  /** Allowed values; newer ones include their version. */
  readonly values?: readonly string[];
  /** First version with the field. */
  readonly since?: string;
  /** First version without the field. */
  readonly until?: string;
  /** Replacement; empty if there is none. */
  readonly deprecated?: string;
  /** True if required. */
  readonly required?: true;
  /** True if secret. */
  readonly secret?: true;
}

/** A field or a whole document with its complete documentation. */
export interface ExplainedField extends FieldSummary {
  /** Kind of the document; `v1alpha1` for the main one. */
  readonly kind: string;
  /** Path from the root of the document; empty for the document. */
  readonly path: string;
  /** Keys of its mapping, or of the mappings in its list. */
  readonly fields: readonly FieldSummary[];
  /** Examples, YAML; each with a title if there are several. */
  readonly examples: readonly {
    /** Title; empty if not needed. */
    readonly title: string;
    readonly yaml: string;
  }[];
}

/**
 * Explains a field of machine configurations.
 *
 * @param path `machine.network.interfaces`, `LinkConfig`, `LinkConfig.addresses`; list indexes are allowed.
 * @throws {ConfigError} If there is no such kind or field; suggests the nearest.
 */
export function explainPath(path: string): ExplainedField {
  const steps = path.replace(/\[\d*\]/g, "").split(".").filter((step) =>
    step !== "" && step !== "*"
  );
  const [kind, rest] = start(steps);
  if (rest.length === 0) return document(kind);
  let fields: Fields = kind.fields;
  let userKeys = false;
  let found: [name: string, field: Field] | undefined;
  const taken: string[] = [];
  for (const step of rest) {
    const next = fieldAt(fields, step);
    if (next === undefined) {
      // A user-defined key, such as a name in a mapping of devices.
      if (userKeys) {
        userKeys = false;
        continue;
      }
      throw unknown(step, taken, kind, fields);
    }
    taken.push(step);
    found = [step, next];
    const inner = innermost(next.shape);
    userKeys = next.shape.shape === "map";
    fields = inner.shape === "struct" ? inner.fields : {};
  }
  // There was at least one step, and all were found.
  const [name, field] = found!;
  return {
    ...summarizeField(name, field),
    kind: kind.kind,
    path: taken.join("."),
    fields: summarizeFields(fields),
    examples: field.secret ? [] : findExamples(name, field),
  };
}

/** Examples of a field; a deprecated one has those of its replacement. */
function findExamples(
  name: string,
  field: Field,
): ExplainedField["examples"] {
  const own = field.examples ?? [];
  const successor = documentKinds.get(field.deprecated ?? "");
  if (own.length > 0 || successor === undefined) {
    return own.map((example) =>
      toExample(example, { [name]: example.value }, { [name]: field })
    );
  }
  const { kind, since } = successor;
  const place = since === undefined ? kind : `${kind}, since ${since}`;
  return document(successor).examples.map(({ title, yaml }) => ({
    title: title === "" ? place : `${place}: ${title}`,
    yaml,
  }));
}

/** Formats a type: `list of strings`. */
export function typeText(shape: Shape): string {
  switch (shape.shape) {
    case "scalar":
      return shape.name === "word" ? "string" : shape.name;
    case "list":
    case "map":
      return containerText(shape.shape, typeText(shape.of));
    case "struct":
    case "free":
      return "object";
  }
}

/** Formats the type of a list or map by that of its values: `list`, `IP address`: `list of IP addresses`. */
export function containerText(kind: "list" | "map", type: string): string {
  const words = type.split(/( and | or )/).map((part, index) =>
    index % 2 === 1
      ? part
      : part.replace(/^.+?(?= of |$)/, (head) =>
        head + (/s$/.test(head) ? "es" : "s"))
  );
  return `${kind} of ${words.join("")}`;
}

function start(
  steps: readonly string[],
): readonly [DocumentKind, readonly string[]] {
  const [first = "", ...rest] = steps;
  const kind = [...documentKinds.values()].find((one) =>
    one.kind.toLowerCase() === first.toLowerCase()
  );
  if (kind !== undefined) return [kind, rest];
  const main = documentKinds.get(mainKind);
  if (main !== undefined && Object.hasOwn(main.fields, first)) {
    return [main, steps];
  }
  const known = [...documentKinds.keys(), ...Object.keys(main?.fields ?? {})];
  const near = nearest(first, known);
  throw new ConfigError(
    `Cannot explain "${first}": there is no such kind of document, key or safety rule`,
    {
      hint: near === undefined
        ? 'Run "osctl explain" for all that can be explained'
        : `Did you mean "${near}"?`,
    },
  );
}

function unknown(
  step: string,
  taken: readonly string[],
  kind: DocumentKind,
  fields: Fields,
): ConfigError {
  const where = taken.length === 0 ? kind.kind : taken.join(".");
  const known = Object.keys(fields);
  const near = nearest(step, known);
  return new ConfigError(
    `Cannot explain "${step}": "${where}" has no such key`,
    {
      hint: near !== undefined
        ? `Did you mean "${near}"?`
        : known.length === 0
        ? `"${where}" has no keys of its own`
        : `Its keys: ${known.join(", ")}`,
    },
  );
}

function document(kind: DocumentKind): ExplainedField {
  const { summary, since, fields, examples } = kind;
  const identity = { apiVersion: "v1alpha1", kind: kind.kind };
  return {
    name: kind.kind,
    type: "document",
    summary,
    since,
    kind: kind.kind,
    path: "",
    fields: summarizeFields(fields),
    // The main document is long, and its fields have examples.
    examples: kind.kind === mainKind ? [] : examples.map((example) =>
      toExample(
        example,
        { ...identity, ...Object(example.value) },
        findFields(kind),
      )
    ),
  };
}

function toExample(
  { title = "" }: Example,
  value: { readonly [key: string]: Example["value"] },
  fields: Fields,
) {
  return { title, yaml: writeTree(conform(toTree(value), fields).node) };
}

function summarizeFields(fields: Fields): readonly FieldSummary[] {
  return Object.entries(fields).map(([name, field]) =>
    summarizeField(name, field)
  );
}

function summarizeField(name: string, field: Field): FieldSummary {
  const { summary, initial, since, until, deprecated } = field;
  const values = listValues(field);
  return {
    name,
    type: typeText(field.shape),
    summary,
    default: initial,
    ...(values.length === 0 ? {} : { values }),
    since,
    until,
    deprecated,
    ...(field.required ? { required: true } : {}),
    ...(field.secret ? { secret: true } : {}),
  };
}

function listValues({ shape, newer = {} }: Field): readonly string[] {
  const inner = innermost(shape);
  const words = inner.shape === "scalar" ? inner.values ?? [] : [];
  return words.map((word) =>
    newer[word] === undefined ? word : `${word} (since ${newer[word]})`
  );
}

function innermost(shape: Shape): Shape {
  return shape.shape === "list" || shape.shape === "map"
    ? innermost(shape.of)
    : shape;
}
