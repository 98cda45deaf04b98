/** Checks of a Kubernetes upgrade: whether it is allowed, and whether components run the new version. */

import { domain } from "../../talos.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import type { ServiceInfo } from "../../transport/gen/machine_service.ts";
import { readSpec } from "../../transport/node/read_resource.ts";
import { isoTime } from "../../transport/node/timestamp.ts";
import { type KubernetesObject, readFields } from "../kubernetes/client.ts";
import {
  type ComponentName,
  componentNames,
  imageVersion,
  readComponent,
  staticPodNames,
} from "../kubernetes/components.ts";
import {
  isOlder,
  parseVersion,
  pathProblem,
  withV,
} from "../../lib/version.ts";
import { nodeName } from "../operations/kubernetes/node_name.ts";
import { readObjects } from "../kubernetes/objects.ts";
import {
  deprecatedObjects,
  type DeprecatedUse,
  removedObjects,
  removedOnNode,
  removedText,
  type RemovedUse,
} from "../kubernetes/removals.ts";
import { readChoice } from "../runbook_cel/values.ts";
import type { Json } from "../../lib/json.ts";
import type { ValueField } from "../runbook_cel/field.ts";
import { kubernetesProblem } from "../../config/kubernetes_range.ts";
import {
  askAll,
  readGroup,
  readService,
  readVersion,
  serviceProblem,
} from "./ask_nodes.ts";
import {
  type Check,
  type CheckContext,
  type CheckResult,
  groupField,
  holds,
  lacks,
  nodeField,
  requireNode,
  unless,
} from "./check.ts";
import { formatCount } from "../../lib/text/count.ts";

/** Maximum minor versions a kubelet may be behind the API servers: the Kubernetes version skew policy. */
const kubeletSkew = 3;

const targetField: ValueField = {
  type: "semver",
  required: true,
  summary: "Target version of Kubernetes",
};

/** Checks that the components can be upgraded to a version from their current ones. */
export const k8sUpgradePath: Check = {
  name: "k8s.upgradePath",
  summary:
    "Kubernetes can be upgraded to the version: no downgrade, no skipped minor version, supported by all nodes",
  scope: "cluster",
  input: {
    to: targetField,
    from: {
      type: "string",
      summary: "Version to upgrade from; default what each control plane runs",
    },
    controlPlane: {
      type: "bool",
      initial: true,
      summary: "Whether the control planes are upgraded",
    },
    kubelets: {
      type: "bool",
      initial: true,
      summary: "Whether all kubelets are upgraded",
    },
    group: groupField,
  },
  async run(context, input) {
    const to = withV(String(input.to));
    const nodes = await readGroup(context, input);
    const { values, problems } = await askAll(context, nodes, readParts);
    const from = typeof input.from === "string" && input.from !== ""
      ? withV(input.from)
      : undefined;
    const servers = [...values.values()].flatMap(({ server }) => server ?? []);
    const found = [...values].flatMap(([node, { server, ...parts }]) =>
      pathProblems({
        ...parts,
        ...(server === undefined ? {} : { server: from ?? server }),
      }, { to, servers, input })
        .map((text) => `${node}: ${text}`)
    );
    const result = unless(
      [...problems, ...found],
      `${formatCount(nodes.length, "node")} can be upgraded to ${to}`,
    );
    return problems.length > 0
      ? result
      : await unlessOverridden(context, result);
  },
};

/** Checks that a version has not removed anything in use. */
export const k8sNothingRemoved: Check = {
  name: "k8s.nothingRemoved",
  summary:
    "No component flag, feature gate, admission plugin or API object in use was removed by the version",
  scope: "cluster",
  input: {
    to: targetField,
    group: groupField,
  },
  async run(context, input) {
    const to = withV(String(input.to));
    const nodes = await readGroup(context, input);
    const { uses, problems } = await removedUses(context, nodes, to);
    const result = unless(
      [...problems, ...uses.map((use) => removedText(use, to))],
      `nothing in use was removed by ${to}`,
    );
    return problems.length > 0
      ? result
      : await unlessOverridden(context, result);
  },
};

/** Removed features that a cluster uses. */
interface RemovedUses {
  /** Lowest running version, with `v`; empty if unknown. */
  readonly from: string;
  /** Uses; users on nodes are prefixed with the node. */
  readonly uses: readonly RemovedUse[];
  /** Deprecated APIs in use that the version still serves. */
  readonly deprecated: readonly DeprecatedUse[];
  /** Nodes that did not answer, with the reason. */
  readonly problems: readonly string[];
}

/** Finds features in use that a Kubernetes version has removed. `to`: version with `v`. */
export async function removedUses(
  context: Pick<CheckContext, "cluster" | "signal">,
  nodes: readonly string[],
  to: string,
): Promise<RemovedUses> {
  const parts = await askAll(context, nodes, readParts);
  const versions = [...parts.values.values()]
    .flatMap(({ server, kubelet }) => [server ?? "", kubelet])
    .filter((version) => version !== "");
  const [from = ""] = versions.sort((a, b) => isOlder(a, b) ? -1 : 1);
  const { values, problems } = await askAll(
    context,
    nodes,
    (client) => removedOnNode(client, { from, to }),
  );
  const onNodes = [...values].flatMap(([node, uses]) =>
    uses.map((use) => ({ ...use, user: `${node}: ${use.user}` }))
  );
  const kubernetes = await context.cluster.kubernetes();
  const objects = await removedObjects(
    kubernetes,
    { from, to },
    context.signal,
  );
  const all = await deprecatedObjects(kubernetes, context.signal);
  const isGone = ({ removedIn }: DeprecatedUse) =>
    removedIn !== "" && !isOlder(to, removedIn);
  const gone = all.filter(isGone).flatMap(({ name, users }) =>
    users.map((user) => ({ kind: "resource", name, user }) as const)
  );
  return {
    from,
    uses: [...onNodes, ...objects, ...gone],
    deprecated: all.filter((use) => !isGone(use)),
    problems,
  };
}

/** Violations pass once the rule is overridden; waiting does not help. */
async function unlessOverridden(
  context: Pick<CheckContext, "overridden">,
  result: CheckResult,
): Promise<CheckResult> {
  if (result.ok) return result;
  return await context.overridden?.("version-path")
    ? holds(`${result.reason} (overridden by version-path)`)
    : { ...result, final: true };
}

interface NodeParts {
  /** OS version, with `v`. */
  readonly system: string;
  /** Kubelet version; empty if unknown. */
  readonly kubelet: string;
  /** API server version; absent on workers. */
  readonly server?: string;
}

async function readParts(client: NodeClient): Promise<NodeParts> {
  const [{ version }, kubelet, server] = await Promise.all([
    readVersion(client),
    readComponent(client, "kubelet"),
    readComponent(client, "kube-apiserver"),
  ]);
  return {
    system: version?.tag ?? "",
    kubelet: imageVersion(kubelet?.image ?? ""),
    ...(server === undefined ? {} : { server: imageVersion(server.image) }),
  };
}

function pathProblems(
  { system, kubelet, server }: NodeParts,
  { to, servers, input }: {
    readonly to: string;
    /** API server versions. */
    readonly servers: readonly string[];
    readonly input: Readonly<Record<string, Json>>;
  },
): readonly string[] {
  const { controlPlane = true, kubelets = true } = input;
  const [wanted, own] = [parseVersion(to), parseVersion(kubelet)];
  const behind = wanted && own && wanted.major === own.major &&
    wanted.minor - own.minor > kubeletSkew;
  const ahead = kubelets === true && controlPlane !== true
    ? servers.find((version) => isOlder(version, to))
    : undefined;
  return [
    kubernetesProblem(to, system),
    server !== undefined && controlPlane === true
      ? pathProblem(server, to)
      : undefined,
    kubelets === true ? pathProblem(kubelet, to, kubeletSkew) : undefined,
    kubelets !== true && behind
      ? `kubelet ${kubelet} would be more than ${kubeletSkew} minor versions behind ${to}`
      : undefined,
    ahead === undefined
      ? undefined
      : `a kubelet must not be newer than the API servers, and one runs ${ahead}`,
  ].filter((problem) => problem !== undefined);
}

/** Checks in Kubernetes that a component of a node runs its configured image. */
export const k8sComponentUpdated: Check = {
  name: "k8s.componentUpdated",
  summary: "The component runs the version on the node, and is ready",
  scope: "node",
  input: {
    node: nodeField,
    component: {
      type: "enum",
      values: [...staticPodNames, "kubelet"],
      required: true,
      summary: "Component",
    },
    version: {
      type: "semver",
      required: true,
      summary: "Version of Kubernetes",
    },
  },
  async run(context, input) {
    const component = readChoice(input, "component", componentNames);
    const node = requireNode(context, input);
    const client = await context.cluster.at(node);
    const version = withV(String(input.version));
    return component === "kubelet"
      ? await kubeletResult({ ...context, node, client }, version)
      : await podResult({ ...context, node, client }, component, version);
  },
};

type UpgradeContext = Pick<CheckContext, "cluster" | "signal"> & {
  readonly node: string;
  readonly client: NodeClient;
};

/** Checks a static pod. It is current when its annotation has the version of the node's resource. */
async function podResult(
  context: UpgradeContext,
  component: ComponentName,
  version: string,
): Promise<CheckResult> {
  const state = await readComponent(context.client, component);
  if (state === undefined) return lacks(`the node does not run ${component}`);
  if (imageVersion(state.image) !== version) {
    return lacks(`${component} has the image ${state.image}`);
  }
  const kubernetes = await context.cluster.kubernetes();
  const name = await nodeName(context, kubernetes);
  const [pod] = await readObjects(kubernetes, {
    apiVersion: "v1",
    kind: "Pod",
    namespace: "kube-system",
    name: `${component}-${name}`,
  }, context.signal);
  if (pod === undefined) {
    return lacks(`Kubernetes has no pod ${component}-${name} yet`);
  }
  const seen = pod.metadata?.annotations?.[`${domain}/config-version`];
  if (seen !== state.resourceVersion) {
    return lacks(
      `pod ${component}-${name} has configuration ${
        seen ?? "of no version"
      }, not ${state.resourceVersion} yet`,
    );
  }
  return isReady(pod)
    ? holds(`${component} ${version} is ready`)
    : lacks(`pod ${component}-${name} is not ready`);
}

/**
 * Checks a kubelet. Its Node reports the version; without one, its service must have started after the image changed.
 */
async function kubeletResult(
  context: UpgradeContext,
  version: string,
): Promise<CheckResult> {
  const service = await readService(context.client, "kubelet");
  const problem = serviceProblem("kubelet", service, true);
  if (problem !== undefined) return lacks(problem);
  const state = await readComponent(context.client, "kubelet");
  if (state !== undefined && imageVersion(state.image) !== version) {
    return lacks(`the kubelet has the image ${state.image}`);
  }
  const object = await nodeObject(context);
  if (object === undefined) {
    const startedAt = lastStart(service);
    return state !== undefined && startedAt >= state.changedAt
      ? holds(`kubelet ${version} is healthy; the node is not in Kubernetes`)
      : lacks("the kubelet has not restarted yet");
  }
  const { kubeletVersion } = readFields(readFields(object.status).nodeInfo);
  const name = object.metadata?.name ?? "";
  if (kubeletVersion !== version) {
    return lacks(`Kubernetes reports kubelet ${kubeletVersion} on ${name}`);
  }
  return isReady(object)
    ? holds(`kubelet ${version} is ready`)
    : lacks(`node ${name} is not ready`);
}

/** The Node of a machine; `undefined` if Kubernetes does not have it. */
async function nodeObject(
  context: UpgradeContext,
): Promise<KubernetesObject | undefined> {
  const kubernetes = await context.cluster.kubernetes();
  const spec = await readSpec(context.client, {
    namespace: "k8s",
    type: `Nodenames.kubernetes.${domain}`,
    id: "nodename",
  });
  const { nodename } = spec ?? {};
  if (typeof nodename !== "string" || nodename === "") return undefined;
  const [object] = await readObjects(kubernetes, {
    apiVersion: "v1",
    kind: "Node",
    name: nodename,
  }, context.signal);
  return object;
}

/** Last start of a service, in milliseconds since 1970; 0 if unknown. */
function lastStart(service: ServiceInfo | undefined): number {
  const last = service?.events?.events
    .findLast(({ state }) => state === "Running")?.ts;
  return Date.parse(isoTime(last)) || 0;
}

function isReady({ status }: KubernetesObject): boolean {
  const { conditions } = readFields(status);
  return Array.isArray(conditions) &&
    conditions.map(readFields).some(({ type, status }) =>
      type === "Ready" && status === "True"
    );
}
