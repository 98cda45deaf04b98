/** Documentation of the keys of a file by their paths. */

import {
  containerText,
  type ExplainedField,
  explainPath,
  type FieldSummary,
} from "../../../config/documents/explain.ts";
import { ConfigError } from "../../../errors.ts";
import { suggest } from "./match_shape.ts";
import type { Key, Keys, LanguageShape, LanguageStruct } from "./shape.ts";

/** A file to explain. */
export interface FileTopic {
  /** First word of the paths. */
  readonly topic: string;
  /** Summary in the list of topics. */
  readonly summary: string;
  readonly shape: LanguageStruct;
}

/**
 * Explains a key of one of some files, or a field of machine configurations.
 *
 * @param path `context`, `context.nodes`, `context.nodes.labels`; list indexes and names of groups are allowed.
 * @throws {ConfigError} If there is no such key; suggests the nearest.
 */
export function explainTopic(
  path: string,
  files: readonly FileTopic[],
): ExplainedField {
  const [first, ...steps] = path.replace(/\[\d*\]/g, "").split(".");
  const file = files.find(({ topic }) => topic === first);
  if (file === undefined) return explainPath(path);
  const { topic, ...root } = file;
  let key: Key = root;
  const taken: string[] = [];
  for (const step of steps) {
    const { shape } = key;
    const next = shape.shape === "map"
      ? { shape: shape.of, summary: key.summary }
      : findKeys(shape)[step];
    if (next === undefined) {
      const where = [topic, ...taken].join(".");
      throw new ConfigError(
        `Cannot explain "${step}": "${where}" has no such key`,
        { hint: suggest(step, Object.keys(findKeys(shape))) },
      );
    }
    taken.push(step);
    key = next;
  }
  return {
    ...summarize(taken.at(-1) ?? topic, key),
    kind: topic,
    path: taken.join("."),
    fields: Object.entries(findKeys(key.shape))
      .map(([name, one]) => summarize(name, one)),
    examples: [],
  };
}

function findKeys(shape: LanguageShape): Keys {
  if (shape.shape === "struct") return shape.keys;
  return "of" in shape ? findKeys(shape.of) : {};
}

function summarize(
  name: string,
  { shape, summary, initial, required }: Key,
): FieldSummary {
  const words = shape.shape === "scalar" ? shape.words : undefined;
  return {
    name,
    type: typeText(shape),
    summary,
    ...initial !== undefined && { default: initial },
    ...words !== undefined && { values: words },
    ...required && { required },
  };
}

/** Formats a type in the words of configuration documents: "a name such as cp-1" is `name`. */
function typeText(shape: LanguageShape): string {
  switch (shape.shape) {
    case "struct":
      return "object";
    case "list":
    case "map":
      return containerText(shape.shape, typeText(shape.of));
    case "scalar":
      if (shape.words !== undefined) return "string";
      if (shape.expected === "true or false") return "boolean";
      return shape.expected
        .replace(/ (such as|of|with|\().*$/, "")
        .replace(/^(an?|the) /, "");
    default:
      return "any value";
  }
}
