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

/** What the files are that a schema is for. */
export interface JsonSchemaOptions {
  /** Version of the operating system that has to know every key; default the newest. */
  readonly version?: OsVersion;
  /** True for patches: nothing is required, and `$patch` may stand everywhere. */
  readonly patch?: boolean;
}

interface DocumentSchemaWriter extends JsonSchemaOptions {
  /** Schemas of mappings by their names. */
  readonly definitions: Map<string, JsonSchema>;
  /** Names of the same schemas by their JSON, so that each is there once. */
  readonly names: Map<string, string>;
}

const markName = "$patch";

/**
 * Makes the schema of one document (draft 2020-12). It refuses what no node takes: keys, types,
 * words, and without `patch` documents that lack what is required. Kinds are a closed list, since
 * an open one could refuse nothing; rules that look at several values are not in it.
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
  const { fields, summary, examples } = kind;
  const isMain = kind.kind === mainKind;
  const { properties, required = [], ...rest } = mapping(
    fields,
    isMain ? "" : kind.kind,
    writer,
  );
  const needed = kind.named && !writer.patch ? ["name"] : [];
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
  // Nodes write null for what is absent and always written.
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

/** The default as JSON, where it is a value and no description of one. */
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
  // What editors show instead of the pattern.
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

/** Puts a schema among the definitions, unless the same one is there already. */
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
