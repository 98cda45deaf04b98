/** Files of a new site. */

import type { NewFile } from "../../lib/files/file_set.ts";
import { type Plain, toTree } from "../../config/tree/node.ts";
import { writeTree } from "../../config/tree/write.ts";
import { versionKey } from "./site_keys.ts";

/** Schema file named in the first line of `site.yaml`. */
const schemaName = "site.schema.json";

/** Settings of a new site. */
interface StarterSite {
  readonly name: string;
  readonly endpoint: string;
  /** OS version without `v`. */
  readonly os: string;
  /** Kubernetes version without `v`. */
  readonly kubernetes: string;
  readonly schema: string;
  /** Secrets bundle, YAML, or the program that has it. */
  readonly secrets: string | { readonly provider: string };
}

/** Makes the files of a new site, valid and commented; their paths are relative. */
export function makeStarter(site: StarterSite): readonly NewFile[] {
  return [
    ...withSchema(siteText(site), site.schema),
    { path: "all/install.yaml", content: installText },
    { path: "control-plane/etcd.yaml", content: etcdText },
    ...typeof site.secrets === "string"
      ? [{ path: "secrets.yaml", content: site.secrets }]
      : [],
  ];
}

/** Makes `site.yaml` with these settings, and its schema. */
export function makeSiteFiles(
  settings: Plain,
  schema: string,
): readonly NewFile[] {
  return withSchema(writeTree(toTree(settings)), schema);
}

function withSchema(text: string, schema: string): readonly NewFile[] {
  const first = `# yaml-language-server: $schema=${schemaName}
# A cluster in git. All keys: osctl explain site
`;
  return [
    { path: "site.yaml", content: `${first}${text}` },
    { path: schemaName, content: schema },
  ];
}

function siteText(
  { name, endpoint, os, kubernetes, secrets }: StarterSite,
): string {
  const provider = typeof secrets === "string"
    ? ""
    : `secretsProvider: ${JSON.stringify(secrets.provider)}\n`;
  return `clusterName: ${JSON.stringify(name)}
clusterEndpoint: ${endpoint}
kubernetesVersion: ${kubernetes}
${versionKey}: ${os}
${provider}
# Patches of all nodes are in all/, of a role in control-plane/ and worker/,
# of a group in group/<name>/, of one node in node/<host>/; later ones win.

# System extensions and kernel arguments of the installer image:
# extensions: [iscsi-tools, util-linux-tools]
# kernelArgs: [console=ttyS0]

nodes: []
# nodes:
#   - host: cp-1
#     ip: 10.0.0.2
#     role: control-plane
#   - host: worker-1
#     ip: 10.0.0.5
#     role: worker
#     groups: [storage]
#     data: {disk: /dev/nvme0n1}

# groups:
#   storage:
#     labels: {example.com/storage: "true"}
`;
}

const installText = `# Merged into the configuration of every node.
machine:
  install:
    disk: /dev/sda
    # A value of the node, else the default:
    # disk: \${{ has(node.data.disk) ? node.data.disk : "/dev/sda" }}
`;

const etcdText = `# Merged into the configurations of control planes.
cluster:
  etcd:
    extraArgs:
      election-timeout: "5000"
`;
