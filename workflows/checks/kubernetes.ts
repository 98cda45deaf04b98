import { ConfigError, OsctlError } from "../../errors.ts";
import { memberNamed } from "../../transport/node/members.ts";
import { checkExpression, evaluate } from "../runbook_cel/expression.ts";
import {
  type Kubernetes,
  KubernetesError,
  type KubernetesObject,
} from "../kubernetes/client.ts";
import { connectKubernetes } from "../kubernetes/connect.ts";
import { readKubeconfig } from "../kubernetes/kubeconfig.ts";
import { nodeName } from "../operations/kubernetes/node_name.ts";
import { readNode } from "../kubernetes/nodes.ts";
import { readObjects } from "../kubernetes/objects.ts";
import type { Json } from "../../lib/json.ts";
import type { ValueFields } from "../runbook_cel/field.ts";
import {
  type Check,
  type CheckContext,
  holds,
  lacks,
  nodeField,
  requireNode,
  unless,
} from "./check.ts";
import { formatCount } from "../../lib/text/count.ts";

/** Checks that a node is ready in Kubernetes. */
export const k8sNodeReady: Check = {
  name: "k8s.nodeReady",
  summary: "The node is Ready in Kubernetes",
  scope: "node",
  input: {
    node: nodeField,
    schedulable: {
      type: "bool",
      summary: "Also require the node to be schedulable",
      initial: false,
    },
  },
  async run({ cluster, signal, ...context }, input) {
    const node = requireNode(context, input);
    const client = await cluster.at(node);
    const kubernetes = await cluster.kubernetes();
    const name = await nodeName({ node, client, cluster, signal }, kubernetes);
    const { ready, unschedulable } = await readNode(kubernetes, name, signal);
    if (!ready) return lacks(`${name} is not ready`);
    return input.schedulable === true && unschedulable
      ? lacks(`${name} is cordoned`)
      : holds(`${name} is ready`);
  },
};

/** Checks that the Kubernetes API answers. */
export const k8sApiReachable: Check = {
  name: "k8s.apiReachable",
  summary: "The Kubernetes API answers",
  scope: "cluster",
  input: {
    trust: {
      type: "enum",
      summary:
        "both: also check with the kubeconfig that control planes issue now",
      values: ["any", "both"],
      initial: "any",
    },
  },
  async run(context, input) {
    await readiness(await context.cluster.kubernetes(), context.signal);
    if (input.trust !== "both") return holds("Kubernetes answers");
    const addresses = await readAddresses(context);
    const results = await Promise.all(
      addresses.map((address) => freshProblem(context, address)),
    );
    const [problem] = results.filter((text) => text !== undefined);
    return problem === undefined
      ? holds(
        `Kubernetes answers with ${
          formatCount(addresses.length, "newly issued kubeconfig")
        }`,
      )
      : lacks(problem);
  },
};

/** The node of the fan-out if it is a control plane, otherwise all control planes. */
async function readAddresses(
  { cluster, node }: Pick<CheckContext, "cluster" | "node">,
): Promise<readonly string[]> {
  const members = await cluster.members();
  const own = node === undefined ? undefined : memberNamed(members, node);
  return (own?.controlPlane ? [own] : members)
    .flatMap(({ address, controlPlane }) => controlPlane ? [address] : []);
}

/** Checks with a fresh kubeconfig of a control plane. */
async function freshProblem(
  { cluster, signal }: Pick<CheckContext, "cluster" | "signal">,
  address: string,
): Promise<string | undefined> {
  try {
    const client = await cluster.at(address);
    const { openKubernetes: open } = cluster;
    using kubernetes = connectKubernetes({
      open,
      kubeconfigs: [() => readKubeconfig(client)],
      addresses: [],
    });
    await readiness(kubernetes, signal);
    return undefined;
  } catch (error) {
    if (error instanceof OsctlError) return `${address}: ${error.message}`;
    throw error;
  }
}

/** Checks the server's readiness. Throws `KubernetesError` if it is not ready or does not answer. */
async function readiness(
  kubernetes: Kubernetes,
  signal: AbortSignal,
): Promise<void> {
  try {
    await kubernetes.request("/readyz", { signal });
  } catch (error) {
    const isUnknown = error instanceof KubernetesError && error.code === 404;
    if (!isUnknown) throw error;
    await kubernetes.request("/version", { signal });
  }
}

const declarations: ValueFields = {
  object: { type: "any", summary: "The object" },
  status: { type: "any", summary: "Its status field" },
};

/** Checks the state of Kubernetes objects. */
export const k8sObject: Check = {
  name: "k8s.object",
  summary: "Kubernetes objects exist, and each meets a condition",
  scope: "cluster",
  input: {
    apiVersion: {
      type: "string",
      summary: "API version, such as apps/v1",
      required: true,
    },
    kind: {
      type: "string",
      summary: "Kind, such as Deployment",
      required: true,
    },
    name: { type: "string", summary: "Name; default all objects" },
    namespace: { type: "string", summary: "Namespace; default all namespaces" },
    labelSelector: {
      type: "any",
      summary: "Label selector: app=web, or a map with matchLabels",
    },
    expr: {
      type: "string",
      summary: "Condition, a CEL expression over object and status",
      required: true,
    },
  },
  async run({ cluster, signal, clock }, input) {
    const expr = String(input.expr);
    const checked = checkExpression(expr, declarations);
    if ("fault" in checked) {
      throw new ConfigError(
        `Invalid condition "${expr}": ${checked.fault.message}`,
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
      findProblem(
        object,
        (scope) => evaluate(expr, declarations, scope, environment),
      ) ??
        []
    );
    return unless(problems, `holds for ${formatCount(objects.length, kind)}`);
  },
};

function findProblem(
  object: KubernetesObject,
  valueOf: (scope: Readonly<Record<string, Json>>) => Json | undefined,
): string | undefined {
  const { namespace, name } = object.metadata ?? {};
  const who = [namespace, name].filter((part) => part !== undefined).join("/");
  // Parsed from JSON.
  const json = object as Readonly<Record<string, Json>>;
  try {
    const value = valueOf({ object: json, status: json.status ?? {} });
    return value === true ? undefined : `${who}: the condition is not met`;
  } catch (error) {
    // A field that does not exist yet.
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
      `Invalid label selector: "${operator}" is not an operator`,
      { hint: `Known operators: ${Object.keys(operators).join(", ")}` },
    );
  }
  return write(key, Array.isArray(values) ? values.join(",") : "");
}
