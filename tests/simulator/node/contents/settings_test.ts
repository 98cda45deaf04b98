import assert from "node:assert/strict";
import { patchText, readPatch } from "../../../../config/patch.ts";
import { loadDocuments } from "../../../../config/documents/load.ts";
import { findFile } from "../../../../simulator/files/walk.ts";
import { domain } from "../../../../talos.ts";
import { machineConfig } from "../../../../simulator/state/machine_config.ts";
import { applyLive } from "../../../../simulator/node/live_configuration.ts";
import type { SimulatedNode } from "../../../../simulator/state/node.ts";
import { encodeSpec } from "../../../../simulator/resources/spec_message.ts";
import { toKey } from "../../../../simulator/node/contents/content.ts";
import { openApi, type TestApi } from "../../kubernetes/_api.ts";

function applyPatch(node: SimulatedNode, patch: string): string {
  const parts = [readPatch(patch, "patch.yaml")];
  return patchText(machineConfig(node), "config.yaml", parts).text;
}

function readFileText(node: SimulatedNode, path: string): string {
  const found = findFile(node, path, { follow: true, operation: "open" });
  assert.ok(found.entry.kind === "file" && found.entry.read);
  const [bytes] = found.entry.read(node);
  return new TextDecoder().decode(bytes);
}

function findSpec(node: SimulatedNode, name: string): unknown {
  const [type = "", id = ""] = name.split(/ (.*)/);
  return node.boot.resources.get(toKey({ type, id }))?.spec;
}

/** A patch of the worker, and what the node shows then: resources, files, objects of Kubernetes. */
interface Case {
  readonly patch: string;
  readonly resources?: Readonly<Record<string, unknown>>;
  readonly files?: Readonly<Record<string, string>>;
  // Objects have any shape.
  // deno-lint-ignore no-explicit-any
  readonly object?: readonly [path: string, see: (object: any) => unknown];
  readonly seen?: unknown;
}

const worker = "/api/v1/nodes/lab-worker-1";
const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "proxy", namespace: "kube-system", labels: { app: "p" } },
  spec: { containers: [{ name: "haproxy", image: "haproxy:3.2" }] },
};

const cases: Readonly<Record<string, Case>> = {
  "a kernel parameter": {
    patch: 'machine: {sysctls: {vm.max_map_count: "524288"}}',
    resources: {
      "KernelParamStatuses.runtime proc.sys.vm.max_map_count": {
        current: "524288",
        default: "1048576",
        unsupported: false,
      },
      "KernelParamSpecs.runtime proc.sys.vm.max_map_count": {
        value: "524288",
        ignoreErrors: false,
      },
    },
    files: { "/proc/sys/vm/max_map_count": "524288\n" },
  },
  "a kernel parameter that nodes set themselves": {
    patch: 'machine: {sysctls: {net.ipv4.ip_forward: "0"}}',
    resources: {
      "KernelParamStatuses.runtime proc.sys.net.ipv4.ip_forward": {
        current: "0",
        default: "0",
        unsupported: false,
      },
    },
    files: { "/proc/sys/net/ipv4/ip_forward": "0\n" },
  },
  "name servers": {
    patch: "machine: {network: {nameservers: [10.0.0.53, 10.0.1.53]}}",
    resources: {
      "ResolverStatuses.net resolvers": {
        dnsServers: ["10.0.0.53", "10.0.1.53"],
        searchDomains: [],
      },
    },
  },
  "name servers of IPv6, in a document of their own": {
    patch:
      "{apiVersion: v1alpha1, kind: ResolverConfig, nameservers: [{address: 'fd00::53'}], searchDomains: {domains: [example.org]}}",
    resources: {
      "ResolverStatuses.net resolvers": {
        dnsServers: ["fd00::53", "1.1.1.1", "8.8.8.8"],
        searchDomains: ["example.org"],
      },
    },
    files: {
      "/etc/resolv.conf": "nameserver 127.0.0.53\n\nsearch example.org\n",
    },
  },
  "time servers": {
    patch: "machine: {time: {servers: [time.example.org]}}",
    resources: {
      "TimeServerStatuses.net timeservers": {
        timeServers: ["time.example.org"],
      },
    },
  },
  "a node label": {
    patch: 'machine: {nodeLabels: {example.com/rack: "7"}}',
    resources: {
      "NodeLabelSpecs.k8s example.com/rack": {
        key: "example.com/rack",
        value: "7",
      },
    },
    object: [worker, ({ metadata: { labels, annotations } }) => [
      labels["example.com/rack"],
      annotations[`${domain}/owned-labels`],
    ]],
    seen: ["7", '["example.com/rack"]'],
  },
  "an annotation and a taint of the node": {
    patch:
      "machine: {nodeAnnotations: {example.com/owner: infra}, nodeTaints: {example.com/gpu: a100:NoSchedule}}",
    resources: {
      "NodeAnnotationSpecs.k8s example.com/owner": {
        key: "example.com/owner",
        value: "infra",
      },
      "NodeTaintSpecs.k8s example.com/gpu": {
        key: "example.com/gpu",
        effect: "NoSchedule",
        value: "a100",
      },
    },
    object: [worker, ({ metadata: { annotations }, spec: { taints } }) => [
      annotations["example.com/owner"],
      taints,
    ]],
    seen: ["infra", [
      { key: "example.com/gpu", effect: "NoSchedule", value: "a100" },
    ]],
  },
  "an address": {
    patch:
      "machine: {network: {interfaces: [{interface: eth0, addresses: [10.5.7.9/16], routes: [{network: 0.0.0.0/0, gateway: 10.5.0.254}]}]}}",
    resources: {
      "NodeAddresses.net default": {
        addresses: ["10.5.7.9/16"],
        sortAlgorithm: "v1",
      },
      "OperatorSpecs.net dhcp4/eth0": undefined,
      "AddressSpecs.net eth0/10.5.7.9/16": {
        address: "10.5.7.9/16",
        linkName: "eth0",
        family: "inet4",
        scope: "global",
        flags: "permanent",
        layer: "configuration",
      },
      "NodeIPs.kubernetes kubelet": { addresses: ["10.5.7.9"] },
    },
    object: [worker, ({ status: { addresses } }) => addresses[0]],
    seen: { type: "InternalIP", address: "10.5.7.9" },
  },
  "the discovery service": {
    patch:
      'cluster: {id: aWQ=, secret: AQID, discovery: {registries: {service: {endpoint: "http://10.0.0.9:3000/"}}}}',
    resources: {
      "DiscoveryConfigs.cluster cluster": {
        discoveryEnabled: true,
        registryKubernetesEnabled: false,
        registryServiceEnabled: true,
        serviceEndpoint: "10.0.0.9:3000",
        serviceEndpointInsecure: true,
        serviceEncryptionKey: [1, 2, 3],
        serviceClusterID: "aWQ=",
      },
    },
  },
  "no discovery": {
    patch: "cluster: {discovery: {enabled: false}}",
    resources: {
      "DiscoveryConfigs.cluster cluster": {
        discoveryEnabled: false,
        registryKubernetesEnabled: false,
        registryServiceEnabled: false,
        serviceEndpoint: "",
        serviceEncryptionKey: [],
        serviceClusterID: "",
      },
    },
  },
  "a registry mirror": {
    patch:
      "{apiVersion: v1alpha1, kind: RegistryMirrorConfig, name: docker.io, endpoints: [{url: 'https://mirror.example.org'}], skipFallback: true}",
    resources: {
      "RegistryConfigs.cri registries": {
        mirrors: {
          "docker.io": {
            endpoints: [{
              endpoint: "https://mirror.example.org",
              overridePath: false,
            }],
            skipFallback: true,
          },
        },
      },
    },
  },
  "a management service": {
    patch:
      "{apiVersion: v1alpha1, kind: SideroLinkConfig, apiUrl: 'https://[fd00::9]/?jointoken=secret&grpc_tunnel=y'}",
    resources: {
      "SiderolinkConfigs.siderolink siderolink": {
        apiEndpoint: "https://[fd00::9]/?jointoken=secret&grpc_tunnel=y",
        host: "[fd00::9]:443",
        joinToken: "secret",
        insecure: false,
        tunnel: true,
      },
      "SiderolinkStatuses.siderolink siderolink-status": {
        host: "fd00::9",
        connected: false,
        linkName: "siderolink",
        grpcTunnel: false,
      },
    },
  },
  "a static pod": {
    patch: JSON.stringify({ machine: { pods: [pod] } }),
    resources: { "StaticPods.kubernetes kube-system-proxy": pod },
    object: [
      "/api/v1/namespaces/kube-system/pods/proxy-lab-worker-1",
      ({ metadata: { labels, annotations }, spec, status: { phase } }) => [
        labels,
        annotations["kubernetes.io/config.source"],
        spec.containers,
        spec.nodeName,
        phase,
      ],
    ],
    seen: [
      { app: "p" },
      "http",
      pod.spec.containers,
      "lab-worker-1",
      "Running",
    ],
  },
};

async function show(api: TestApi, name: string): Promise<void> {
  const node = api.nodes[1]!;
  const before = machineConfig(node);
  const { patch, resources = {}, files = {}, object, seen } = cases[name]!;
  await applyLive(node, applyPatch(node, patch));
  for (const [place, spec] of Object.entries(resources)) {
    assert.deepEqual(findSpec(node, place), spec, `${name}: ${place}`);
  }
  for (const [path, text] of Object.entries(files)) {
    assert.equal(readFileText(node, path), text, `${name}: ${path}`);
  }
  if (object !== undefined) {
    const [path, see] = object;
    assert.deepEqual(see(api.ask(`GET ${path}`)), seen, name);
  }
  await applyLive(node, before);
  if (object?.[0].includes("/pods/")) {
    assert.equal(api.answer(`GET ${object[0]}`).code, 404);
  }
}

Deno.test("settings: patched values appear in resources, files and Kubernetes, and disappear with the patch", async () => {
  const api = await openApi({ workers: 1 });
  const [, node] = api.nodes;
  const state = () => [
    node!.boot.resources.list(
      toKey({ type: "KernelParamStatuses.runtime", id: "" }),
    ).map(({ id, spec }) => [id, spec]),
    ...[
      "ResolverStatuses.net resolvers",
      "NodeAddresses.net default",
      "OperatorSpecs.net dhcp4/eth0",
      "RegistryConfigs.cri registries",
    ].map((name) => findSpec(node!, name)),
    api.ask(`GET ${worker}`).metadata.labels,
    api.ask(`GET ${worker}`).metadata.annotations,
    api.ask(`GET ${worker}`).spec.taints,
  ];
  const before = state();
  for (const name of Object.keys(cases)) await show(api, name);
  assert.deepEqual(state(), before);
});

Deno.test("inline manifests are among the manifests of a control plane, without those that are no YAML", async () => {
  const [node] = (await openApi()).nodes;
  const contents = "kind: Namespace\n---\nkind: ConfigMap\n";
  const inlineManifests = [
    { name: "apps", contents },
    { name: "broken", contents: "a: [" },
  ];
  const patch = JSON.stringify({ cluster: { inlineManifests } });
  await applyLive(node!, applyPatch(node!, patch));
  const items = (name: string) =>
    (findSpec(node!, `Manifests.kubernetes 99-${name}`) as {
      readonly items: unknown;
    }).items;
  assert.deepEqual(items("apps"), [
    { kind: "Namespace" },
    { kind: "ConfigMap" },
  ]);
  assert.deepEqual(items("broken"), []);
  const { manifestsApplied } = findSpec(
    node!,
    "ManifestStatuses.kubernetes manifests",
  ) as { readonly manifestsApplied: readonly string[] };
  assert.deepEqual(manifestsApplied.slice(-2), ["99-apps", "99-broken"]);
});

Deno.test("arguments of the kubelet show, and start it again", async () => {
  const [, node] = (await openApi({ workers: 1 })).nodes;
  const before = node!.boot.services.get("kubelet")!.starts;
  await applyLive(
    node!,
    applyPatch(
      node!,
      "machine: {kubelet: {clusterDNS: [10.99.0.10], extraArgs: {v: '4', node-ip: 10.0.0.9}, extraConfig: {maxPods: 250}}}",
    ),
  );
  const { args, config } = findSpec(
    node!,
    "KubeletSpecs.kubernetes kubelet",
  ) as {
    readonly args: readonly string[];
    readonly config: unknown;
  };
  assert.deepEqual(args.slice(-2), ["--node-ip=10.0.0.9", "--v=4"]);
  assert.deepEqual(config, {
    clusterDNS: ["10.99.0.10"],
    clusterDomain: "cluster.local",
    maxPods: 250,
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    kind: "KubeletConfiguration",
  });
  assert.equal(node!.boot.services.get("kubelet")!.starts, before + 1);
});

Deno.test("a node with another host name registers as another node, and the old one is not ready", async () => {
  const { nodes, ask } = await openApi({ workers: 1 });
  const node = nodes[1]!;
  ask(`GET ${worker}`);
  const { documents } = loadDocuments(machineConfig(node), "config.yaml");
  const own = documents.some(({ kind }) => kind === "HostnameConfig");
  const name = "rack7.example.org";
  await applyLive(
    node,
    applyPatch(
      node,
      own
        ? `{apiVersion: v1alpha1, kind: HostnameConfig, hostname: ${name}}`
        : `machine: {network: {hostname: ${name}}}`,
    ),
  );
  assert.deepEqual(findSpec(node, "HostnameStatuses.net hostname"), {
    hostname: "rack7",
    domainname: "example.org",
  });
  assert.deepEqual(
    ask("GET /api/v1/nodes").items.map((
      // deno-lint-ignore no-explicit-any
      { metadata, status }: any,
    ) => [metadata.name, status.conditions[0].status]),
    [
      ["lab-controlplane-1", "True"],
      ["lab-worker-1", "Unknown"],
      ["rack7", "True"],
    ],
  );
  assert.match(readFileText(node, "/etc/hosts"), /rack7\.example\.org rack7\n/);
});

Deno.test("mirrors are encoded as a map of messages", () => {
  const bytes = encodeSpec(`RegistryConfigs.cri.${domain}`, {
    mirrors: { a: { endpoints: [{ endpoint: "b" }], skipFallback: true } },
  });
  // 1: {1: "a", 2: {1: {1: "b"}, 3: true}}
  assert.equal(bytes.toHex(), "0a0c0a01611207" + "0a030a0162" + "1801");
});
