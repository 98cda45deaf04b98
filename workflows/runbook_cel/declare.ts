/** Declaration of the names in scope for the CEL library. */

import { Environment } from "@marcbachmann/cel-js";
import { ConfigError } from "../../errors.ts";
import type { NodeFacts } from "./facts.ts";
import type { ValueField, ValueFields } from "./field.ts";
import { nodeField } from "./fact_fields.ts";
import type { Budget } from "./cost.ts";
import { fromCel, type Maker, Secret, textOfTime } from "./cel_values.ts";
import {
  cidrContains,
  glob,
  needsUpgrade,
  semverCompare,
  semverMinorGap,
  targetImage,
} from "./functions.ts";
import { anyField } from "./resolve.ts";

/** Queries that only the run can answer. */
export interface RunQueries {
  /** Reports whether any part of a step was ever started. */
  readonly reached: (step: string) => boolean;
  /** Current time, in milliseconds since 1970. */
  readonly now: () => number;
  /** Shared cost budget of all expressions; default, only the limit of each. */
  readonly budget?: Budget;
  /** Reports whether the block around has changed a node; absent outside blocks. */
  readonly changed?: (node: Pick<NodeFacts, "name" | "address">) => boolean;
}

/** Declared names in scope. */
export interface Declarations {
  readonly environment: Environment;
  /** Object types by their names in the library. */
  readonly objects: ReadonlyMap<string, ValueField>;
  /** Makers of objects, by type. */
  readonly makers: ReadonlyMap<ValueField, Maker>;
}

const limits = { maxAstNodes: 400, maxDepth: 24 };

/** Library types of our scalar types. */
const plainTypes: Readonly<Partial<Record<ValueField["type"], string>>> = {
  string: "string",
  semver: "string",
  enum: "string",
  path: "string",
  node: "string",
  nodes: "list<string>",
  int: "int",
  double: "double",
  bool: "bool",
  duration: "google.protobuf.Duration",
  timestamp: "google.protobuf.Timestamp",
  secret: "secret",
};

const taken = new Set(
  "string bool int uint double bytes dyn null type optional list map ast cel"
    .split(" "),
);

/** Queries for `reached` and `now`; only set during an evaluation, which is synchronous. */
let queries: RunQueries | undefined;

const base = makeBase();

/** Declares names. */
export function declare(declarations: ValueFields): Declarations {
  const declared: CelRegistry = {
    environment: base.environment.clone(),
    objects: new Map(base.objects),
    makers: new Map(base.makers),
    names: new Map(base.names),
  };
  for (const [name, field] of Object.entries(declarations)) {
    const type = typeName(field, name, declared);
    declared.environment.registerVariable(name, type);
  }
  return declared;
}

/** Evaluates with queries to the run. */
export function withRunQueries<T>(given: RunQueries, act: () => T): T {
  const before = queries;
  queries = given;
  try {
    return act();
  } finally {
    queries = before;
  }
}

interface CelRegistry {
  readonly environment: Environment;
  readonly objects: Map<string, ValueField>;
  readonly makers: Map<ValueField, Maker>;
  readonly names: Map<ValueField, string>;
}

/** Library name of a type; object types are registered. */
function typeName(
  field: ValueField,
  name: string,
  registry: CelRegistry,
): string {
  const plain = plainTypes[field.type];
  if (plain !== undefined) return plain;
  const items = field.items ?? anyField;
  switch (field.type) {
    case "list":
      return `list<${typeName(items, `${name}.item`, registry)}>`;
    case "map":
      return `map<string, ${typeName(items, `${name}.value`, registry)}>`;
    case "object":
      return field.fields === undefined
        ? "map<string, dyn>"
        : objectName(field, field.fields, name, registry);
    default:
      return "dyn";
  }
}

function objectName(
  field: ValueField,
  parts: ValueFields,
  name: string,
  registry: CelRegistry,
): string {
  const known = registry.names.get(field);
  if (known !== undefined) return known;
  const { environment, objects, makers, names } = registry;
  const own = freeName(name, objects);
  const maker: Maker = class {};
  names.set(field, own);
  objects.set(own, field);
  makers.set(field, maker);
  const fields = Object.fromEntries(
    Object.entries(parts).map((
      [key, part],
    ) => [key, typeName(part, `${own}.${key}`, registry)]),
  );
  environment.registerType(own, { ctor: maker, fields });
  return own;
}

function freeName(
  name: string,
  objects: ReadonlyMap<string, ValueField>,
): string {
  let free = name.replace(/[^\w.-]/g, "_");
  while (free.length < 2 || taken.has(free) || objects.has(free)) free += "_";
  return free;
}

function makeBase(): CelRegistry {
  const environment = new Environment({ limits });
  environment.registerType("secret", { ctor: Secret, fields: {} });
  const registry: CelRegistry = {
    environment,
    objects: new Map(),
    makers: new Map(),
    names: new Map(),
  };
  typeName(nodeField, "node", registry);
  const functions: Readonly<Record<string, (...given: never[]) => unknown>> = {
    "semverCompare(string, string): int": semverCompare,
    "semverMinorGap(string, string): int": semverMinorGap,
    "needsUpgrade(node, string, string): bool": (
      node: object,
      version: string,
      image: string,
    ) => needsUpgrade(findFacts(node), version, image),
    "targetImage(node, string, string): string": (
      node: object,
      image: string,
      version: string,
    ) => targetImage(findFacts(node), image, version),
    "glob(string, string): bool": glob,
    "cidrContains(string, string): bool": cidrContains,
    "reached(string): bool": (step: string) => requireQueries().reached(step),
    "changed(node): bool": (node: object) =>
      requireQueries().changed?.(findFacts(node)) ?? false,
    "now(): google.protobuf.Timestamp": () => new Date(requireQueries().now()),
    "string(google.protobuf.Duration): string": textOfTime,
    "string(google.protobuf.Timestamp): string": textOfTime,
  };
  for (const [signature, handler] of Object.entries(functions)) {
    environment.registerFunction(signature, handler, { async: false });
  }
  return registry;
}

function findFacts(node: object): NodeFacts {
  return fromCel(node) as unknown as NodeFacts;
}

function requireQueries(): RunQueries {
  if (queries !== undefined) return queries;
  throw new ConfigError("Cannot use reached, changed or now outside a run");
}
