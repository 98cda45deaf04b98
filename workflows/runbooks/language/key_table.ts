/** Keys of files as tables. */

import { oneOf } from "./scalars.ts";
import {
  type Key,
  type Keys,
  type LanguageShape,
  type LanguageStruct,
  listOf,
  mapOf,
  struct,
} from "./shape.ts";

type TableValue = LanguageShape | Keys | string;

/** Template tag of a table. */
type KeyTable<Made> = (
  texts: TemplateStringsArray,
  ...values: readonly TableValue[]
) => Made;

/** Lists by the word for them. */
const lists = {
  list: {},
  /** A single element needs no brackets. */
  alone: { alone: true },
  filled: { filled: true },
  some: { filled: true, alone: true },
} as const;

/**
 * Keys as a table: name, shape and whether it is required, summary, default.
 *
 * ```text
 * host    | ${host}, required    | Name
 * factor  | ${factor}            | Backoff factor               | 2
 * lock    | oneOf(cluster none)  | What is locked
 * names   | list(${text})        | Names; filled(…) has some
 * days    | alone(${day})        | Days, or one without brackets; some(…) has some
 * data    | map(${text} ${free}) | Values by name
 * ...${more}
 * ```
 *
 * The last row adds the keys of another table.
 */
export const keys: KeyTable<Keys> = (texts, ...values) => {
  const parts = texts.map((text, index) => {
    const value = values[index - 1];
    return typeof value === "string" ? value + text : `@${index}${text}`;
  });
  const rows = parts.join("").slice("@0".length).trim().split("\n");
  return Object.fromEntries(rows.flatMap((row): readonly [string, Key][] => {
    const [name = "", traits = "", summary = "", initial] = row.split(" | ")
      .map((cell) => cell.trim());
    if (name.startsWith("...")) {
      const [, index] = /@(\d+)$/.exec(name) ?? [];
      return Object.entries(Object(values[Number(index) - 1]));
    }
    const [, shape = "", required] = /^(.*?)(, required)?$/.exec(traits) ?? [];
    return [[name, {
      shape: parseShape(shape, values),
      summary,
      ...required !== undefined && { required: true },
      ...initial !== undefined && { initial },
    }]];
  }));
};

/** A mapping whose keys are a table. */
export function parseStruct(
  name: string,
  more: Pick<LanguageStruct, "short"> = {},
): KeyTable<LanguageStruct> {
  return (texts, ...values) => struct(name, keys(texts, ...values), more);
}

function parseShape(
  text: string,
  values: readonly TableValue[],
): LanguageShape {
  const [, word, inner = text] = /^(\w+)\((.*)\)$/.exec(text) ?? [];
  if (word === "oneOf") return oneOf(inner.split(" "));
  if (word === "map") {
    const [of, to] = inner.split(" ").map((one) => parseShape(one, values));
    if (of?.shape === "scalar" && to !== undefined) return mapOf(of, to);
  } else if (word !== undefined && Object.hasOwn(lists, word)) {
    const more = lists[word as keyof typeof lists];
    return listOf(parseShape(inner, values), more);
  }
  const value = values[Number(inner.slice(1)) - 1];
  if (typeof value === "object" && isShape(value)) return value;
  throw new TypeError(`There is no shape "${text}"`);
}

function isShape(value: LanguageShape | Keys): value is LanguageShape {
  return typeof value.shape === "string";
}
