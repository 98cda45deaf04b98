/** Keys of `topf.yaml` and `site.yaml`: the source of checks, the JSON Schema, `explain` and the reference. */

import { imageFactory } from "../../talos.ts";
import { parseEndpoint } from "../../config/generate/machine_options.ts";
import { parseContract } from "../../config/generate/contract.ts";
import { addressFamily } from "../../lib/ip.ts";
import { parseVersion, withV } from "../../lib/version.ts";
import { ConfigError } from "../../errors.ts";
import type { FileTopic } from "../runbooks/language/explain_file.ts";
import { window } from "../runbooks/language/language.ts";
import { gateCheck } from "../runbooks/language/language_steps.ts";
import { groupName } from "../runbooks/language/names.ts";
import { keys, parseStruct } from "../runbooks/language/key_table.ts";
import {
  countOrPercent,
  duration,
  matching,
  parsed,
  quote,
  scalar,
  text,
  truth,
} from "../runbooks/language/scalars.ts";
import {
  free,
  type LanguageScalar,
  type LanguageStruct,
  struct,
} from "../runbooks/language/shape.ts";

/** Key of the OS version; the layout's name for it. */
export const versionKey = "talosVersion";

const osVersion = version("1.13.9", parseContract);
const kubernetesVersion = version("1.36.3");

const endpoint = parsed(
  "the URL of the Kubernetes API such as https://10.0.0.10:6443",
  { type: "string", pattern: "^https://" },
  parseEndpoint,
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
  "a schematic id (64 hexadecimal digits), or @ and the path of a schematic file",
  /^(@.+|[0-9a-f]{64})$/,
);

const extension = matching(
  "a name such as iscsi-tools",
  /^[a-z0-9][a-z0-9_.-]*(\/[a-z0-9][a-z0-9_.-]*)?$/,
);

/** Keys of the installer image, for the cluster and for single nodes. */
const image = keys`
  ${versionKey} | ${osVersion}   | OS version, with or without v
  schematicId  | ${schematicId} | Schematic of the installer image: id, or @ and the path of a file (.tpl is rendered first)
  factory      | ${text}        | Image factory | ${imageFactory}
  platform     | ${text}        | Platform | metal
  secureboot   | ${truth}       | Whether the installer is for Secure Boot | false
`;

const overlay = parseStruct("overlay")`
  image   | ${text}, required    | Image of the overlay
  name    | ${text}, required    | Name of the overlay
  options | map(${text} ${free}) | Options of the overlay
`;

/** The schematic by its parts, instead of an id. */
const schematic = keys`
  extensions | list(${extension}) | System extensions by name, instead of schematicId
  kernelArgs | list(${text})      | Kernel arguments of the image, instead of schematicId
  overlay    | ${overlay}         | Overlay of the image, for single-board computers
`;

const labels =
  keys`labels | map(${text} ${text}) | Kubernetes labels, also for --selector`;

const data = keys`data | map(${text} ${free}) | Values for templates`;

const topfNode = keys`
  host | ${host}, required | Name; not set as host name
  ip   | ${address}        | Address; default, the host is resolved
  role | oneOf(control-plane worker), required | Role
  ...${data}
  ...${image}
`;

const topfKeys = keys`
  clusterName       | ${text}, required              | Name of the cluster
  clusterEndpoint   | ${endpoint}, required          | URL of the Kubernetes API for nodes and users
  kubernetesVersion | ${kubernetesVersion}, required | Kubernetes version, with or without v
  ...${image}
  patchesDir        | ${text}                        | Folder of the patches | folder of the file
  secretsPath       | ${text}                        | Secrets bundle | secrets.yaml
  secretsProvider   | ${text}                        | Program that reads and stores the secrets bundle, instead of secretsPath
  nodesProvider     | ${text}                        | Program that prints a list of further nodes
  ...${data}
`;

const group = parseStruct("group")`
  ...${labels}
  ...${data}
  ...${image}
  ...${schematic}
`;

const kubernetes = parseStruct("kubernetes")`
  dnsDomain | ${text}       | Domain of services | cluster.local
  certSans  | list(${text}) | Further names and addresses in certificates
  discovery | ${truth}      | Whether nodes use the discovery service | true
  kubespan  | ${truth}      | Whether nodes connect through KubeSpan | false
`;

const upgrade = parseStruct("upgrade")`
  batch        | ${countOrPercent} | Workers at the same time, after the canary | 1
  canary       | ${groupName}      | Group whose nodes come first
  drain        | ${truth}          | Whether nodes are drained first | true
  drainTimeout | ${duration}       | Timeout for draining a node
  soak         | ${duration}       | How long a batch must stay healthy before the next | 0s
  windows      | alone(${window})  | When disruptions may start | any time
`;

/** `topf.yaml`. */
export const topfFile: LanguageStruct = struct("topf.yaml", {
  ...topfKeys,
  ...keys`nodes | list(${struct("node", topfNode)}) | Nodes of the cluster`,
});

/** A node in `site.yaml`. */
export const nodeShape: LanguageStruct = parseStruct("node")`
  ...${topfNode}
  ...${schematic}
  ...${labels}
  groups | alone(${groupName}) | Its groups; later ones win
`;

/** `site.yaml`: the keys of `topf.yaml`, and more. */
export const siteFile: LanguageStruct = parseStruct("site")`
  ...${topfKeys}
  ...${schematic}
  ...${labels}
  nodes      | list(${nodeShape})         | Nodes of the cluster
  groups     | map(${groupName} ${group}) | Settings of groups of nodes; their patches are in group/<name>/
  kubernetes | ${kubernetes}              | Options of the configurations
  upgrade    | ${upgrade}                 | How upgrades proceed
  checks     | alone(${gateCheck})        | Checks that must pass before each stage of an apply, as in runbooks
`;

/** The file for `osctl explain`. */
export const siteTopic: FileTopic = {
  topic: "site",
  summary: "File of a cluster in git: versions, nodes and settings",
  shape: siteFile,
};

function version(
  example: string,
  parse?: (text: string) => unknown,
): LanguageScalar {
  const json = { type: "string", pattern: "^v?\\d+\\.\\d+\\.\\d+" };
  return parsed(`a version such as ${example}`, json, (text) => {
    if (parseVersion(withV(text)) !== undefined) return parse?.(text);
    throw new ConfigError(`${quote({ text })} is not a version`);
  });
}
