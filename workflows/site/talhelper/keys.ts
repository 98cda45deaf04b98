/** Keys of a `talconfig.yaml`, and what each becomes in a site. */

import { toLinkDocuments } from "../../../config/generate/link_documents.ts";
import { document } from "../../../config/generate/split_documents.ts";
import type { Plain } from "../../../config/tree/node.ts";
import type { SiteSettings as Values } from "../make_site.ts";

/** What a key becomes. Several may apply. */
export interface TalhelperKey {
  /** Path in `site.yaml`, or in an entry of its nodes. */
  readonly site?: string;
  /** Path in the main document of a configuration. */
  readonly main?: string;
  /** True if its elements are added to those that are there. */
  readonly appends?: true;
  /** Of a list: the elements of the role are added, unless the node sets this key. */
  readonly joinedUnless?: string;
  /** Key of elements that may name a file with `@`. */
  readonly file?: string;
  /** True if only control planes have it. */
  readonly controlPlane?: true;
  /** Documents; with {@linkcode main}, only since v1.12. `report` gets keys of an element without an equal. */
  readonly documents?: (
    value: Plain,
    report: (index: number, key: string, hint: string) => void,
  ) => readonly Plain[];
  /** Keys inside. */
  readonly keys?: TalhelperKeys;
  /** It has no equal: what to do. */
  readonly hint?: string;
}

/** Keys by name, in the order in which they are set. */
export type TalhelperKeys = Readonly<Record<string, TalhelperKey>>;

/** It is read by code of its own. */
const own: TalhelperKey = {};
const bootMedia: TalhelperKey = {
  hint: "Only for boot media: choose it where you download them",
};
const factoryOnly: TalhelperKey = {
  hint: "Remove it: schematic ids are computed without the factory",
};

const oldPatch: TalhelperKey = {
  hint: "Write it as an element of patches, as talhelper does since v1.9",
};

/** Keys of a node, and of the defaults of its role. */
export const nodeKeys: TalhelperKeys = {
  hostname: { site: "host" },
  ipAddress: own,
  controlPlane: own,
  installDisk: { main: "machine.install.disk" },
  installDiskSelector: { main: "machine.install.diskSelector" },
  ignoreHostname: own,
  overridePatches: own,
  overrideExtraManifests: own,
  overrideMachineCertSANs: own,
  nodeLabels: { main: "machine.nodeLabels" },
  nodeAnnotations: { main: "machine.nodeAnnotations" },
  nodeTaints: { main: "machine.nodeTaints" },
  machineDisks: { main: "machine.disks" },
  machineFiles: { main: "machine.files", file: "content" },
  kernelModules: { main: "machine.kernel.modules" },
  nameservers: {
    main: "machine.network.nameservers",
    documents: (servers) => [document("ResolverConfig", {
      nameservers: toList(servers).map((address) => ({ address })),
      searchDomains: { disableDefault: false },
    })],
  },
  disableSearchDomain: {
    main: "machine.network.disableSearchDomain",
    documents: (disableDefault) => [
      document("ResolverConfig", { searchDomains: { disableDefault } }),
    ],
  },
  extraManifests: { joinedUnless: "overrideExtraManifests" },
  certSANs: {
    main: "machine.certSANs",
    appends: true,
    joinedUnless: "overrideMachineCertSANs",
  },
  patches: own,
  talosImageURL: own,
  configPatches: oldPatch,
  inlinePatch: oldPatch,
  noSchematicValidate: {
    hint: "Remove it: osctl site check tells unknown keys of a schematic",
  },
  schematic: own,
  imageSchematic: bootMedia,
  machineSpec: {
    keys: {
      mode: { site: "platform" },
      arch: bootMedia,
      secureboot: { site: "secureboot" },
      useUKI: bootMedia,
      bootMethod: bootMedia,
      imageSuffix: bootMedia,
    },
  },
  ingressFirewall: {
    documents: (value) => {
      const { defaultAction, rules } = value as Values;
      return [
        document("NetworkDefaultActionConfig", { ingress: defaultAction }),
        ...toDocuments("NetworkRuleConfig", rules),
      ];
    },
  },
  extensionServices: named("ExtensionServiceConfig"),
  volumes: named("VolumeConfig"),
  userVolumes: named("UserVolumeConfig"),
  networkInterfaces: {
    main: "machine.network.interfaces",
    documents: toLinkDocuments,
  },
  filenameTmpl: {
    hint: "Remove it: osctl site render -o writes files HOST.yaml",
  },
};

/** Keys of the file. */
export const clusterKeys: TalhelperKeys = {
  clusterName: { site: "clusterName" },
  talosVersion: { site: "talosVersion" },
  kubernetesVersion: { site: "kubernetesVersion" },
  endpoint: { site: "clusterEndpoint" },
  domain: { site: "kubernetes.dnsDomain" },
  allowSchedulingOnMasters: schedulable(),
  allowSchedulingOnControlPlanes: schedulable(),
  additionalMachineCertSans: { main: "machine.certSANs", appends: true },
  additionalApiServerCertSans: {
    main: "cluster.apiServer.certSANs",
    appends: true,
    controlPlane: true,
  },
  inlineManifests: { main: "cluster.inlineManifests", file: "contents" },
  clusterPodNets: { main: "cluster.network.podSubnets" },
  clusterSvcNets: { main: "cluster.network.serviceSubnets" },
  cniConfig: { main: "cluster.network.cni" },
  patches: own,
  nodes: own,
  imageFactory: {
    keys: {
      registryURL: { site: "factory" },
      schematicEndpoint: factoryOnly,
      protocol: factoryOnly,
      installerURLTmpl: {
        hint:
          "Set machine.install.image in a patch if the image has another name",
      },
      ISOURLTmpl: bootMedia,
    },
  },
  controlPlane: { keys: nodeKeys },
  worker: { keys: nodeKeys },
};

function schedulable(): TalhelperKey {
  return { main: "cluster.allowSchedulingOnControlPlanes", controlPlane: true };
}

/** One document of a kind for each element. */
function named(kind: string): Pick<TalhelperKey, "documents"> {
  return { documents: (value) => toDocuments(kind, value) };
}

function toDocuments(kind: string, list: Plain | undefined): readonly Plain[] {
  return toList(list).map((one) => document(kind, one as Values));
}

function toList(value: Plain | undefined): readonly Plain[] {
  return Array.isArray(value) ? value : [];
}

/** Names of fields in templates of patches, by key of the main document. */
export const fieldNames: Readonly<Record<string, string>> = {
  "machine": "MachineConfig",
  "machine.type": "MachineType",
  "machine.certSANs": "MachineCertSANs",
  "machine.nodeLabels": "MachineNodeLabels",
  "machine.nodeAnnotations": "MachineNodeAnnotations",
  "machine.nodeTaints": "MachineNodeTaints",
  "machine.network": "MachineNetwork",
  "machine.network.hostname": "NetworkHostname",
  "machine.network.nameservers": "NameServers",
  "machine.network.interfaces": "NetworkInterfaces",
  "machine.network.interfaces.interface": "DeviceInterface",
  "machine.network.interfaces.addresses": "DeviceAddresses",
  "machine.install": "MachineInstall",
  "machine.install.disk": "InstallDisk",
  "machine.install.image": "InstallImage",
  "cluster": "ClusterConfig",
  "cluster.clusterName": "ClusterName",
  "cluster.id": "ClusterID",
  "cluster.controlPlane": "ControlPlane",
  "cluster.controlPlane.endpoint": "Endpoint",
  "cluster.network": "ClusterNetwork",
  "cluster.network.dnsDomain": "DNSDomain",
  "cluster.network.podSubnets": "PodSubnet",
  "cluster.network.serviceSubnets": "ServiceSubnet",
};
