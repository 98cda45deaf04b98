/** Machine configuration of a simulated node, as text. */

import { encodePem, pemLabel } from "../pki/pem.ts";
import { encodePrivateKey } from "../pki/private_key.ts";
import { imagePrefix } from "../dialect.ts";
import type { SimulatedNode } from "./node.ts";

/** Writes the configuration the node runs with: YAML, two documents. */
export function machineConfig(node: SimulatedNode): string {
  const { identity, cluster } = node;
  const { authority, release, kubernetes, name, id } = cluster;
  const isWorker = identity.machineType === "worker";
  const [first] = cluster.nodes;
  return `version: v1alpha1
debug: false
persist: true
machine:
    type: ${identity.machineType}
    token: simul8.0123456789abcdef
    ca:
        crt: ${base64(encodePem(pemLabel.certificate, authority.certificate))}
        key: ${isWorker ? '""' : base64(encodePrivateKey(authority.key))}
    certSANs: []
    kubelet:
        image: ${imagePrefix}/kubelet:v${kubernetes}
        defaultRuntimeSeccompProfileEnabled: true
        disableManifestsDirectory: true
    network: {}
    install:
        disk: /dev/vda
        image: ${imagePrefix}/installer:${release.tag}
        wipe: false
    features:
        diskQuotaSupport: true
        kubePrism:
            enabled: true
            port: 7445
        hostDNS:
            enabled: true
            forwardKubeDNSToHost: true
cluster:
    id: ${id}
    secret: ${btoa(id).slice(0, 43)}=
    controlPlane:
        endpoint: https://${host(first?.identity.address ?? "")}:6443
    clusterName: ${name}
    network:
        dnsDomain: cluster.local
        podSubnets:
            - 10.244.0.0/16
        serviceSubnets:
            - 10.96.0.0/12
    token: abcdef.0123456789abcdef
    discovery:
        enabled: true
---
apiVersion: v1alpha1
kind: HostnameConfig
hostname: ${identity.hostname}
auto: off
`;
}

function host(address: string): string {
  return address.includes(":") ? `[${address}]` : address;
}

function base64(text: string): string {
  return new TextEncoder().encode(text).toBase64();
}
