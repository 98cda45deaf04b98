/** Documentation of the keys of `site.yaml` by their paths. */

import type {
  ExplainedField,
  FieldSummary,
} from "../../config/documents/explain.ts";
import { ConfigError } from "../../errors.ts";
import { suggest } from "../runbooks/language/match_shape.ts";
import type { Key, Keys, LanguageShape } from "../runbooks/language/shape.ts";
import { siteFile } from "./site_keys.ts";

/** First word of the paths. */
export const siteTopic = "site";

/** Summary in the list of topics. */
export const siteSummary = "File of a cluster in a directory";

/**
 * Explains a key.
 *
 * @param path `site`, `site.nodes`, `site.nodes.labels`; list indexes and names of groups are allowed.
 * @throws {ConfigError} If there is no such key; suggests the nearest.
 */
export function explainSite(path: string): ExplainedField {
  const [, ...steps] = path.replace(/\[\d*\]/g, "").split(".");
  let key: Key = { shape: siteFile, summary: siteSummary };
  const taken: string[] = [];
  for (const step of steps) {
    const { shape } = key;
    const next = shape.shape === "map"
      ? { shape: shape.of, summary: key.summary }
      : findKeys(shape)[step];
    if (next === undefined) {
      const where = [siteTopic, ...taken].join(".");
      throw new ConfigError(
        `Cannot explain "${step}": "${where}" has no such key`,
        { hint: suggest(step, Object.keys(findKeys(shape))) },
      );
    }
    taken.push(step);
    key = next;
  }
  return {
    ...summarize(taken.at(-1) ?? siteTopic, key),
    kind: siteTopic,
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

function typeText(shape: LanguageShape): string {
  if ("of" in shape) {
    const kind = shape.shape === "list" ? "list of" : "mapping to";
    return `${kind} ${typeText(shape.of)}`;
  }
  if (shape.shape !== "scalar") {
    return shape.shape === "struct" ? "mapping" : "anything";
  }
  return shape.words === undefined
    ? shape.expected.replace(/ such as.*$/, "")
    : "a word";
}
