import { defaultImages, releases } from "../../images.ts";
import { kubeletSettingRules } from "../../rules/machine.ts";
import { kubernetesImageRules } from "../checks.ts";
import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import {
  assignment,
  int,
  openText,
  u16,
  u32,
  words,
} from "../scalars/scalars.ts";
import type { DocumentKind, Field, Fields } from "../schema.ts";
import { field, flag, free, list } from "../shapes.ts";
import {
  env,
  extraArgs,
  resourcesField,
} from "../v1alpha1/control_plane_components.ts";

const { kubernetes } = releases["1.14"];
const proxyModes = ["nftables", "iptables", "ipvs"];

function imageOf(image: string): Field {
  return field(openText, "Image, with its tag", {
    always: true,
    example: `${image}:v${kubernetes}`,
  });
}

const enabled = flag("Enables the component", "true");
// Nothing in it differs from an absent one.
const { optional: _, ...resources } = resourcesField;
const settings = field(
  free,
  "Component configuration, without apiVersion and kind",
  {
    always: true,
  },
);

type Own = Pick<DocumentKind, "kind" | "summary" | "fields" | "rules"> & {
  readonly image: string;
};

function component({ kind, summary, fields, rules, image }: Own): DocumentKind {
  return {
    kind,
    summary,
    named: false,
    since: "1.14",
    controlPlaneOnly: true,
    fields,
    examples: [{ value: { image: `${image}:v${kubernetes}` } }],
    *rules(document) {
      if (document.get("enabled").truth() === false) return;
      yield* imageRules(document);
      yield* resourceRules(document);
      yield* rules?.(document) ?? [];
    },
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

function podFields(image: string, config: Fields): Fields {
  return { image: imageOf(image), ...config, extraArgs, env, resources };
}

/** Flags that documents of their own have taken over. */
const takenOver = new Map([
  ["anonymous-auth", "KubeAuthenticationConfig"],
  ["oidc-", "KubeAuthenticationConfig"],
  ["authentication-config", "KubeAuthenticationConfig"],
  ["authorization-config", "KubeAuthorizerConfig"],
  ["authorization-mode", "KubeAuthorizerConfig"],
  ["authorization-webhook-", "KubeAuthorizerConfig"],
]);

/** `KubeAPIServerConfig`. */
export const kubeApiServer: DocumentKind = component({
  kind: "KubeAPIServerConfig",
  summary: "API server (kube-apiserver)",
  image: defaultImages.apiServer,
  fields: {
    ...podFields(defaultImages.apiServer, {}),
    apiPort: field(int, "API server port", {
      optional: true,
      initial: "6443",
      example: 443,
    }),
    certExtraSANs: field(
      list(openText),
      "Additional certificate SANs",
      { example: ["192.0.2.10", "cluster.example.com"] },
    ),
    startupProbes: flag("Enables startup probes", "true"),
  },
  *rules(document) {
    for (const [name, place] of document.get("extraArgs").entries()) {
      for (const [prefix, kind] of takenOver) {
        if (!name.startsWith(prefix)) continue;
        yield place.error(
          `Argument "${name}" is not allowed here`,
          `Use a document ${kind}`,
        );
      }
    }
  },
});

/** `KubeControllerManagerConfig`. */
export const kubeControllerManager: DocumentKind = component({
  kind: "KubeControllerManagerConfig",
  summary: "Controller manager (kube-controller-manager)",
  image: defaultImages.controllerManager,
  fields: { enabled, ...podFields(defaultImages.controllerManager, {}) },
});

/** `KubeSchedulerConfig`. */
export const kubeScheduler: DocumentKind = component({
  kind: "KubeSchedulerConfig",
  summary: "Scheduler (kube-scheduler)",
  image: defaultImages.scheduler,
  fields: {
    enabled,
    ...podFields(defaultImages.scheduler, { config: settings }),
  },
});

/** `KubeProxyConfig`. */
export const kubeProxy: DocumentKind = component({
  kind: "KubeProxyConfig",
  summary: "Service proxy (kube-proxy)",
  image: defaultImages.proxy,
  fields: {
    enabled,
    image: field(openText, "Image, with its tag", {
      example: `${defaultImages.proxy}:v${kubernetes}`,
    }),
    mode: field(words(proxyModes), "Proxy mode", {
      initial: "nftables",
    }),
    config: settings,
    extraArgs,
    resources,
  },
  *rules(document) {
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
  },
});

/** `KubeCoreDNSConfig`. */
export const kubeCoreDns: DocumentKind = {
  kind: "KubeCoreDNSConfig",
  summary: "CoreDNS",
  named: false,
  since: "1.14",
  controlPlaneOnly: true,
  fields: {
    enabled,
    image: field(openText, "Image", {
      example: defaultImages.coreDns,
    }),
  },
  examples: [{ value: { enabled: true } }],
};

/** `KubeFlannelCNIConfig`. */
export const kubeFlannel: DocumentKind = {
  kind: "KubeFlannelCNIConfig",
  summary: "Flannel CNI",
  named: false,
  since: "1.14",
  controlPlaneOnly: true,
  fields: {
    backendType: field(openText, "Flannel backend", {
      always: true,
      required: true,
      example: "vxlan",
    }),
    backendPort: field(u16, "UDP port of the backend", { example: 4789 }),
    backendMTU: field(u32, "Transport MTU in bytes", {
      initial: "detected by flannel",
      example: 1420,
    }),
    backendExtraConfig: field(free, "Additional backend configuration"),
    resources,
    extraArgs: field(list(assignment), "Additional arguments for flannel", {
      example: ["--iface-can-reach=192.0.2.1"],
    }),
    kubeNetworkPoliciesEnabled: flag(
      "Deploys kube-network-policies",
    ),
  },
  examples: [{ value: { backendType: "vxlan", backendPort: 4789 } }],
  rules: resourceRules,
};

/** `KubeletConfig`. */
export const kubelet: DocumentKind = {
  kind: "KubeletConfig",
  summary: "The kubelet",
  named: false,
  since: "1.14",
  fields: {
    image: imageOf(defaultImages.kubelet),
    config: {
      ...settings,
      examples: [{ value: { serverTLSBootstrap: true } }],
    },
    extraArgs,
    clusterDNS: field(list(openText), "Cluster DNS addresses", {
      example: ["10.96.0.10"],
    }),
    defaultRuntimeSeccompProfileEnabled: flag(
      "Uses the runtime's default seccomp profile",
    ),
  },
  examples: [{
    value: {
      image: `${defaultImages.kubelet}:v${kubernetes}`,
      config: { serverTLSBootstrap: true },
    },
  }],
  *rules(document) {
    yield* imageRules(document);
    yield* kubeletSettingRules(document.get("config"));
  },
};

/** `KubePrismConfig`. */
export const kubePrism: DocumentKind = {
  kind: "KubePrismConfig",
  summary: "KubePrism: local load balancer for the Kubernetes API",
  named: false,
  since: "1.14",
  fields: {
    port: field(int, "Port on localhost", {
      always: true,
      example: 7445,
    }),
    tlsServerName: field(
      openText,
      "TLS server name for the kubelet",
      { example: "api.example.com" },
    ),
  },
  examples: [{ value: { port: 7445 } }],
  *rules(document) {
    const port = document.get("port");
    const number = port.number() ?? 0;
    if (number >= 1 && number <= 65535) return;
    yield port.error(
      `Port ${number} does not exist`,
      "Give a number from 1 to 65535, such as 7445",
    );
  },
};
