/** Removed features of Kubernetes versions, and their uses. */

import { domain } from "../../talos.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import { readFields, readSpecs } from "../../transport/node/read_resource.ts";
import { parseVersion } from "../../lib/version.ts";
import { type Kubernetes, KubernetesError } from "./client.ts";
import { type ComponentName, staticPodNames } from "./components.ts";
import { existing } from "./objects.ts";

/** Features removed in one minor version. Source: the changelogs of Kubernetes. */
interface Removed {
  /** Resources: `PLURAL.VERSION.GROUP`. */
  readonly resources?: readonly string[];
  readonly plugins?: readonly string[];
  /** Feature gates, of all components. */
  readonly gates?: string;
  /** Flags without dashes, by component. */
  readonly flags?: Readonly<Partial<Record<ComponentName, string>>>;
}

/** By minor version of Kubernetes 1; space-separated lists. */
const removedIn: ReadonlyMap<number, Removed> = new Map<number, Removed>([
  [25, {
    resources: ["podsecuritypolicies.v1beta1.policy"],
    plugins: ["PodSecurityPolicy"],
    flags: {
      "kube-apiserver": "service-account-api-audiences",
      "kube-controller-manager":
        "deleting-pods-qps deleting-pods-burst register-retry-count",
    },
    gates:
      "CSIVolumeFSGroupPolicy ConfigurableFSGroupPolicy PodDisruptionBudget SelectorIndex",
  }],
  [26, {
    flags: { "kube-apiserver": "master-service-namespace" },
    gates: "DynamicKubeletConfig",
  }],
  [27, {
    flags: {
      "kube-controller-manager": "enable-taint-manager pod-eviction-timeout",
      kubelet: "container-runtime master-service-namespace",
    },
    gates: `ExpandCSIVolumes ExpandInUsePersistentVolumes
      ExpandPersistentVolumes ControllerManagerLeaderMigration CSIMigration
      CSIInlineVolume EphemeralContainers LocalStorageCapacityIsolation
      NetworkPolicyEndPort StatefulSetMinReadySeconds IdentifyPodOS
      DaemonSetUpdateSurge`,
  }],
  [28, {
    gates: `AdvancedAuditing DelegateFSGroupToCSIDriver DevicePlugins
      DisableAcceleratorUsageMetrics EndpointSliceTerminatingCondition
      CSIStorageCapacity CSIMigrationGCE KubeletCredentialProviders
      MixedProtocolLBService ServiceInternalTrafficPolicy
      ServiceIPStaticSubrange WindowsHostProcessContainers`,
  }],
  [29, { resources: ["clustercidrs.v1alpha1.networking.k8s.io"] }],
  [30, {
    plugins: ["SecurityContextDeny"],
    gates: `ExpandedDNSConfig ExperimentalHostUserNamespaceDefaultingGate
      IPTablesOwnershipCleanup KubeletPodResources
      KubeletPodResourcesGetAllocatable MinimizeIPTablesRestore
      ProxyTerminatingEndpoints RemoveSelfLink`,
  }],
  [31, {
    flags: {
      kubelet:
        "keep-terminated-pod-volumes iptables-masquerade-bit iptables-drop-bit",
      "kube-controller-manager":
        `volume-host-cidr-denylist volume-host-allow-local-loopback
        horizontal-pod-autoscaler-upscale-delay
        horizontal-pod-autoscaler-downscale-delay`,
    },
    gates: `APIPriorityAndFairness CSINodeExpandSecret ConsistentHTTPGetHandlers
      DefaultHostNetworkHostPortsInPodTemplates ServiceNodePortStaticSubrange
      SkipReadOnlyValidationGCE`,
  }],
  [32, {
    resources: ["podschedulingcontexts.v1alpha3.resource.k8s.io"],
    gates: `AllowServiceLBStatusOnNonLB CloudDualStackNodeIPs
      DRAControlPlaneController HPAContainerMetrics KMSv2 KMSv2KDF
      LegacyServiceAccountTokenCleanUp MinDomainsInPodTopologySpread
      NewVolumeManagerReconstruction NodeOutOfServiceVolumeDetach
      ServerSideApply ServerSideFieldValidation StableLoadBalancerNodeSet
      ValidatingAdmissionPolicy ZeroLimitedNominalConcurrencyShares`,
  }],
  [33, {
    flags: { "kube-apiserver": "cloud-config" },
    gates: `AppArmor AppArmorFields CPUManager DisableCloudProviders
      DisableKubeletCloudCredentialProviders JobPodFailurePolicy
      KubeProxyDrainingTerminatingNodes PDBUnhealthyPodEvictionPolicy
      PersistentVolumeLastPhaseTransitionTime VolumeCapacityPriority`,
  }],
  [34, {
    flags: { kubelet: "cloud-config" },
    gates:
      "DevicePluginCDIDevices LegacySidecarContainers PodDisruptionConditions",
  }],
  [35, {
    flags: { kubelet: "pod-infra-container-image" },
    gates: "SizeMemoryBackedVolumes UserNamespacesHostNetworkSupport",
  }],
]);

/** A removed feature in use. */
export interface RemovedUse {
  /** `flag`, `feature gate`, `admission plugin` or `resource`. */
  readonly kind: "flag" | "feature gate" | "admission plugin" | "resource";
  readonly name: string;
  /** User of the feature: a component, or an object as `NAMESPACE/NAME`. */
  readonly user: string;
}

/** One line for users: `kubelet uses the flag cloud-config, which v1.34 does not have`. */
export function removedText(
  { kind, name, user }: RemovedUse,
  version: string,
): string {
  return `${user} uses the ${kind} ${name}, which ${version} does not have`;
}

/** Features removed after one version, up to another; none between patch releases. */
function removedBetween(from: string, to: string): readonly Removed[] {
  const [old, next] = [parseVersion(from), parseVersion(to)];
  return [...removedIn].flatMap(([minor, removed]) =>
    old && next && minor > old.minor && minor <= next.minor ? [removed] : []
  );
}

/**
 * Finds flags and gates of a node's components that a version has removed.
 *
 * @param path Versions with `v`.
 */
export async function removedOnNode(
  client: Pick<NodeClient, "state">,
  path: { readonly from: string; readonly to: string },
): Promise<readonly RemovedUse[]> {
  const all = removedBetween(path.from, path.to);
  if (all.length === 0) return [];
  const [pods, kubelets] = await Promise.all([
    readSpecs(client, {
      namespace: "k8s",
      type: `StaticPods.kubernetes.${domain}`,
    }),
    readSpecs(client, {
      namespace: "k8s",
      type: `KubeletSpecs.kubernetes.${domain}`,
    }),
  ]);
  const lines = new Map<ComponentName, readonly string[]>();
  for (const name of staticPodNames) {
    const { containers } = readFields(pods?.get(name)?.spec);
    const [container] = Array.isArray(containers) ? containers : [];
    lines.set(name, words(readFields(container).command));
  }
  lines.set("kubelet", words(kubelets?.get("kubelet")?.args));
  return [...lines].flatMap(([component, line]) =>
    all.flatMap((removed) => listUses(component, line, removed))
  );
}

function words(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function listUses(
  user: ComponentName,
  line: readonly string[],
  { flags = {}, gates = "", plugins = [] }: Removed,
): readonly RemovedUse[] {
  const given = new Map(
    line.map((word) => {
      const [, name = "", value = ""] = /^--([^=]+)(?:=(.*))?$/.exec(word) ??
        [];
      return [name, value] as const;
    }),
  );
  const listed = (flag: string) =>
    (given.get(flag) ?? "").split(",").map((one) => one.split("=")[0] ?? "");
  const of = (
    kind: RemovedUse["kind"],
    names: readonly string[],
    used: (name: string) => boolean,
  ) => names.filter(used).map((name) => ({ kind, name, user }));
  const split = (text: string) => text.split(/\s+/);
  const featureGates = user === "kubelet" ? [] : listed("feature-gates");
  const admission = user === "kube-apiserver"
    ? listed("enable-admission-plugins")
    : [];
  return [
    ...of("flag", split(flags[user] ?? ""), (name) => given.has(name)),
    ...of("feature gate", split(gates), (name) => featureGates.includes(name)),
    ...of("admission plugin", plugins, (name) => admission.includes(name)),
  ].filter(({ name }) => name !== "");
}

/** Finds objects whose API a version has removed. `path`: versions with `v`. */
export async function removedObjects(
  kubernetes: Pick<Kubernetes, "request">,
  path: { readonly from: string; readonly to: string },
  signal: AbortSignal,
): Promise<readonly RemovedUse[]> {
  const names = removedBetween(path.from, path.to)
    .flatMap(({ resources = [] }) => resources);
  const lists = await Promise.all(names.map(async (name) => {
    const [plural, version, ...group] = name.split(".");
    const url = `/apis/${group.join(".")}/${version}/${plural}`;
    const found = await existing(kubernetes, url, signal);
    const items = Array.isArray(found?.items) ? found.items : [];
    return items.map((item) => {
      const { namespace, name: own } = readFields(readFields(item).metadata);
      const user = [namespace, own].filter((part) => part !== undefined);
      return { kind: "resource", name, user: user.join("/") } as const;
    });
  }));
  return lists.flat();
}

/** Objects that clients write with a deprecated API version. */
export interface DeprecatedUse {
  /** `PLURAL.VERSION.GROUP`. */
  readonly name: string;
  /** Kubernetes version that removes it: `v1.36.0`; empty if not planned. */
  readonly removedIn: string;
  /** Objects as `NAMESPACE/NAME`; empty when clients have only read. */
  readonly users: readonly string[];
}

/** One line for users: `lab/web uses the resource poddisruptionbudgets.v1beta1.policy, which is deprecated`. */
export function deprecatedText(
  { name, removedIn, users }: DeprecatedUse,
): string {
  const who = users.length === 0 ? "a client" : users.join(", ");
  const verb = users.length > 1 ? "use" : "uses";
  const end = removedIn === "" ? "" : ` and removed in ${removedIn}`;
  return `${who} ${verb} the resource ${name}, which is deprecated${end}`;
}

/**
 * Finds deprecated APIs used by clients since the API server started, and the objects written with them. Source: the
 * metric `apiserver_requested_deprecated_apis`, and the managed fields of objects.
 */
export async function deprecatedObjects(
  kubernetes: Pick<Kubernetes, "request">,
  signal: AbortSignal,
): Promise<readonly DeprecatedUse[]> {
  const found = new Map<string, Omit<DeprecatedUse, "users">>();
  for (const line of (await readMetrics(kubernetes, signal)).split("\n")) {
    const [, labels] = requested.exec(line) ?? [];
    if (labels === undefined) continue;
    const of = Object.fromEntries(
      [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) =>
        [key, value] as const
      ),
    );
    const { group = "", version, resource, removed_release = "" } = of;
    const place = group === ""
      ? `/api/${version}`
      : `/apis/${group}/${version}`;
    const name = [resource, version, group].filter((one) => one).join(".");
    const removedIn = removed_release === "" ? "" : `v${removed_release}.0`;
    found.set(`${place}/${resource}`, { name, removedIn });
  }
  return await Promise.all(
    [...found].map(async ([path, use]) => {
      const list = await existing(kubernetes, path, signal);
      const items = Array.isArray(list?.items)
        ? list.items.map(readFields)
        : [];
      const apiVersion = path.replace(/^\/apis?\//, "").replace(/\/[^/]+$/, "");
      const users = items.map(({ metadata }) => readFields(metadata))
        .filter(({ managedFields }) =>
          Array.isArray(managedFields) &&
          managedFields.some((field) =>
            readFields(field).apiVersion === apiVersion
          )
        )
        .map(({ namespace, name }) =>
          [namespace, name].filter((part) => part !== undefined).join("/")
        );
      return { ...use, users };
    }),
  );
}

const requested = /^apiserver_requested_deprecated_apis\{([^}]*)\} 1(?:\.0*)?$/;

/** Metrics of an API server; empty if it has none. */
async function readMetrics(
  kubernetes: Pick<Kubernetes, "request">,
  signal: AbortSignal,
): Promise<string> {
  try {
    const { text } = await kubernetes.request("/metrics", {
      accept: "text",
      signal,
    });
    return typeof text === "string" ? text : "";
  } catch (error) {
    const isHidden = error instanceof KubernetesError &&
      (error.code === 403 || error.code === 404);
    if (isHidden) return "";
    throw error;
  }
}
