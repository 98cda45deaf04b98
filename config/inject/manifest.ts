/** One document of Kubernetes manifests, read with the places of everything in it. */

import { type Document, parseDocument } from "yaml";
import { unlessTooDeep } from "../yaml/yaml_document.ts";
import { readValue, type Value, type ValueFault } from "./value.ts";

/** A document. */
export interface Manifest {
  /** Its text. */
  readonly text: string;
  /** Its parts with their places in the text, and the tokens they were made from. */
  readonly document: Document;
  /** What it says. */
  readonly value: Value;
}

const marks = new Set(
  Array.from("\n:-?,[]{}&*!#|>%@`'\"", (c) => c.charCodeAt(0)),
);
// deno-lint-ignore no-control-regex
const control = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/;

/**
 * Counts line ends and the characters YAML has a use for: reading takes up to 1 kB of memory for each.
 *
 * @param text Any text.
 */
export function countMarks(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    if (marks.has(text.charCodeAt(i))) count++;
  }
  return count;
}

/**
 * Reads a document.
 *
 * @param text One document, marks and comments included.
 * @returns The first fault when the text is not one sound document: bad YAML, a control
 * character, a key that occurs twice or is no scalar, or aliases that blow up.
 */
export function readManifest(text: string): Manifest | ValueFault {
  const offset = text.search(control);
  if (offset >= 0) return { fault: "it holds a control character", offset };
  const document = unlessTooDeep(() =>
    parseDocument(text, {
      schema: "core",
      // Tags such as `!!binary` and `!!set` mean nothing in manifests.
      resolveKnownTags: false,
      keepSourceTokens: true,
      prettyErrors: false,
      logLevel: "error",
      // The library's own check takes quadratic time; reading the value is one.
      uniqueKeys: false,
    })
  );
  if (document === undefined) {
    return { fault: "it is nested too deeply", offset: 0 };
  }
  const fault = firstError(document);
  if (fault !== undefined) return fault;
  const read = readValue(document, text);
  return read.fault ?? { text, document, value: read.value };
}

function firstError(document: Document): ValueFault | undefined {
  const [error] = document.errors;
  if (error === undefined) return undefined;
  const offset = error.pos[0];
  if (error.code === "RESOURCE_EXHAUSTION") {
    return { fault: "it is nested too deeply", offset };
  }
  const fault = `not YAML: ${error.message}`;
  return error.code === "TAB_AS_INDENT"
    ? { fault, offset, hint: "Indent with spaces" }
    : { fault, offset };
}
