/** Functions that encode and decode. */

import { createHash } from "node:crypto";
import { stringify } from "yaml";
import type { Json } from "../../../lib/json.ts";
import { readDocuments } from "../../../config/tree/read.ts";
import {
  fixed,
  FunctionProblem,
  type TemplateFunction,
  textIn,
  toText,
} from "./function.ts";
import { fromJson, fromNode, type GoValue, toJson } from "./values.ts";

const toYaml = fixed(1, (value) =>
  // Old words such as `off` are quoted.
  stringify(toJson(value), {
    version: "1.1",
    lineWidth: 0,
    indentSeq: false,
    aliasDuplicateObjects: false,
  }).trimEnd());

const fromYaml = fixed(1, (text) => {
  const [document] = readDocuments(textIn(text), "text").documents;
  return document === undefined ? new Map() : fromNode(document.root);
});

const encodeJson = fixed(1, (value) =>
  // Go escapes these for HTML.
  JSON.stringify(toJson(value)).replaceAll(
    /[<>&]/g,
    (one) => `\\u00${one.charCodeAt(0).toString(16)}`,
  ));

const decodeJson = fixed(1, (text): GoValue => {
  const value: Json = JSON.parse(textIn(text));
  return fromJson(value);
});

const hash = (name: string) =>
  fixed(1, (text) => createHash(name).update(toText(text)).digest("hex"));

/** Functions by name. */
export const encodings: Readonly<Record<string, TemplateFunction>> = {
  toYaml,
  mustToYaml: toYaml,
  fromYaml,
  fromYamlArray: fromYaml,
  toJson: encodeJson,
  mustToJson: encodeJson,
  toRawJson: fixed(1, (value) => JSON.stringify(toJson(value))),
  toPrettyJson: fixed(1, (value) => JSON.stringify(toJson(value), null, 2)),
  fromJson: decodeJson,
  mustFromJson: decodeJson,
  fromJsonArray: decodeJson,
  b64enc: fixed(1, (text) => new TextEncoder().encode(toText(text)).toBase64()),
  b64dec: fixed(1, (text) => {
    try {
      return new TextDecoder().decode(Uint8Array.fromBase64(textIn(text)));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw new FunctionProblem("it is not base64");
    }
  }),
  sha256sum: hash("sha256"),
  sha1sum: hash("sha1"),
  urlquery: fixed(
    1,
    (text) => encodeURIComponent(toText(text)).replaceAll("%20", "+"),
  ),
};
