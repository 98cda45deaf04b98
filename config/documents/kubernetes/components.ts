import { defaultImages } from "../../images.ts";
import { findRelease } from "../../releases.ts";
import { kubeletSettingRules } from "../../rules/machine.ts";
import { kubernetesImageRules } from "../checks.ts";
import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import { words } from "../scalars/scalars.ts";
import { resources } from "../v1alpha1/cluster.ts";
import { documentKind, type KindRules } from "../table.ts";

const { kubernetes } = findRelease("1.14");
const proxyModes = ["nftables", "iptables", "ipvs"];
const proxyMode = words(proxyModes);

/** Rules of a component that runs unless it is disabled. */
function componentRules(own?: KindRules): KindRules {
  return function* (document) {
    if (document.get("enabled").truth() === false) return;
    yield* imageRules(document);
    yield* resourceRules(document);
    yield* own?.(document) ?? [];
  };
}

function* imageRules(document: Cursor): Iterable<Problem> {
  const image = document.get("image");
  if ((image.text() ?? "") === "") {
    yield image.error('"image" is missing', "Give the image with its tag");
  }
  yield* kubernetesImageRules(image);
}

function* resourceRules(document: Cursor): Iterable<Problem> {
  for (const side of ["requests", "limits"]) {
    for (const [name, place] of document.get("resources", side).entries()) {
      if (name === "cpu" || name === "memory") continue;
      yield place.error(
        `Resource "${name}" is not supported`,
        'Only "cpu" and "memory" are',
      );
    }
  }
}

export const kubeApiServer = documentKind(
  componentRules(apiServerRules),
)`
KubeAPIServerConfig | controlplane, since 1.14 | API server (kube-apiserver)
  = {"image": "${defaultImages.apiServer}:v${kubernetes}"}
  image         | text, always | Image, with its tag | "${defaultImages.apiServer}:v${kubernetes}"
  extraArgs     | programFlags | Additional flags, without dashes
    = {"v": "4", "feature-gates": "ServerSideApply=true"}
  env           | map(string) | Environment variables | {"GOMAXPROCS": "4"}
  ...${resources}
  apiPort       | int, optional, default 6443 | API server port | 443
  certExtraSANs | list(text) | Additional certificate SANs | ["192.0.2.10", "cluster.example.com"]
  startupProbes | boolean, optional, default true | Enables startup probes
`;

/** Flags that have moved to separate documents. */
const takenOver = new Map([
  ["anonymous-auth", "KubeAuthenticationConfig"],
  ["oidc-", "KubeAuthenticationConfig"],
  ["authentication-config", "KubeAuthenticationConfig"],
  ["authorization-config", "KubeAuthorizerConfig"],
  ["authorization-mode", "KubeAuthorizerConfig"],
  ["authorization-webhook-", "KubeAuthorizerConfig"],
]);

function* apiServerRules(document: Cursor): Iterable<Problem> {
  for (const [name, place] of document.get("extraArgs").entries()) {
    for (const [prefix, kind] of takenOver) {
      if (!name.startsWith(prefix)) continue;
      yield place.error(
        `Argument "${name}" is not allowed here`,
        `Use a document ${kind}`,
      );
    }
  }
}

export const kubeControllerManager = documentKind(
  componentRules(),
)`
KubeControllerManagerConfig | controlplane, since 1.14 | Controller manager (kube-controller-manager)
  = {"image": "${defaultImages.controllerManager}:v${kubernetes}"}
  enabled   | boolean, optional, default true | Enables the component
  image     | text, always | Image, with its tag | "${defaultImages.controllerManager}:v${kubernetes}"
  extraArgs | programFlags | Additional flags, without dashes
    = {"v": "4", "feature-gates": "ServerSideApply=true"}
  env       | map(string) | Environment variables | {"GOMAXPROCS": "4"}
  ...${resources}
`;

export const kubeScheduler = documentKind(componentRules())`
KubeSchedulerConfig | controlplane, since 1.14 | Scheduler (kube-scheduler)
  = {"image": "${defaultImages.scheduler}:v${kubernetes}"}
  enabled   | boolean, optional, default true | Enables the component
  image     | text, always | Image, with its tag | "${defaultImages.scheduler}:v${kubernetes}"
  config    | free, always | Component configuration, without apiVersion and kind
  extraArgs | programFlags | Additional flags, without dashes
    = {"v": "4", "feature-gates": "ServerSideApply=true"}
  env       | map(string) | Environment variables | {"GOMAXPROCS": "4"}
  ...${resources}
`;

export const kubeProxy = documentKind(componentRules(proxyRules))`
KubeProxyConfig | controlplane, since 1.14 | Service proxy (kube-proxy)
  = {"image": "${defaultImages.proxy}:v${kubernetes}"}
  enabled   | boolean, optional, default true | Enables the component
  image     | text | Image, with its tag | "${defaultImages.proxy}:v${kubernetes}"
  mode      | ${proxyMode}, default nftables | Proxy mode
  config    | free, always | Component configuration, without apiVersion and kind
  extraArgs | programFlags | Additional flags, without dashes
    = {"v": "4", "feature-gates": "ServerSideApply=true"}
  ...${resources}
`;

function* proxyRules(document: Cursor): Iterable<Problem> {
  const mode = document.get("mode");
  const text = mode.text() ?? "";
  if (text !== "" && !proxyModes.includes(text)) {
    yield mode.error(
      `Proxy mode "${text}" does not exist`,
      `Write ${proxyModes.join(", ")}`,
    );
  } else if (text !== "" && text !== "nftables") {
    yield mode.warning(
      `Proxy mode "${text}" is not recommended`,
      'Use "nftables" if possible',
    );
  }
  const args = document.get("extraArgs");
  if (args.entries().length > 0) {
    yield args.warning(
      "Most kube-proxy arguments have no effect",
      'Use "config"',
    );
  }
}

export const kubeCoreDns = documentKind()`
KubeCoreDNSConfig | controlplane, since 1.14 | CoreDNS
  = {"enabled": true}
  enabled | boolean, optional, default true | Enables the component
  image   | text | Image | "${defaultImages.coreDns}"
`;

export const kubeFlannel = documentKind(resourceRules)`
KubeFlannelCNIConfig | controlplane, since 1.14 | Flannel CNI
  = {"backendType": "vxlan", "backendPort": 4789}
  backendType                | text, always, required | Flannel backend | "vxlan"
  backendPort                | u16 | UDP port of the backend | 4789
  backendMTU                 | u32, default detected by flannel | Transport MTU in bytes | 1420
  backendExtraConfig         | free | Additional backend configuration
  ...${resources}
  extraArgs                  | list(assignment) | Additional arguments for flannel
    = ["--iface-can-reach=192.0.2.1"]
  kubeNetworkPoliciesEnabled | boolean, optional, default false | Deploys kube-network-policies
`;

export const kubelet = documentKind(kubeletRules)`
KubeletConfig | since 1.14 | The kubelet
  = {"image": "${defaultImages.kubelet}:v${kubernetes}", "config": {"serverTLSBootstrap": true}}
  image                        | text, always | Image, with its tag
    = "${defaultImages.kubelet}:v${kubernetes}"
  config                       | free, always | Component configuration, without apiVersion and kind
    = {"serverTLSBootstrap": true}
  extraArgs                    | programFlags | Additional flags, without dashes
    = {"v": "4", "feature-gates": "ServerSideApply=true"}
  clusterDNS                   | list(text) | Cluster DNS addresses | ["10.96.0.10"]
  defaultRuntimeSeccompProfileEnabled | boolean, optional, default false | Uses the runtime's default seccomp profile
`;

function* kubeletRules(document: Cursor): Iterable<Problem> {
  yield* imageRules(document);
  yield* kubeletSettingRules(document.get("config"));
}

export const kubePrism = documentKind(kubePrismRules)`
KubePrismConfig | since 1.14 | KubePrism: local load balancer for the Kubernetes API
  = {"port": 7445}
  port          | int, always | Port on localhost | 7445
  tlsServerName | text | TLS server name for the kubelet | "api.example.com"
`;

function* kubePrismRules(document: Cursor): Iterable<Problem> {
  const port = document.get("port");
  const number = port.number() ?? 0;
  if (number >= 1 && number <= 65535) return;
  yield port.error(
    `Port ${number} does not exist`,
    "Give a number from 1 to 65535, such as 7445",
  );
}
