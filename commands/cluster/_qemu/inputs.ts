/** Flags of the commands that create virtual machine clusters. */

import { legacyFlags } from "../../../talos.ts";
import { defaultKubernetes } from "../../../config/images.ts";
import { accelerators, architectures } from "../../../provisioners/mod.ts";
import {
  choice,
  duration,
  type Flag,
  imageName,
  InputProblem,
  integer,
  stringArray,
  strings,
  text,
  toggle,
  type Values,
} from "../../_kit/mod.ts";
import { patchFlag } from "../../_configure/patches.ts";
import { registryMirrorFlag } from "../../_gen_config/inputs.ts";
import { clusterInputs } from "../_cluster.ts";
import { machineSizes } from "../_machine_flags.ts";

/** Kinds of agents: raw WireGuard packets or gRPC, with an API over TLS or plaintext. */
export const agentKinds = [
  "wireguard",
  "tunnel",
  "wireguard+tls",
  "grpc-tunnel+tls",
] as const;

/** Flags of both commands. */
export const sharedInputs = {
  ...clusterInputs,
  accel: choice(
    "accelerator of the VMs: KVM, software emulation, or KVM if available",
    accelerators,
    { initial: "auto" },
  ),
  arch: choice("architecture of the VMs", architectures, {
    initial: Deno.build.arch === "aarch64" ? "arm64" : "amd64",
  }),
  cidr: text("IPv4 subnet of the cluster; the IPv6 one is derived from it", {
    initial: "10.5.0.0/24",
  }),
  configPatch: patchFlag("patch for all nodes, or @file"),
  controlplanes: integer("number of control planes", {
    initial: 1,
    least: 1,
    most: 100,
  }),
  workers: integer("number of workers", { initial: 1, least: 0, most: 200 }),
  cpusWorkers: machineSizes.cpusWorkers,
  memoryWorkers: machineSizes.memoryWorkers,
  mtu: integer("MTU of the network", {
    initial: 1500,
    least: 576,
    most: 65_521,
  }),
  registryMirror: registryMirrorFlag(),
  kubernetesVersion: text("version of Kubernetes", {
    shown: `${defaultKubernetes}, or that of --os-version`,
  }),
  omniApiEndpoint: text(
    "URL of Omni with a join token: the nodes get only this, and Omni configures them",
  ),
  waitTimeout: duration("timeout for the cluster to become ready", {
    initial: "20m0s",
  }),
};

/** Flags of the command with all options. */
export const fullInputs = {
  ...sharedInputs,
  provisioner: text("provisioner of the cluster; only qemu has these flags", {
    initial: "qemu",
    hidden: true,
  }),
  controlplanes: {
    ...sharedInputs.controlplanes,
    aliases: ["masters"],
  },
  configPatchControlPlane: patchFlag("patch for control planes"),
  configPatchWorker: patchFlag("patch for workers"),
  cpus: machineSizes.cpusControlplanes,
  memory: machineSizes.memoryControlplanes,
  controlPlanePort: integer("port of the Kubernetes API", {
    initial: 6443,
    least: 1,
    most: 65_535,
  }),
  customCniUrl: text("URL of the CNI manifests"),
  dnsDomain: text("domain of services in the cluster", {
    initial: "cluster.local",
  }),
  endpoint: text("endpoint of the node API to use instead of the nodes"),
  initNodeAsEndpoint: toggle(
    "use the first control plane as the only endpoint",
  ),
  inputDir: text(
    "directory with controlplane.yaml, worker.yaml and osconfig to use",
    { short: "i", complete: "directories" },
  ),
  ipv4: toggle("enable IPv4", { initial: true }),
  ipv6: toggle("enable IPv6"),
  kubeprismPort: integer("port of KubePrism; 0 disables it", {
    initial: 7445,
    least: 0,
    most: 65_535,
  }),
  registryInsecureSkipVerify: strings(
    "registries whose certificates are not verified",
  ),
  skipInjectingConfig: toggle(
    "leave the nodes unconfigured; write controlplane.yaml and worker.yaml",
  ),
  skipEtcdK8s: toggle("leave out etcd and Kubernetes (v1.14)"),
  skipUnattendedInstallConfig: toggle(
    "leave out the document that installs nodes without a command (v1.14)",
  ),
  skipK8sNodeReadinessCheck: toggle(
    "do not wait until nodes are ready in Kubernetes",
  ),
  skipKubeconfig: toggle("do not merge the kubeconfig"),
  osVersion: text("operating system version to generate configurations for", {
    aliases: [legacyFlags.osVersion],
    initial: "latest",
  }),
  wait: toggle("wait until the cluster is ready", { initial: true }),
  crashdump: toggle("print the consoles of the nodes if they fail to start"),
  wireguardCidr: text("IPv4 subnet of a WireGuard network between the nodes"),
  withApplyConfig: toggle("apply configurations to nodes in maintenance mode"),
  withBootloader: toggle("boot from disk once something is installed", {
    initial: true,
  }),
  withClusterDiscovery: toggle("enable the discovery service", {
    initial: true,
  }),
  withDebug: toggle("send the logs of services to the console"),
  withInitNode: toggle("let the first control plane bootstrap the cluster"),
  withJsonLogs: toggle("receive the logs of nodes in json-logs.log"),
  withKubespan: toggle("enable KubeSpan"),
  withUuidHostnames: toggle("name nodes after their UUIDs"),
  imageCachePath: text(
    "directory of a flat image cache to serve on the bridge",
    { complete: "directories" },
  ),
  imageCachePort: integer("port of the image cache", {
    initial: 5000,
    least: 1,
    most: 65_535,
  }),
  imageCacheTlsCertFile: text(
    "certificate of the image cache, PEM; HTTP without it",
    { complete: "files" },
  ),
  imageCacheTlsKeyFile: text("key of that certificate, PEM", {
    complete: "files",
  }),
  badRtc: toggle("start the clocks of the VMs in 2011"),
  configInjectionMethod: choice("how nodes get their configurations", [
    "default",
    "http",
    "metal-iso",
  ], { initial: "default" }),
  disableDhcpHostname: toggle("do not send hostnames with DHCP"),
  disk: integer("size of the system disk in MB", { initial: 6144, least: 8 }),
  primaryDisks: integer("number of system disks of each node, of this size", {
    initial: 1,
    least: 1,
    most: 16,
  }),
  diskBlockSize: integer("block size of disks in bytes", {
    initial: 512,
    least: 512,
    most: 32_768,
  }),
  diskEncryptionKeyTypes: stringArray(
    "key types for encrypted disks: uuid, kms",
    {
      shown: "uuid",
    },
  ),
  diskImagePath: text("image for the system disks, raw or .zst", {
    complete: "files",
  }),
  diskPreallocate: toggle("preallocate the full size of disks", {
    initial: true,
  }),
  encryptEphemeral: toggle("encrypt the EPHEMERAL partition"),
  encryptState: toggle("encrypt the STATE partition"),
  encryptUserVolumes: toggle("encrypt user volumes"),
  extraBootKernelArgs: text(
    "additional kernel arguments for the first boot; -name removes one",
  ),
  extraDisks: integer("number of extra disks of each worker", {
    initial: 0,
    least: 0,
    most: 16,
  }),
  extraDisksDrivers: strings(
    "drivers of the extra disks: virtio, ide, ahci, scsi, nvme, megaraid",
  ),
  extraDisksSize: integer("size of each extra disk in MB", {
    initial: 5120,
    least: 4,
  }),
  extraDisksSerials: strings(
    "serial numbers of the extra disks; drivers virtio, ahci, scsi, megaraid",
  ),
  extraDisksTags: strings("tags of extra disks with driver virtiofs", {
    hidden: true,
  }),
  extraDisksOnControlplanes: toggle("attach extra disks to control planes too"),
  extraUefiSearchPaths: strings("additional directories with UEFI firmware"),
  initrdPath: text("initramfs to boot", {
    initial: "_out/initramfs-${ARCH}.xz",
    complete: "files",
  }),
  installImage: {
    ...text("installer image", { shown: "that of --os-version" }),
    parse: imageName,
  },
  ipxeBootScript: text("URL of an iPXE script to boot"),
  isoPath: text("ISO to boot", { complete: "files" }),
  nameservers: strings("nameservers of the nodes", {
    shown: "the host's, through the bridge",
  }),
  noMasqueradeCidrs: strings("destinations excluded from NAT"),
  ukiPath: text("unified kernel image to boot", { complete: "files" }),
  usbPath: text("USB stick image to boot", { complete: "files" }),
  useVip: toggle("use a virtual IP as the endpoint of the Kubernetes API"),
  userVolumes: strings(
    "user volumes, as <name1>:<size1>:<name2>:<size2> for each disk",
  ),
  vmlinuzPath: text("kernel to boot", {
    initial: "_out/vmlinuz-${ARCH}",
    complete: "files",
  }),
  withDebugShell: toggle("start a shell instead of the operating system", {
    hidden: true,
  }),
  withFirewall: text(
    "default policy of a firewall on the nodes: accept or block",
  ),
  withIommu: toggle("add an IOMMU and a network card behind it"),
  withNetworkChaos: toggle(
    "enable network chaos: the other --with-network flags",
  ),
  withNetworkBandwidth: integer("bandwidth of each node in kbps", {
    initial: 0,
    least: 0,
  }),
  withNetworkJitter: duration("jitter of the latency", { initial: "0s" }),
  withNetworkLatency: duration("latency of packets to each node", {
    initial: "0s",
  }),
  withNetworkPacketCorrupt: fraction("share of packets that are corrupted"),
  withNetworkPacketLoss: fraction("share of packets that are lost"),
  withNetworkPacketReorder: fraction("share of packets that are reordered"),
  withTpm1_2: toggle("add a TPM 1.2, with swtpm"),
  withTpm2: toggle("add a TPM 2.0, with swtpm"),
  withUefi: toggle("use UEFI on amd64", { initial: true }),
  cniBinPath: strings(
    "directories with CNI plugins that attach the VMs to the network",
    { shown: "none: osctl attaches them itself" },
  ),
  cniBundleUrl: text(
    "URL of a .tar.gz with CNI plugins, for those that are missing",
  ),
  cniCacheDir: text("cache directory of the CNI plugins", {
    complete: "directories",
    shown: "$HOME/.os/cni/cache",
  }),
  cniConfDir: text("directory for the CNI configuration", {
    complete: "directories",
    shown: "$HOME/.os/cni/conf.d",
  }),
  withOslink: {
    ...text(
      `start an agent that nodes open a tunnel to: ${agentKinds.join(", ")}`,
      { aliases: [legacyFlags.oslink] },
    ),
    bare: "true",
  },
  airgapped: toggle("let nodes reach only each other and this machine"),
  skipInjectingExtraCmdline: toggle(
    "pass no kernel arguments through the boot loader",
    {
      hidden: true,
    },
  ),
};

export type FullInputs = Values<typeof fullInputs>;

function fraction(summary: string): Flag<number> {
  const declared = text(`${summary}, 0.5 for 50%`, { shown: "0.0" });
  return {
    ...declared,
    type: "float",
    initial: 0,
    parse(value) {
      const number = /^\d*\.?\d+$/.test(value) ? Number(value) : NaN;
      if (number >= 0 && number <= 1) return number;
      throw new InputProblem("must be a number from 0 to 1");
    },
  };
}
