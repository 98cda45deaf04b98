import assert from "node:assert/strict";
import type { Shape } from "../../../../config/documents/schema.ts";
import { v1alpha1 } from "../../../../config/documents/v1alpha1/top.ts";
import { fieldsIn } from "./_fields.ts";

/** Keys of a mapping, or of the elements of a list, in order. */
function keysAt(path: string): string {
  const found = [...fieldsIn(v1alpha1.fields)].find((one) => one.path === path);
  let shape: Shape | undefined = found?.field.shape;
  while (shape?.shape === "list" || shape?.shape === "map") shape = shape.of;
  return shape?.shape === "struct" ? Object.keys(shape.fields).join(" ") : "";
}

const orders: readonly (readonly [path: string, keys: string])[] = [
  [
    "machine",
    "type token ca acceptedCAs certSANs controlPlane kubelet pods network disks install files env " +
    "time sysctls sysfs registries systemDiskEncryption features udev logging kernel " +
    "seccompProfiles baseRuntimeSpecOverrides nodeLabels nodeAnnotations nodeTaints",
  ],
  [
    "machine.kubelet",
    "image clusterDNS extraArgs extraMounts extraConfig credentialProviderConfig " +
    "defaultRuntimeSeccompProfileEnabled registerWithFQDN nodeIP skipNodeRegistration " +
    "disableManifestsDirectory",
  ],
  [
    "machine.network",
    "hostname interfaces nameservers searchDomains extraHostEntries kubespan disableSearchDomain",
  ],
  [
    "machine.network.interfaces",
    "interface deviceSelector addresses cidr routes bond bridge bridgePort vlans mtu dhcp ignore " +
    "dummy dhcpOptions wireguard vip",
  ],
  [
    "machine.network.interfaces[].vlans",
    "addresses cidr routes dhcp vlanId mtu vip dhcpOptions",
  ],
  [
    "machine.network.interfaces[].bond",
    "interfaces deviceSelectors arpIPTarget mode xmitHashPolicy lacpRate adActorSystem " +
    "arpValidate arpAllTargets primary primaryReselect failOverMac adSelect miimon updelay " +
    "downdelay arpInterval resendIgmp minLinks lpInterval packetsPerSlave numPeerNotif " +
    "tlbDynamicLb allSlavesActive useCarrier adActorSysPrio adUserPortKey peerNotifyDelay",
  ],
  [
    "machine.install",
    "disk diskSelector extraKernelArgs image extensions bootloader wipe legacyBIOSSupport " +
    "grubUseUKICmdline",
  ],
  [
    "machine.install.diskSelector",
    "size name model serial modalias uuid wwid type busPath",
  ],
  ["machine.files", "content permissions path op"],
  ["machine.registries.config", "tls auth"],
  [
    "machine.systemDiskEncryption.state",
    "provider keys cipher keySize blockSize options",
  ],
  ["machine.systemDiskEncryption.state.keys", "static nodeID kms slot tpm"],
  [
    "machine.features",
    "rbac stableHostname kubernetesTalosAPIAccess apidCheckExtKeyUsage diskQuotaSupport kubePrism " +
    "hostDNS imageCache nodeAddressSortAlgorithm",
  ],
  ["machine.logging.destinations", "endpoint format extraTags"],
  [
    "cluster",
    "id secret controlPlane clusterName network token aescbcEncryptionSecret " +
    "secretboxEncryptionSecret ca acceptedCAs aggregatorCA serviceAccount apiServer " +
    "controllerManager proxy scheduler discovery etcd coreDNS externalCloudProvider " +
    "extraManifests extraManifestHeaders inlineManifests adminKubeconfig " +
    "allowSchedulingOnMasters allowSchedulingOnControlPlanes",
  ],
  ["cluster.network", "cni dnsDomain podSubnets serviceSubnets"],
  [
    "cluster.apiServer",
    "image extraArgs extraVolumes env certSANs disablePodSecurityPolicy admissionControl " +
    "auditPolicy resources authorizationConfig",
  ],
  ["cluster.controllerManager", "image extraArgs extraVolumes env resources"],
  ["cluster.scheduler", "image extraArgs extraVolumes env resources config"],
  ["cluster.proxy", "disabled image mode extraArgs"],
  ["cluster.etcd", "image ca extraArgs subnet advertisedSubnets listenSubnets"],
];

for (const [path, keys] of orders) {
  Deno.test(`${path} keeps the order of its keys`, () => {
    assert.equal(keysAt(path), keys);
  });
}
