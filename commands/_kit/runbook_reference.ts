/** Runbook reference: modules, checks, values and functions with all details. */

import { imagePrefix } from "../../talos.ts";
import { nearest } from "../../lib/text/nearest.ts";
import { ConfigError } from "../../errors.ts";
import { checks } from "../../workflows/checks/all.ts";
import { functionDocs } from "../../workflows/runbook_cel/function_docs.ts";
import type { Json } from "../../lib/json.ts";
import type {
  ValueField,
  ValueFields,
} from "../../workflows/runbook_cel/field.ts";
import {
  clusterField,
  errorField,
  nodeField,
} from "../../workflows/runbook_cel/fact_fields.ts";
import { bucketsField } from "../../workflows/runbooks/language/typing/scope_fields.ts";
import { findEffect, findIdempotency } from "../../workflows/modules/module.ts";
import type { IndexEntry } from "./command.ts";
import { makeFinders } from "../_runbook/finders.ts";

/** A value and its path. */
export interface ReferenceField {
  /** Name, or path: `etcd.leader`. */
  readonly name: string;
  /** Type: `duration`, `list of string`, `one of auto, reboot`. */
  readonly type: string;
  readonly summary: string;
  /** Default as JSON, `required`, or empty. */
  readonly initial: string;
}

/** A named item of the runbook language. */
export interface ReferenceEntry {
  /** Name: `etcd.snapshot`, `k8s.nodeReady`, `node`, `glob`. */
  readonly name: string;
  readonly kind: "module" | "check" | "value" | "function";
  readonly summary: string;
  /** Further details, by heading. */
  readonly facts: Readonly<Record<string, string>>;
  /** Inputs under `with`; empty for a value. */
  readonly inputs: readonly ReferenceField[];
  readonly outputs: readonly ReferenceField[];
  readonly example: string;
}

/** Lists the whole reference, by kind and name. */
export async function referenceEntries(
  commands: readonly IndexEntry[],
): Promise<readonly ReferenceEntry[]> {
  const finders = makeFinders(commands);
  const found = await Promise.all(
    finders.modules.map((name) => moduleEntry(finders.module, name)),
  );
  return [
    ...found.flat(),
    ...[...checks.values()].toSorted((a, b) => a.name < b.name ? -1 : 1)
      .map(checkEntry),
    ...values.map(valueEntry),
    ...functionDocs.map(({ name, call, summary, example, gives }) => ({
      name,
      kind: "function" as const,
      summary,
      facts: {
        call,
        ...gives === undefined ? {} : { gives: JSON.stringify(gives) },
      },
      inputs: [],
      outputs: [],
      example,
    })),
  ];
}

/**
 * Finds an entry by name.
 *
 * @throws {ConfigError} If there is none; suggests similar names.
 */
export function referenceNamed(
  entries: readonly ReferenceEntry[],
  name: string,
): readonly ReferenceEntry[] {
  const found = entries.filter((one) => one.name === name);
  if (found.length > 0) return found;
  const [root = ""] = name.split(".");
  const value = entries.find((one) =>
    one.kind === "value" && one.name === root
  );
  const rest = name.slice(root.length + 1);
  const fields =
    value?.outputs.filter((one) =>
      one.name === rest || one.name.startsWith(`${rest}.`)
    ) ?? [];
  if (value !== undefined && fields.length > 0) {
    return [{ ...value, name, outputs: fields }];
  }
  const near = nearest(name, entries.map((one) => one.name));
  throw new ConfigError(`Runbooks have nothing named "${name}"`, {
    hint: near === undefined
      ? "List all names with: osctl runbook explain"
      : `Did you mean "${near}"?`,
  });
}

const where: Readonly<Record<string, string>> = {
  node: "the node of the forEach, or with.node",
  cluster: "the cluster",
  any: "the node of the forEach, or the cluster",
};

async function moduleEntry(
  find: ReturnType<typeof makeFinders>["module"],
  name: string,
): Promise<readonly ReferenceEntry[]> {
  const module = await find(name);
  if (module === undefined) return [];
  const { summary, scope, input, output, timeout, retryable } = module;
  return [{
    name,
    kind: "module",
    summary,
    facts: {
      "works on": where[scope] ?? scope,
      effect: findEffect(module),
      idempotency: findIdempotency(module),
      timeout: timeout ?? "none",
      ...retryable === undefined || retryable.length === 0
        ? {}
        : { "retried by default": retryable.join(", ") },
    },
    inputs: listFields(input),
    outputs: listFields(output),
    example: stepText({ id: formatId(name), run: name, with: samples(input) }),
  }];
}

function checkEntry(
  { name, summary, scope, input }: {
    readonly name: string;
    readonly summary: string;
    readonly scope: "cluster" | "node";
    readonly input: ValueFields;
  },
): ReferenceEntry {
  const given = samples(input);
  const check = given === undefined
    ? `[${name}]`
    : `\n    - check: ${name}\n      with: ${flow(given)}`;
  return {
    name,
    kind: "check",
    summary,
    facts: {
      checks: scope === "node" ? "the node of the forEach" : "the cluster",
    },
    inputs: listFields(input),
    outputs: [],
    example: `- id: ${formatId(name)}\n  gate: ${check}\n  within: 5m`
      .replace(": \n", ":\n"),
  };
}

interface NamedValue {
  readonly name: string;
  readonly summary: string;
  readonly where: string;
  readonly field?: ValueField;
  readonly example: string;
}

const values: readonly NamedValue[] = [
  {
    name: "inputs",
    summary: "Values the operator gave, by name",
    where: "everywhere",
    example: "inputs.soak",
  },
  {
    name: "vars",
    summary: "Values computed once from the inputs, by name",
    where: "everywhere",
    example: "vars.image",
  },
  {
    name: "cluster",
    summary: "The cluster",
    where: "everywhere",
    field: clusterField,
    example: "cluster.name",
  },
  {
    name: "groups",
    summary: "Nodes of each group, in order",
    where: "steps, outputs",
    example: "size(groups.workers)",
  },
  {
    name: "steps",
    summary:
      "Outputs of earlier steps, by id; of a forEach by step, then by node",
    where: "steps, outputs",
    example: "steps.snapshot.file",
  },
  {
    name: "decisions",
    summary: "Values that decide steps have decided, by name",
    where: "steps, outputs",
    example: "decisions.bootstrapNode",
  },
  {
    name: "node",
    summary: "The node",
    where: "in a forEach, in where, in per: node",
    field: nodeField,
    example: "node.role == 'worker' && node.zone == 'a'",
  },
  {
    name: "result",
    summary:
      "In until, the outputs of the module; in outputs, the nodes of the run by result",
    where: "until, outputs",
    field: bucketsField,
    example: "result.failed.map(n, n.name)",
  },
  {
    name: "error",
    summary: "What went wrong",
    where: "rescue",
    field: errorField,
    example: "error.code == 'drain-blocked'",
  },
];

function valueEntry(
  { name, summary, where, field, example }: NamedValue,
): ReferenceEntry {
  return {
    name,
    kind: "value",
    summary,
    facts: { "available in": where },
    inputs: [],
    outputs: field === undefined ? [] : listFields(field.fields ?? {}),
    example,
  };
}

/** Fields and nested fields, by path. */
function listFields(
  fields: ValueFields,
  above = "",
): readonly ReferenceField[] {
  return Object.entries(fields).flatMap(([key, field]) => {
    const name = above === "" ? key : `${above}.${key}`;
    const { summary, required, initial, items } = field;
    return [
      {
        name,
        type: typeText(field),
        summary,
        initial: required
          ? "required"
          : initial === undefined
          ? ""
          : JSON.stringify(initial),
      },
      ...listFields(field.fields ?? {}, name),
      ...field.type === "list"
        ? listFields(items?.fields ?? {}, `${name}[]`)
        : [],
    ];
  });
}

function typeText({ type, values, items }: ValueField): string {
  if (type === "enum") return `one of ${(values ?? []).join(", ")}`;
  if (type !== "list" && type !== "map") return type;
  return items === undefined ? type : `${type} of ${typeText(items)}`;
}

/** Values for required fields; `undefined` if none is required. */
function samples(fields: ValueFields): Record<string, Json> | undefined {
  const given = Object.entries(fields).flatMap(([name, field]) =>
    field.required
      ? [
        [
          name,
          field.type === "string" || field.type === "any"
            ? typical[name] ?? sample(field)
            : sample(field),
        ] as const,
      ]
      : []
  );
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

/** Example values of inputs whose type does not show their form. */
const typical: Readonly<Record<string, string>> = {
  apiVersion: "apps/v1",
  artifact: "before.snapshot",
  expr: "status.readyReplicas == 3",
  file: "./patch.yaml",
  image: `${imagePrefix}/installer:v1.13.6`,
  kind: "Deployment",
  program: "/usr/local/bin/notify",
};

function sample({ type, values, items, fields }: ValueField): Json {
  switch (type) {
    case "bool":
      return true;
    case "int":
    case "double":
    case "countOrPercent":
      return 1;
    case "duration":
      return "5m";
    case "timestamp":
      return "2026-11-20T19:30:00Z";
    case "semver":
      return "v1.13.6";
    case "enum":
      return values?.[0] ?? "auto";
    case "path":
      return "./file.yaml";
    case "node":
      return "${{ node.name }}";
    case "nodes":
      return ["worker-1"];
    case "secret":
      return "${{ inputs.secret }}";
    case "list":
      return [sample(items ?? { type: "string", summary: "" })];
    case "map":
      return { key: sample(items ?? { type: "string", summary: "" }) };
    case "object":
      return samples(fields ?? {}) ?? {};
    default:
      return "value";
  }
}

/** Step id from the last part of a name: `nodeReady` becomes `node-ready`. */
function formatId(name: string): string {
  return name.slice(name.lastIndexOf(".") + 1)
    .replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    .replace(/^-/, "");
}

function stepText(
  { id, run, with: given }: {
    readonly id: string;
    readonly run: string;
    readonly with: Record<string, Json> | undefined;
  },
): string {
  const more = given === undefined ? "" : `\n  with: ${flow(given)}`;
  return `- id: ${id}\n  run: ${run}${more}`;
}

function flow(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    const parts = Object.entries(value)
      .map(([key, one]) => `${key}: ${flow(one)}`);
    return parts.length === 0 ? "{}" : `{ ${parts.join(", ")} }`;
  }
  return JSON.stringify(value);
}
