/** Plans a Kubernetes upgrade: images, documents, manifests, and blockers. */

import { withV } from "../lib/version.ts";
import { diffDocuments } from "../config/diff.ts";
import { loadDocuments } from "../config/documents/load.ts";
import { OsctlError } from "../errors.ts";
import type { Member } from "../transport/node/members.ts";
import { readMachineConfiguration } from "../transport/node/machine_configuration.ts";
import { removedUses } from "../workflows/checks/kubernetes_upgrade.ts";
import {
  type KubernetesObject,
  readFields,
} from "../workflows/kubernetes/client.ts";
import {
  type ComponentName,
  componentNames,
  configuredImage,
  currentImage,
  targetImage,
  withImage,
} from "../workflows/kubernetes/components.ts";
import {
  inventoryPolicies,
  type ManifestAction,
  planManifests,
  refuseInventory,
} from "../workflows/kubernetes/manifests.ts";
import { listNodes } from "../workflows/kubernetes/nodes.ts";
import type {
  DeprecatedUse,
  RemovedUse,
} from "../workflows/kubernetes/removals.ts";
import {
  type ManifestChoice,
  takeManifests,
} from "../workflows/modules/kubernetes_manifests.ts";
import type { NodeContext } from "../workflows/operations/operation.ts";

/** Phases of an upgrade, in order. */
export const upgradePhases = [
  "control-plane",
  "proxy",
  "kubelet",
  "manifests",
] as const;

/** Phase of an upgrade. */
type UpgradePhase = typeof upgradePhases[number];

/** Request for a Kubernetes upgrade. */
export interface KubernetesUpgrade {
  /** Kubernetes version, with or without `v`. */
  readonly version: string;
  readonly phases: readonly UpgradePhase[];
  /** Registry and path of images; `keep` for those of the node's current image. */
  readonly images: Readonly<Record<ComponentName, string>>;
  /** Nodes whose kubelets are upgraded, by name or address; empty for all. */
  readonly nodes: readonly string[];
  /** True to skip nodes that do not answer. */
  readonly skipUnreachable: boolean;
  readonly manifests: ManifestChoice;
}

/** A change of an upgrade, or a blocker. */
export type UpgradeRow =
  | {
    /** New image of a node component. */
    readonly kind: "component";
    readonly node: string;
    readonly component: ComponentName;
    /** Current image; empty if the configuration names none. */
    readonly from: string;
    readonly to: string;
  }
  | {
    /** Change of a document in a node's configuration. */
    readonly kind: "document";
    readonly node: string;
    /** `Kind` or `Kind/name`. */
    readonly document: string;
    readonly diff: string;
  }
  | {
    /** Change of a Kubernetes object. */
    readonly kind: "manifest";
    /** Group, version, kind, namespace and name. */
    readonly object: string;
    readonly action: ManifestAction;
    readonly diff: string;
  }
  | {
    /** An API in use that the version removes. */
    readonly kind: "removed";
    /** The API and its users. */
    readonly use: RemovedUse;
  }
  | {
    /** A deprecated API in use that the version still serves. */
    readonly kind: "deprecated";
    /** The API and the objects that use it. */
    readonly use: DeprecatedUse;
  }
  | {
    /** A node that is not upgraded. */
    readonly kind: "skipped";
    /** Its address, or its Kubernetes name. */
    readonly node: string;
    readonly reason: string;
  };

/**
 * Plans an upgrade; changes nothing.
 *
 * @throws {OsctlError} If a node or Kubernetes does not answer, unless unreachable nodes are skipped.
 */
export async function* planUpgrade(
  { cluster, signal }: Pick<NodeContext, "cluster" | "signal">,
  upgrade: KubernetesUpgrade,
): AsyncGenerator<UpgradeRow> {
  const members = await cluster.members();
  const answering: string[] = [];
  for (const member of members) {
    try {
      const client = await cluster.at(member.address);
      yield* await nodeRows(member, client, upgrade);
      answering.push(member.address);
    } catch (error) {
      if (!(error instanceof OsctlError) || !upgrade.skipUnreachable) {
        throw error;
      }
      const { address: node } = member;
      yield { kind: "skipped", node, reason: error.message };
    }
  }
  const kubernetes = await cluster.kubernetes();
  yield* await foreignNodes({ cluster, signal });
  const { uses, deprecated } = await removedUses(
    { cluster, signal },
    answering,
    withV(upgrade.version),
  );
  for (const use of uses) yield { kind: "removed", use };
  for (const use of deprecated) yield { kind: "deprecated", use };
  if (!upgrade.phases.includes("manifests")) return;
  const { objects, serverSide } = await takeManifests(cluster);
  const wanted = upgrade.phases.includes("proxy")
    ? objects.map((object) => withProxy(object, upgrade))
    : objects;
  const options = { ...upgrade.manifests, serverSide, signal };
  for (const one of await planManifests(kubernetes, wanted, options)) {
    yield { kind: "manifest", ...one };
  }
}

/**
 * Refuses manifest options that the nodes cannot honour, before anything is changed.
 *
 * @throws {RefusedError}
 */
export async function refuseOldNodes(
  cluster: NodeContext["cluster"],
  { phases, manifests }: Pick<KubernetesUpgrade, "phases" | "manifests">,
): Promise<void> {
  const { prune, inventoryPolicy } = manifests;
  const isUsual = !prune && inventoryPolicy === inventoryPolicies[0];
  if (isUsual || !phases.includes("manifests")) return;
  const { serverSide } = await takeManifests(cluster);
  if (!serverSide) refuseInventory(manifests);
}

/** Kubernetes nodes that are not cluster members: an upgrade skips them. */
export async function foreignNodes(
  { cluster, signal }: Pick<NodeContext, "cluster" | "signal">,
): Promise<readonly Extract<UpgradeRow, { kind: "skipped" }>[]> {
  const members = await cluster.members();
  const known = new Set(
    members.flatMap(({ address, hostname }) => [address, hostname]),
  );
  const nodes = await listNodes(await cluster.kubernetes(), signal);
  return nodes
    .filter(({ name, addresses }) =>
      ![name, ...addresses].some((one) => known.has(one))
    )
    .map(({ name: node }) => ({
      kind: "skipped",
      node,
      reason: "it is not a member of the cluster",
    }));
}

function listComponents(
  { address, hostname, controlPlane }: Member,
  { phases, nodes }: KubernetesUpgrade,
): readonly ComponentName[] {
  const isNamed = nodes.length === 0 || nodes.includes(address) ||
    nodes.includes(hostname);
  return componentNames.filter((component) => {
    if (component === "kubelet") return phases.includes("kubelet") && isNamed;
    if (!controlPlane) return false;
    return component === "kube-proxy"
      ? phases.includes("proxy")
      : phases.includes("control-plane");
  });
}

async function nodeRows(
  member: Member,
  client: Awaited<ReturnType<NodeContext["cluster"]["at"]>>,
  upgrade: KubernetesUpgrade,
): Promise<readonly UpgradeRow[]> {
  const { address: node } = member;
  const text = await readMachineConfiguration(client);
  const { documents } = loadDocuments(text, node);
  const rows: UpgradeRow[] = [];
  let wanted = text;
  for (const component of listComponents(member, upgrade)) {
    const from = await currentImage(client, documents, component);
    const to = targetImage(component, from, {
      repository: upgrade.images[component],
      version: upgrade.version,
    });
    if (configuredImage(documents, component) === to) continue;
    rows.push({ kind: "component", node, component, from, to });
    wanted = withImage(wanted, component, to);
  }
  const changes = diffDocuments(
    documents,
    loadDocuments(wanted, node).documents,
  );
  return [
    ...rows,
    ...changes.map(({ identity, diff }) =>
      ({ kind: "document", node, document: identity, diff }) as const
    ),
  ];
}

/** The kube-proxy manifest for a configuration with another image. */
function withProxy(
  object: KubernetesObject,
  { images, version }: KubernetesUpgrade,
): KubernetesObject {
  const isProxy = object.kind === "DaemonSet" &&
    object.metadata?.name === "kube-proxy";
  if (!isProxy) return object;
  const spec = readFields(object.spec);
  const template = readFields(spec.template);
  const pod = readFields(template.spec);
  const containers = Array.isArray(pod.containers) ? pod.containers : [];
  const changed = containers.map(readFields).map((container) =>
    container.name === "kube-proxy"
      ? {
        ...container,
        image: targetImage("kube-proxy", String(container.image), {
          repository: images["kube-proxy"],
          version,
        }),
      }
      : container
  );
  const podSpec = { ...pod, containers: changed };
  return {
    ...object,
    spec: { ...spec, template: { ...template, spec: podSpec } },
  };
}
