/** Keys of `topf.yaml` and `site.yaml`: the source of checks, the JSON Schema, `explain` and the reference. */

import { imageFactory } from "../../talos.ts";
import { parseEndpoint } from "../../config/generate/machine_options.ts";
import { parseContract } from "../../config/generate/contract.ts";
import { addressFamily } from "../../lib/ip.ts";
import { parseVersion, withV } from "../../lib/version.ts";
import { ConfigError } from "../../errors.ts";
import { window } from "../runbooks/language/language.ts";
import { gateCheck } from "../runbooks/language/language_steps.ts";
import { groupName } from "../runbooks/language/names.ts";
import {
  countOrPercent,
  duration,
  matching,
  oneOf,
  quote,
  scalar,
  text,
  truth,
} from "../runbooks/language/scalars.ts";
import {
  free,
  type Keys,
  type LanguageScalar,
  type LanguageStruct,
  listOf,
  mapOf,
  struct,
} from "../runbooks/language/shape.ts";

/** Key of the OS version; the layout's name for it. */
export const versionKey = "talosVersion";

const osVersion = version("1.13.9", parseContract);
const kubernetesVersion = version("1.36.3");

const endpoint = scalar(
  "the URL of the Kubernetes API such as https://10.0.0.10:6443",
  { type: "string", pattern: "^https://" },
  (node) => thrown(() => parseEndpoint(node.text)),
);

const address = scalar(
  "an IP address such as 10.0.0.2",
  { type: "string" },
  (node) =>
    addressFamily(node.text) === undefined
      ? `${quote(node)} is not an IP address`
      : undefined,
);

const host = matching(
  "a name such as cp-1",
  /^(?!\.)[A-Za-z0-9_.-]{1,253}$/,
);

const schematicId = matching(
  "64 hexadecimal digits, or @ and the path of a schematic file",
  /^(@.+|[0-9a-f]{64})$/,
);

const extension = matching(
  "a name such as iscsi-tools",
  /^[a-z0-9][a-z0-9_.-]*(\/[a-z0-9][a-z0-9_.-]*)?$/,
);

/** Keys of the installer image, for the cluster and for single nodes. */
const image: Keys = {
  [versionKey]: {
    shape: osVersion,
    summary: "OS version, with or without v",
  },
  schematicId: {
    shape: schematicId,
    summary:
      "Schematic of the installer image: its id, or @ and the path of a file (.tpl is rendered first)",
  },
  factory: {
    shape: text,
    summary: "Image factory",
    initial: imageFactory,
  },
  platform: { shape: text, summary: "Platform", initial: "metal" },
  secureboot: {
    shape: truth,
    summary: "Whether the installer is for Secure Boot",
    initial: "false",
  },
};

/** The schematic by its parts, instead of an id. */
const schematic: Keys = {
  extensions: {
    shape: listOf(extension),
    summary: "System extensions by name, instead of schematicId",
  },
  kernelArgs: {
    shape: listOf(text),
    summary: "Kernel arguments of the image, instead of schematicId",
  },
  overlay: {
    shape: struct("overlay", {
      image: { shape: text, summary: "Image of the overlay", required: true },
      name: { shape: text, summary: "Name of the overlay", required: true },
      options: { shape: mapOf(text, free), summary: "Options of the overlay" },
    }),
    summary: "Overlay of the image, for single-board computers",
  },
};

const labels: Keys = {
  labels: {
    shape: mapOf(text, text),
    summary: "Kubernetes labels, also for --selector",
  },
};

const nodeData: Keys = {
  data: { shape: mapOf(text, free), summary: "Values for templates" },
};

const topfNode: Keys = {
  host: {
    shape: host,
    summary: "Name; not set as host name",
    required: true,
  },
  ip: { shape: address, summary: "Address; default, the host is resolved" },
  role: {
    shape: oneOf(["control-plane", "worker"]),
    summary: "Role",
    required: true,
  },
  ...nodeData,
  ...image,
};

const topfKeys: Keys = {
  clusterName: { shape: text, summary: "Name of the cluster", required: true },
  clusterEndpoint: {
    shape: endpoint,
    summary: "URL of the Kubernetes API for nodes and users",
    required: true,
  },
  kubernetesVersion: {
    shape: kubernetesVersion,
    summary: "Kubernetes version, with or without v",
    required: true,
  },
  ...image,
  patchesDir: {
    shape: text,
    summary: "Folder of the patches",
    initial: "folder of the file",
  },
  secretsPath: {
    shape: text,
    summary: "Secrets bundle",
    initial: "secrets.yaml",
  },
  secretsProvider: {
    shape: text,
    summary:
      "Program that reads and stores the secrets bundle, instead of secretsPath",
  },
  nodesProvider: {
    shape: text,
    summary: "Program that prints a list of further nodes",
  },
  ...nodeData,
};

const group = struct("group", {
  ...labels,
  ...nodeData,
  ...image,
  ...schematic,
});

const kubernetes = struct("kubernetes", {
  dnsDomain: {
    shape: text,
    summary: "Domain of services",
    initial: "cluster.local",
  },
  certSans: {
    shape: listOf(text),
    summary: "Further names and addresses in certificates",
  },
  discovery: {
    shape: truth,
    summary: "Whether nodes use the discovery service",
    initial: "true",
  },
  kubespan: {
    shape: truth,
    summary: "Whether nodes connect through KubeSpan",
    initial: "false",
  },
});

const upgrade = struct("upgrade", {
  batch: {
    shape: countOrPercent,
    summary: "Workers at the same time, after the canary",
    initial: "1",
  },
  canary: {
    shape: groupName,
    summary: "Group whose nodes come first",
  },
  drain: {
    shape: truth,
    summary: "Whether nodes are drained first",
    initial: "true",
  },
  drainTimeout: { shape: duration, summary: "Timeout for draining a node" },
  soak: {
    shape: duration,
    summary: "How long a batch must stay healthy before the next",
    initial: "0s",
  },
  windows: {
    shape: listOf(window, { alone: true }),
    summary: "When disruptions may start",
    initial: "any time",
  },
});

/** `topf.yaml`. */
export const topfFile: LanguageStruct = struct("topf.yaml", {
  ...topfKeys,
  nodes: {
    shape: listOf(struct("node", topfNode)),
    summary: "Nodes of the cluster",
  },
});

/** A node in `site.yaml`. */
export const nodeShape: LanguageStruct = struct("node", {
  ...topfNode,
  ...schematic,
  ...labels,
  groups: {
    shape: listOf(groupName, { alone: true }),
    summary: "Its groups; later ones win",
  },
});

/** `site.yaml`: the keys of `topf.yaml`, and more. */
export const siteFile: LanguageStruct = struct("site", {
  ...topfKeys,
  ...schematic,
  ...labels,
  nodes: {
    shape: listOf(nodeShape),
    summary: "Nodes of the cluster",
  },
  groups: {
    shape: mapOf(groupName, group),
    summary: "Settings of groups of nodes; their patches are in group/<name>/",
  },
  kubernetes: { shape: kubernetes, summary: "Options of the configurations" },
  upgrade: { shape: upgrade, summary: "How upgrades proceed" },
  checks: {
    shape: listOf(gateCheck, { alone: true }),
    summary: "Checks that must pass before the first change, as in runbooks",
  },
});

function version(
  example: string,
  parse?: (text: string) => unknown,
): LanguageScalar {
  return scalar(
    `a version such as ${example}`,
    { type: "string", pattern: "^v?\\d+\\.\\d+\\.\\d+" },
    (node) =>
      parseVersion(withV(node.text)) === undefined
        ? `${quote(node)} is not a version`
        : thrown(() => parse?.(node.text)),
  );
}

/** Error of a parser, for use as the error of a scalar. */
function thrown(parse: () => unknown): string | undefined {
  try {
    parse();
    return undefined;
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
}
