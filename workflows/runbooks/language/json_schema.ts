/** JSON Schema of runbooks, for editors. */

import type { JsonSchema } from "../../../config/documents/schema.ts";
import type { Check } from "../../checks/check.ts";
import type { ValueField, ValueFields } from "../../runbook_cel/field.ts";
import type { ModuleHead } from "../../modules/module.ts";
import { runbook } from "./language.ts";
import { countOrPercent, duration } from "./scalars.ts";
import type { Key, Keys, LanguageShape, LanguageStruct } from "./shape.ts";

interface Vocabulary {
  /** Modules, for `run`. */
  readonly modules: readonly ModuleHead[];
  /** Checks, for `gate`. */
  readonly checks: readonly Pick<
    Check,
    "name" | "summary" | "scope" | "input"
  >[];
}

interface RunbookSchemaWriter {
  readonly definitions: Map<string, JsonSchema>;
  readonly vocabulary: Vocabulary;
}

/**
 * Makes the schema (draft 2020-12). It rejects unknown keys, wrong types and unknown names of
 * modules and checks; rules over several values are not part of it.
 */
export function jsonSchema(vocabulary: Vocabulary): JsonSchema {
  return toJsonSchema(runbook, "Runbook of osctl", vocabulary);
}

/** Makes the schema of a file. `title`: its heading in editors. */
export function toJsonSchema(
  file: LanguageStruct,
  title: string,
  vocabulary: Vocabulary,
): JsonSchema {
  const writer: RunbookSchemaWriter = { definitions: new Map(), vocabulary };
  const root = structSchema(file, writer);
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title,
    ...root,
    $defs: Object.fromEntries(writer.definitions),
  };
}

/** Makes the schema of named values, which may hold expressions. */
export function fieldsSchema(fields: ValueFields): JsonSchema {
  const entries = Object.entries(fields);
  const required = entries.flatMap(([name, field]) =>
    field.required && field.initial === undefined ? [name] : []
  );
  return {
    type: "object",
    properties: Object.fromEntries(
      entries.map(([name, field]) => [name, fieldSchema(field)]),
    ),
    additionalProperties: false,
    ...(required.length === 0 ? {} : { required }),
  };
}

const template: JsonSchema = { type: "string", pattern: "\\$\\{\\{" };

function fieldSchema(field: ValueField): JsonSchema {
  const { summary, initial } = field;
  const value = valueSchema(field);
  // An expression may stand for any value; it is a string, so string types need no alternative.
  const isText = value["type"] === "string" && value["pattern"] === undefined &&
    value["enum"] === undefined;
  const free = Object.keys(value).length === 0;
  return {
    ...(isText || free
      ? value
      : { anyOf: [value, template, { type: "null" }] }),
    ...(summary === "" ? {} : { description: summary }),
    ...(initial === undefined ? {} : { default: initial }),
  };
}

function valueSchema(field: ValueField): JsonSchema {
  switch (field.type) {
    case "int":
      return { type: "integer" };
    case "double":
      return { type: "number" };
    case "bool":
      return { type: "boolean" };
    case "duration":
      return duration.json;
    case "countOrPercent":
      return countOrPercent.json;
    case "semver":
      return { type: "string", pattern: "^v?\\d+\\.\\d+\\.\\d+" };
    case "enum":
      return { enum: field.values ?? [] };
    case "secret":
      return template;
    case "nodes":
      return { type: "array", items: { type: "string" } };
    case "list":
      return {
        type: "array",
        items: field.items === undefined ? true : fieldSchema(field.items),
      };
    case "map":
      return {
        type: "object",
        additionalProperties: field.items === undefined
          ? true
          : fieldSchema(field.items),
      };
    case "object":
      return field.fields === undefined
        ? { type: "object" }
        : fieldsSchema(field.fields);
    case "any":
      return {};
    default:
      return { type: "string" };
  }
}

function shapeSchema(
  shape: LanguageShape,
  writer: RunbookSchemaWriter,
): JsonSchema {
  switch (shape.shape) {
    case "free":
      return {};
    case "scalar":
      return shape.json;
    case "list": {
      const items = shapeSchema(shape.of, writer);
      const list = {
        type: "array",
        items,
        ...(shape.filled ? { minItems: 1 } : {}),
      };
      return shape.alone ? { anyOf: [items, list] } : list;
    }
    case "map":
      return {
        type: "object",
        propertyNames: keyNames(shape.keys.json),
        additionalProperties: shapeSchema(shape.of, writer),
      };
    case "struct":
      return reference(shape, writer);
  }
}

function keyNames({ pattern }: JsonSchema): JsonSchema {
  return pattern === undefined ? {} : { pattern };
}

function reference(
  shape: LanguageStruct,
  writer: RunbookSchemaWriter,
): JsonSchema {
  const { definitions } = writer;
  const whole = { $ref: `#/$defs/${shape.name}` };
  if (!definitions.has(shape.name)) {
    // Steps are recursive: the name is reserved before the contents are visited.
    definitions.set(shape.name, {});
    definitions.set(shape.name, structSchema(shape, writer));
  }
  return whole;
}

function structSchema(
  shape: LanguageStruct,
  writer: RunbookSchemaWriter,
): JsonSchema {
  const all = Object.assign(
    {},
    shape.keys,
    ...Object.values(shape.verbs ?? {}),
  ) as Keys;
  const required = listRequired(shape.keys);
  const mapping = {
    type: "object",
    properties: Object.fromEntries(
      Object.entries(all).map(([name, key]) => [name, keySchema(key, writer)]),
    ),
    additionalProperties: false,
    ...(required.length === 0 ? {} : { required }),
    ...verbsSchema(shape),
    ...namedSchema(shape, writer),
  };
  return shape.short === undefined
    ? mapping
    : { anyOf: [shortSchema(shape, writer), mapping] };
}

function shortSchema(
  shape: LanguageStruct,
  writer: RunbookSchemaWriter,
): JsonSchema {
  if (shape.name !== "gateCheck") return shape.short?.json ?? {};
  return { enum: writer.vocabulary.checks.map(({ name }) => name) };
}

function keySchema(key: Key, writer: RunbookSchemaWriter): JsonSchema {
  const value = shapeSchema(key.shape, writer);
  const initial = key.initial === undefined ? "" : `. Default: ${key.initial}`;
  return { ...value, description: `${key.summary}${initial}` };
}

function listRequired(keys: Keys): readonly string[] {
  return Object.entries(keys).flatMap(([name, key]) =>
    key.required ? [name] : []
  );
}

/** Requires exactly one verb, and no keys of other verbs. */
function verbsSchema({ verbs }: LanguageStruct): JsonSchema {
  if (verbs === undefined) return {};
  const owners = new Map<string, string[]>();
  for (const [verb, keys] of Object.entries(verbs)) {
    for (const name of Object.keys(keys)) {
      if (name === verb) continue;
      owners.set(name, [...owners.get(name) ?? [], verb]);
    }
  }
  const needs = Object.entries(verbs).flatMap(([verb, keys]) => {
    const required = listRequired(keys);
    return required.length === 0 ? [] : [[verb, { required }] as const];
  });
  const belongs = [...owners].map(([name, by]) =>
    [name, { anyOf: by.map((verb) => ({ required: [verb] })) }] as const
  );
  return {
    oneOf: Object.keys(verbs).map((verb) => ({ required: [verb] })),
    dependentSchemas: Object.fromEntries([...needs, ...belongs]),
  };
}

interface Named {
  readonly name: string;
  readonly summary: string;
  readonly scope: "node" | "cluster" | "any";
  readonly input: ValueFields;
}

/** Names of modules and checks, with their inputs. */
function namedSchema(
  { name }: LanguageStruct,
  { vocabulary }: RunbookSchemaWriter,
) {
  if (name === "step") return namesSchema("run", vocabulary.modules);
  if (name === "gateCheck") return namesSchema("check", vocabulary.checks);
  return {};
}

function namesSchema(key: string, named: readonly Named[]): JsonSchema {
  const choice = {
    properties: {
      [key]: {
        oneOf: named.map(({ name, summary }) => ({
          const: name,
          description: summary,
        })),
      },
    },
  };
  const inputs = named.map(({ name, scope, input }) => ({
    if: { properties: { [key]: { const: name } }, required: [key] },
    then: { properties: { with: withSchema(scope, input) } },
  }));
  return { allOf: [choice, ...inputs] };
}

function withSchema(scope: Named["scope"], input: ValueFields): JsonSchema {
  const node: ValueField = { type: "node", summary: "Node to work on" };
  return fieldsSchema(scope === "node" ? { node, ...input } : input);
}
