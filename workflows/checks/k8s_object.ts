import { ConfigError } from "../../errors.ts";
import { checkExpression, evaluate } from "../expression/expression.ts";
import type { KubernetesObject } from "../kubernetes/client.ts";
import { readObjects } from "../kubernetes/objects.ts";
import type { Json } from "../operations/operation.ts";
import type { Fields } from "../runbooks/field.ts";
import type { Check } from "./check.ts";
import { counted, lacks, unless } from "./finding.ts";

/** Names in the expression. */
const declarations: Fields = {
  object: { type: "any", summary: "The object" },
  status: { type: "any", summary: "Its field status" },
};

/** Whether objects of Kubernetes are as wanted. */
export const k8sObject: Check = {
  name: "k8s.object",
  summary: "Objects of Kubernetes are there, and a condition holds for each",
  scope: "cluster",
  input: {
    apiVersion: {
      type: "string",
      summary: "Group and version: apps/v1",
      required: true,
    },
    kind: { type: "string", summary: "Kind: Deployment", required: true },
    name: { type: "string", summary: "Name of one; default all" },
    namespace: { type: "string", summary: "Namespace; default all" },
    labelSelector: {
      type: "any",
      summary: "Labels: app=web, or a map with matchLabels",
    },
    expr: {
      type: "string",
      summary: "Condition, CEL over object and its status",
      required: true,
    },
  },
  async look({ cluster, signal, clock }, input) {
    const expr = String(input.expr);
    const checked = checkExpression(expr, declarations);
    if ("fault" in checked) {
      throw new ConfigError(
        `Wrong condition "${expr}": ${checked.fault.message}`,
      );
    }
    const kind = String(input.kind);
    const objects = await readObjects(await cluster.kubernetes(), {
      apiVersion: String(input.apiVersion),
      kind,
      ...textIn(input, "name"),
      ...textIn(input, "namespace"),
      ...selectorIn(input.labelSelector),
    }, signal);
    if (objects.length === 0) return lacks(`there is no such ${kind}`);
    const environment = { reached: () => false, now: clock.now };
    const problems = objects.flatMap((object) =>
      problemOf(
        object,
        (scope) => evaluate(expr, declarations, scope, environment),
      ) ??
        []
    );
    return unless(problems, `holds for ${counted(objects.length, kind)}`);
  },
};

function problemOf(
  object: KubernetesObject,
  valueOf: (scope: Readonly<Record<string, Json>>) => Json | undefined,
): string | undefined {
  const { namespace, name } = object.metadata ?? {};
  const who = [namespace, name].filter((part) => part !== undefined).join("/");
  // What came as JSON is JSON.
  const json = object as Readonly<Record<string, Json>>;
  try {
    const value = valueOf({ object: json, status: json.status ?? {} });
    return value === true ? undefined : `${who}: the condition does not hold`;
  } catch (error) {
    // A field that is not there yet.
    if (error instanceof ConfigError) return `${who}: ${error.message}`;
    throw error;
  }
}

function textIn(
  input: Readonly<Record<string, Json>>,
  key: string,
): Readonly<Record<string, string>> {
  const value = input[key];
  return typeof value === "string" && value !== "" ? { [key]: value } : {};
}

function selectorIn(value: Json | undefined): { labelSelector?: string } {
  if (typeof value === "string") return { labelSelector: value };
  if (typeof value !== "object" || value === null) return {};
  const { matchLabels = {}, matchExpressions = [] } = value as Readonly<
    Record<string, Json>
  >; // lists have neither
  const labels = Object.entries(matchLabels ?? {}).map(([name, wanted]) =>
    `${name}=${wanted}`
  );
  const others = Array.isArray(matchExpressions)
    ? matchExpressions.map(requirement)
    : [];
  return { labelSelector: [...labels, ...others].join(",") };
}

const operators: Readonly<
  Record<string, (key: string, values: string) => string>
> = {
  In: (key, values) => `${key} in (${values})`,
  NotIn: (key, values) => `${key} notin (${values})`,
  Exists: (key) => key,
  DoesNotExist: (key) => `!${key}`,
};

function requirement(value: Json): string {
  const { key, operator, values } = value as Readonly<Record<string, Json>>; // checked below
  const write = operators[String(operator)];
  if (typeof key !== "string" || write === undefined) {
    throw new ConfigError(
      `Wrong label selector: "${operator}" is no operator of a requirement`,
      { hint: `Operators are ${Object.keys(operators).join(", ")}` },
    );
  }
  return write(key, Array.isArray(values) ? values.join(",") : "");
}
