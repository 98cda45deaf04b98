/**
 * Tables that describe document kinds, one row for each field.
 *
 * ```text
 * BondConfig  | named, since 1.12, group links | A bond: several links used as one
 *   = {"name": "bond0", "links": ["enp0s3"], "bondMode": "802.3ad"}
 *   name      | text, always                   | Name of the bond | "bond0"
 *   bondMode  | choice(802.3ad balance-rr)     | Bonding mode
 *   addresses | list(struct)                   | Static addresses of the link
 *     address | prefix, required               | IP address with prefix length
 *   ...${linkFields}
 * ```
 *
 * The first row is the kind itself. A field has a key, its shape with flags, a summary, and optionally a JSON example.
 * Long or multiple examples, the latter with titles, follow in rows that begin with `=`; lines that begin with a quote
 * or a bracket continue them. Keys of a `struct` (or a `whole`, which patches replace) are indented below it;
 * `struct(${table})` and `...${table}` include those of another table. Interpolated values are tables, shapes, or JSON;
 * texts are quoted.
 */

import type { ExpressionEnvironment } from "../document_cel/environments.ts";
import * as scalars from "./scalars/scalars.ts";
import type {
  DocumentKind,
  Example,
  Field,
  Fields,
  KindGroup,
  OsVersion,
  Shape,
} from "./schema.ts";
import * as shapes from "./shapes.ts";

/** Fields of a table, parsed on first use: commands start without the tables that they do not need. */
type FieldTable = () => Fields;

/** A shape, table, text or example value in a row. */
type TableValue = Shape | FieldTable | Example["value"];

/** Rules beyond shapes and `required`. */
export type KindRules = NonNullable<DocumentKind["rules"]>;

interface Row {
  readonly key: string;
  /** Shape and flags of a field, or flags of a kind. */
  readonly traits: readonly string[];
  readonly summary: string;
  readonly examples: Example[];
  readonly rows: Row[];
}

/** Shapes and tables by their positions in the text. */
type References = readonly TableValue[];

/** Template tag that describes a document kind. */
export function documentKind(
  rules?: KindRules,
): (
  texts: TemplateStringsArray,
  ...values: readonly TableValue[]
) => DocumentKind {
  return (texts, ...values) => {
    // The other lines are prepared when the first field is read.
    const [head = ""] = texts.raw[0]?.trimStart().split("\n", 1) ?? [];
    const row = toRow(head);
    const read = once(() => {
      const [, ...rest] = toLines(texts, values);
      const own: Row = { ...row, examples: [] };
      parseRows(rest, own);
      return { fields: toFields(own.rows, values), examples: own.examples };
    });
    return {
      kind: row.key,
      summary: row.summary,
      named: false,
      ...toTraits(row, row.traits, kindFlags),
      ...rules && { rules },
      get fields() {
        return read().fields;
      },
      get examples() {
        return read().examples;
      },
    };
  };
}

/** Template tag that describes fields shared by several kinds or structs. */
export function fieldTable(
  texts: TemplateStringsArray,
  ...values: readonly TableValue[]
): FieldTable {
  return once(() => {
    const root = toRow("- | - | -");
    parseRows(toLines(texts, values), root);
    return toFields(root.rows, values);
  });
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => made ??= make();
}

/** Lines of a table; those that begin with a quote or a bracket belong to the preceding example. */
function toLines(
  { raw }: TemplateStringsArray,
  values: readonly TableValue[],
): readonly string[] {
  const parts = raw.map((text, index) =>
    text.replaceAll("\\`", "`") + toText(values[index], index)
  );
  return parts.join("").trim().replace(/\n *(?=["[{])/g, " ").split("\n");
}

function toText(value: TableValue | undefined, index: number): string {
  if (value === undefined) return "";
  if (typeof value === "string") return JSON.stringify(value).slice(1, -1);
  return isReference(value) ? `@${index}` : JSON.stringify(value);
}

function isReference(
  value: TableValue | undefined,
): value is Shape | FieldTable {
  return typeof value === "function" ||
    (typeof value === "object" && value !== null && "shape" in value);
}

function parseRows(lines: readonly string[], root: Row): void {
  // The ancestors of the next row, with their indentation.
  const around: { readonly row: Row; readonly indent: number }[] = [];
  for (const line of lines) {
    const text = line.trim();
    if (text === "") continue;
    if (text.startsWith("= ")) {
      (around.at(-1)?.row ?? root).examples.push(toExample(text.slice(2)));
      continue;
    }
    const indent = line.length - line.trimStart().length;
    while ((around.at(-1)?.indent ?? -1) >= indent) around.pop();
    const row = toRow(text);
    (around.at(-1)?.row ?? root).rows.push(row);
    around.push({ row, indent });
  }
}

function toRow(text: string): Row {
  const [key = "", traits = "", summary = "", ...example] = text.split(" | ")
    .map((cell) => cell.trim());
  return {
    key,
    traits: traits === "" ? [] : traits.split(", "),
    summary,
    examples: example.length > 0 ? [toExample(example.join(" | "))] : [],
    rows: [],
  };
}

function toExample(text: string): Example {
  const [, title, json = ""] = /^(?:([A-Z].*?) \| )?(.*)$/s.exec(text) ?? [];
  const parse = once((): Example["value"] => JSON.parse(json));
  return {
    ...title !== undefined && { title },
    get value() {
      return parse();
    },
  };
}

function toFields(rows: readonly Row[], values: References): Fields {
  const entries = rows.flatMap((row): readonly [string, Field][] => {
    if (!row.key.startsWith("...")) return [[row.key, toField(row, values)]];
    const more = toTraits(row, row.traits, fieldFlags);
    const shared = findTable(row.key.slice(3), values)();
    return Object.entries(shared).map((
      [key, field],
    ) => [key, { ...field, ...more }]);
  });
  const fields = Object.fromEntries(entries);
  if (Object.keys(fields).length === entries.length) return fields;
  const keys = entries.map(([key]) => key);
  const twice = keys.find((key, index) => keys.indexOf(key) < index);
  throw new TypeError(`${twice}: there are two rows of this key`);
}

function toField(row: Row, values: References): Field {
  const [shape = "", ...flags] = row.traits;
  const { summary, examples } = row;
  const field = {
    shape: toShape(row, shape, values),
    summary,
    ...toTraits(row, flags, fieldFlags),
  };
  if (summary === "") throw new TypeError(`${row.key}: there is no summary`);
  if (row.rows.length > 0 && !/\b(?:struct|whole)\b(?!\()/.test(shape)) {
    throw new TypeError(`${row.key}: only a struct has keys of its own`);
  }
  return examples.length === 0 ? field : { ...field, examples };
}

function findTable(name: string, values: References): FieldTable {
  const table = referredTo(name, values);
  if (typeof table === "function") return table;
  throw new TypeError(`${name}: there is no such table`);
}

function referredTo(name: string, values: References): TableValue | undefined {
  return name.startsWith("@") ? values[Number(name.slice(1))] : undefined;
}

const shapeWords: Readonly<Record<string, Shape>> = {
  ...Object.fromEntries(
    Object.entries({ ...scalars, ...shapes }).filter(([, value]) =>
      typeof value === "object"
    ),
  ),
  text: scalars.openText,
};

const ofWords: Readonly<
  Record<string, (words: readonly string[]) => Shape>
> = {
  words: (words) => scalars.words(words),
  choice: (words) => scalars.choice(words, { insensitive: true }),
  exact: (words) => scalars.choice(words),
  integer: ([least = "", most = ""]) =>
    scalars.integer(BigInt(least), BigInt(most)),
  // The CEL parser knows its environments, and a test covers all of them.
  cel: ([name = ""]) => scalars.expression(name as ExpressionEnvironment),
};

const ofShape: Readonly<Record<string, (of: Shape) => Shape>> = {
  list: shapes.list,
  gaps: shapes.listWithGaps,
  map: shapes.map,
};

function toShape(row: Row, text: string, values: References): Shape {
  const [, name = "", inner] = /^([@\w]+)(?:\((.*)\))?$/.exec(text) ?? [];
  if (name === "struct" || name === "whole") {
    const read = inner === undefined
      ? once(() => toFields(row.rows, values))
      : findTable(inner, values);
    return {
      shape: "struct",
      get fields() {
        return read();
      },
      ...name === "whole" && { whole: true },
    };
  }
  const around = ofShape[name];
  if (inner !== undefined && around) return around(toShape(row, inner, values));
  const made = inner === undefined ? undefined : ofWords[name];
  const shape = inner === undefined
    ? referredTo(name, values) ?? shapeWords[name]
    : made?.(inner.split(" "));
  if (isReference(shape) && typeof shape !== "function") return shape;
  throw new TypeError(`${row.key}: unknown shape "${text}"`);
}

type Flags<T> = Readonly<Record<string, (text: string) => Partial<T>>>;

function toVersion(text: string): OsVersion {
  const [, major, minor] = /^(\d+)\.(\d+)$/.exec(text) ?? [];
  if (minor !== undefined) return `${Number(major)}.${Number(minor)}`;
  throw new TypeError(`"${text}" is not a version such as 1.14`);
}

const fieldFlags: Flags<Field> = {
  always: () => ({ always: true }),
  optional: () => ({ optional: true }),
  listed: () => ({ listed: true }),
  required: () => ({ required: true }),
  secret: () => ({ secret: true }),
  default: (initial) => ({ initial }),
  since: (since) => ({ since: toVersion(since) }),
  until: (until) => ({ until: toVersion(until) }),
  deprecated: (deprecated) => ({ deprecated }),
  replace: () => ({ merge: "replace" }),
  overwrite: () => ({ merge: "overwrite" }),
  key: (keys) => ({ merge: keys.split(" ") }),
  newer: (words) => ({
    newer: Object.fromEntries(
      words.split(" ").map((word) => {
        const [value = "", since = ""] = word.split("=");
        return [value, toVersion(since)];
      }),
    ),
  }),
};

const kindFlags: Flags<DocumentKind> = {
  named: () => ({ named: true }),
  nameless: () => ({ nameless: true }),
  controlplane: () => ({ controlPlaneOnly: true }),
  since: (since) => ({ since: toVersion(since) }),
  group: (group) => ({ group: group as KindGroup }),
};

function toTraits<T>(
  { key }: Row,
  traits: readonly string[],
  known: Flags<T>,
): Partial<T> {
  const made: Partial<T> = {};
  for (const trait of traits) {
    const [word = ""] = trait.split(" ", 1);
    const flag = known[word];
    if (flag === undefined) {
      throw new TypeError(`${key}: unknown flag "${trait}"`);
    }
    Object.assign(made, flag(trait.slice(word.length + 1)));
  }
  return made;
}
