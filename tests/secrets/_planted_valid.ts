/** Documents that nodes accept, with a marker in every field that may hold a secret: from examples of the kinds. */

import { encodeDocuments } from "../../config/documents/encode.ts";
import { documentKinds } from "../../config/documents/kinds.ts";
import {
  apiVersion,
  type ConfigDocument,
  loadDocuments,
  mainKind,
} from "../../config/documents/load.ts";
import type { OsVersion, Shape } from "../../config/documents/schema.ts";
import { applyPatches, type Patch } from "../../config/patch.ts";
import { type Plain, toTree } from "../../config/tree/node.ts";
import { writeDocuments } from "../../config/tree/write.ts";
import { validateDocuments } from "../../config/validate.ts";

type Path = readonly (string | 0)[];

/** The documents. */
export interface PlantedValid {
  /** One document of each kind that has a field for a marker. */
  readonly texts: ReadonlyMap<string, string>;
  /** Paths of fields that take no marker. */
  readonly refused: readonly string[];
}

/** Fields that may hold secrets. */
function fieldsFor(
  shape: Shape,
  path: Path = [],
  isSecret = false,
): readonly Path[] {
  switch (shape.shape) {
    case "scalar":
      return isSecret || shape.shown === undefined || shape.shown === "name" ||
          shape.name === "URL"
        ? [path]
        : [];
    case "list":
      return fieldsFor(shape.of, [...path, 0], isSecret);
    case "map":
      return fieldsFor(shape.of, [...path, "*"], isSecret);
    case "struct":
      return Object.entries(shape.fields).flatMap(([key, field]) =>
        fieldsFor(field.shape, [...path, key], field.secret)
      );
    case "free":
      return shape.shown === undefined ? [path] : [];
  }
}

/** A marker in the spellings that fields want. */
function spellings(marker: string): readonly Plain[] {
  return [
    marker,
    `https://user:${marker}@example.com:6443/`,
    `tcp://user:${marker}@10.0.0.9:5140/`,
    `NAME=${marker}`,
    btoa(marker.padEnd(32, ".")),
    { own: marker },
  ];
}

/** A copy of a document with a value at a path. */
function withValue(document: Plain, path: Path, value: Plain): Plain {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (step === 0) {
    const [first = {}, ...others] = Array.isArray(document) ? document : [];
    return [withValue(first, rest, value), ...others];
  }
  const map: Record<string, Plain> = { ...Object(document) };
  const key = step === "*" ? Object.keys(map)[0] ?? "KEY" : step;
  map[key] = withValue(map[key] ?? {}, rest, value);
  return map;
}

function toText(kind: string, value: Plain): string {
  const tree = toTree({ apiVersion, kind, ...Object(value) });
  return tree.kind === "map" ? writeDocuments([tree]) : "";
}

function errorsIn(text: string, osVersion?: OsVersion): readonly string[] {
  const options = { mode: "metal", ...osVersion && { osVersion } } as const;
  return validateDocuments(loadDocuments(text, "planted"), options)
    .filter(({ level }) => level === "error").map(({ message }) => message);
}

/** Plants markers into an example of every kind but the main one and some, as long as it stays valid. */
export function plantValid(without: readonly string[] = []): PlantedValid {
  const texts = new Map<string, string>();
  const refused: string[] = [];
  let count = 0;
  for (const { kind, fields, examples: [example] } of documentKinds.values()) {
    const paths = fieldsFor({ shape: "struct", fields });
    if ([mainKind, ...without].includes(kind) || paths.length === 0) continue;
    let document = (example?.value ?? {}) as Plain; // examples are plain data
    // Such as that it is for control planes.
    const before = errorsIn(toText(kind, document));
    for (const path of paths) {
      const planted = spellings(`pl4nt-valid-${count++}x`)
        .map((value) => withValue(document, path, value))
        .find((tried) =>
          errorsIn(toText(kind, tried)).every((one) => before.includes(one))
        );
      if (planted === undefined) refused.push(`${kind}.${path.join(".")}`);
      document = planted ?? document;
    }
    if (document !== example?.value) texts.set(kind, toText(kind, document));
  }
  return { texts, refused };
}

/**
 * Those of the documents that a node takes beside what it needs, which counts where both say something.
 *
 * @param needed The configuration that the node was made with.
 * @returns All documents, and the kinds that are in conflict with what is needed.
 */
export function plantBeside(
  { texts }: PlantedValid,
  needed: Patch,
  osVersion: OsVersion,
): { readonly documents: readonly ConfigDocument[]; readonly left: string[] } {
  const whole = (planted: readonly ConfigDocument[]) =>
    applyPatches(planted, [needed]).documents;
  const findProblems = (planted: readonly ConfigDocument[]) =>
    errorsIn(encodeDocuments(whole(planted)), osVersion);
  let planted: readonly ConfigDocument[] = [];
  const before = findProblems(planted);
  const left: string[] = [];
  for (const [kind, text] of texts) {
    const more = [...planted, ...loadDocuments(text, kind).documents];
    if (findProblems(more).every((one) => before.includes(one))) planted = more;
    else left.push(kind);
  }
  return { documents: whole(planted), left };
}
