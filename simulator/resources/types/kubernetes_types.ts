/** Types of resources about Kubernetes and its parts. */

import type { TypeGroup } from "../resource_definitions.ts";

/** Types of resources about Kubernetes and its parts, by group and default namespace. */
export const kubernetesTypes: readonly TypeGroup[] = [{
  group: "k8s",
  namespace: "k8s",
  types: {
    NodeAnnotationSpecs: { sensitive: true, columns: { Value: "{.value}" } },
    NodeCordonedSpecs: { sensitive: true },
    NodeLabelSpecs: { sensitive: true, columns: { Value: "{.value}" } },
    NodeTaintSpecs: {
      sensitive: true,
      columns: { Effect: "{.effect}", Value: "{.value}" },
    },
  },
}, {
  group: "kubernetes",
  namespace: "controlplane",
  types: {
    APIServerConfigs: { sensitive: true },
    AdmissionControlConfigs: {},
    AuditPolicyConfigs: { sensitive: true },
    AuthorizationConfigs: { sensitive: true },
    BootstrapManifestsConfigs: {},
    ConfigStatuses: {
      columns: { Ready: "{.ready}", "Secrets Version": "{.version}" },
    },
    ControllerManagerConfigs: {},
    Endpoints: { columns: { Addresses: "{.addresses}", Hosts: "{.hosts}" } },
    ExtraManifestsConfigs: {},
    ManifestStatuses: {},
    Manifests: {},
    SchedulerConfigs: {},
    SecretStatuses: {
      columns: { Ready: "{.ready}", "Secrets Version": "{.version}" },
    },
  },
}, {
  group: "kubernetes",
  namespace: "k8s",
  types: {
    KubePrismConfigs: {
      columns: { Host: "{.host}", Port: "{.port}", Endpoints: "{.endpoints}" },
    },
    KubePrismEndpoints: {
      columns: { Hosts: "{.endpoints[*].host}", Ports: "{.endpoints[*].port}" },
    },
    KubePrismStatuses: { columns: { HOST: "{.host}", HEALTHY: "{.healthy}" } },
    KubeletConfigs: { sensitive: true },
    KubeletKubeconfigs: { columns: { Hash: "{.hash}" } },
    KubeletLifecycles: {},
    KubeletSpecs: { sensitive: true },
    NodeIPConfigs: {},
    NodeIPs: {},
    NodeStatuses: {
      columns: { Ready: "{.nodeReady}", Unschedulable: "{.unschedulable}" },
    },
    Nodenames: { columns: { Nodename: "{.nodename}" } },
    StaticPodServerStatuses: {},
    StaticPodStatuses: {
      aliases: ["podstatus"],
      columns: { Ready: '{.conditions[?(@.type=="Ready")].status}' },
    },
    StaticPods: {},
  },
}, {
  group: "kubespan",
  namespace: "config",
  types: { KubeSpanConfigs: { sensitive: true } },
}, {
  group: "kubespan",
  namespace: "kubespan",
  types: {
    KubeSpanEndpoints: {
      columns: { Endpoint: "{.endpoint}", "Affiliate ID": "{.affiliateID}" },
    },
    KubeSpanIdentities: {
      sensitive: true,
      columns: { Address: "{.address}", PublicKey: "{.publicKey}" },
    },
    KubeSpanPeerSpecs: {
      columns: { Label: "{.label}", Endpoints: "{.endpoints}" },
    },
    KubeSpanPeerStatuses: {
      columns: {
        Label: "{.label}",
        Endpoint: "{.endpoint}",
        State: "{.state}",
        Rx: "{.receiveBytes}",
        Tx: "{.transmitBytes}",
      },
    },
  },
}, {
  group: "etcd",
  namespace: "etcd",
  types: {
    EtcdConfigs: { columns: { Image: "{.image}" } },
    EtcdMembers: { columns: { "Member ID": "{.memberID}" } },
    EtcdSpecs: {
      columns: {
        Name: "{.name}",
        AdvertisedAddresses: "{.advertisedAddresses}",
        ListenPeerAddresses: "{.listenPeerAddresses}",
        ListenClientAddresses: "{.listenClientAddresses}",
      },
    },
    PKIStatuses: {
      columns: { Ready: "{.ready}", "Secrets Version": "{.version}" },
    },
  },
}, {
  group: "cri",
  namespace: "cri",
  types: {
    ImageCacheConfigs: {
      columns: {
        Status: "{.status}",
        CopyStatus: "{.copyStatus}",
        Roots: "{.roots}",
      },
    },
    RegistryConfigs: { sensitive: true },
    SeccompProfiles: {},
  },
}];
