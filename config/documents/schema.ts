/** Model of a document kind; the only source of osctl's knowledge about fields. */

import type { ExpressionEnvironment } from "../document_cel/environments.ts";
import type { ScalarNode } from "../tree/node.ts";
import type { Cursor } from "./cursor.ts";
import type { Problem } from "./problem.ts";

/** OS version, `MAJOR.MINOR`. */
export type OsVersion = `${number}.${number}`;

/** A part of a JSON Schema (draft 2020-12). */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** A scalar in canonical form. */
export interface Written {
  readonly text: string;
  /** True for numbers, booleans and the like, false for texts, which are quoted where needed. */
  readonly plain: boolean;
}

/** Result of parsing a scalar: its canonical form, or an error, upper case first. */
export type ScalarReading = Written | { readonly fault: string };

/** A value without parts. */
export interface ScalarShape {
  readonly shape: "scalar";
  /** Type name, one or two words: `duration`. */
  readonly name: string;
  /** Valid values, for messages: `a duration such as 90s or 1h30m`. */
  readonly expected: string;
  /** Canonical form of an absent value, for fields that are always written. */
  readonly zero: Written;
  /**
   * Part shown in diffs, plans and reports: the value, or only the name of
   * `NAME=value`; omitted for values that may be secret.
   */
  readonly shown?: "value" | "name";
  readonly json: JsonSchema;
  /** Valid words, for a fixed set. */
  readonly values?: readonly string[];
  /** Name of the environment if the text is a CEL expression; checked only by validation. */
  readonly expression?: ExpressionEnvironment;
  /** Parses a scalar that is not null; never throws. */
  readonly read: (scalar: ScalarNode) => ScalarReading;
}

/** A sequence. */
export interface ListShape {
  readonly shape: "list";
  readonly of: Shape;
  /** Set if a single value is allowed instead of a list; the first version with lists. */
  readonly loneUntil?: OsVersion;
  /** Set if null elements are kept, as on nodes. */
  readonly gaps?: true;
}

/** A mapping with user-defined keys, written in key order. */
export interface MapShape {
  readonly shape: "map";
  readonly of: Shape;
}

/** A mapping with known keys, written in field order. */
export interface StructShape {
  readonly shape: "struct";
  readonly fields: Fields;
  /** True if a patch replaces it as a whole, because its keys belong together. */
  readonly whole?: true;
}

/** A mapping that another program interprets; kept unchanged, keys sorted. */
export interface FreeShape {
  readonly shape: "free";
  /** Set if diffs, plans and reports may show all of it. */
  readonly shown?: "value";
}

/** Shape of a value. */
export type Shape =
  | ScalarShape
  | ListShape
  | MapShape
  | StructShape
  | FreeShape;

/** An example value, as plain data. */
export interface Example {
  /** Title, one line; not needed for a single example. */
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

/** Merge rule of a field in documents with the same identity; the default depends on its shape. */
export type MergeRule =
  /** A value in the patch replaces the old one. */
  | "replace"
  /** The value of the patch counts even if absent. */
  | "overwrite"
  /** Elements are merged if they agree in the first of these keys that both have; others are appended. */
  | readonly string[];

/** One key of a mapping. */
export interface Field {
  readonly shape: Shape;
  /** Description, one short sentence without a period. */
  readonly summary: string;
  /** Written even if empty. */
  readonly always?: true;
  /** Absent differs from empty: a written `false`, `0` or `{}` is kept. */
  readonly optional?: true;
  /** Shown as `[]` in a generated configuration with comments, although it is otherwise omitted if empty. */
  readonly listed?: true;
  readonly merge?: MergeRule;
  /** Replacement: a path or a kind of document; empty if there is none. */
  readonly deprecated?: string;
  /** Never shown: key material, tokens, passwords. */
  readonly secret?: true;
  /** Required; checked by validation. */
  readonly required?: true;
  /** Default value, as text. */
  readonly initial?: string;
  /** First version with this field; absent if 1.8 has it. */
  readonly since?: OsVersion;
  /** First version without this field. */
  readonly until?: OsVersion;
  /** Values added after the field, and the first versions that know them. */
  readonly newer?: Readonly<Record<string, OsVersion>>;
  /** Realistic values, fully populated. */
  readonly examples?: readonly Example[];
}

/** Keys of a mapping, in canonical order. */
export interface Fields {
  readonly [name: string]: Field;
}

/** Kinds whose documents must not share a name. */
export type KindGroup = "links" | "vips" | "volumes";

/** A kind of document. */
export interface DocumentKind {
  /** Value of `kind`; `v1alpha1` for the one document that has none. */
  readonly kind: string;
  /** Description, one short sentence without a period. */
  readonly summary: string;
  /** True if `name` is part of its identity, so that several documents are allowed. */
  readonly named: boolean;
  /** First version with this kind; absent if 1.8 has it. */
  readonly since?: OsVersion;
  /** Kinds that it must not share a name with. */
  readonly group?: KindGroup;
  /** True if only control planes may have it. */
  readonly controlPlaneOnly?: true | undefined;
  /** Keys without `apiVersion` and `kind`, in canonical order. */
  readonly fields: Fields;
  /** Complete documents without `apiVersion` and `kind`. */
  readonly examples: readonly Example[];
  /** Rules beyond shapes and `required`. */
  readonly rules?: (
    document: Cursor,
    version?: OsVersion,
  ) => Iterable<Problem>;
  /** Set if nodes accept documents of this kind without a name. */
  readonly nameless?: true;
}
