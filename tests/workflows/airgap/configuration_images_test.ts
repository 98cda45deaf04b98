import assert from "node:assert/strict";
import { loadDocuments } from "../../../config/documents/load.ts";
import { configurationNeeds } from "../../../workflows/airgap/configuration_images.ts";

function findNeeds(
  text: string,
): { images: string[]; notes: readonly string[] } {
  const { documents } = loadDocuments(text, "f.yaml");
  const { images, notes } = configurationNeeds(documents, "f");
  const lines = images.map(({ image, source }) => `${image} <- ${source}`);
  return { images: lines, notes };
}

Deno.test("a configuration needs what it names, and what its release brings where it names nothing", () => {
  assert.deepEqual(
    findNeeds(`
machine:
  type: worker
  install: {image: "factory.example.com/metal-installer/0a:v1.11.2"}
  kubelet: {image: "reg.example.com/kubelet:v1.33.1"}
`),
    {
      images: [
        "factory.example.com/metal-installer/0a:v1.11.2 <- f: machine.install.image",
        "reg.example.com/kubelet:v1.33.1 <- f: kubelet",
        "registry.k8s.io/pause:3.10 <- f: pod sandboxes (default of v1.11.2, taken from v1.11.6)",
      ],
      notes: [],
    },
  );
});

Deno.test("a control plane needs Kubernetes, etcd, DNS and CNI, and the images of pods and manifests in it", () => {
  assert.deepEqual(
    findNeeds(`
machine:
  type: controlplane
  install:
    image: reg.example.com/installer:v1.13.9
    extensions: [{image: "reg.example.com/iscsi-tools:v0.2.0"}]
  pods:
    - {kind: Pod, spec: {initContainers: [{image: init:1}], containers: [{image: pod:1}]}}
cluster:
  apiServer: {image: "reg.example.com:5000/kube-apiserver:v1.35.1"}
  proxy: {disabled: true}
  etcd: {image: "reg.example.com/etcd:v3.6.12"}
  network: {cni: {name: flannel, flannel: {kubeNetworkPoliciesEnabled: true}}}
  inlineManifests:
    - name: a
      contents: |
        kind: List
        items: [{kind: CronJob, spec: {jobTemplate: {spec: {template: {spec: {containers: [{image: "job:2"}]}}}}}}]
        ---
        kind: DaemonSet
        spec: {template: {spec: {containers: [{image: ds:3}]}}}
    - {name: b, contents: "a: b: c"}
  extraManifests: ["https://user:word@example.com/x.yaml?token=1"]
  externalCloudProvider: {enabled: true, manifests: ["https://example.com/c.yaml"]}
`),
    {
      images: [
        "reg.example.com/installer:v1.13.9 <- f: machine.install.image",
        "reg.example.com/iscsi-tools:v0.2.0 <- f: machine.install.extensions[0].image",
        "ghcr.io/siderolabs/kubelet:v1.36.3 <- f: kubelet (default of v1.13.9)",
        "registry.k8s.io/pause:3.10.1 <- f: pod sandboxes (default of v1.13.9)",
        "init:1 <- f: machine.pods[0]",
        "pod:1 <- f: machine.pods[0]",
        "reg.example.com:5000/kube-apiserver:v1.35.1 <- f: kube-apiserver",
        "registry.k8s.io/kube-controller-manager:v1.36.3 <- f: kube-controller-manager (default of v1.13.9)",
        "registry.k8s.io/kube-scheduler:v1.36.3 <- f: kube-scheduler (default of v1.13.9)",
        "reg.example.com/etcd:v3.6.12 <- f: etcd",
        "registry.k8s.io/coredns/coredns:v1.14.6 <- f: CoreDNS (default of v1.13.9)",
        "ghcr.io/siderolabs/flannel:0.28.8 <- f: flannel (default of v1.13.9)",
        "registry.k8s.io/networking/kube-network-policies:v1.1.0 <- f: network policies (default of v1.13.9)",
        "job:2 <- f: cluster.inlineManifests[0].contents",
        "ds:3 <- f: cluster.inlineManifests[0].contents",
      ],
      notes: [
        "f: cluster.inlineManifests[1].contents is not YAML; its images are not listed",
        "f: cluster.extraManifests[0] is a URL (https://example.com/x.yaml); the images in its manifests are not listed",
        "f: cluster.externalCloudProvider.manifests[0] is a URL (https://example.com/c.yaml); the images in its manifests are not listed",
      ],
    },
  );
});

Deno.test("a custom CNI, one of one's own and switched-off parts bring no images", () => {
  const base = (cluster: string) => `
machine: {type: controlplane, install: {image: "i:v1.12.11"}}
cluster: {coreDNS: {disabled: true}, proxy: {disabled: true}, ${cluster}}
`;
  const bundled = ({ images }: { readonly images: readonly string[] }) =>
    images.filter((line) => /flannel|coredns|kube-proxy/.test(line));
  const none = findNeeds(base("network: {cni: {name: none}}"));
  assert.deepEqual([bundled(none), none.notes], [[], []]);
  const custom = findNeeds(
    base('network: {cni: {name: custom, urls: ["https://e.com/cni"]}}'),
  );
  assert.deepEqual([bundled(custom), custom.notes], [[], [
    "f: cluster.network.cni.urls[0] is a URL (https://e.com/cni); the images in its manifests are not listed",
  ]]);
});

Deno.test("a configuration of v1.14 needs the same, from documents of its own", () => {
  const { images, notes } = findNeeds(`
machine: {type: controlplane}
cluster: {}
---
apiVersion: v1alpha1
kind: UnattendedInstallConfig
installer: {image: "reg.example.com/installer:v1.14.0-rc.1"}
---
apiVersion: v1alpha1
kind: KubeletConfig
image: reg.example.com/kubelet:v1.37.0
---
apiVersion: v1alpha1
kind: KubeNetworkConfig
---
apiVersion: v1alpha1
kind: KubeFlannelCNIConfig
backendType: vxlan
---
apiVersion: v1alpha1
kind: KubeProxyConfig
enabled: false
---
apiVersion: v1alpha1
kind: KubeCoreDNSConfig
image: reg.example.com/coredns:v1
---
apiVersion: v1alpha1
kind: ContainerConfig
name: web
image: reg.example.com/web:1
---
apiVersion: v1alpha1
kind: KubeStaticPodConfig
name: p
pod: {spec: {containers: [{image: "reg.example.com/p:1"}]}}
---
apiVersion: v1alpha1
kind: KubeInlineManifestConfig
name: m
manifest: "spec: {containers: [{image: 'reg.example.com/m:1'}]}"
---
apiVersion: v1alpha1
kind: KubeExternalManifestConfig
name: e
url: https://example.com/e.yaml
`);
  assert.deepEqual(images, [
    "reg.example.com/installer:v1.14.0-rc.1 <- f: installer.image",
    "reg.example.com/web:1 <- f: ContainerConfig/web",
    "reg.example.com/kubelet:v1.37.0 <- f: kubelet",
    "registry.k8s.io/pause:3.10.2 <- f: pod sandboxes (default of v1.14.0-rc.1)",
    "reg.example.com/p:1 <- f: KubeStaticPodConfig/p",
    "registry.k8s.io/kube-apiserver:v1.37.0-rc.0 <- f: kube-apiserver (default of v1.14.0-rc.1)",
    "registry.k8s.io/kube-controller-manager:v1.37.0-rc.0 <- f: kube-controller-manager (default of v1.14.0-rc.1)",
    "registry.k8s.io/kube-scheduler:v1.37.0-rc.0 <- f: kube-scheduler (default of v1.14.0-rc.1)",
    "registry.k8s.io/etcd:3.7.1 <- f: etcd (default of v1.14.0-rc.1)",
    "reg.example.com/coredns:v1 <- f: CoreDNS",
    "ghcr.io/siderolabs/flannel:0.28.9 <- f: flannel (default of v1.14.0-rc.1)",
    "reg.example.com/m:1 <- f: KubeInlineManifestConfig/m",
  ]);
  assert.deepEqual(notes, [
    "f: KubeExternalManifestConfig/e is a URL (https://example.com/e.yaml); the images in its manifests are not listed",
  ]);
});
