/** Specs of resources: YAML as nodes write it, read into plain data. */

import {
  CORE_SCHEMA,
  defineScalarTag,
  intCoreTag,
  load,
  NOT_RESOLVED,
} from "js-yaml";
import { OsctlError } from "../../errors.ts";
import { computing, longText } from "../../interrupts.ts";

/** Whole numbers beyond 2^53 stay exact. */
const wholeNumber = defineScalarTag<number | bigint>(intCoreTag.tagName, {
  ...intCoreTag,
  resolve(source, isExplicit, tagName) {
    const value = intCoreTag.resolve(source, isExplicit, tagName);
    return value === NOT_RESOLVED || Number.isSafeInteger(value)
      ? value
      : BigInt(source.replace(/^\+/, ""));
  },
});

/** Bytes stay the base64 text they are written in. */
const bytes = defineScalarTag<string>("tag:yaml.org,2002:binary", {
  resolve: (source) => source.replace(/\s/g, ""),
  identify: () => false,
});

const schema = CORE_SCHEMA.withTags(wholeNumber, bytes);

/**
 * Reads a spec.
 *
 * @param yaml YAML 1.2, one document; at most 100 levels deep, without aliases.
 * @returns Plain data; whole numbers beyond 2^53 are `bigint`, times are text.
 * @throws {OsctlError} When it is no such YAML.
 */
export function parseSpec(yaml: string): unknown {
  // A spec without any content is written as no text at all.
  if (yaml.trim() === "") return null;
  if (yaml.length > longText) computing();
  try {
    return load(yaml, { schema, maxDepth: 100, maxAliases: 0 });
  } catch (cause) {
    throw new OsctlError("Cannot read a spec: it is not plain YAML", { cause });
  }
}
