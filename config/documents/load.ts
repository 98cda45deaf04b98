/** Loads a configuration file into documents of known kinds. */

import { ConfigError } from "../../errors.ts";
import { type Masker, processMasker } from "../../lib/masker.ts";
import { readDocuments } from "../tree/read.ts";
import { misread } from "../../lib/text/text_position.ts";
import {
  type ConfigNode,
  findChild,
  isNull,
  type MapNode,
} from "../tree/node.ts";
import { conform } from "./conform.ts";
import { toCursor } from "./cursor.ts";
import { documentKinds } from "./kinds.ts";
import { recognizeOther } from "./other_input.ts";
import { inOneLine, type Problem, problemText } from "./problem.ts";
import type { DocumentKind, Field, Fields } from "./schema.ts";
import { editDistance } from "../../lib/text/nearest.ts";
import { learnSecrets } from "./secrets.ts";
import { openText } from "./scalars/scalars.ts";

/** Kind of the document without `apiVersion` and `kind`. */
export const mainKind = "v1alpha1";

/** The version of all kinds. */
export const apiVersion = "v1alpha1";

/** One document. */
export interface ConfigDocument {
  /** Kind; {@linkcode mainKind} if it has none. */
  readonly kind: string;
  /** Value of `apiVersion`; empty if it has none. */
  readonly apiVersion: string;
  /** Value of `name` if it is part of the identity. */
  readonly name?: string;
  readonly root: MapNode;
  /** Description of its kind; absent if only a newer node knows it. */
  readonly schema?: DocumentKind;
  /** Position in its file, from 1. */
  readonly number: number;
}

/** Content of a file. */
export interface Loaded {
  /** Documents in file order, without those of unclear identity. */
  readonly documents: readonly ConfigDocument[];
  /** Invalid keys, types and identities, and unknown kinds (warnings). */
  readonly problems: readonly DocumentProblem[];
  /** Positions of empty documents, from 1. */
  readonly empty: readonly number[];
}

/** A problem and its document. */
export interface DocumentProblem extends Problem {
  /** Position of the document in the file, from 1. */
  readonly document: number;
  /** `Kind` or `Kind/name`; empty if it has no kind. */
  readonly identity: string;
}

const mainKeys = ["machine", "cluster", "debug", "persist", "version"];

/**
 * Loads a configuration file. From then on its secrets are masked in all output.
 *
 * @param text YAML of any number of documents.
 * @throws {ConfigError} If it is not YAML; all other errors are in `problems`.
 */
export function loadDocuments(text: string, file: string): Loaded {
  requireReadable(text, file);
  const { documents: read, empty } = readDocuments(text, file);
  const problems: DocumentProblem[] = [];
  const documents: ConfigDocument[] = [];
  for (const { root, number } of read) {
    const found = identify(root, number);
    if ("message" in found) {
      problems.push({ ...found, document: number, identity: "" });
      continue;
    }
    documents.push(found);
    registerSecrets(found);
    for (const problem of findProblems(found)) problems.push(problem);
  }
  for (const problem of clashes(documents)) problems.push(problem);
  return { documents, problems, empty };
}

/** Rejects text that nodes read differently from YAML 1.2: the version directive, and line ends in comments. */
function requireReadable(text: string, file: string): void {
  const directive = /^%YAML[ \t]+(?!1\.1\s)\S+/m.exec(text);
  const comment = /[\x85\u2028\u2029]/.test(text)
    ? /^[ \t]*#.*[\x85\u2028\u2029][ \t]*[^#\s]/m.exec(text) ??
      /^[^"'#\n]*\s#.*[\x85\u2028\u2029][ \t]*[^#\s]/m.exec(text)
    : null;
  const found = directive ?? comment;
  if (found === null) return;
  const line = text.slice(0, found.index).split(/\r\n?|\n/).length;
  throw misread(
    file,
    { line, column: 1 },
    directive === null
      ? "nodes end the comment at a line break that editors do not show (U+0085, U+2028 or U+2029)"
      : `nodes do not accept "${directive[0]}"`,
    directive === null ? "Retype the comment" : "Remove the line",
  );
}

/** Registers the secrets of a document with a masker. */
export function registerSecrets(
  { root, schema }: ConfigDocument,
  masker: Pick<Masker, "addLater"> = processMasker,
): void {
  learnSecrets(root, schema && findFields(schema), masker);
}

/**
 * Reads the configuration of a node for a few of its values. From then on its secrets are masked in all output: the
 * node may quote them later.
 *
 * @param text YAML of any number of documents.
 * @returns Roots of the documents, unchecked.
 * @throws {ConfigError} If it is not YAML.
 */
export function readLearning(text: string, file: string): readonly MapNode[] {
  return readDocuments(text, file).documents.flatMap(({ root, number }) => {
    const document = identify(root, number);
    if (!("message" in document)) registerSecrets(document);
    return root.kind === "map" ? [root] : [];
  });
}

/**
 * Registers a secret with a masker; for a machine configuration, the secrets in it.
 *
 * @param value A text, or its bytes.
 */
export function learnSecret(
  value: string | Uint8Array,
  masker: Pick<Masker, "add" | "addLater"> = processMasker,
): void {
  const text = typeof value === "string"
    ? value
    : new TextDecoder().decode(value);
  const documents = documentsIn(text);
  if (documents.length === 0) masker.add(text);
  for (const document of documents) registerSecrets(document, masker);
}

/** Empty for text that only resembles a configuration. */
function documentsIn(text: string): readonly ConfigDocument[] {
  if (!/^(machine|cluster|kind):/m.test(text)) return [];
  try {
    return loadDocuments(text, "").documents;
  } catch (error) {
    if (error instanceof ConfigError) return [];
    throw error;
  }
}

/** `Kind`, or `Kind/name` for kinds that allow several documents. */
export function formatIdentity(
  { kind, name }: Pick<ConfigDocument, "kind" | "name">,
): string {
  return name === undefined ? kind : `${kind}/${name}`;
}

/** Reports whether two documents have the same identity. */
export function isSame(a: ConfigDocument, b: ConfigDocument): boolean {
  return a.kind === b.kind && a.apiVersion === b.apiVersion &&
    a.name === b.name;
}

/** The keys of a kind, including those of its identity. */
export function findFields(schema: DocumentKind): Fields {
  if (schema.kind === mainKind) return schema.fields;
  return { ...identityFields, ...schema.fields };
}

const identityField: Field = {
  shape: openText,
  summary: "API version of the document",
  required: true,
};

const identityFields: Fields = {
  apiVersion: identityField,
  kind: { ...identityField, summary: "Kind of document", always: true },
};

/** Determines the kind of a document. Returns the document, or the problem. */
export function identify(
  root: ConfigNode,
  number: number,
): ConfigDocument | Problem {
  const cursor = toCursor(root);
  const other = recognizeOther(root);
  if (other !== undefined) {
    return cursor.error(
      `This is ${other.name}, not a machine configuration`,
      other.hint,
    );
  }
  if (root.kind !== "map") {
    return cursor.error(
      "This document is not a mapping",
      "Write a document as keys and values",
    );
  }
  const version = cursor.get("apiVersion").text();
  const kind = cursor.get("kind").text();
  if (kind === undefined && version === undefined && isMain(root)) {
    const schema = documentKinds.get(mainKind);
    return {
      kind: mainKind,
      apiVersion: "",
      root,
      number,
      ...withoutUndefined({ schema }),
    };
  }
  if (kind === undefined || version === undefined) {
    const missing = kind === undefined ? "kind" : "apiVersion";
    return cursor.error(
      `This document has no "${missing}"`,
      `Give ${missing}, or one of the keys ${mainKeys.join(", ")}`,
    );
  }
  const schema = version === apiVersion ? documentKinds.get(kind) : undefined;
  const name = schema?.named === false ? undefined : cursor.get("name").text();
  return {
    kind,
    apiVersion: version,
    root,
    number,
    ...withoutUndefined({ schema, name }),
  };
}

function withoutUndefined<T extends object>(values: T): {
  [Key in keyof T]?: Exclude<T[Key], undefined>;
} {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined),
  ) as { [Key in keyof T]?: Exclude<T[Key], undefined> };
}

function isMain(root: MapNode): boolean {
  return mainKeys.some((key) => findChild(root, key) !== undefined);
}

/** Problem of a foreign document, or of a misspelled kind. */
function foreign(
  { kind, apiVersion: version, root }: ConfigDocument,
): readonly Problem[] | undefined {
  const cursor = toCursor(root);
  // Newer kinds differ from known ones in more than a letter.
  const near = [...documentKinds.keys()].find((known) =>
    known !== mainKind &&
    editDistance(kind.toLowerCase(), known.toLowerCase()) <= 1
  );
  if (version !== apiVersion) {
    return [
      cursor.get("apiVersion").error(
        `Nodes have no documents of apiVersion "${version}"`,
        near === undefined
          ? `Give documents of apiVersion "${apiVersion}"`
          : `Did you mean apiVersion: ${apiVersion}, kind: ${near}?`,
      ),
    ];
  }
  return near === undefined ? undefined : [
    cursor.get("kind").error(
      `The kind "${kind}" does not exist`,
      `Did you mean "${near}"?`,
    ),
  ];
}

/** Problems within a document: keys, types, values, and an unknown kind. */
export function findProblems(
  document: ConfigDocument,
): readonly DocumentProblem[] {
  const { schema, root } = document;
  const found = schema === undefined
    ? foreign(document) ?? [
      toCursor(root).get("kind").warning(
        `The kind "${document.kind}" (${document.apiVersion}) is unknown`,
        "It is kept unchanged and not validated; a node that supports it validates it",
      ),
    ]
    : conform(root, findFields(schema)).problems;
  return found.map((problem) => within(document, problem));
}

/** Adds the document to a problem, and sanitizes its texts for messages. */
export function within(
  document: ConfigDocument,
  problem: Problem,
): DocumentProblem {
  const { path, message, hint } = problem;
  return {
    ...problem,
    path: inOneLine(path),
    message: inOneLine(message),
    ...(hint === undefined ? {} : { hint: inOneLine(hint) }),
    document: document.number,
    identity: inOneLine(formatIdentity(document)),
  };
}

/** Finds conflicting documents: same identity, or same name in one group. */
export function* clashes(
  documents: readonly ConfigDocument[],
): Iterable<DocumentProblem> {
  const first = new Map<string, ConfigDocument>();
  const named = new Map<string, ConfigDocument>();
  for (const document of documents) {
    const cursor = toCursor(document.root);
    const { kind, apiVersion, name, schema } = document;
    const key = JSON.stringify([kind, apiVersion, name]);
    const same = first.get(key);
    if (same !== undefined) {
      yield within(
        document,
        cursor.error(
          `${formatIdentity(document)} is already document ${same.number}`,
          "Put both into one document, or remove one",
        ),
      );
      continue;
    }
    first.set(key, document);
    if (schema?.group === undefined) continue;
    // A pair of links has two names.
    const peer = cursor.get("peer", "name");
    for (const place of [cursor.get("name"), ...(peer.text() ? [peer] : [])]) {
      const shared = JSON.stringify([schema.group, place.text()]);
      const other = named.get(shared);
      if (other === document) continue;
      if (other === undefined) named.set(shared, document);
      else {
        yield within(
          document,
          place.error(
            `${formatIdentity(other)} has the same name`,
            "Give them different names, or remove one",
          ),
        );
      }
    }
  }
}

/** Reports that the subject of a problem is kept. */
export function keptText({ hint = "", ...problem }: Problem): string {
  if (!problem.message.startsWith("Unknown key")) {
    return problemText({ ...problem, hint });
  }
  const near = /^Did/.test(hint) ? ` (${hint})` : "";
  return `${problemText(problem)}, which is kept${near}`;
}

/** Reports whether a document consists only of its identity. */
export function isHollow({ root, kind, schema }: ConfigDocument): boolean {
  const own = new Set(
    kind === mainKind
      ? ["version"]
      : ["apiVersion", "kind", ...(schema?.named === false ? [] : ["name"])],
  );
  return root.entries.every(({ key, value }) => own.has(key) || isNull(value));
}
