/** JSON Schemas of configuration files and of patches, for editors. */

import type { ScalarNode } from "../tree/node.ts";
import { documentKinds } from "./kinds.ts";
import { apiVersion, mainKind } from "./load.ts";
import { isKnown } from "./requirements.ts";
import type {
  DocumentKind,
  Field,
  Fields,
  JsonSchema,
  OsVersion,
  ScalarShape,
  Shape,
  StructShape,
} from "./schema.ts";

/** Options of a schema. */
export interface JsonSchemaOptions {
  /** OS version that must know every key; default the newest. */
  readonly version?: OsVersion;
  /** True for patches: nothing is required, and `$patch` is allowed everywhere. */
  readonly patch?: boolean;
}

interface DocumentSchemaWriter extends JsonSchemaOptions {
  /** Schemas of mappings by name. */
  readonly definitions: Map<string, JsonSchema>;
  /** Names of the same schemas by their JSON, to avoid duplicates. */
  readonly names: Map<string, string>;
}

const markName = "$patch";

/**
 * Creates the schema of one document (draft 2020-12). It rejects input that no node accepts: keys, types,
 * words, and without `patch` documents without required fields. Kinds are a closed list, since
 * an open one could reject nothing; rules about several values are not included.
 */
export function jsonSchema(options: JsonSchemaOptions = {}): JsonSchema {
  const writer: DocumentSchemaWriter = {
    ...options,
    definitions: new Map(),
    names: new Map(),
  };
  const { version, patch = false } = options;
  const kinds = [...documentKinds.values()].filter((kind) =>
    isKnown(kind, version)
  );
  const main = kinds.filter(({ kind }) => kind === mainKind)
    .map((kind) => documentSchema(kind, writer));
  const others = kinds.filter(({ kind }) => kind !== mainKind);
  const document = {
    type: "object",
    properties: makeIdentity(others),
    if: { anyOf: [{ required: ["kind"] }, { required: ["apiVersion"] }] },
    then: { required: ["apiVersion", "kind"], allOf: chosen(others, writer) },
    else: main[0],
  };
  const of = version === undefined ? "" : `, version ${version}`;
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: `${patch ? "Patch of a machine" : "Machine"} configuration${of}`,
    ...(patch
      ? { if: { type: "array" }, then: operations, else: document }
      : document),
    $defs: {
      ...(patch ? { [markName]: mark } : {}),
      ...Object.fromEntries(writer.definitions),
    },
  };
}

function makeIdentity(kinds: readonly DocumentKind[]): JsonSchema {
  return {
    apiVersion: {
      const: apiVersion,
      description: "API version of the document",
    },
    kind: {
      enum: kinds.map(({ kind }) => kind),
      description: "Kind of document",
    },
  };
}

function chosen(
  kinds: readonly DocumentKind[],
  writer: DocumentSchemaWriter,
): readonly JsonSchema[] {
  return kinds.map((kind) => ({
    if: { properties: { kind: { const: kind.kind } }, required: ["kind"] },
    then: documentSchema(kind, writer),
  }));
}

function documentSchema(
  kind: DocumentKind,
  writer: DocumentSchemaWriter,
): JsonSchema {
  const { fields, summary, examples, named, nameless } = kind;
  const isMain = kind.kind === mainKind;
  const { properties, required = [], ...rest } = mapping(
    fields,
    isMain ? "" : kind.kind,
    writer,
  );
  const needed = named && !nameless && !writer.patch ? ["name"] : [];
  const whole: JsonSchema = {
    title: kind.kind,
    description: summary,
    ...rest,
    properties: {
      ...(isMain ? {} : { apiVersion: true, kind: true }),
      ...properties,
    },
    ...requiring([...needed, ...required]),
    ...(isMain ? {} : { examples: examples.map(({ value }) => value) }),
  };
  return reference(kind.kind, whole, writer);
}

interface Mapping {
  readonly type: "object";
  readonly properties: JsonSchema;
  readonly additionalProperties: false;
  readonly required?: readonly string[];
}

function mapping(
  fields: Fields,
  path: string,
  writer: DocumentSchemaWriter,
): Mapping {
  const known = Object.entries(fields).filter(([, field]) =>
    isKnown(field, writer.version)
  );
  const properties = known.map(([key, field]) => [
    key,
    fieldSchema(field, path === "" ? key : `${path}.${key}`, writer),
  ]);
  const required = known.flatMap(([key, field]) => field.required ? [key] : []);
  return {
    type: "object",
    properties: {
      ...Object.fromEntries(properties),
      ...(writer.patch ? { [markName]: markValue } : {}),
    },
    additionalProperties: false,
    ...requiring(writer.patch ? [] : required),
  };
}

function fieldSchema(
  field: Field,
  path: string,
  writer: DocumentSchemaWriter,
): JsonSchema {
  const { shape, deprecated, examples } = field;
  const value = valueSchema(shape, path, writer);
  // Nodes write null for absent fields that are always written.
  const nullable = field.always && field.optional && !field.required;
  const filled = field.required && !writer.patch && shape.shape === "list";
  const initial = shape.shape === "scalar" ? makeInitial(field, shape) : {};
  return {
    ...(nullable ? { anyOf: [value, { type: "null" }] } : value),
    ...(filled ? { minItems: 1 } : {}),
    description: describeField(field),
    ...initial,
    ...(deprecated === undefined ? {} : { deprecated: true }),
    ...(examples && { examples: examples.map(({ value }) => value) }),
  };
}

function describeField(
  { summary, initial, since, deprecated }: Field,
): string {
  const parts = [
    summary,
    ...(initial === undefined ? [] : [`Default: ${initial}`]),
    ...(since === undefined ? [] : [`Since version ${since}`]),
    ...(deprecated === "" ? ["Deprecated"] : []),
    ...(deprecated ? [`Deprecated: use ${deprecated}`] : []),
  ];
  return parts.join(". ");
}

/** The default as JSON, if it is a value rather than a description. */
function makeInitial({ initial }: Field, shape: ScalarShape): JsonSchema {
  if (initial === undefined) return {};
  const node: ScalarNode = { kind: "scalar", text: initial, plain: true };
  const reading = shape.read(node);
  if ("fault" in reading) return {};
  const { text, plain } = reading;
  if (!plain) return { default: text };
  return { default: /^0o/.test(text) ? Number(text) : JSON.parse(text) };
}

function valueSchema(
  shape: Shape,
  path: string,
  writer: DocumentSchemaWriter,
): JsonSchema {
  switch (shape.shape) {
    case "scalar":
      return orMark(scalarSchema(shape), writer);
    case "list": {
      const items = valueSchema(shape.of, path, writer);
      const list = { type: "array", items };
      return shape.loneUntil === undefined ? orMark(list, writer) : orMark(
        isKnown({ since: shape.loneUntil }, writer.version)
          ? { anyOf: [items, list] }
          : items,
        writer,
      );
    }
    case "map":
      return {
        type: "object",
        ...(writer.patch ? { properties: { [markName]: markValue } } : {}),
        additionalProperties: valueSchema(shape.of, path, writer),
      };
    case "struct":
      return structSchema(shape, path, writer);
    case "free":
      return { type: "object" };
  }
}

function scalarSchema({ json, expected }: ScalarShape): JsonSchema {
  // Editors show this instead of the pattern.
  return "pattern" in json
    ? { ...json, patternErrorMessage: `Expected ${expected}` }
    : json;
}

function structSchema(
  { fields }: StructShape,
  path: string,
  writer: DocumentSchemaWriter,
): JsonSchema {
  return reference(path, { ...mapping(fields, path, writer) }, writer);
}

/** Adds a schema to the definitions, unless it exists already. */
function reference(
  path: string,
  schema: JsonSchema,
  { definitions, names }: DocumentSchemaWriter,
): JsonSchema {
  const text = JSON.stringify(schema);
  const name = names.get(text) ?? path;
  names.set(text, name);
  definitions.set(name, schema);
  return { $ref: `#/$defs/${name}` };
}

function requiring(
  keys: readonly string[],
): { readonly required?: readonly string[] } {
  return keys.length === 0 ? {} : { required: keys };
}

function orMark(
  schema: JsonSchema,
  { patch }: DocumentSchemaWriter,
): JsonSchema {
  if (!patch) return schema;
  return { anyOf: [schema, { $ref: `#/$defs/${markName}` }] };
}

const markValue: JsonSchema = {
  enum: ["delete", "replace"],
  description: "Deletes or replaces this element",
};

const mark: JsonSchema = {
  type: "object",
  properties: { [markName]: markValue },
  required: [markName],
  additionalProperties: false,
};

const operations: JsonSchema = {
  type: "array",
  items: {
    type: "object",
    properties: {
      op: {
        enum: ["add", "remove", "replace", "move", "copy", "test"],
        description: "Operation (RFC 6902)",
      },
      path: { type: "string", description: "Target location, a JSON pointer" },
      from: { type: "string", description: "Source location, a JSON pointer" },
      value: { description: "Value to set or test" },
      document: {
        type: "string",
        description: "Document to patch: kind, or kind/name",
      },
    },
    required: ["op", "path"],
    additionalProperties: false,
  },
};
