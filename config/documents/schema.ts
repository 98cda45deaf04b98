/** How a kind of document is described; everything osctl knows about a field follows from here. */

import type { ExpressionEnvironment } from "../document_cel/environments.ts";
import type { ScalarNode } from "../tree/node.ts";
import type { Cursor } from "./cursor.ts";
import type { Problem } from "./problem.ts";

/** Version of the operating system, `MAJOR.MINOR`. */
export type OsVersion = `${number}.${number}`;

/** A part of a JSON Schema (draft 2020-12). */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** A scalar as it is written. */
export interface Written {
  readonly text: string;
  /** True for numbers, truth values and the like, false for texts, which are quoted where needed. */
  readonly plain: boolean;
}

/** What reading a scalar gives: its canonical form, or what is wrong with it, upper case first. */
export type ScalarReading = Written | { readonly fault: string };

/** A value without parts. */
export interface ScalarShape {
  readonly shape: "scalar";
  /** What it is, in one or two words: `duration`. */
  readonly name: string;
  /** What would be right, for messages: `a duration such as 90s or 1h30m`. */
  readonly expected: string;
  /** What an absent value is written as when its field is always written. */
  readonly zero: Written;
  /**
   * What diffs, plans and reports show of it: its value, or only the name of
   * `NAME=value`; nothing when omitted, since it may be a secret.
   */
  readonly shown?: "value" | "name";
  readonly json: JsonSchema;
  /** Words that are right, when there is a fixed set. */
  readonly values?: readonly string[];
  /** Name of the environment when the text is a CEL expression; checked by validation only. */
  readonly expression?: ExpressionEnvironment;
  /** Reads a scalar that is not null; never throws. */
  readonly read: (scalar: ScalarNode) => ScalarReading;
}

/** A sequence. */
export interface ListShape {
  readonly shape: "list";
  readonly of: Shape;
  /** Set when a single element may stand without its list; the first version that knows the list. */
  readonly loneUntil?: OsVersion;
  /** Set when elements that are null stay, as they do on nodes. */
  readonly gaps?: true;
}

/** A mapping with keys of the user's choice, written in the order of the keys. */
export interface MapShape {
  readonly shape: "map";
  readonly of: Shape;
}

/** A mapping with known keys, written in the order of the fields. */
export interface StructShape {
  readonly shape: "struct";
  readonly fields: Fields;
  /** True when a patch replaces it as a whole, since its keys belong together. */
  readonly whole?: true;
}

/** A mapping that something else than the node's operating system understands; kept as it is, keys sorted. */
export interface FreeShape {
  readonly shape: "free";
  /** Set when diffs, plans and reports may show everything in it. */
  readonly shown?: "value";
}

/** What a value may be. */
export type Shape =
  | ScalarShape
  | ListShape
  | MapShape
  | StructShape
  | FreeShape;

/** An example value, as plain data. */
export interface Example {
  /** What it shows, one line; not needed when there is only one. */
  readonly title?: string;
  readonly value: ExampleValue;
}

/** Plain data of examples. */
export type ExampleValue =
  | string
  | number
  | boolean
  | null
  | readonly ExampleValue[]
  | { readonly [key: string]: ExampleValue };

/** How a field of a document with the same identity is merged; the default depends on its shape. */
export type MergeRule =
  /** The patch's value takes the place of the old one when it is given. */
  | "replace"
  /** The patch's value counts even when it is absent. */
  | "overwrite"
  /** Elements that agree in the first of these keys that both have are merged, others appended. */
  | readonly string[];

/** One key of a mapping. */
export interface Field {
  readonly shape: Shape;
  /** What it means, one short sentence without a period. */
  readonly summary: string;
  /** Written even when empty. */
  readonly always?: true;
  /** Absent differs from empty: a written `false`, `0` or `{}` is kept. */
  readonly optional?: true;
  /**
   * Shown as `[]` in commented output of a generated configuration although
   * it is omitted elsewhere when empty.
   */
  readonly listed?: true;
  readonly merge?: MergeRule;
  /** What takes its place: a path or a kind of document; empty when nothing does. */
  readonly deprecated?: string;
  /** Never shown: key material, tokens, passwords. */
  readonly secret?: true;
  /** Must be given; checked by validation. */
  readonly required?: true;
  /** What counts when it is absent, as text. */
  readonly initial?: string;
  /** First version that knows it; absent when 1.8 does. */
  readonly since?: OsVersion;
  /** First version that does not know it any more. */
  readonly until?: OsVersion;
  /** Values that came later than the field, and the first versions that know them. */
  readonly newer?: Readonly<Record<string, OsVersion>>;
  /** Values that make sense, fully populated. */
  readonly examples?: readonly Example[];
}

/** Keys of a mapping, in the order they are written. */
export interface Fields {
  readonly [name: string]: Field;
}

/** Kinds of which two documents may not have the same name. */
export type KindGroup = "links" | "vips" | "volumes";

/** A kind of document. */
export interface DocumentKind {
  /** Value of `kind`; `v1alpha1` for the one document that has none. */
  readonly kind: string;
  /** What it configures, one short sentence without a period. */
  readonly summary: string;
  /** True when `name` is part of its identity, so that there may be several. */
  readonly named: boolean;
  /** First version that knows it; absent when 1.8 does. */
  readonly since?: OsVersion;
  /** Kinds it must not share a name with. */
  readonly group?: KindGroup;
  /** True when only control planes may have it. */
  readonly controlPlaneOnly?: true | undefined;
  /** Keys without `apiVersion` and `kind`, in the order they are written. */
  readonly fields: Fields;
  /** Complete documents without `apiVersion` and `kind`. */
  readonly examples: readonly Example[];
  /** What has to hold beyond shapes and `required`. */
  readonly rules?: (
    document: Cursor,
    version?: OsVersion,
  ) => Iterable<Problem>;
  /** Set when nodes take documents of it without a name. */
  readonly nameless?: true;
}
