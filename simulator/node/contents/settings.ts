/** Resources of configured settings: kernel parameters, Kubernetes objects of the node, registries, static pods. */

import { tunnelName } from "../../../talos.ts";
import type { SimulatedNode } from "../../state/node.ts";
import {
  type NodeSettings,
  type PlainFields,
  readSettings,
  type Texts,
} from "../../state/node_settings.ts";
import { type NodeResource, resource } from "./content.ts";

/** Label and taint of control planes. */
export const controlPlaneRole = "node-role.kubernetes.io/control-plane";

/** Resources of settings that do not depend on Kubernetes running. */
export function settingsContents(node: SimulatedNode): readonly NodeResource[] {
  const settings = readSettings(node);
  return [
    ...kernelParameterContents(settings.kernelParameters),
    ...keyedResources("Label", nodeLabels(node), (value) => ({ value })),
    ...keyedResources(
      "Annotation",
      settings.annotations,
      (value) => ({ value }),
    ),
    ...keyedResources("Taint", nodeTaints(node), parseTaint),
    resource(
      "RegistryConfigs.cri",
      "registries",
      "cri.RegistriesConfigController",
      Object.keys(settings.mirrors).length === 0
        ? {}
        : { mirrors: settings.mirrors },
    ),
    ...tunnelContents(settings.tunnelEndpoint),
    ...settings.pods.map((pod) =>
      resource(
        "StaticPods.kubernetes",
        `${podNamespace(pod)}-${podName(pod)}`,
        "k8s.StaticPodConfigController",
        pod,
      )
    ),
  ];
}

/** Tunnel to a management service, which simulated nodes cannot reach. */
function tunnelContents(endpoint: string | undefined): readonly NodeResource[] {
  if (endpoint === undefined) return [];
  const { protocol, host, hostname, port, searchParams } = new URL(endpoint);
  const isSecure = protocol === "https:";
  const group = tunnelName.toLowerCase();
  return [
    resource(
      `${tunnelName}Configs.${group}`,
      group,
      `${group}.ConfigController`,
      {
        apiEndpoint: endpoint,
        host: port === "" && isSecure ? `${host}:443` : host,
        joinToken: searchParams.get("jointoken") ?? "",
        insecure: protocol === "grpc:",
        tunnel: /^(true|y)$/.test(searchParams.get("grpc_tunnel") ?? ""),
      },
    ),
    resource(
      `${tunnelName}Statuses.${group}`,
      `${group}-status`,
      `${group}.StatusController`,
      {
        host: hostname.replace(/^\[(.*)\]$/, "$1"),
        connected: false,
        linkName: group,
        grpcTunnel: false,
      },
    ),
  ];
}

/** Labels that a node sets on itself in Kubernetes. */
export function nodeLabels(node: SimulatedNode): Texts {
  const { labels } = readSettings(node);
  return node.identity.machineType === "controlplane"
    ? { ...labels, [controlPlaneRole]: "" }
    : labels;
}

/** Taints that a node sets on itself: `value:effect` or `effect` by key. */
export function nodeTaints(node: SimulatedNode): Texts {
  const { taints, schedulesOnControlPlanes } = readSettings(node);
  const isClosed = node.identity.machineType === "controlplane" &&
    !schedulesOnControlPlanes;
  return isClosed ? { [controlPlaneRole]: "NoSchedule", ...taints } : taints;
}

export function parseTaint(
  text: string,
): {
  /** `NoSchedule`, `PreferNoSchedule` or `NoExecute`. */
  readonly effect: string;
  /** Empty without a value. */
  readonly value: string;
} {
  const colon = text.indexOf(":");
  return colon < 0
    ? { effect: text, value: "" }
    : { effect: text.slice(colon + 1), value: text.slice(0, colon) };
}

/** Name of a static pod, without the node name. */
export function podName({ metadata }: PlainFields): string {
  return textIn(metadata, "name") ?? "";
}

export function podNamespace({ metadata }: PlainFields): string {
  return textIn(metadata, "namespace") ?? "default";
}

/** Containers of a static pod, with the fields that a node shows. */
export function listContainers(
  { spec }: PlainFields,
): readonly {
  readonly name: string;
  readonly image: string;
}[] {
  // Nodes validate only the name of a pod; missing fields stay empty.
  const { containers } = (spec ?? {}) as {
    readonly containers?: readonly Partial<Record<string, string>>[];
  };
  return (Array.isArray(containers) ? containers : []).map((
    { name = "", image = "" },
  ) => ({ name, image }));
}

/** Name and image of the first container of a static pod. */
export function firstContainer(
  pod: PlainFields,
): readonly [name: string, image: string] {
  const [container] = listContainers(pod);
  return [container?.name ?? "", container?.image ?? ""];
}

function textIn(
  value: PlainFields[string],
  key: string,
): string | undefined {
  const found = value instanceof Object && !Array.isArray(value)
    ? (value as PlainFields)[key]
    : undefined;
  return typeof found === "string" ? found : undefined;
}

function keyedResources(
  kind: "Label" | "Annotation" | "Taint",
  texts: Texts,
  toSpec: (text: string) => object,
): readonly NodeResource[] {
  return Object.entries(texts).map(([key, text]) =>
    resource(
      `Node${kind}Specs.k8s`,
      key,
      `k8s.Node${kind}SpecController`,
      { key, ...toSpec(text) },
    )
  );
}

/** Parameters that every node sets, with the kernel defaults. */
const ownParameters: Readonly<
  Record<string, readonly [current: string, before: string]>
> = {
  "proc.sys.fs.inotify.max_user_instances": ["8192", "128"],
  "proc.sys.kernel.panic": ["10", "0"],
  "proc.sys.kernel.pid_max": ["262144", "32768"],
  "proc.sys.net.ipv4.ip_forward": ["1", "0"],
  "proc.sys.net.ipv6.conf.default.forwarding": ["1", "0"],
};

/** Kernel defaults of commonly set parameters; others default to 0. */
const kernelValues: Texts = {
  "proc.sys.fs.aio-max-nr": "65536",
  "proc.sys.fs.inotify.max_user_watches": "65306",
  "proc.sys.net.core.rmem_max": "212992",
  "proc.sys.net.core.somaxconn": "4096",
  "proc.sys.net.core.wmem_max": "212992",
  "proc.sys.net.ipv4.tcp_keepalive_intvl": "75",
  "proc.sys.net.ipv4.tcp_keepalive_time": "7200",
  "proc.sys.user.max_user_namespaces": "31351",
  "proc.sys.vm.max_map_count": "1048576",
  "proc.sys.vm.overcommit_ratio": "50",
  "proc.sys.vm.swappiness": "60",
};

/** Kernel parameters: those every node sets, overridden by those of the configuration. */
export function kernelParameterContents(
  configured: Texts,
): readonly NodeResource[] {
  return [
    ...Object.entries(configured).map(([id, value]) =>
      resource(
        "KernelParamSpecs.runtime",
        id,
        "runtime.KernelParamConfigController",
        { value, ignoreErrors: false },
      )
    ),
    ...Object.entries(parameterValues(configured)).map(([id, current]) =>
      resource(
        "KernelParamStatuses.runtime",
        id,
        "runtime.KernelParamSpecController",
        { current, default: kernelValue(id), unsupported: false },
      )
    ),
  ];
}

function parameterValues(configured: Texts): Texts {
  const own = Object.entries(ownParameters).map(([id, [current]]) => [
    id,
    current,
  ]);
  return { ...Object.fromEntries(own), ...configured };
}

function kernelValue(id: string): string {
  return ownParameters[id]?.[1] ?? kernelValues[id] ?? "0";
}

/** Kernel parameters that differ from the kernel defaults, by file name in `/proc/sys`. */
export function kernelParameterFiles(
  { kernelParameters }: Pick<NodeSettings, "kernelParameters">,
): Texts {
  const prefix = "proc.sys.";
  return Object.fromEntries(
    Object.entries(parameterValues(kernelParameters))
      .filter(([id]) => id.startsWith(prefix))
      .map(([id, value]) => [formatPath(id.slice(prefix.length)), value]),
  );
}

/** Swaps dots and slashes, as in `sysctl`: `net/ipv4/conf/eth0.100/forwarding`. */
function formatPath(name: string): string {
  const [separator] = /[./]/.exec(name) ?? [];
  return separator === "/" ? name : name.replaceAll(
    /[./]/g,
    (mark) => mark === "." ? "/" : ".",
  );
}
