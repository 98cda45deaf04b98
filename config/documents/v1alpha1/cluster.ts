/** `cluster`. */

import { discoveryEndpoint } from "../../../talos.ts";
import { defaultImages, defaultKubernetes } from "../../images.ts";
import {
  example32Bytes,
  exampleCertificate,
  exampleKey,
  exampleOther32Bytes,
  examplePair,
  exampleToken,
} from "../example_material.ts";
import { fieldTable } from "../table.ts";

/** Key `resources` of a component of Kubernetes. */
export const resources = fieldTable`
resources  | struct | Resource requests and limits of the pod
  = {"requests": {"cpu": "500m", "memory": "1Gi"}, "limits": {"cpu": 2, "memory": "2500Mi"}}
  requests | openFree | Resource requests: cpu and memory | {"cpu": "500m", "memory": "1Gi"}
  limits   | openFree | Resource limits: cpu and memory | {"cpu": 2, "memory": "2500Mi"}
`;

const pod = fieldTable`
extraArgs    | programFlags | Additional flags, without dashes
  = {"v": "4", "feature-gates": "ServerSideApply=true"}
extraVolumes | list(struct) | Additional host paths to mount into the pod
  = [{"hostPath": "/var/lib/example", "mountPath": "/etc/kubernetes/example", "readonly": true}]
  hostPath   | text, always | Path on the host | "/var/lib/example"
  mountPath  | text, always | Path in the pod | "/etc/kubernetes/example"
  readonly   | boolean, default false | Mounts the volume read-only | true
env          | map(string) | Environment variables | {"GOMAXPROCS": "4"}
...${resources} | optional
`;

/** Settings shared by the nodes of a cluster. */
export const cluster = fieldTable`
id                             | text | Cluster id, 32 bytes in base64 | "${example32Bytes}"
secret                         | string, secret | Secret shared by all cluster members, 32 bytes in base64
  = "${exampleOther32Bytes}"
controlPlane                   | struct, optional | Control plane settings
  = {"endpoint": "https://cluster.example.com:6443"}
  endpoint                     | url, always, optional, required | URL of the Kubernetes API for all nodes and users
    = "https://cluster.example.com:6443"
    = An IP address | "https://192.0.2.10:6443"
  localAPIServerPort           | int, default 6443 | Port of the API server on each control plane node | 443
clusterName                    | text | Name of the cluster | "production"
network                        | struct, optional | Pod and service network settings
  = {"cni": {"name": "flannel"}, "dnsDomain": "cluster.local", "podSubnets": ["10.244.0.0/16"],
    "serviceSubnets": ["10.96.0.0/12"]}
  cni                          | struct, optional, default flannel | CNI settings
    = A CNI installed from manifests | {"name": "custom", "urls": ["https://example.com/cni.yaml"]}
    = No CNI; install one later | {"name": "none"}
    name                       | words(flannel custom none) | CNI to use | "flannel"
    urls                       | list(text) | URLs of the manifests of a custom CNI
      = ["https://example.com/cni.yaml"]
    flannel                    | struct, optional | Flannel settings
      = {"extraArgs": ["--iface-can-reach=192.0.2.1"]}
      extraArgs                | list(assignment) | Additional arguments for flannel
        = ["--iface-can-reach=192.0.2.1"]
      kubeNetworkPoliciesEnabled | boolean, optional, default false, since 1.13 | Deploys kube-network-policies
  dnsDomain                    | text, always, default cluster.local | DNS domain of the cluster
    = "cluster.local"
  podSubnets                   | list(text), always, default 10.244.0.0/16, replace | Pod subnets, at most one per IP family
    = ["10.244.0.0/16", "2001:db8:10::/56"]
  serviceSubnets               | list(text), always, default 10.96.0.0/12, replace | Service subnets, at most one per IP family
    = ["10.96.0.0/12", "2001:db8:20::/112"]
token                          | string, secret | Bootstrap token for kubelets to join, as id.secret
  = "${exampleToken}"
aescbcEncryptionSecret         | string, secret | AES-CBC key for encrypting secrets in etcd, in base64
  = "${example32Bytes}"
secretboxEncryptionSecret      | string, secret | Secretbox key for encrypting secrets in etcd, in base64; preferred
  = "${example32Bytes}"
ca                             | certificateAndKey, optional | Kubernetes CA; without the key on workers
  = ${examplePair}
acceptedCAs                    | gaps(certificateOnly) | Additional CAs that Kubernetes accepts
  = [{"crt": "${exampleCertificate}"}]
aggregatorCA                   | certificateAndKey, optional | CA of the API aggregation layer
  = ${examplePair}
serviceAccount                 | keyOnly, optional | Key for signing service account tokens
  = {"key": "${exampleKey}"}
apiServer                      | struct, optional | API server settings
  = {"certSANs": ["cluster.example.com"]}
  image                        | text, default ${defaultImages.apiServer}:v${defaultKubernetes} | Container image
    = "${defaultImages.apiServer}:v${defaultKubernetes}"
  extraArgs                    | programFlags | Additional flags, without dashes
    = {"event-ttl": "2h", "profiling": "false"}
  extraVolumes                 | list(struct) | Additional host paths to mount into the pod
    = [{"hostPath": "/var/lib/example", "mountPath": "/etc/kubernetes/example", "readonly": true}]
    hostPath                   | text, always | Path on the host | "/var/lib/example"
    mountPath                  | text, always | Path in the pod | "/etc/kubernetes/example"
    readonly                   | boolean, default false | Mounts the volume read-only | true
  env                          | map(string) | Environment variables | {"GOMAXPROCS": "4"}
  certSANs                     | list(text) | Additional names and addresses for the API server's certificate
    = ["192.0.2.10", "cluster.example.com"]
  disablePodSecurityPolicy     | boolean, optional, deprecated | Disables PodSecurityPolicy
  admissionControl             | list(struct), key name | Admission plugin configuration
    = [{"name": "PodSecurity",
      "configuration": {"apiVersion": "pod-security.admission.config.k8s.io/v1alpha1",
      "kind": "PodSecurityConfiguration", "defaults": {"audit": "restricted", "audit-version": "latest",
      "enforce": "baseline", "enforce-version": "latest", "warn": "restricted", "warn-version": "latest"},
      "exemptions": {"namespaces": ["kube-system"], "runtimeClasses": [], "usernames": []}}}]
    name                       | text, always | Name of the plugin | "PodSecurity"
    configuration              | free, always | Configuration of the plugin
      = {"apiVersion": "pod-security.admission.config.k8s.io/v1alpha1", "kind": "PodSecurityConfiguration",
        "defaults": {"audit": "restricted", "audit-version": "latest", "enforce": "baseline",
        "enforce-version": "latest", "warn": "restricted", "warn-version": "latest"},
        "exemptions": {"namespaces": ["kube-system"], "runtimeClasses": [], "usernames": []}}
  auditPolicy                  | free, default metadata of all requests, replace | Audit policy
    = {"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "rules": [{"level": "Metadata"}]}
  ...${resources} | optional
  authorizationConfig          | list(struct), since 1.9 | Authorizers in addition to Node and RBAC
    = [{"type": "Webhook", "name": "access-service", "webhook": {"timeout": "3s",
      "subjectAccessReviewVersion": "v1", "matchConditionSubjectAccessReviewVersion": "v1",
      "failurePolicy": "NoOpinion", "connectionInfo": {"type": "InClusterConfig"}}}]
    type                       | words(Node RBAC Webhook), always, required | Type of the authorizer
      = "Webhook"
    name                       | text, always, required | Name of the authorizer | "access-service"
    webhook                    | free | Webhook configuration
      = {"timeout": "3s", "subjectAccessReviewVersion": "v1",
        "matchConditionSubjectAccessReviewVersion": "v1", "failurePolicy": "NoOpinion",
        "connectionInfo": {"type": "InClusterConfig"}}
controllerManager              | struct, optional | Controller manager settings
  = {"extraArgs": {"node-cidr-mask-size": "22"}}
  image                        | text, default ${defaultImages.controllerManager}:v${defaultKubernetes} | Container image
    = "${defaultImages.controllerManager}:v${defaultKubernetes}"
  ...${pod}
proxy                          | struct, optional | Settings of kube-proxy | {"disabled": true}
  disabled                     | boolean, optional, default false | Disables kube-proxy; the CNI must replace it
  image                        | text, default ${defaultImages.proxy}:v${defaultKubernetes} | Container image
    = "${defaultImages.proxy}:v${defaultKubernetes}"
  mode                         | words(nftables iptables ipvs) | Proxy mode | "nftables"
  extraArgs                    | programFlags | Additional flags, without dashes
    = {"conntrack-max-per-core": "65536"}
scheduler                      | struct, optional | Scheduler settings | {"extraArgs": {"v": "4"}}
  image                        | text, default ${defaultImages.scheduler}:v${defaultKubernetes} | Container image
    = "${defaultImages.scheduler}:v${defaultKubernetes}"
  ...${pod}
  config                       | free | Scheduler configuration (KubeSchedulerConfiguration)
    = {"profiles": [{"schedulerName": "default-scheduler",
      "plugins": {"score": {"disabled": [{"name": "ImageLocality"}]}}}]}
discovery                      | struct, optional | Cluster discovery settings
  = {"enabled": true, "registries": {"kubernetes": {"disabled": true}, "service": {}}}
  enabled                      | boolean, optional, default false | Enables cluster discovery
  registries                   | struct, always | Discovery registries to use
    = {"kubernetes": {"disabled": true}, "service": {"endpoint": "https://discovery.example.com/"}}
    kubernetes                 | struct, always | Discovery by node annotations in Kubernetes
      = {"disabled": true}
      disabled                 | boolean, optional, default false | Disables discovery by node annotations
    service                    | struct, always | Discovery service, which receives only encrypted data
      = {"endpoint": "https://discovery.example.com/"}
      disabled                 | boolean, optional, default false | Disables the discovery service
      endpoint                 | text, default ${discoveryEndpoint} | URL of the discovery service
        = "https://discovery.example.com/"
etcd                           | struct, optional | etcd settings; control planes only
  = {"ca": ${examplePair}, "advertisedSubnets": ["10.0.0.0/8"]}
  image                        | text, default ${defaultImages.etcd} | etcd image | "${defaultImages.etcd}"
  ca                           | certificateAndKey, always, optional, required | CA of etcd members and clients
    = ${examplePair}
  extraArgs                    | programFlags | Additional etcd flags, without dashes
    = {"quota-backend-bytes": "8589934592"}
  subnet                       | text, deprecated cluster.etcd.advertisedSubnets | Subnet of the address to advertise
  advertisedSubnets            | list(text) | Subnets of addresses to advertise; ! excludes one
    = ["10.0.0.0/8", "!10.0.0.3/32"]
  listenSubnets                | list(text), default same as advertisedSubnets | Subnets of addresses to listen on; ! excludes one
    = ["10.0.0.0/8"]
coreDNS                        | struct, optional | CoreDNS settings | {"disabled": true}
  disabled                     | boolean, optional, default false | Disables CoreDNS
  image                        | text, default ${defaultImages.coreDns} | CoreDNS image
    = "${defaultImages.coreDns}"
externalCloudProvider          | struct, optional | External cloud provider settings
  = {"enabled": true, "manifests": ["https://example.com/cloud-controller.yaml"]}
  enabled                      | boolean, optional, default false | Enables an external cloud provider
  manifests                    | list(text) | URLs of the cloud controller manager's manifests
    = ["https://example.com/cloud-controller.yaml"]
extraManifests                 | list(text), listed | URLs of manifests to apply at bootstrap
  = ["https://example.com/storage.yaml"]
extraManifestHeaders           | map(string) | HTTP headers for fetching these manifests
  = {"X-Tenant": "production"}
inlineManifests                | list(struct), listed | Inline manifests to apply at bootstrap
  = [{"name": "namespace-ci", "contents": "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: ci\n"}]
  name                         | text, always, required | Unique name of the manifest | "namespace-ci"
  contents                     | manifestText, always | Contents of the manifest
    = "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: ci\n"
adminKubeconfig                | struct, optional | Admin kubeconfig settings | {"certLifetime": "24h"}
  certLifetime                 | duration, default 8760h | Lifetime of the client certificate | "24h"
allowSchedulingOnMasters       | boolean, optional, deprecated cluster.allowSchedulingOnControlPlanes | Allows workloads on control planes
allowSchedulingOnControlPlanes | boolean, optional, default false | Allows workloads on control planes
`;
