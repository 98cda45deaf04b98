/** Values as YAML text, in the style of the text they are put into. */

import { type Document, isMap, isSeq, type Node, Scalar, visit } from "yaml";
import { textNode } from "../yaml/yaml_edit.ts";
import { isList, isValueMap, type Value } from "./value.ts";

/** How a text is indented. */
export interface Style {
  /** Line end. */
  readonly eol: string;
  /** Spaces by which a mapping in a mapping is indented. */
  readonly step: number;
  /** Spaces by which the dashes of a list are indented under its key. */
  readonly dash: number;
}

const plain = /^[A-Za-z0-9/](?:[A-Za-z0-9._:/-]*[A-Za-z0-9])?$/;

/**
 * Finds out how a document is indented; the first mapping and the first list decide.
 *
 * @param document Parsed with its tokens.
 * @param eol Line end.
 */
export function styleOf(document: Document, eol: string): Style {
  let step: number | undefined;
  let dash: number | undefined;
  visit(document, {
    Map(_, map) {
      const outer = blockColumn(map);
      if (outer === undefined) return undefined;
      for (const { value } of map.items) {
        const inner = blockColumn(value);
        if (inner === undefined) continue;
        if (isSeq(value)) dash ??= inner - outer;
        else step ??= inner - outer;
      }
      return step === undefined || dash === undefined ? undefined : visit.BREAK;
    },
  });
  return { eol, step: step ?? 2, dash: dash ?? 2 };
}

/**
 * Column of the keys of a block mapping or of the dashes of a block list, counted from 0.
 *
 * @param node Anything from a document with tokens.
 * @returns `undefined` for everything else.
 */
export function blockColumn(node: unknown): number | undefined {
  if (!isMap(node) && !isSeq(node)) return undefined;
  const { srcToken } = node as Node;
  return srcToken?.type === "block-map" || srcToken?.type === "block-seq"
    ? srcToken.indent
    : undefined;
}

/**
 * Writes a mapping or list as lines, without their line ends.
 *
 * @param value Not empty.
 * @param column Spaces before each line.
 * @param style Indentation.
 */
export function blockLines(
  value: Value,
  column: number,
  style: Style,
): readonly string[] {
  const pad = " ".repeat(column);
  if (isList(value)) {
    return value.flatMap((item) => {
      if (!isValueMap(item)) return [`${pad}- ${scalarText(item)}`];
      const [first = "", ...more] = blockLines(item, column + 2, style);
      return [`${pad}- ${first.slice(column + 2)}`, ...more];
    });
  }
  if (!isValueMap(value)) return [];
  return [...value].flatMap(([key, one]) => {
    const name = `${pad}${scalarText(key)}:`;
    if (isList(one)) {
      return [name, ...blockLines(one, column + style.dash, style)];
    }
    return isValueMap(one)
      ? [name, ...blockLines(one, column + style.step, style)]
      : [`${name} ${scalarText(one)}`];
  });
}

/**
 * Writes a value on one line.
 *
 * @param value Any value.
 */
export function flowText(value: Value): string {
  if (isList(value)) return `[${value.map(flowText).join(", ")}]`;
  if (!isValueMap(value)) return scalarText(value);
  const pairs = [...value].map(([key, one]) =>
    `${scalarText(key)}: ${flowText(one)}`
  );
  return `{${pairs.join(", ")}}`;
}

/**
 * Writes a value as JSON.
 *
 * @param value Any value.
 * @param step Spaces by which each level is indented; 0 for all on one line.
 */
export function jsonText(value: Value, step: number): string {
  return JSON.stringify(
    value,
    (_, one: unknown) => one instanceof Map ? Object.fromEntries(one) : one,
    step,
  );
}

function scalarText(value: Value): string {
  if (typeof value !== "string") return String(value);
  // What is between double quotes in JSON means the same in YAML.
  return plain.test(value) && textNode(value).type === Scalar.PLAIN
    ? value
    : JSON.stringify(value);
}
